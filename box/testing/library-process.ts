// A library in a process of its own, for tests that kill it: builds that never end, begun one after another.
// Usage: node library-process.ts <state folder> <picture> <video>

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AvatarLibrary } from "../avatars/library.ts";
import { FakeTools, sameFace } from "./avatar-tools.ts";
import { FakeMediaFiles } from "./fake-media-files.ts";

const [stateDir = "", picture = "", video = ""] = process.argv.slice(2);
const owner = "ann@example.com";
const tools = new FakeTools();
const say = (word: string) => process.stdout.write(`${word}\n`);

const library = await AvatarLibrary.open({
  stateDir,
  stockDir: stateDir,
  media: new FakeMediaFiles(),
  finder: sameFace,
  footage: tools.footage,
  builder: async (options) => {
    if (options.tone !== "sad") return tools.builder(options);
    // Half of what a build writes, and then nothing more.
    await writeFile(join(options.outDir, "rig.vvr.tmp"), "half");
    say("building");
    return new Promise(() => undefined);
  },
});
await library.ready(null, "theo");
const request = { owner, filename: "me.png", consentToken: "c1", tones: "happy,sad,warm" };
const { avatar } = await library.create({ ...request, bytes: await readFile(picture) });
await library.ready(owner, avatar);
// It waits behind the build that never ends.
await library.create({ owner, filename: "me.mp4", path: video });
say("ready");
setInterval(() => undefined, 1_000);
