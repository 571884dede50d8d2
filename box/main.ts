// The box process.

import { AvatarLibrary } from "./avatars/library.ts";
import { startBox } from "./box.ts";
import { ConfigError, readConfig, type BoxConfig } from "./config.ts";
import { withCredentialFiles } from "./credential-files.ts";
import { nativeMediaEngine, wakeGpu, type MediaEngine } from "./live/engine.ts";
import { openMedia } from "./media/open.ts";
import { Life } from "./ops/life.ts";
import { createLog, describeError, type Log } from "./ops/log.ts";
import { claimStateFolder, unwritable } from "./ops/state-folder.ts";
import { LiveKitDialer } from "./rooms/livekit.ts";
import { openBuiltinVoice } from "./voices/open.ts";

/** Ends the process with a sentence for the person who configured it; anything else is a defect. */
function refuseToStart(error: unknown): never {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`The box cannot start:\n${error.message.replace(/^/gm, "  ")}\n`);
  process.exit(2);
}

function configuration(): BoxConfig {
  try {
    return readConfig(withCredentialFiles(process.env));
  } catch (error) {
    return refuseToStart(error);
  }
}

async function mediaEngine(log: Log): Promise<MediaEngine | null> {
  try {
    const engine = await nativeMediaEngine();
    log.info(await wakeGpu(), "media engine ready");
    return engine;
  } catch (error) {
    log.error(describeError(error), "the native addon is not built: nobody can go live on this box");
    return null;
  }
}

const config = configuration();
const log = createLog(config.logLevel);
// First of all: what a start clears up or takes for lost would be another box's that is running.
await claimStateFolder(config.stateDir).catch(refuseToStart);

const [engine, voice] = await Promise.all([mediaEngine(log), openBuiltinVoice(config)]);
if (voice.state().state !== "ready")
  log.error({ detail: voice.state().detail }, "the box's own voice is not ready");

const media = openMedia({ log });
const dialer = new LiveKitDialer();
const box = await startBox({
  config,
  log,
  engine,
  media,
  engines: [voice],
  dialer,
  openFaces: (hooks) =>
    AvatarLibrary.open({
      stateDir: config.stateDir,
      media,
      offers: config.avatars,
      stockTones: config.avatars.stockTones,
      ...hooks,
    }),
}).catch((error: unknown) => refuseToStart(unwritable(error, config.stateDir) ?? error));

const life = new Life({ box, log, exit: (code) => void dialer.close().finally(() => process.exit(code)) });
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => life.end(signal));
process.on("uncaughtException", (error) => {
  log.fatal(describeError(error), "defect");
  life.end("defect", 1);
});
process.on("unhandledRejection", (error) => log.error(describeError(error), "a failure nobody waited for"));
life.start(config.lifeSeconds);
