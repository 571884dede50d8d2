import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { withCredentialFiles } from "./credential-files.ts";

const secret = "a secret of many characters";
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "visavis-credentials-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, text = secret) => writeFileSync(join(folder, name), text);
const read = (environment: Record<string, string> = {}) =>
  withCredentialFiles({ CREDENTIALS_DIRECTORY: folder, ...environment });

test("without the folder nothing changes", () => {
  const environment = { BOX_SECRET: secret };
  expect(withCredentialFiles(environment)).toBe(environment);
});

test("a credential is the variable of its name, trimmed, with or without the unit's prefix", () => {
  put("BOX_SECRET", `  ${secret}\n`);
  put("visavis_ANTHROPIC_API_KEY", "key\n");
  const config = readConfig(read({ PORTAL_URL: "https://portal.example" }));
  expect(config.portal).toEqual({ url: "https://portal.example", secret });
  expect(config.anthropic?.apiKey).toBe("key");
});

test("what is no variable of the box is left alone", () => {
  put("aws");
  put("visavis_PATH");
  expect(read({ PATH: "/bin" })).toEqual({ CREDENTIALS_DIRECTORY: folder, PATH: "/bin" });
});

test.each([
  ["given beside its variable", () => put("BOX_SECRET"), { BOX_SECRET: "another" }],
  ["given under both names", () => [put("BOX_SECRET"), put("visavis_BOX_SECRET")], {}],
  ["that is no file", () => mkdirSync(join(folder, "BOX_SECRET")), {}],
])("a credential %s is refused by its name alone", (_, prepare, environment) => {
  prepare();
  expect(() => read(environment)).toThrow(/^BOX_SECRET: /);
  expect(() => read(environment)).not.toThrow(new RegExp(`${secret}|another`));
});

test("an empty variable does not stand in the way, and a folder that is not there is refused", () => {
  put("BOX_SECRET");
  expect(read({ BOX_SECRET: " " })["BOX_SECRET"]).toBe(secret);
  expect(() => withCredentialFiles({ CREDENTIALS_DIRECTORY: join(folder, "none") })).toThrow(
    "CREDENTIALS_DIRECTORY",
  );
});
