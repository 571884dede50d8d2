// The Debian packages each purpose needs, and how they get onto the machine.

import { outputOf, run } from "./processes.mjs";
import { SetupError, step } from "./report.mjs";

const groups = {
  run: [
    "ca-certificates",
    "cmake",
    "espeak-ng",
    "ffmpeg",
    "g++",
    "kakasi",
    "libavcodec-dev",
    "libavformat-dev",
    "libavutil-dev",
    "libopus-dev",
    "libpocketsphinx-dev",
    "libswresample-dev",
    "libswscale-dev",
    "make",
    "pkg-config",
    "pocketsphinx-en-us",
  ],
  test: ["chromium", "fonts-dejavu-core", "python3-aiortc"],
  bench: [
    "chromium",
    "festival",
    "festvox-itapc16k",
    "festvox-kdlpc16k",
    "flite",
    "libespeak-ng1",
    "libopencv-dev",
    "libopenh264-dev",
    "libpocketsphinx3",
    "libx264-dev",
    "pocketsphinx-testdata",
    "python3-numpy",
    "python3-scipy",
  ],
};

const installed = (name) =>
  (outputOf("dpkg-query", ["-W", "-f", "${db:Status-Status}", name]) ?? "").trim() === "installed";

/** Installs what is missing of the given groups through apt, or says which packages a person must install. */
export async function debianPackages(...purposes) {
  if (outputOf("dpkg-query", ["--version"]) === null) {
    console.log("! This is no Debian system: Visàvis needs the counterparts of these packages:");
    console.log(`  ${purposes.flatMap((purpose) => groups[purpose]).join(" ")}`);
    return;
  }
  let missing = [];
  await step("Debian packages", {
    current: () => {
      missing = [...new Set(purposes.flatMap((purpose) => groups[purpose]))].filter(
        (name) => !installed(name),
      );
      return missing.length === 0;
    },
    work: async () => {
      const root = process.getuid?.() === 0;
      if (!root && outputOf("sudo", ["-n", "true"]) === null) {
        throw new SetupError(
          `Please install these packages, then run the command again:\n  sudo apt install ${missing.join(" ")}`,
        );
      }
      console.log(`  installing ${missing.join(" ")}`);
      const apt = (...args) => {
        const words = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", ...args];
        return root ? run(words[0], words.slice(1)) : run("sudo", ["-n", ...words]);
      };
      await apt("update");
      await apt("install", "-y", "--no-install-recommends", ...missing);
    },
  });
}
