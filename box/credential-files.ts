// Secrets that systemd hands to a service as files: `LoadCredential=` puts each under `$CREDENTIALS_DIRECTORY`.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, variableNames } from "./config.ts";

type Environment = Record<string, string | undefined>;

/** What `LoadCredential=visavis:<folder>` puts before the name of each of the folder's files. */
const prefix = "visavis_";

/**
 * The environment with the box's variables that came as files; their values are trimmed. Throws ConfigError, which repeats
 * no value, where one cannot be read or came both ways.
 */
export function withCredentialFiles(environment: Environment): Environment {
  const folder = environment["CREDENTIALS_DIRECTORY"];
  if (!folder) return environment;
  const found = new Map<string, string>();
  const problems: string[] = [];
  let names: string[] = [];
  try {
    names = readdirSync(folder);
  } catch {
    throw new ConfigError(["CREDENTIALS_DIRECTORY: cannot be read."]);
  }
  for (const file of names) {
    const name = file.startsWith(prefix) ? file.slice(prefix.length) : file;
    // Others may be meant for what the box starts, or for a library's own reading.
    if (!variableNames.includes(name)) continue;
    if (found.has(name) || environment[name]?.trim()) {
      problems.push(`${name}: is given twice, as a credential and beside it.`);
      continue;
    }
    try {
      found.set(name, readFileSync(join(folder, file), "utf8").trim());
    } catch {
      problems.push(`${name}: its credential cannot be read.`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...environment, ...Object.fromEntries(found) };
}
