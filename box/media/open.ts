import type { Log } from "../ops/log.ts";
import type { Media } from "./media.ts";
import { findPrograms, missingPrograms } from "./programs.ts";
import { SandboxedMedia } from "./sandboxed-media.ts";

/** The programs that read and write files, each call in a process of its own. Without them every call is refused. */
export function openMedia({ log, searchPath }: { log?: Log; searchPath?: string } = {}): Media {
  const found = findPrograms(searchPath);
  if (found.case === "found") return new SandboxedMedia({ programs: found.programs });
  log?.error({ missing: found.missing }, "programs are missing: files can be neither read nor written");
  const refuse = () => Promise.reject(missingPrograms(found.missing));
  return {
    photo: refuse,
    facts: refuse,
    sound: refuse,
    footage: refuse,
    clip: refuse,
    close: () => Promise.resolve(),
  };
}
