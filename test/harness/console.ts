// What tests of several console pages do: sign in, and look at a page in the appearances it has.

import type { Page } from "playwright-core";
import { expect, inject } from "vitest";
import { seriousViolations } from "./axe.ts";

/** Goes to a page of the console by its path, as if typed into the address bar. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, inject("address")).href);
}

/** Signs in through the outbox of a local portal, from whatever page is asked for. */
export async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel("E-mail address").fill(email);
  await page.getByRole("button", { name: "Send sign-in link" }).click();
  await page.getByRole("link", { name: "Open the sign-in link" }).click();
  await page.getByRole("button", { name: `Account: ${email}` }).waitFor();
}

export interface Appearance {
  colorScheme: "dark" | "light";
  /** CSS pixels. */
  viewport: { width: number; height: number };
}

export const desk = { width: 1440, height: 900 };
export const telephone = { width: 390, height: 844 };
export const darkDesk: Appearance = { colorScheme: "dark", viewport: desk };
const lightTelephone: Appearance = { colorScheme: "light", viewport: telephone };

export async function wear(page: Page, { colorScheme, viewport }: Appearance): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.setViewportSize(viewport);
}

/** Expects of a page as it is, open dialogs included: no serious fault of accessibility, nothing wider than the window. */
export async function expectSoundIn(page: Page, appearance: Appearance): Promise<void> {
  await wear(page, appearance);
  const violations = await seriousViolations(page);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect({ ...appearance, violations, overflow }).toEqual({ ...appearance, violations: [], overflow: 0 });
}

/** The same on a bright telephone and on a dark desk, where the page stays. */
export async function expectSound(page: Page): Promise<void> {
  await expectSoundIn(page, lightTelephone);
  await expectSoundIn(page, darkDesk);
}

/** Does something that ends in a call, and expects that the portal took it. */
export async function expectTaken(
  page: Page,
  { method, path, act }: { method: string; path: RegExp; act(): Promise<void> },
): Promise<void> {
  const [response] = await Promise.all([
    page.waitForResponse(
      (response) => response.request().method() === method && path.test(new URL(response.url()).pathname),
    ),
    act(),
  ]);
  expect(response.ok(), `${method} ${response.url()} → ${response.status()}`).toBe(true);
}
