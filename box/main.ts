// The box process.

import { mkdir } from "node:fs/promises";
import { AvatarLibrary } from "./avatars/library.ts";
import { startBox } from "./box.ts";
import { ConfigError, readConfig, type BoxConfig } from "./config.ts";
import { nativeMediaEngine, type MediaEngine } from "./live/engine.ts";
import { openMedia } from "./media/open.ts";
import { createLog, describeError, type Log } from "./ops/log.ts";
import { EspeakVoice } from "./voices/espeak.ts";

/** Ending takes milliseconds; a box that hangs while ending is ended the hard way. */
const endWithinMs = 10_000;

/** Ends the process with a sentence for the person who configured it; anything else is a defect. */
function refuseToStart(error: unknown): never {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`The box cannot start:\n${error.message.replace(/^/gm, "  ")}\n`);
  process.exit(2);
}

function configuration(): BoxConfig {
  try {
    return readConfig(process.env);
  } catch (error) {
    return refuseToStart(error);
  }
}

async function mediaEngine(log: Log): Promise<MediaEngine | null> {
  try {
    return await nativeMediaEngine();
  } catch (error) {
    log.error(describeError(error), "the native addon is not built: nobody can go live on this box");
    return null;
  }
}

const config = configuration();
const log = createLog(config.logLevel);
await mkdir(config.stateDir, { recursive: true });

const [engine, espeak] = await Promise.all([mediaEngine(log), EspeakVoice.open()]);
if (espeak.state().state !== "ready")
  log.error({ detail: espeak.state().detail }, "the built-in voice is missing");

const media = openMedia({ log });
const box = await startBox({
  config,
  log,
  engine,
  media,
  engines: [espeak],
  openFaces: (moved) => AvatarLibrary.open({ stateDir: config.stateDir, media, onProgress: moved }),
}).catch(refuseToStart);

let ending = false;
function end(why: string): void {
  if (ending) return;
  ending = true;
  log.info({ why }, "box ends");
  setTimeout(() => process.exit(1), endWithinMs).unref();
  box.close().then(
    () => process.exit(0),
    (error: unknown) => {
      log.error(describeError(error), "the box did not end cleanly");
      process.exit(1);
    },
  );
}

process.once("SIGTERM", () => end("SIGTERM"));
process.once("SIGINT", () => end("SIGINT"));
process.on("uncaughtException", (error) => {
  log.fatal(describeError(error), "defect");
  end("defect");
});
process.on("unhandledRejection", (error) => log.error(describeError(error), "a failure nobody waited for"));
if (config.lifeSeconds > 0) setTimeout(() => end("end of life"), config.lifeSeconds * 1000).unref();
