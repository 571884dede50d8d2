import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

function start(environment: Record<string, string>) {
  const child = spawn(process.execPath, [main], { env: { PATH: process.env.PATH, ...environment } });
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => (output.text += String(chunk)));
  const exit = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  return { child, output, exit };
}

test("a configuration that will not do ends the process at once, and says why", async () => {
  const { exit, output } = start({ BOX_PUBLIC_URL: "https://box.example", BOX_PORT: "x" });
  expect(await exit).toBe(2);
  expect(output.text).toContain("BOX_PORT");
});

test("so does a file of moderation rules that cannot be used", { timeout: 60_000 }, async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "visavis-main-"));
  try {
    const rules = join(stateDir, "rules.json");
    await writeFile(rules, '{"rules":[{"patterns":["(?=lookahead)"]}]}');
    const { exit, output } = start({ BOX_PORT: "0", VISAVIS_STATE: stateDir, MODERATION_RULES: rules });
    expect(await exit).toBe(2);
    expect(output.text).toContain("MODERATION_RULES: rules.0.patterns.0");
    expect(output.text).not.toContain("    at ");
  } finally {
    await rm(stateDir, { recursive: true, force: true });
  }
});

test("it listens, and a signal ends it and everything it started", { timeout: 60_000 }, async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "visavis-main-"));
  const { child, exit, output } = start({ BOX_PORT: "0", VISAVIS_STATE: stateDir });
  try {
    await expect.poll(() => output.text, { timeout: 30_000 }).toContain("box listens");
    const line = output.text.split("\n").find((text) => text.includes("box listens")) ?? "{}";
    const { url } = JSON.parse(line) as { url: string };
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ ok: true, service: "box" });
    child.kill("SIGTERM");
    expect(await exit).toBe(0);
    expect(output.text).toContain("box ended");
  } finally {
    child.kill("SIGKILL");
    await rm(stateDir, { recursive: true, force: true });
  }
});
