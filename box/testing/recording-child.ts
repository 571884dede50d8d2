// A box that records a session with the real stage until somebody kills it. Says the session's id once some of it is on disk.
//
// Arguments: how far it may come ("recording", "mixing": half a file is written and no more, "storing"). All else is in its
// environment.

import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Media } from "../media/media.ts";
import { openMedia } from "../media/open.ts";
import { portalKey as key } from "./fake-portal.ts";
import { openStageEngine } from "./stage-engine.ts";
import { startTestBox } from "./test-box.ts";

const [moment = "recording", version = "", digest = ""] = process.argv.slice(2);
const { PORTAL_URL = "", BOX_SECRET = "", VISAVIS_STATE = "" } = process.env;

/** Writes half a recording, and never the rest. */
function halfWay(media: Media): Media {
  const half: Media["recording"] = async ({ livePath, outPath }) => {
    const { size } = await stat(livePath);
    const file = await open(`${outPath}.part`, "w");
    await file.write(Buffer.alloc(Math.floor(size / 2), 1));
    await file.close();
    process.stdout.write("half\n");
    return new Promise(() => undefined);
  };
  return new Proxy(media, {
    get: (target, name) => {
      if (name === "recording") return half;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const engine = await openStageEngine();
const media = openMedia();
const box = await startTestBox(
  { PORTAL_URL, BOX_SECRET, VISAVIS_STATE },
  { stages: engine, files: moment === "mixing" ? halfWay(media) : media },
);
for (const entry of box.faces.entries) entry.dir = engine.avatarDir;
const recording = { terms_version: version, terms_digest: digest };
const { session_id: id } = await box.connect({ key, body: { recording } });
const live = join(VISAVIS_STATE, "recordings", id, "live.mkv");
while ((await stat(live).catch(() => ({ size: 0 }))).size < 10_000) await sleep(20);
process.stdout.write(`${id}\n`);
if (moment !== "recording") await box.ask("/disconnect", { method: "POST", key });
