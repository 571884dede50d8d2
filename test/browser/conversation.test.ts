// A conversation by voice: a fake microphone speaks, the page shows what is heard, and the face answers aloud.

import { join } from "node:path";
import type { Browser, BrowserContext, Page, WebSocketRoute } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MicrophoneEvent } from "../../contract/microphone-socket.ts";
import { launchChromium } from "../harness/chromium.ts";
import { darkDesk, expectSound, open, signIn, wear } from "../harness/console.ts";
import { endLive, goLiveInStudio, loudest } from "../harness/live-page.ts";
import { root } from "../harness/process.ts";
import { readWav, type SpokenFile, spoken, spokenFile } from "../harness/speech.ts";

const fakeDevice = "--use-fake-device-for-media-stream";
const complaints: string[] = [];

function listenForComplaints(page: Page): void {
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) complaints.push(message.text());
  });
}

const microphone = (page: Page) => page.getByTestId("microphone");
const phase = (page: Page) => microphone(page).getAttribute("data-phase");
const turns = (page: Page, who: "you" | "face") => page.locator(`.turn-${who}:not(.turn-thinking) p`);

async function studioOf(context: BrowserContext, email: string): Promise<Page> {
  const page = await context.newPage();
  listenForComplaints(page);
  await open(page, "/studio");
  await signIn(page, email);
  await wear(page, darkDesk);
  return page;
}

describe("by voice", () => {
  let browser: Browser;
  let page: Page;
  let speech: SpokenFile;

  beforeAll(async () => {
    // The first seconds of silence are for the box to begin to listen, the last for the turn to end.
    speech = spokenFile(spoken("Hello. Who are you, and what can you do?"), {
      beforeMs: 5000,
      afterMs: 4000,
    });
    browser = await launchChromium([fakeDevice, `--use-file-for-fake-audio-capture=${speech.path}%noloop`]);
    const context = await browser.newContext({ permissions: ["microphone"] });
    page = await studioOf(context, "speaker@example.com");
    await goLiveInStudio(page);
  });
  afterAll(async () => {
    await browser?.close();
    speech?.remove();
  });

  it("hears nothing while it is muted, and makes no turn of it", async () => {
    await microphone(page).click();
    await expect.poll(() => phase(page)).toBe("listening");
    // A letter alone does nothing, so that dictation software cannot mute by accident; a chord works while typing too.
    await page.locator("body").click({ position: { x: 2, y: 2 } });
    await page.keyboard.press("m");
    expect(await phase(page)).toBe("listening");
    const composer = page.getByRole("textbox", { name: /^Say something/ });
    await composer.press("Alt+m");
    expect(await phase(page)).toBe("muted");
    expect(await composer.inputValue()).toBe("");
    await page.waitForTimeout(speech.durationMs);
    expect(await page.getByTestId("heard").innerText()).toBe("");
    expect(await turns(page, "you").count()).toBe(0);
    await page.getByRole("button", { name: "Switch microphone off" }).click();
    expect(await phase(page)).toBe("off");
  });

  it("shows what is being said, and writes it down once when it is a turn", async () => {
    await microphone(page).click();
    await expect.poll(() => page.getByTestId("heard").innerText(), { timeout: 30_000 }).not.toBe("");
    await expect.poll(() => turns(page, "you").count(), { timeout: 30_000 }).toBe(1);
    expect(await turns(page, "you").innerText()).toMatch(/\w/);
    await expect.poll(() => page.getByTestId("heard").innerText()).toBe("");
  });

  it("is answered aloud, with captions, once", async () => {
    await expect.poll(() => page.getByTestId("caption").innerText(), { timeout: 20_000 }).not.toBe("");
    expect(await loudest(page, 2000)).toBeGreaterThan(0.05);
    await expect.poll(() => turns(page, "face").count()).toBe(1);
    for (const id of ["model", "voice", "first-audio", "turn-frame", "spoken"]) {
      await expect.poll(() => page.getByTestId(`readout-${id}`).innerText()).toMatch(/\d/);
    }
  });

  it("has no fault of accessibility while it listens", () => expectSound(page));

  it("ends when the persona has said goodbye, and nobody goes live again by itself", async () => {
    await page.getByRole("button", { name: "Switch microphone off" }).click();
    await page.getByRole("textbox", { name: /^Say something/ }).fill("Goodbye then!");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByText("The call is over").isVisible(), { timeout: 40_000 }).toBe(true);
    // Longer than a lost connection takes to be offered anew.
    await page.waitForTimeout(6000);
    expect(await page.getByRole("button", { name: "Go live", exact: true }).isVisible()).toBe(true);
    expect(await microphone(page).count()).toBe(0);
  });
});

describe("a recorded speech", () => {
  let browser: Browser;
  let page: Page;
  let speech: SpokenFile;

  beforeAll(async () => {
    const recording = readWav(join(root, "test/data/jfk.wav"));
    speech = spokenFile(recording, { beforeMs: 4000, afterMs: 4000 });
    browser = await launchChromium([fakeDevice, `--use-file-for-fake-audio-capture=${speech.path}%noloop`]);
    const context = await browser.newContext({ permissions: ["microphone"] });
    page = await studioOf(context, "listener@example.com");
    await goLiveInStudio(page);
  });
  afterAll(async () => {
    await endLive(page);
    await browser?.close();
    speech?.remove();
  });

  it("becomes a transcript, and a reply that is heard", async () => {
    await microphone(page).click();
    const said = "and so my fellow americans ask not what your country can do for you".split(" ");
    // Its pauses may make turns of it; the built-in recogniser mistakes some of the words.
    const understood = async () => {
      const transcript = (await turns(page, "you").allInnerTexts()).join(" ").split(/\s+/);
      return said.filter((word) => transcript.includes(word)).length;
    };
    await expect.poll(understood, { timeout: 100_000 }).toBeGreaterThanOrEqual(said.length / 2);
    await expect.poll(() => turns(page, "face").count(), { timeout: 20_000 }).toBeGreaterThan(0);
    expect(await loudest(page, 2000)).toBeGreaterThan(0.05);
  });
});

describe("what a box may tell of a call", () => {
  let browser: Browser;
  let page: Page;
  let socket: WebSocketRoute;
  const heard: string[] = [];
  let soundBytes = 0;
  let dials = 0;
  const tell = (event: MicrophoneEvent) => socket.send(JSON.stringify(event));

  beforeAll(async () => {
    browser = await launchChromium([fakeDevice]);
    const context = await browser.newContext({ permissions: ["microphone"] });
    page = await studioOf(context, "speaker@example.com");
    await page.routeWebSocket(/\/api\/voice\/ws/, (opened) => {
      socket = opened;
      dials += 1;
      opened.onMessage((message) => {
        if (typeof message === "string") heard.push(message);
        else soundBytes += message.length;
      });
      tell({ type: "ready", sample_rate: 16_000, voice_origin: "box" });
    });
    await goLiveInStudio(page);
    await microphone(page).click();
    await page.locator('[data-phase="listening"]').waitFor();
  });
  afterAll(async () => {
    await browser?.close();
  });

  it("begins with the page's own sound, at the rate that was agreed", async () => {
    const before = soundBytes;
    await page.waitForTimeout(2000);
    const bytesASecond = (soundBytes - before) / 2;
    // A loaded machine may be late with some of it, but never sends what was not there.
    expect(bytesASecond).toBeGreaterThan(16_000);
    expect(bytesASecond).toBeLessThan(48_000);
    expect(JSON.parse(heard[0] ?? "")).toEqual({ type: "config" });
  });

  it("shows words, takes them back, and shows tools", async () => {
    tell({ type: "partial", text: "where is my" });
    await expect.poll(() => page.getByTestId("heard").innerText()).toBe("where is my");
    tell({ type: "caption_clear" });
    await expect.poll(() => page.getByTestId("heard").innerText()).toBe("");
    tell({ type: "tool", name: "track_order", label: "Looking up the order" });
    await expect.poll(() => page.getByTestId("tool").innerText()).toBe("Looking up the order…");
    await expectSound(page);
    tell({ type: "reply_chunk", text: "It is on its way.", tone: "warm" });
    await expect.poll(() => page.getByTestId("tool").count()).toBe(0);
  });

  it("pauses until the person resumes", async () => {
    tell({ type: "action", name: "pause_conversation", label: "Paused", paused: true });
    const resume = page.getByRole("button", { name: "Resume" });
    await resume.waitFor();
    await expectSound(page);
    await resume.click();
    await expect.poll(() => heard.at(-1)).toBe(JSON.stringify({ type: "resume" }));
    tell({ type: "action", name: "pause_conversation", label: "Back", paused: false });
    await expect.poll(() => resume.count()).toBe(0);
    // The keyboard is not thrown back to the top of the page.
    expect(await microphone(page).evaluate((button) => button === document.activeElement)).toBe(true);
  });

  it("turns to another language", async () => {
    const language = () => page.getByTestId("caption").locator("..").getAttribute("lang");
    // In which language a call begins nobody has told; it need not be that of the page.
    expect(await language()).toBe("");
    tell({ type: "action", name: "set_language", label: "Spanish", language: "es" });
    await expect.poll(() => page.getByText("The call goes on in Spanish.").isVisible()).toBe(true);
    expect(await language()).toBe("es");
  });

  it("waits for a microphone elsewhere, and says so", async () => {
    await socket.close({ code: 4003, reason: "Another microphone has the floor." });
    await expect.poll(() => page.getByText("Another microphone has the floor.").isVisible()).toBe(true);
    await expectSound(page);
    await expect.poll(() => phase(page), { timeout: 30_000 }).toBe("listening");
  });

  it("refuses for good where nobody can listen, and the session goes on", async () => {
    await socket.close({ code: 4001, reason: "No speech recognition is configured." });
    await expect.poll(() => phase(page)).toBe("refused");
    expect(await page.getByRole("alert").innerText()).toContain("No speech recognition is configured.");
    expect(await page.getByTestId("connection-state").getAttribute("data-state")).toBe("connected");
    await expectSound(page);
  });

  it("ends with a goodbye, and nobody dials again", async () => {
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => phase(page)).toBe("listening");
    const dialled = dials;
    tell({ type: "action", name: "end_call", label: "Saying goodbye" });
    tell({ type: "session_end", reason: "ended_by_persona_request" });
    await expect.poll(() => page.getByText("The call is over").isVisible()).toBe(true);
    await page.waitForTimeout(2000);
    expect(dials).toBe(dialled);
    expect(await page.getByRole("button", { name: "Go live", exact: true }).isVisible()).toBe(true);
  });
});

it("says what to do where the browser keeps the microphone back", async () => {
  const browser = await launchChromium([fakeDevice]);
  try {
    // Whatever is not granted to a context that was granted something is denied without a question.
    const page = await studioOf(
      await browser.newContext({ permissions: ["geolocation"] }),
      "speaker@example.com",
    );
    await goLiveInStudio(page);
    await microphone(page).click();
    await expect.poll(() => phase(page)).toBe("refused");
    expect(await page.getByRole("alert").innerText()).toMatch(/blocked[^]*site's settings/);
    expect(await page.getByTestId("connection-state").getAttribute("data-state")).toBe("connected");
    await expectSound(page);
    await endLive(page);
  } finally {
    await browser.close();
  }
});

it("threw nothing on the way", () => {
  expect(complaints).toEqual([]);
});
