// The main job, as a stranger does it: sign in, upload a photograph, go live, type, see and hear it said.

import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { seriousViolations } from "../harness/axe.ts";
import { launchChromium } from "../harness/chromium.ts";
import { LipReader } from "../harness/lips.ts";
import { endLive, liveVideo, loudest } from "../harness/live-page.ts";
import { root } from "../harness/process.ts";

let browser: Browser;
let page: Page;
let lips: LipReader;
const complaints: string[] = [];

beforeAll(async () => {
  browser = await launchChromium();
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) complaints.push(message.text());
  });
  lips = await LipReader.open();
});

afterAll(async () => {
  await lips?.close();
  await browser?.close();
});

/** A photograph nobody has prepared yet: a stock portrait seen in a mirror, as a JPEG. */
const photograph = (): Promise<Buffer> =>
  sharp(join(root, "box/avatars/stock/theo.png")).flop().jpeg({ quality: 92 }).toBuffer();

/** Pictures of the live video, `count` of them, one every `everyMs`. */
async function watch(count: number, everyMs: number): Promise<Buffer[]> {
  const encoded = await liveVideo(page).evaluate(
    async (element, { count, everyMs }) => {
      const video = element as HTMLVideoElement;
      const canvas = document.createElement("canvas");
      canvas.width = video.videoWidth;
      canvas.height = video.videoHeight;
      const frames: string[] = [];
      for (let i = 0; i < count; i += 1) {
        canvas.getContext("2d")?.drawImage(video, 0, 0);
        frames.push(canvas.toDataURL("image/jpeg", 0.95));
        await new Promise((resolve) => {
          setTimeout(resolve, everyMs);
        });
      }
      return frames;
    },
    { count, everyMs },
  );
  return encoded.map((url) => Buffer.from(url.slice(url.indexOf(",") + 1), "base64"));
}

/** How far the lips travel in the given pictures: the spread of their aperture, in the reader's units. */
async function lipTravel(frames: Buffer[]): Promise<number> {
  const apertures: number[] = [];
  for (const frame of frames) {
    const seen = await lips.read(frame);
    if (seen) apertures.push(seen.aperture);
  }
  expect(apertures.length).toBeGreaterThan(frames.length * 0.9);
  apertures.sort((a, b) => a - b);
  const at = (share: number) => apertures[Math.round(share * (apertures.length - 1))] ?? 0;
  return at(0.9) - at(0.1);
}

describe("the studio", () => {
  it("signs a stranger in by a link one click away", async () => {
    await page.goto(inject("address"));
    await page.getByLabel("E-mail address").fill("stranger@example.com");
    await page.getByRole("button", { name: "Send sign-in link" }).click();
    await page.getByRole("link", { name: "Open the sign-in link" }).click();
    await expect
      .poll(() => page.getByRole("button", { name: /^Account: .*stranger@example\.com/ }).isVisible())
      .toBe(true);
  });

  it("refuses a picture without a face in words a person understands", async () => {
    await page.getByRole("button", { name: "Add a face" }).click();
    const meadow = await sharp({ create: { width: 640, height: 640, channels: 3, background: "#5a8f3c" } })
      .png()
      .toBuffer();
    await choose("meadow.png", "image/png", meadow);
    expect(await page.getByRole("button", { name: "Upload" }).isDisabled()).toBe(true);
    await agree();
    await page.getByRole("button", { name: "Upload" }).click();
    await expect.poll(() => page.getByRole("dialog").innerText(), { timeout: 20_000 }).toMatch(/no face/i);
  });

  // The faces of the house are prepared first.
  it("takes a photograph and prepares its face", { timeout: 200_000 }, async () => {
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Add a face" }).click();
    await choose("friend.jpg", "image/jpeg", await photograph());
    await page.getByLabel("Name").fill("Friend");
    // One tone beside the neutral one, which is enough to see it made.
    await page.getByRole("button", { name: "Only neutral" }).click();
    await page.getByRole("checkbox", { name: "Warm" }).check();
    expect(await seriousViolations(page)).toEqual([]);
    await agree();
    await page.getByRole("button", { name: "Upload" }).click();
    const face = page.getByRole("radio", { name: "Friend" });
    await expect.poll(() => face.isChecked().catch(() => false), { timeout: 180_000 }).toBe(true);
  });

  it("lets a voice be heard and picked", async () => {
    await closeDialog();
    await page.getByRole("button", { name: /^Voice/ }).click();
    const dialog = page.getByRole("dialog", { name: "Voice" });
    const uses = dialog.getByRole("button", { name: /^Use / });
    await expect.poll(() => uses.count(), { timeout: 20_000 }).toBeGreaterThan(5);
    const all = await uses.count();
    await dialog.getByLabel("Search").fill("german");
    await expect.poll(() => uses.count()).toBeLessThan(all);
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByLabel("Search").fill("");
    const other = uses.nth(1);
    const name = ((await other.getAttribute("aria-label")) ?? "").replace("Use ", "");
    const [sample] = await Promise.all([
      page.waitForResponse((response) => response.url().includes("/api/voice/preview")),
      dialog.getByRole("button", { name: `Hear ${name}`, exact: true }).click(),
    ]);
    expect([sample.status(), sample.headers()["content-type"]]).toEqual([200, "audio/wav"]);
    await other.click();
    await dialog.getByRole("button", { name: `In use: ${name}`, exact: true }).waitFor();
    await closeDialog();
    await expect.poll(() => page.getByRole("button", { name: /^Voice/ }).innerText()).toContain(name);
  });

  it("shows the terms of a recording before it is agreed to", async () => {
    await page.getByRole("switch", { name: "Record this session" }).check({ force: true });
    await page.getByText(/^By going live you agree/).click();
    expect(await page.getByRole("region", { name: "Terms of recording" }).innerText()).toMatch(/recorded/);
    expect(await seriousViolations(page)).toEqual([]);
  });

  it("goes live with it", async () => {
    const [offer] = await Promise.all([
      page.waitForRequest((request) => new URL(request.url()).pathname === "/connect"),
      page.getByRole("button", { name: "Go live" }).click(),
    ]);
    expect(offer.postDataJSON()).toMatchObject({
      voice: expect.any(String),
      voice_provider: "local",
      recording: { terms_version: expect.any(String), terms_digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    await expect
      .poll(() => liveVideo(page).evaluate((video: HTMLVideoElement) => video.videoWidth), {
        timeout: 20_000,
      })
      .toBeGreaterThanOrEqual(256);
    await connected();
    await page.getByText("Recording", { exact: true }).waitFor();
  });

  // Reading sixty pairs of lips takes a busy machine minutes.
  it("says what is typed, audibly, with moving lips, and captions it", { timeout: 400_000 }, async () => {
    // Past the first second, when the decoder still settles.
    await page.waitForTimeout(1500);
    const atRest = await watch(20, 80);
    await page
      .getByRole("textbox", { name: /^Say something/ })
      .fill("Hello, who are you and what can you do?");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByTestId("caption").innerText(), { timeout: 10_000 }).not.toBe("");
    const [inSpeech, peak] = await Promise.all([watch(40, 60), loudest(page, 2500)]);

    expect(await seriousViolations(page)).toEqual([]);
    expect(peak).toBeGreaterThan(0.05);
    // Read at the end: what it takes of the processor would be taken from the face.
    const [resting, speaking] = [await lipTravel(atRest), await lipTravel(inSpeech)];
    expect(speaking).toBeGreaterThan(0.04);
    expect(speaking).toBeGreaterThan(3 * resting);
  });

  it("goes on while another page is looked at", async () => {
    const nav = page.getByRole("navigation", { name: "Main" });
    const playedTo = () => liveVideo(page).evaluate((video: HTMLVideoElement) => video.currentTime);
    await nav.getByRole("link", { name: "Keys" }).click();
    await expect.poll(() => page.getByRole("heading", { name: "Keys" }).isVisible()).toBe(true);
    expect(await page.getByTestId("connection-state").getAttribute("data-state")).toBe("connected");
    const before = await playedTo();
    await nav.getByRole("link", { name: "Studio" }).click();
    await expect.poll(() => liveVideo(page).isVisible()).toBe(true);
    await expect.poll(playedTo).toBeGreaterThan(before);
  });

  it("stops when it is interrupted", async () => {
    const stop = page.getByRole("button", { name: "Interrupt" });
    if (!(await stop.isVisible())) {
      await page.getByRole("textbox", { name: /^Say something/ }).fill("Tell me a long story.");
      await page.keyboard.press("Enter");
    }
    // A click may meet the end of one reply just before the next begins: whatever speaks is stopped.
    const hushed = async () => {
      if (await stop.isVisible()) await stop.click();
      return loudest(page, 800);
    };
    await expect.poll(hushed, { timeout: 8000 }).toBeLessThan(0.01);
  });

  it("ends the session and shows the faces again", async () => {
    await endLive(page);
    await expect.poll(() => page.getByRole("button", { name: "Go live" }).isVisible()).toBe(true);
  });

  it("begins a session that speaks a sound file", async () => {
    const [offer] = await Promise.all([
      page.waitForRequest((request) => new URL(request.url()).pathname === "/offer"),
      page
        .getByLabel("Speak a file")
        .setInputFiles({ name: "hum.wav", mimeType: "audio/wav", buffer: humming(6) }),
    ]);
    expect(offer.postDataJSON()).toMatchObject({ audio: expect.any(String), voice_provider: "local" });
    await connected();
    await expect.poll(() => loudest(page, 500)).toBeGreaterThan(0.05);
    await endLive(page);
  });

  it("tells what is wrong with a sound file, and stays off the air", async () => {
    const buffer = Buffer.from("No sound at all.");
    await page.getByLabel("Speak a file").setInputFiles({ name: "no.wav", mimeType: "audio/wav", buffer });
    await expect
      .poll(() => page.getByRole("alert").allInnerTexts())
      .toContainEqual(expect.stringMatching(/no kind that is read here/));
    expect(await page.getByRole("button", { name: "Go live" }).isVisible()).toBe(true);
    expect(await seriousViolations(page)).toEqual([]);
  });

  it("goes live with the usual voice when the picked one is gone, and says so once", async () => {
    const picks = () =>
      page.evaluate(() => Object.entries(localStorage).filter(([key]) => key.startsWith("visavis.voice")));
    expect(await picks()).toHaveLength(1);
    await page.evaluate(() => {
      const gone = JSON.stringify({ provider: "local", id: "of-long-ago", name: "Ottilie" });
      for (const key of Object.keys(localStorage))
        if (key.startsWith("visavis.voice")) localStorage[key] = gone;
    });
    await page.reload();
    await page.getByRole("button", { name: "Go live" }).click();
    await page.getByText("Ottilie cannot be had any more.").waitFor();
    await connected();
    expect(await picks()).toEqual([]);
    await endLive(page);
  });

  it("threw nothing on the way", () => {
    expect(complaints).toEqual([]);
  });
});

async function connected(): Promise<void> {
  await expect
    .poll(() => page.getByTestId("connection-state").getAttribute("data-state"), { timeout: 10_000 })
    .toBe("connected");
}

/** A WAV of somebody who hums. */
function humming(seconds: number): Buffer {
  const sampleRate = 16_000;
  const wav = Buffer.alloc(44 + 2 * sampleRate * seconds);
  wav.write("RIFF");
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write("WAVEfmt ", 8);
  for (const [at, value] of [
    [16, 16],
    [24, sampleRate],
    [28, 2 * sampleRate],
  ] as const)
    wav.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    wav.writeUInt16LE(value, at);
  wav.write("data", 36);
  wav.writeUInt32LE(wav.length - 44, 40);
  for (let i = 0; i < sampleRate * seconds; i += 1)
    wav.writeInt16LE(Math.round(10_000 * Math.sin((2 * Math.PI * 180 * i) / sampleRate)), 44 + 2 * i);
  return wav;
}

async function choose(name: string, mimeType: string, buffer: Buffer): Promise<void> {
  await page.getByLabel("Choose a photograph or a video").setInputFiles({ name, mimeType, buffer });
}

async function agree(): Promise<void> {
  await page.getByRole("checkbox", { name: /^This face is mine/ }).check();
}

/** A face with a note leaves its dialog open. */
async function closeDialog(): Promise<void> {
  const closer = page.getByRole("dialog").getByRole("button", { name: "Close" });
  if (await closer.isVisible().catch(() => false)) await closer.click();
}
