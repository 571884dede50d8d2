// What axe-core has to say about a page.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Axe {
  run(
    root: Document,
  ): Promise<{ violations: { id: string; impact: string; nodes: { target: string[] }[] }[] }>;
}

/** Resolves once nothing fades from one colour to another any more; a colour half way has a contrast of its own. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const fading = () =>
      document
        .getAnimations()
        .some((animation) => animation instanceof CSSTransition && animation.playState === "running");
    // Some frames, because a child that inherits what its parent changes fades after it; not without end, because what
    // never comes to rest is judged as it is.
    let frames = 0;
    do {
      await new Promise(requestAnimationFrame);
      frames += 1;
    } while (fading() && frames < 300);
  });
}

/** Violations of level serious or worse on the page as it is, each as `rule: selector`. */
export async function seriousViolations(page: Page): Promise<string[]> {
  await settled(page);
  await page.evaluate(source);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations } = await axe.run(document);
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}`));
  });
}
