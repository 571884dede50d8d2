// The console as somebody uses it who looks after keys and settings, and what its pages are to those who do not see them.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { launchChromium } from "../harness/chromium.ts";
import { desk, expectSoundIn, signIn, telephone, wear } from "../harness/console.ts";

let browser: Browser;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  browser = await launchChromium();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
  page.on("pageerror", (error) => complaints.push(error.message));
});

afterAll(async () => {
  await browser?.close();
});

const heading = () => page.getByRole("heading", { level: 1 });
const visit = (name: string) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click();

/** Status of a call by key to a route that every key may call. */
async function callWith(key: string): Promise<number> {
  const url = new URL("/v1/public/models", inject("address"));
  const response = await fetch(url, { headers: { "X-Api-Key": key } });
  await response.body?.cancel();
  return response.status;
}

const appearances = (["dark", "light"] as const).flatMap((colorScheme) =>
  [desk, telephone].map((viewport) => ({ colorScheme, viewport })),
);

/** Looks at a page in every appearance, each time from its beginning. */
async function expectSoundAt(page: Page, path: string): Promise<void> {
  for (const appearance of appearances) {
    await wear(page, appearance);
    await page.goto(new URL(path, inject("address")).href, { waitUntil: "networkidle" });
    await expectSoundIn(page, appearance);
  }
}

describe("the console", () => {
  it("takes a stranger to the page they were on their way to", async () => {
    await page.goto(new URL("/keys", inject("address")).href);
    await signIn(page, "keeper@example.com");
    await expect
      .poll(() =>
        heading()
          .innerText()
          .catch(() => ""),
      )
      .toBe("Keys");
    expect(new URL(page.url()).pathname).toBe("/keys");
  });

  it("shows a key's secret once; the key works until it is revoked", async () => {
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Robot");
    await page.keyboard.press("Enter");
    const secret = await page.getByTestId("key-secret").innerText();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    expect(await page.getByTestId("key-secret").innerText()).toBe(secret);
    await page.getByRole("button", { name: "I have saved it" }).click();
    await expect.poll(() => page.content()).not.toContain(secret);
    expect(await callWith(secret)).toBe(200);

    await page.getByRole("button", { name: "Revoke Robot" }).click();
    await page.getByRole("button", { name: "Revoke key" }).click();
    await expect.poll(() => page.getByText("Revoked keys (1)").isVisible()).toBe(true);
    expect(await callWith(secret)).toBe(401);
  });

  it("moves the focus to the heading of the page it goes to, and names it in the title", async () => {
    await visit("Settings");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Settings");
    expect(await page.title()).toBe("Settings · Visàvis");
  });

  it("saves settings, says what cannot be saved where it is, and asks before work is lost", async () => {
    const longest = page.getByRole("textbox", { name: "Longest reply" });
    await longest.fill("none");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(() => longest.getAttribute("aria-invalid")).toBe("true");

    await visit("Keys");
    await page.getByRole("button", { name: "Stay" }).click();
    expect(await heading().innerText()).toBe("Settings");
    expect(await longest.inputValue()).toBe("none");

    await longest.fill("900");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(() => page.getByText("Settings saved.").isVisible()).toBe(true);
    await page.reload();
    await expect.poll(() => longest.inputValue().catch(() => "")).toBe("900");
  });

  it("leaves unsaved work behind when told to", async () => {
    await page.getByRole("textbox", { name: "Longest reply" }).fill("901");
    await visit("Keys");
    await page.getByRole("button", { name: "Leave", exact: true }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Keys");
    await page.goBack();
    await expect
      .poll(() =>
        page
          .getByRole("textbox", { name: "Longest reply" })
          .inputValue()
          .catch(() => ""),
      )
      .toBe("900");
  });

  it("greys out what the chosen model does not take, and says so", async () => {
    // The only model of a portal without keys is scripted: nothing about it can be tuned.
    for (const name of ["Temperature", "Top P"]) {
      expect(await page.getByRole("textbox", { name }).isDisabled()).toBe(true);
    }
    expect(await page.getByRole("combobox", { name: "Effort" }).isDisabled()).toBe(true);
    expect(await page.getByText("has no thinking control").isVisible()).toBe(true);
  });

  it("has no fleet for those who are no administrators", async () => {
    const nav = page.getByRole("navigation", { name: "Main" });
    expect(await nav.getByRole("link", { name: "Fleet" }).count()).toBe(0);
    await page.goto(new URL("/fleet", inject("address")).href);
    await expect
      .poll(() =>
        heading()
          .innerText()
          .catch(() => ""),
      )
      .toBe("There is nothing here");
  });

  it.each(["/studio", "/avatars", "/sessions", "/voices", "/keys", "/settings"])(
    "has no serious fault of accessibility at %s, dark or light, wide or narrow",
    (path) => expectSoundAt(page, path),
  );

  it("shows administrators the boxes, and says plainly when none can be started", async () => {
    const context = await browser.newContext();
    const admin = await context.newPage();
    await admin.goto(new URL("/fleet", inject("address")).href);
    await signIn(admin, "admin@example.com");
    const boxes = admin.getByTestId("boxes").getByRole("listitem");
    await expect.poll(() => boxes.count()).toBe(1);
    // A session that just ended is news to the portal with the next heartbeat.
    await expect.poll(() => boxes.first().innerText(), { timeout: 30_000 }).toContain("Free");
    await admin.getByRole("button", { name: "Start a box" }).click();
    await admin.getByRole("button", { name: "Start box" }).click();
    await expect.poll(() => admin.getByRole("dialog").innerText()).toContain("by hand");
    await admin.getByRole("button", { name: "Cancel" }).click();
    expect(await admin.getByRole("button", { name: "Start a box" }).isDisabled()).toBe(true);
    await expectSoundAt(admin, "/fleet");
    await context.close();
  });

  it("comes to the sign-in page, with a word of why, when the session is over elsewhere", async () => {
    await page.goto(new URL("/keys", inject("address")).href, { waitUntil: "networkidle" });
    await page.context().clearCookies();
    await visit("Settings");
    await expect.poll(() => page.getByText("You have been signed out").isVisible()).toBe(true);
  });

  it("threw nothing on the way", () => {
    expect(complaints).toEqual([]);
  });
});
