import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createClient } from "./index.ts";

/** What left through `XMLHttpRequest`, and what comes back. */
class FakeRequest extends EventTarget {
  static sent: FakeRequest[] = [];
  static answers: { status: number; body: string }[] = [];
  readonly upload = new EventTarget();
  readonly headers = new Map<string, string>();
  url = "";
  form = new FormData();
  status = 0;
  responseText = "";

  open(_method: string, url: string): void {
    this.url = url;
  }
  setRequestHeader(name: string, value: string): void {
    this.headers.set(name, value);
  }
  getResponseHeader(): null {
    return null;
  }
  abort(): void {
    this.dispatchEvent(new Event("abort"));
  }
  send(form: FormData): void {
    this.form = form;
    FakeRequest.sent.push(this);
    const answer = FakeRequest.answers.shift();
    if (!answer) return;
    this.upload.dispatchEvent(
      Object.assign(new Event("progress"), { lengthComputable: true, loaded: 1, total: 2 }),
    );
    this.status = answer.status;
    this.responseText = answer.body;
    this.dispatchEvent(new Event("load"));
  }
}

beforeEach(() => {
  FakeRequest.sent = [];
  FakeRequest.answers = [];
  vi.stubGlobal("XMLHttpRequest", FakeRequest);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const file = (name: string, type: string) => new File([name], name, { type });
const made = {
  avatar: "me",
  display_name: "Me",
  status: "preparing",
  tones: ["neutral"],
  note: "",
  active: "",
};
const parts = (form: FormData) =>
  Array.from(form, ([name, value]) => [name, typeof value === "string" ? value : value.name]);

describe("uploadAvatar", () => {
  const client = () => createClient({ baseUrl: "https://face.test", credential: "k" });

  it("sends texts before files, and numbers the takes of a tone from the second on", async () => {
    FakeRequest.answers.push({ status: 200, body: JSON.stringify(made) });
    const progress: number[] = [];
    const film = (name: string) => file(name, "video/mp4");
    const created = await client().uploadAvatar(film("me.mp4"), {
      name: "Me",
      framing: "head",
      gestureAmplitude: 0,
      tones: ["neutral", "warm", "sad"],
      consentToken: "agreed",
      takes: [
        { tone: "warm", file: film("a.mp4") },
        { tone: "sad", file: film("b.mp4") },
        { tone: "warm", file: film("c.mp4") },
        { tone: "warm", file: film("d.mp4") },
      ],
      onProgress: (fraction) => progress.push(fraction),
    });
    expect(created).toEqual(made);
    const [sent] = FakeRequest.sent;
    expect([sent?.url, sent?.headers.get("X-Api-Key")]).toEqual(["https://face.test/api/avatar", "k"]);
    expect(parts(sent?.form ?? new FormData())).toEqual([
      ["name", "Me"],
      ["framing", "head"],
      ["gesture_amplitude", "0"],
      ["tones", "neutral,warm,sad"],
      ["consent_token", "agreed"],
      ["file", "me.mp4"],
      ["take__warm", "a.mp4"],
      ["take__sad", "b.mp4"],
      ["take__warm__1", "c.mp4"],
      ["take__warm__2", "d.mp4"],
    ]);
    expect(progress).toEqual([0.5]);
  });

  it("says that a video was made by AI only where it was", async () => {
    for (const aiGenerated of [true, false]) {
      FakeRequest.answers.push({ status: 200, body: JSON.stringify(made) });
      await client().uploadAvatar(file("me.mp4", "video/mp4"), { aiGenerated });
    }
    expect(FakeRequest.sent.map(({ form }) => form.get("ai_generated"))).toEqual(["true", null]);
  });

  it("rejects with the service's code and sentence", async () => {
    const error = { code: "video_too_short", message: "Two seconds at least." };
    FakeRequest.answers.push({ status: 400, body: JSON.stringify({ error }) });
    await expect(client().uploadAvatar(file("me.mp4", "video/mp4"))).rejects.toMatchObject({
      ...error,
      status: 400,
    });
  });

  it("is cancelled with its signal", async () => {
    const abort = new AbortController();
    const sending = client().uploadAudio(file("a.wav", "audio/wav"), { signal: abort.signal });
    await expect.poll(() => FakeRequest.sent).toHaveLength(1);
    expect(FakeRequest.sent[0]?.url).toBe("https://face.test/api/upload");
    abort.abort();
    await expect(sending).rejects.toMatchObject({ code: "aborted" });
  });
});
