// Loads the addon that `npm start` builds.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const addonPath = fileURLToPath(new URL("../build/Release/visavis.node", import.meta.url));
const netPath = fileURLToPath(new URL("../model/visemes.vvn", import.meta.url));

function load() {
  if (!existsSync(addonPath)) {
    throw new Error(`The native addon is not built (${addonPath} is missing). \`npm start\` builds it.`);
  }
  try {
    return createRequire(import.meta.url)(addonPath);
  } catch (cause) {
    throw new Error(
      `The native addon does not load: ${cause.message}. Delete native/build; \`npm start\` builds it again.`,
      { cause },
    );
  }
}

const addon = load();
addon.configure({ netPath });

export const {
  Stage,
  Recogniser,
  buildAvatar,
  buildFootage,
  findGpu,
  readAvatar,
  renderFrame,
  visemesOf,
  build,
} = addon;
