// Kanji in kana, for a voice that reads no kanji: kakasi, one short-lived child process a clause, where it is installed.

import { spawn } from "node:child_process";

/** It takes milliseconds; one that takes this long hangs. */
const answerMs = 2_000;
/** Kana are longer than the kanji they stand for, but not by more than this. */
const longestAnswer = 64 * 1024;

/** Kanji to hiragana, words set apart. */
const options = ["-JH", "-s", "-i", "utf8", "-o", "utf8"];

const kanji = /\p{Script=Han}/u;

export class Kakasi {
  readonly #program: string;
  readonly #closing = new AbortController();

  private constructor(program: string) {
    this.#program = program;
  }

  /** Null where it is not installed or has no dictionary. */
  static async open(program = "kakasi"): Promise<Kakasi | null> {
    const reader = new Kakasi(program);
    const answer = await reader.read("日本");
    return kanji.test(answer) || answer === "" ? null : reader;
  }

  /** The text with its kanji in kana; as it was where there are none, or where they could not be read. */
  async read(text: string, signal?: AbortSignal): Promise<string> {
    if (!kanji.test(text)) return text;
    const signals = [this.#closing.signal, AbortSignal.timeout(answerMs), ...(signal ? [signal] : [])];
    const answer = await this.#ask(text.replace(/\s+/g, " "), AbortSignal.any(signals)).catch(() => "");
    return answer === "" ? text : answer;
  }

  close(): void {
    this.#closing.abort();
  }

  #ask(line: string, signal: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      const stdio = ["pipe", "pipe", "ignore"] as const;
      const child = spawn(this.#program, options, { stdio: [...stdio], signal, killSignal: "SIGKILL" });
      // Whatever the program may have started itself is not waited for either.
      const fail = (error: Error) => {
        child.kill("SIGKILL");
        child.stdout.destroy();
        reject(error);
      };
      const pieces: Buffer[] = [];
      let length = 0;
      child.stdout.on("data", (piece: Buffer) => {
        length += piece.length;
        if (length > longestAnswer) fail(new Error("kakasi does not stop"));
        else pieces.push(piece);
      });
      child.once("error", fail);
      // Writing to one that died early is reported through its exit.
      child.stdin.on("error", () => undefined);
      child.once("close", (code) => {
        if (code === 0) resolve(Buffer.concat(pieces).toString("utf8").trim());
        else reject(new Error("kakasi failed"));
      });
      child.stdin.end(`${line}\n`);
    });
  }
}
