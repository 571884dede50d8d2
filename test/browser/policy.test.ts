// The Content-Security-Policy of every page, as a browser judges it: whatever it would have kept from a page shows here.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { launchChromium } from "../harness/chromium.ts";
import { open, signIn } from "../harness/console.ts";

let browser: Browser;
let page: Page;
const refused: string[] = [];

beforeAll(async () => {
  browser = await launchChromium();
  page = await browser.newPage();
  await page.exposeFunction("tellRefused", (what: string) => refused.push(what));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
      const { tellRefused } = window as unknown as { tellRefused(what: string): void };
      tellRefused(`${location.pathname}: ${effectiveDirective} ${blockedURI}`);
    });
  });
});
afterAll(async () => {
  await browser?.close();
});

describe("the policy of pages", () => {
  it("keeps nothing from the console", async () => {
    await open(page, "/studio");
    await signIn(page, "admin@example.com");
    const paths = [
      "/studio",
      "/avatars",
      "/portraits",
      "/sessions",
      "/voices",
      "/keys",
      "/settings",
      "/fleet",
    ];
    for (const path of paths) {
      await open(page, path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
    }
    expect(refused).toEqual([]);
  });

  it("keeps nothing from the page of the API, whose answers open", async () => {
    await open(page, "/static/docs/");
    await page.locator(".opblock-tag").first().click();
    const operation = page.locator(".opblock").first();
    await operation.locator(".opblock-summary-control").click();
    await operation.locator(".opblock-body .responses-wrapper").waitFor();
    await page.waitForLoadState("networkidle");
    expect(refused).toEqual([]);
  });

  it("does keep foreign scripts, frames and images out", async () => {
    await open(page, "/studio");
    await page.evaluate(() => {
      for (const [name, source] of [
        ["script", "https://elsewhere.test/a.js"],
        ["iframe", "https://elsewhere.test/"],
        ["img", "https://elsewhere.test/a.png"],
      ] as const) {
        const element = document.createElement(name);
        element.src = source;
        document.body.append(element);
      }
    });
    await expect
      .poll(() => refused.map((line) => line.split(" ")[1]).sort())
      .toEqual(["frame-src", "img-src", "script-src-elem"]);
  });

  it("lets no other page frame one", async () => {
    const other = await browser.newPage();
    await other.setContent(`<iframe src="${inject("address")}"></iframe>`);
    const frame = other.frames().at(-1);
    await expect.poll(() => frame?.url()).toMatch(/^chrome-error:/);
    await other.close();
  });
});
