// Recordings of sessions: taken where the person agreed, finished afterwards, and handed to the portal's storage.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BoxConfig } from "../config.ts";
import { Refusal } from "../failure.ts";
import type { Hub } from "../live/hub.ts";
import type { LiveSession } from "../live/session.ts";
import { unlessAborted } from "../live/unless-aborted.ts";
import { MediaError, type Media } from "../media/media.ts";
import { SandboxClosed } from "../media/sandbox.ts";
import { describeError, type Log } from "../ops/log.ts";
import { PortalError } from "../portal/client.ts";
import type { Portal } from "../portal/portal.ts";
import { ReportQueue } from "../portal/reports.ts";
import { LiveRecording } from "./live-recording.ts";
import { putFile } from "./put.ts";
import { RecordingTerms, type AgreedTerms } from "./recording-terms.ts";
import { liveFile, microphoneFile } from "./session-recorder.ts";
import { requireSpace, spaceBounds, type SpaceBounds } from "./space.ts";
import { finishedFile, isOld, WaitingRecordings, type WaitingRecording } from "./waiting.ts";

export interface RecordingsOptions {
  config: Pick<BoxConfig, "recordings" | "stateDir" | "portal">;
  portal: Pick<Portal, "recordingTerms" | "grantRecording" | "closeRecording" | "reported" | "sessionKept">;
  media: Pick<Media, "recording">;
  hub: Pick<Hub, "publish">;
  log: Log;
  /** The first wait after a failure; it doubles up to a minute. */
  retryMs?: number;
  bounds?: SpaceBounds;
}

/** What is done to a recording, and which failures of it are the recording's own. */
interface Stage {
  work(one: WaitingRecording): Promise<void>;
  isFault(error: unknown): boolean;
}

/** Failures of its own that a recording may have before it is set aside. */
const mostTries = 10;
const removeOldEveryMs = 3600 * 1000;
const settledEveryMs = 250;
const lost = {
  stopped: "The recording has stopped; the session goes on. What was recorded so far is kept.",
};

export class Recordings {
  readonly #options: RecordingsOptions;
  readonly #terms: RecordingTerms;
  readonly #waiting: WaitingRecordings;
  readonly #closing = new AbortController();
  readonly #live = new Set<LiveRecording>();
  readonly #finishing: ReportQueue<WaitingRecording>;
  readonly #sending: ReportQueue<WaitingRecording>;
  readonly #tries = new Map<WaitingRecording, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RecordingsOptions) {
    this.#options = options;
    const { config, portal, log, retryMs } = options;
    this.#terms = new RecordingTerms({ allowed: config.recordings, portal });
    this.#waiting = new WaitingRecordings(config.stateDir);
    const queue = (stage: Stage, what: string) => {
      let failing = false;
      return new ReportQueue<WaitingRecording>({
        ...(retryMs !== undefined && { retryMs }),
        capacity: Infinity,
        rotates: true,
        deliver: async (one) => {
          await this.#tend(one, stage);
          failing = false;
        },
        onFailure: (error) => {
          // One line for a lapse, however long it lasts, and none for having been told to stop.
          if (!failing && !this.#closing.signal.aborted) log.warn(describeError(error), what);
          failing = true;
        },
      });
    };
    const finish: Stage = { work: (one) => this.#finish(one), isFault: failsToFinish };
    const send: Stage = { work: (one) => this.#send(one), isFault: failsToSend };
    this.#finishing = queue(finish, "a recording could not be finished yet");
    this.#sending = queue(send, "a recording does not reach the storage; it is kept");
  }

  /** How many recordings are under way or wait to be stored. */
  get pending(): number {
    return this.#live.size + this.#finishing.length + this.#sending.length;
  }

  /** Resolves once nothing is under way any more, or nobody wants to wait for it. */
  async settled(enough: AbortSignal): Promise<void> {
    while (this.pending > 0 && !enough.aborted)
      await sleep(settledEveryMs, undefined, { signal: enough }).catch(() => undefined);
  }

  /** Takes up what an earlier life of the box has left; before the first session begins. */
  async start(): Promise<void> {
    const { config, log } = this.#options;
    await this.#removeOld();
    this.#timer = setInterval(() => void this.#removeOld(), removeOldEveryMs);
    this.#timer.unref();
    try {
      const left = await this.#waiting.left();
      if (!config.portal) {
        // Nobody takes them; they wait for a portal as long as they may wait at all.
        for (const one of left) if (isOld(one.agreement)) await this.#waiting.remove(one);
        return;
      }
      for (const one of left) this.#finishing.add(one);
      if (left.length > 0) log.info({ recordings: left.length }, "recordings of before are taken up");
    } catch (error) {
      log.warn(describeError(error), "recordings of before could not be looked up");
    }
  }

  /** What the person agreed to. Rejects with Refusal unless it is what there is to agree to now, and there is room. */
  async agree(asked: { terms_version: string; terms_digest: string }): Promise<AgreedTerms> {
    const agreed = await this.#terms.agree(asked);
    const place = { root: this.#waiting.root, stateDir: this.#options.config.stateDir };
    await requireSpace(place, this.#options.bounds ?? spaceBounds);
    return agreed;
  }

  /** Records the session from now on. */
  begin(session: LiveSession, terms: AgreedTerms): LiveRecording {
    const { hub, log } = this.#options;
    const { id, account } = session;
    const recording: LiveRecording = new LiveRecording({
      waiting: this.#waiting,
      agreement: { session_id: id, account, ...terms },
      onStopped: (error) => {
        log.warn({ session: id, ...describeError(error) }, "a recording stopped before its session");
        hub.publish(account, { type: "warning", message: lost.stopped });
      },
    });
    this.#live.add(recording);
    const over = async () => {
      const recorded = await recording.end();
      if (recorded) this.#finishing.add(recorded);
      this.#live.delete(recording);
    };
    session.signal.addEventListener("abort", () => void over(), { once: true });
    return recording;
  }

  /** Leaves on disk what is not stored yet; the next start takes it up. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort(new Error("The box ends."));
    await Promise.all([...this.#live].map((recording) => recording.end()));
    await Promise.all([this.#finishing.close(), this.#sending.close()]);
  }

  async #finish(one: WaitingRecording): Promise<void> {
    const { media, log } = this.#options;
    const { signal } = this.#closing;
    signal.throwIfAborted();
    const [livePath, microphonePath] = [join(one.dir, liveFile), join(one.dir, microphoneFile)];
    const outPath = join(one.dir, finishedFile);
    if (!(await exists(outPath))) {
      if (!(await this.#waiting.holds(one))) {
        // A session that was over before its first picture leaves nothing to keep.
        log.info({ session: one.agreement.session_id }, "a recording came to nothing");
        await this.#waiting.remove(one);
        return;
      }
      await media.recording({ livePath, microphonePath, outPath, signal });
    }
    await Promise.all([rm(livePath, { force: true }), rm(microphonePath, { force: true })]);
    this.#tries.delete(one);
    this.#sending.add(one);
  }

  async #send(one: WaitingRecording): Promise<void> {
    const { portal, log } = this.#options;
    const { signal } = this.#closing;
    signal.throwIfAborted();
    const { session_id, account, ...consent } = one.agreement;
    const path = join(one.dir, finishedFile);
    // The portal must know the session first.
    await unlessAborted(portal.reported(), signal);
    signal.throwIfAborted();
    if (portal.sessionKept(session_id)) await this.#waiting.markKnown(one);
    const { size } = await stat(path);
    const sha256 = await digestOf(path, signal);
    const request = { session_id, account, content_type: "video/mp4" as const, size, sha256, consent };
    const grant = await portal.grantRecording(request).catch(async (error: unknown) => {
      // Only a portal that knew the session can have erased it.
      const gone = error instanceof PortalError && error.code === "session_not_found";
      if (gone && (await this.#waiting.isKnown(one))) return null;
      throw error;
    });
    if (grant) {
      await putFile({ grant, path, size, signal });
      await portal.closeRecording({ session_id, account });
      log.info({ session: session_id, bytes: size }, "a recording is stored");
    } else log.warn({ session: session_id }, "the session of a recording was erased; it is removed as well");
    await this.#waiting.remove(one);
  }

  /** What has no end by itself ends here. */
  async #tend(one: WaitingRecording, { work, isFault }: Stage): Promise<void> {
    const { log } = this.#options;
    const session = one.agreement.session_id;
    if (isOld(one.agreement)) {
      log.error({ session }, "a recording has waited too long to be stored; it is removed");
      await this.#waiting.remove(one);
      return;
    }
    try {
      await work(one);
    } catch (error) {
      if (this.#closing.signal.aborted || !isFault(error)) throw error;
      const tries = (this.#tries.get(one) ?? 0) + 1;
      this.#tries.set(one, tries);
      const hopeless = error instanceof MediaError && error.fault !== "too_slow";
      if (!hopeless && tries < mostTries) throw error;
      await this.#waiting.setAside(one);
      log.error(
        { session, ...describeError(error) },
        "a recording could not be finished or stored; it is set aside",
      );
    }
    this.#tries.delete(one);
  }

  async #removeOld(): Promise<void> {
    const { log } = this.#options;
    try {
      for (const session of await this.#waiting.removeOld())
        log.info({ session }, "a recording that was set aside is removed");
    } catch (error) {
      log.warn(describeError(error), "recordings that were set aside could not be looked up");
    }
  }
}

/** What keeps failing at it is at fault, unless the disk is full or the programs are being closed. */
const failsToFinish = (error: unknown) => !(error instanceof Refusal || error instanceof SandboxClosed);

/** A portal or a storage that is away says nothing about what it is sent. */
const failsToSend = (error: unknown) =>
  error instanceof PortalError
    ? error.refused || error.stumbled
    : error instanceof Error && "code" in error && error.code === "ENOENT";

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

async function digestOf(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path, { signal })) hash.update(piece as Buffer);
  return hash.digest("hex");
}
