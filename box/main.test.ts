import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

function start(environment: Record<string, string>) {
  const child = spawn(process.execPath, [main], { env: { PATH: process.env.PATH, ...environment } });
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => (output.text += String(chunk)));
  const exit = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  return { child, output, exit };
}

test("a configuration that will not do ends the process at once, and says why", async () => {
  const { exit, output } = start({ BOX_PUBLIC_URL: "https://box.example", BOX_PORT: "x" });
  expect(await exit).toBe(2);
  expect(output.text).toContain("BOX_PORT");
});

test("so does a file of moderation rules that cannot be used", async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "visavis-main-"));
  try {
    const rules = join(stateDir, "rules.json");
    await writeFile(rules, '{"rules":[{"patterns":["(?=lookahead)"]}]}');
    const { exit, output } = start({ BOX_PORT: "0", VISAVIS_STATE: stateDir, MODERATION_RULES: rules });
    expect(await exit).toBe(2);
    expect(output.text).toContain("MODERATION_RULES: rules.0.patterns.0");
    expect(output.text).not.toContain("    at ");
  } finally {
    await rm(stateDir, { recursive: true, force: true });
  }
});

test("it listens, and a signal ends it and everything it started", async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "visavis-main-"));
  const { child, exit, output } = start({ BOX_PORT: "0", VISAVIS_STATE: stateDir });
  try {
    await expect.poll(() => output.text).toContain("box listens");
    const line = output.text.split("\n").find((text) => text.includes("box listens")) ?? "{}";
    const { url } = JSON.parse(line) as { url: string };
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ ok: true, service: "box" });
    child.kill("SIGTERM");
    expect(await exit).toBe(0);
    expect(output.text).toContain("box ended");
  } finally {
    child.kill("SIGKILL");
    await rm(stateDir, { recursive: true, force: true });
  }
});

test("a state folder is one box's at a time, by whatever path, until that is killed", async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "visavis-main-"));
  const other = `${stateDir}-link`;
  await symlink(stateDir, other);
  const first = start({ BOX_PORT: "0", VISAVIS_STATE: stateDir });
  try {
    await expect.poll(() => first.output.text).toContain("box listens");
    // An upload of the running box, which a start would clear away.
    const upload = join(stateDir, "incoming", "request-1");
    await mkdir(upload, { recursive: true });
    const second = start({ BOX_PORT: "0", VISAVIS_STATE: other });
    expect(await second.exit).toBe(2);
    expect(second.output.text).toContain("VISAVIS_STATE: another box is running");
    expect(second.output.text).not.toContain("    at ");
    expect(await stat(upload)).toBeDefined();

    first.child.kill("SIGKILL");
    await first.exit;
    const third = start({ BOX_PORT: "0", VISAVIS_STATE: other });
    try {
      await expect.poll(() => third.output.text).toContain("box listens");
    } finally {
      third.child.kill("SIGKILL");
      await third.exit;
    }
  } finally {
    first.child.kill("SIGKILL");
    await first.exit;
    await rm(other, { force: true });
    await rm(stateDir, { recursive: true, force: true });
  }
});

test.each([
  ["is under a file", (folder: string) => writeFile(join(folder, "state"), "")],
  [
    "has a file where avatars belong",
    async (folder: string) => {
      await mkdir(join(folder, "state", "box"), { recursive: true });
      await writeFile(join(folder, "state", "box", "avatars"), "");
    },
  ],
])("a state folder that %s is a sentence and no stack", async (_, prepare) => {
  const folder = await mkdtemp(join(tmpdir(), "visavis-main-"));
  try {
    await prepare(folder);
    const { exit, output } = start({ BOX_PORT: "0", VISAVIS_STATE: join(folder, "state", "box") });
    expect(await exit).toBe(2);
    expect(output.text).toContain("VISAVIS_STATE: cannot be written to (");
    expect(output.text).not.toContain("    at ");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
