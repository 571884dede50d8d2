// Avatars, portraits, sessions and voices, as somebody keeps house in the console with them.

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchChromium } from "../harness/chromium.ts";
import { darkDesk, expectSound, expectTaken, open, signIn } from "../harness/console.ts";
import { root } from "../harness/process.ts";
import { keepSounds, sounds } from "../harness/sounds.ts";

const owner = "librarian@example.com";
/** What takes a box or a round of reports has this long before it counts as never. */
const patience = { timeout: 60_000, interval: 250 };

let browser: Browser;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  browser = await launchChromium();
  page = await newPage();
  await keepSounds(page);
  await open(page, "/studio");
  await signIn(page, owner);
});

afterAll(async () => {
  await browser?.close();
});

/** A page with cookies of its own: another person's browser. */
async function newPage(): Promise<Page> {
  const created = await browser.newPage({ ...darkDesk, reducedMotion: "reduce" });
  created.on("pageerror", (error) => complaints.push(error.message));
  created.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) complaints.push(message.text());
  });
  return created;
}

const visit = (name: string) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click();
const button = (name: string | RegExp, on: Page | Locator = page) => on.getByRole("button", { name });
const heading = (on = page) => on.getByRole("heading", { level: 1 });
const dialog = () => page.getByRole("dialog");
/** The card of an avatar on a shelf of the library. */
const card = (name: string, on = page) =>
  on.getByRole("listitem").filter({ has: on.getByRole("link", { name, exact: true }) });
const choosePhotograph = (buffer: Buffer) =>
  page
    .getByLabel(/^Choose a photograph/)
    .setInputFiles({ name: "photo.jpg", mimeType: "image/jpeg", buffer });

const photograph = (): Promise<Buffer> =>
  sharp(join(root, "box/avatars/stock/theo.png")).jpeg({ quality: 92 }).toBuffer();

/** Waits until a picture has arrived and could be decoded. */
async function expectPicture(image: Locator): Promise<void> {
  const width = () => image.evaluate((element: HTMLImageElement) => element.naturalWidth).catch(() => 0);
  await expect.poll(width, patience).toBeGreaterThan(0);
}

/** Waits until the avatar whose page is open is ready. */
async function expectReady(): Promise<void> {
  await expect.poll(() => page.getByText("Ready", { exact: true }).isVisible(), patience).toBe(true);
}

describe("the avatars", () => {
  it("begin with an empty shelf that says what to do", async () => {
    await visit("Avatars");
    await page.getByText("No faces yet").waitFor();
    await expectSound(page);
  });

  it("take a photograph in and show it, ready, with its picture", async () => {
    await button("Add a face").first().click();
    await expectSound(page);
    await choosePhotograph(await photograph());
    await page.getByLabel("Name", { exact: true }).fill("Theodora");
    await button("Only neutral").click();
    await page.getByRole("checkbox", { name: "Warm" }).check();
    await expectSound(page);
    expect(await button("Upload").isDisabled()).toBe(true);
    await page.getByRole("checkbox", { name: /^This face is mine/ }).check();
    await button("Upload").click();
    await expect
      .poll(
        () =>
          card("Theodora")
            .innerText()
            .catch(() => ""),
        patience,
      )
      .toContain("Ready");
    await expectPicture(card("Theodora").getByRole("presentation"));
    await expectSound(page);
  });

  it("show one of them whole: its pictures, its files, its source", async () => {
    await page.getByRole("link", { name: "Theodora", exact: true }).click();
    await expect.poll(() => heading().innerText()).toBe("Theodora");
    // The box archives them after it reported the face ready.
    for (const file of ["source.jpg", "still.jpg"]) {
      await expect.poll(() => page.getByRole("link", { name: file }).count(), patience).toBe(1);
    }
    // The face itself, both files, and the source with its crop.
    const pictures = page.locator("main img:visible");
    await expect.poll(() => pictures.count(), patience).toBe(4);
    for (const picture of await pictures.all()) await expectPicture(picture);
    const source = createHash("sha256")
      .update(await photograph())
      .digest("hex");
    await page.getByTitle(source).waitFor();
    await expectSound(page);
  });

  it("play the tone that was asked for, and have another one made", async () => {
    // The clip is made after the face, and archived after that.
    const warm = button(/^Warm\b/);
    await expect
      .poll(
        async () => {
          if (await warm.isEnabled().catch(() => false)) return true;
          await page.reload();
          await warm.waitFor();
          return false;
        },
        { timeout: 100_000, interval: 3_000 },
      )
      .toBe(true);
    await warm.click();
    const video = page.locator("video[aria-label='Theodora, warm']");
    const width = () => video.evaluate((element: HTMLVideoElement) => element.videoWidth).catch(() => 0);
    await expect.poll(width, patience).toBeGreaterThan(0);
    await expectSound(page);
    const path = /^\/api\/avatar\/clips\/retry$/;
    await expectTaken(page, { method: "POST", path, act: () => button("Make sad").click() });
    await page.getByText("Being made…").waitFor();
  });

  it("are seen by everybody once published, without any address, and by nobody else once withdrawn", async () => {
    await button("Publish…").click();
    const agree = button("Agree and publish");
    await agree.waitFor();
    expect(await agree.isDisabled()).toBe(true);
    await expectSound(page);
    await page.getByLabel(/^I have read these terms/).check();
    await agree.click();
    await button("Make private").waitFor();

    const visitor = await newPage();
    await open(visitor, "/avatars");
    await signIn(visitor, "visitor@example.com");
    const [listing] = await Promise.all([
      visitor.waitForResponse((response) => response.url().endsWith("/auth/avatars/public")),
      visitor.reload(),
    ]);
    const published = await listing.text();
    expect(published).toContain("Theodora");
    expect(published).not.toContain("@");
    await visitor.getByText(/^Public · \d+$/).click();
    await card("Theodora", visitor).waitFor();
    await card("Theodora", visitor).getByRole("link").click();
    await visitor.getByText("Published by another developer").waitFor();
    expect(await button("Erase", visitor).count()).toBe(0);
    expect(await visitor.getByRole("alert").allInnerTexts()).toEqual([]);
    expect(await visitor.content()).not.toContain(owner);
    await expectSound(visitor);

    await button("Make private").click();
    await button("Publish…").waitFor();
    await visitor.reload();
    await visitor.getByText("There is no such avatar").waitFor();
    await visitor.getByRole("link", { name: "See all avatars" }).click();
    await visitor.getByText(/^Public · \d+$/).click();
    await expect.poll(() => heading(visitor).innerText()).toBe("Avatars");
    expect(await card("Theodora", visitor).count()).toBe(0);
    await visitor.context().close();
  });
});

describe("the portraits", () => {
  it("are drawn, drawn again, approved, and become a face that the studio offers", async () => {
    // Seen before: the studio has to find the new face by itself when it is shown again.
    await open(page, "/studio");
    await button("Go live").waitFor();
    expect(await page.getByRole("radio", { name: "Lighthouse keeper" }).count()).toBe(0);

    await visit("Avatars");
    await page.getByRole("link", { name: "Create a portrait" }).click();
    await expectSound(page);
    await page
      .getByLabel("Who is it?")
      .fill("A lighthouse keeper in his sixties with a white beard and blue eyes");
    await button("Generate").click();
    const portrait = page.getByRole("img", { name: /^Portrait: A lighthouse keeper/ });
    await expectPicture(portrait);
    const source = async () => (await portrait.getAttribute("src")) ?? "";
    const bytes = async () => (await page.request.get(await source())).body();
    const [firstSource, first] = [await source(), await bytes()];

    await button("Another attempt").click();
    await button("Attempt 2").waitFor();
    expect(await button("Attempt 2").getAttribute("aria-pressed")).toBe("true");
    await expect.poll(source).not.toBe(firstSource);
    await expectPicture(portrait);
    expect((await bytes()).equals(first)).toBe(false);

    await button("Approve this one").click();
    await button("Use as a face").click();
    await expectSound(page);
    expect(await button("Create the avatar").isDisabled()).toBe(true);
    await page.getByLabel(/^This portrait shows nobody who exists/).check();
    await button("Create the avatar").click();
    await button("See the avatar").click();
    await expect.poll(() => heading().innerText(), patience).toBe("Lighthouse keeper");
    await expectReady();

    await visit("Studio");
    await page.getByRole("radio", { name: "Lighthouse keeper" }).waitFor();
    await expectSound(page);
  });

  it("are seated by the box where the portal seats nobody, as the same person, and can be used", async () => {
    await open(page, "/avatars/new");
    await page.getByText("Seat a photograph").click();
    await expectSound(page);
    await choosePhotograph(await photograph());
    await button("Make the still").click();
    const still = page.getByRole("img", { name: "The seated still" });
    await expect.poll(() => still.isVisible().catch(() => false), { timeout: 100_000 }).toBe(true);
    await expectPicture(still);
    expect(await still.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1024);
    await page
      .getByText(/same person/i)
      .first()
      .waitFor();
    await expectSound(page);
    await button("Use as a face").click();
    await page.getByLabel("Name", { exact: true }).fill("Seated Theo");
    await page.getByLabel(/^This likeness is mine/).check();
    await button("Create the avatar").click();
    await button("See the avatar").click();
    await expect.poll(() => heading().innerText(), patience).toBe("Seated Theo");
    await expectReady();
  });
});

describe("the sessions", () => {
  const question = "Hello, who are you?";

  it("keep what was said live, and what is noted about it, until they are erased", async () => {
    await open(page, "/studio");
    await page.getByRole("radio", { name: "Theodora" }).check({ force: true });
    await button("Go live").click();
    await page.getByRole("textbox", { name: /^Say something to Theodora/ }).fill(question);
    await page.keyboard.press("Enter");
    const caption = () =>
      page
        .getByTestId("caption")
        .innerText()
        .catch(() => "");
    await expect.poll(caption, patience).not.toBe("");
    await expect.poll(() => button("Interrupt").count(), patience).toBe(0);
    const said = await page.getByRole("log", { name: "Conversation" }).getByRole("paragraph").allInnerTexts();
    expect(said).toHaveLength(2);
    await button("End").click();
    await button("Go live").waitFor();

    await visit("Sessions");
    const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: question }) });
    await expect
      .poll(async () => {
        await button("Refresh").click();
        return row.innerText().catch(() => "");
      }, patience)
      .toMatch(/Theodora[^]*\b0:\d\d\b/);
    await expectSound(page);
    const saved = { method: "PATCH", path: /^\/auth\/sessions\/[^/]+$/ };
    await expectTaken(page, { ...saved, act: () => button(`Star ${question}`).click() });

    await row.getByRole("link").click();
    const spoken = page.getByRole("listitem").getByRole("paragraph");
    await expect.poll(() => spoken.allInnerTexts()).toEqual(expect.arrayContaining(said));
    await page.getByLabel("Title").fill("First talk");
    await page.getByLabel("Notes").fill("Went well.");
    await expectTaken(page, { ...saved, act: () => button("Save").click() });
    await page.getByLabel("Tags").fill("demo, museum");
    await expectTaken(page, { ...saved, act: () => page.keyboard.press("Enter") });

    await page.reload();
    await expect
      .poll(() =>
        heading()
          .innerText()
          .catch(() => ""),
      )
      .toBe("First talk");
    expect(await button("Star First talk").getAttribute("aria-pressed")).toBe("true");
    expect(await page.getByLabel("Notes").inputValue()).toBe("Went well.");
    await button("Remove demo").waitFor();
    await button("Remove museum").waitFor();
    await expect.poll(() => spoken.allInnerTexts()).toEqual(expect.arrayContaining(said));
    await expectSound(page);

    await button("Erase").click();
    await expectSound(page);
    await button("Erase for good").click();
    await page.getByRole("heading", { name: "The session is erased" }).waitFor();
    expect(await dialog().innerText()).toContain("Transcript");
    await expectSound(page);
    await button("Done").click();
    await expect.poll(() => heading().innerText()).toBe("Sessions");
    await button("Refresh").click();
    await page.getByText("No sessions yet").waitFor();
  });
});

describe("the voices", () => {
  it("can be heard, each in its own sample", async () => {
    await open(page, "/voices");
    const hear = button(/^Hear /).first();
    await hear.click();
    await expect.poll(async () => (await sounds(page)).length, patience).toBe(1);
    await expect
      .poll(async () => (await sounds(page))[0], patience)
      .toMatchObject({ ended: true, peak: expect.any(Number) });
    const [sample] = await sounds(page);
    expect(sample?.playedTo).toBeGreaterThan(0.5);
    expect(sample?.peak).toBeGreaterThan(0.05);
    await expect.poll(() => button(/^Stop /).count()).toBe(0);
    await expectSound(page);
  });

  it("have a default that is set, survives a reload, and is forgotten", async () => {
    await open(page, "/voices");
    const wish = button(/^Make default: /).nth(1);
    const name = ((await wish.getAttribute("aria-label")) ?? "").replace("Make default: ", "");
    expect(name).not.toBe("");
    const forget = page.getByRole("button", { name: `Forget ${name} as the default`, exact: true });
    const path = /^\/auth\/voice\/default$/;
    await expectTaken(page, { method: "PUT", path, act: () => wish.click() });
    await page.reload();
    await forget.waitFor();
    await expectTaken(page, { method: "DELETE", path, act: () => forget.click() });
    await page.reload();
    await page.getByRole("button", { name: `Make default: ${name}`, exact: true }).waitFor();
    expect(await button(/^Forget /).count()).toBe(0);
  });

  it("say that an engine needs a key before it can speak, and leave the one that speaks", async () => {
    await open(page, "/voices");
    const [refusal] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith("/auth/voice/engine")),
      page.getByRole("radio", { name: /^Cartesia/ }).click(),
    ]);
    expect(await refusal.json()).toMatchObject({ error: { code: "voice_key_required" } });
    await page.getByText("Save a key for this engine first").waitFor();
    expect(await page.getByRole("radio", { name: /^Built-in voice/ }).isChecked()).toBe(true);
    await expectSound(page);
  });
});

describe("an erasure", () => {
  it("wants the avatar's name, gives a receipt, and leaves neither library nor studio the face", async () => {
    await open(page, "/studio");
    await page.getByRole("radio", { name: "Theodora" }).waitFor();
    await visit("Avatars");
    await page.getByRole("link", { name: "Theodora", exact: true }).click();
    await button("Erase").click();
    const last = button("Erase for good");
    await page.getByLabel(/^Type Theodora to confirm/).fill("Theo");
    expect(await last.isDisabled()).toBe(true);
    await expectSound(page);
    await page.getByLabel(/^Type Theodora to confirm/).fill("Theodora");
    await last.click();
    await page.getByRole("heading", { name: "Theodora is erased" }).waitFor();
    const receipt = await dialog().innerText();
    expect(receipt).toContain("The entry in your library");
    expect(receipt).toContain("Stored pictures, clips and recordings");
    await expectSound(page);
    await button("Done").click();

    await expect.poll(() => new URL(page.url()).pathname).toBe("/avatars");
    await card("Lighthouse keeper").waitFor();
    expect(await card("Theodora").count()).toBe(0);
    await visit("Studio");
    await page.getByRole("radio", { name: "Lighthouse keeper" }).waitFor();
    await expect.poll(() => page.getByRole("radio", { name: "Theodora" }).count()).toBe(0);
    await open(page, "/avatars");
    await card("Lighthouse keeper").waitFor();
    expect(await card("Theodora").count()).toBe(0);
  });

  it("and all the rest threw nothing on the way", () => {
    expect(complaints).toEqual([]);
  });
});
