import type { Log } from "../ops/log.ts";
import type { Media } from "./media.ts";
import { findPrograms, missingPrograms } from "./programs.ts";
import { SandboxedMedia } from "./sandboxed-media.ts";

/** The programs that read and write files, each call in a process of its own. Without them every call is refused; `programs` names the folders to
 * look in. */
export function openMedia({ log, programs }: { log?: Log; programs?: readonly string[] } = {}): Media {
  const found = findPrograms(programs);
  if (found.case === "found") return new SandboxedMedia({ programs: found.programs });
  log?.error({ missing: found.missing }, "programs are missing: files can be neither read nor written");
  const refuse = () => Promise.reject(missingPrograms(found.missing));
  return {
    photo: refuse,
    facts: refuse,
    sound: refuse,
    footage: refuse,
    clip: refuse,
    recording: refuse,
    close: () => Promise.resolve(),
  };
}
