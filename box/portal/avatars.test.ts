// What a box tells its portal of avatars, hands to the archive, and erases when it is told to.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { avatarReportSchema, archiveRequestSchema } from "../../contract/internal/avatars.ts";
import { digestOf } from "../access/caller.ts";
import type { AvatarEntry } from "../avatars/library.ts";
import { createLog } from "../ops/log.ts";
import { FakeFaces } from "../testing/fake-faces.ts";
import { startTestBox, type TestBox } from "../testing/test-box.ts";
import { PortalError, type PendingErasure } from "./client.ts";
import { ErasureSweep } from "./erasure-sweep.ts";
import { MediaArchive } from "./media-archive.ts";

const key = `vv_live_${"a".repeat(43)}`;
const account = "someone@example.org";
const log = createLog("silent");

interface Asked {
  method: string;
  path: string;
  type: string | undefined;
  bytes: Buffer;
}

/** A portal and its storage, which answer what a test wants. */
class FakePortal {
  readonly asked: Asked[] = [];
  /** Statuses to answer a path with, one after another, before it works. */
  readonly faults = new Map<string, number[]>();
  erasures: PendingErasure[] = [];
  registryNote = "";
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const path = request.url ?? "";
        const bytes = Buffer.concat(chunks);
        this.asked.push({ method: request.method ?? "", path, type: request.headers["content-type"], bytes });
        const fault = this.faults.get(path)?.shift();
        response.writeHead(fault ?? 200, { "Content-Type": "application/json" });
        response.end(JSON.stringify(fault === undefined ? this.#answer(path, bytes) : {}));
      });
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  bodies(path: string): Record<string, unknown>[] {
    return this.asked.filter((one) => one.path === path).map(({ bytes }) => JSON.parse(bytes.toString()));
  }

  #answer(path: string, bytes: Buffer): unknown {
    switch (path) {
      case "/internal/heartbeat":
        return { drain: false, revoked: [], revocations_seen: 1 };
      case "/internal/credentials/lookup":
        return {
          credential: { digest: digestOf(key), kind: "key", scope: "full", account, expires_at: null },
        };
      case "/internal/avatars/report":
        return { ok: true, registry_note: this.registryNote };
      case "/internal/avatars/media": {
        const { files } = archiveRequestSchema.parse(JSON.parse(bytes.toString()));
        return {
          files: files.map(({ filename, content_type }) => ({
            url: `${this.url}/storage/${filename}`,
            headers: { "Content-Type": content_type },
          })),
        };
      }
      case "/internal/erasures/pending":
        return { erasures: this.erasures };
      case "/internal/erasures/done": {
        const { erasure_ids: gone } = JSON.parse(bytes.toString()) as { erasure_ids: string[] };
        this.erasures = this.erasures.filter(({ erasure_id }) => !gone.includes(erasure_id));
        return { ok: true };
      }
      default:
        return { ok: true };
    }
  }
}

let portal: FakePortal;
let folder: string;
const boxes: TestBox[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "visavis-archive-"));
  portal = new FakePortal();
  await portal.listen();
});
afterEach(async () => {
  for (const box of boxes.splice(0)) await box.close();
  portal.close();
  await rm(folder, { recursive: true });
});

async function startBox(environment: Record<string, string> = {}): Promise<TestBox> {
  const box = await startTestBox({
    PORTAL_URL: portal.url,
    BOX_SECRET: "secret-of-this-box",
    BOX_REGION: "syd",
    ...environment,
  });
  boxes.push(box);
  return box;
}

const erasure = (id: string, changes: Partial<PendingErasure> = {}): PendingErasure => ({
  erasure_id: `erasure-of-${id}`,
  account,
  avatar_id: id,
  erased_at: 10,
  ...changes,
});

function ownAvatar(faces: FakeFaces, id: string, changes: Partial<AvatarEntry> = {}): AvatarEntry {
  const [stock] = faces.entries;
  if (!stock) throw new Error("There is no stock avatar.");
  const made = { ...stock, id, owner: account, stock: false, filename: "me.png", madeAt: 5, ...changes };
  faces.entries.push(made);
  return made;
}

test("an upload is reported with the volume, its source and the agreement that came with it", async () => {
  const box = await startBox();
  const form = new FormData();
  form.set("file", new Blob(["a photograph"], { type: "image/png" }), "me.png");
  form.set("name", "Me");
  form.set("consent_token", "c1");
  expect((await box.ask("/api/avatar", { key, method: "POST", body: form })).status).toBe(200);
  await expect.poll(() => portal.bodies("/internal/avatars/report")).toHaveLength(1);
  const [report] = portal.bodies("/internal/avatars/report").map((body) => avatarReportSchema.parse(body));
  expect(report).toMatchObject({
    account,
    avatar_id: "me",
    name: "Me",
    region: "syd",
    consent_id: "c1",
    made_at: 0,
  });
  expect(report?.source).toEqual({ filename: "me.png", sha256: "0".repeat(64) });
  expect(report?.weights_volume).toMatch(/^[0-9a-f-]{36}$/);
});

test("the volume has the name that the environment gives it", async () => {
  await startBox({ WEIGHTS_VOLUME: "faces-1" });
  await expect
    .poll(() => portal.bodies("/internal/erasures/pending"))
    .toEqual([{ weights_volume: "faces-1" }]);
});

test("a box that starts erases what it is told to, and nothing that was made later", async () => {
  portal.erasures = [erasure("old"), erasure("new", { erased_at: 4 }), erasure("unknown")];
  const spy = vi.spyOn(FakeFaces.prototype, "erase").mockImplementation(async function (
    this: FakeFaces,
    ...given
  ) {
    if (this.owned().length === 0) {
      ownAvatar(this, "old");
      ownAvatar(this, "new");
    }
    spy.mockRestore();
    return this.erase(...given);
  });
  const box = await startBox();
  await expect.poll(() => portal.bodies("/internal/erasures/done")).toHaveLength(1);
  expect(portal.bodies("/internal/erasures/done")[0]).toMatchObject({
    erasure_ids: ["erasure-of-old", "erasure-of-new", "erasure-of-unknown"],
  });
  expect(box.faces.owned().map(({ id }) => id)).toEqual(["new"]);
});

test("a box alone asks nobody and keeps no name for its volume", async () => {
  const box = await startTestBox();
  boxes.push(box);
  const form = new FormData();
  form.set("file", new Blob(["a photograph"], { type: "image/png" }), "me.png");
  expect((await box.ask("/api/avatar", { method: "POST", body: form })).status).toBe(200);
  expect(portal.asked).toEqual([]);
  expect(existsSync(`${box.services.config.stateDir}/weights-volume`)).toBe(false);
});

function archiving(faces: FakeFaces) {
  const client = {
    grantArchive: vi.fn(async (request: { files: { filename: string; content_type: string }[] }) =>
      request.files.map(({ filename, content_type }) => ({
        url: `${portal.url}/storage/${filename}`,
        headers: { "Content-Type": content_type },
      })),
    ),
    closeArchive: vi.fn(async () => undefined as void),
  };
  return { client, archive: new MediaArchive({ portal: client, faces, log, retryMs: 1 }) };
}

/** The files of every avatar: a photograph, its still, and two clips. */
async function withFiles(faces: FakeFaces): Promise<void> {
  const files = [
    { role: "source", tone: null, filename: "source.jpg", content_type: "image/jpeg" },
    { role: "still", tone: null, filename: "still.jpg", content_type: "image/jpeg" },
    { role: "clip", tone: "neutral", filename: "neutral.mp4", content_type: "video/mp4" },
    { role: "clip", tone: "happy", filename: "happy.mp4", content_type: "video/mp4" },
  ] as const;
  const placed = files.map((file) => ({ ...file, path: join(folder, file.filename) }));
  for (const { path, filename } of placed) await writeFile(path, `bytes of ${filename}`);
  faces.files = { files: placed, builds: ["build-1"] };
}

const puts = () => portal.asked.filter(({ method }) => method === "PUT");

test("source, still and clips are PUT as they were granted, and noted as archived", async () => {
  const faces = new FakeFaces();
  await withFiles(faces);
  const avatar = ownAvatar(faces, "me");
  const { client, archive } = archiving(faces);
  archive.add(avatar);
  await expect.poll(() => avatar.archived).toBe(true);
  expect(puts().map(({ path, type, bytes }) => [path, type, bytes.toString()])).toEqual([
    ["/storage/source.jpg", "image/jpeg", "bytes of source.jpg"],
    ["/storage/still.jpg", "image/jpeg", "bytes of still.jpg"],
    ["/storage/neutral.mp4", "video/mp4", "bytes of neutral.mp4"],
    ["/storage/happy.mp4", "video/mp4", "bytes of happy.mp4"],
  ]);
  const request = archiveRequestSchema.parse(client.grantArchive.mock.calls[0]?.[0]);
  expect(request).toMatchObject({ account, avatar_id: "me", made_at: 5 });
  for (const { filename, size, sha256 } of request.files) {
    const bytes = Buffer.from(`bytes of ${filename}`);
    expect([size, sha256]).toEqual([bytes.length, createHash("sha256").update(bytes).digest("hex")]);
  }
  expect(request.files.map(({ role, tone }) => [role, tone])).toEqual([
    ["source", null],
    ["still", null],
    ["clip", "neutral"],
    ["clip", "happy"],
  ]);
  expect(client.closeArchive).toHaveBeenCalledWith(request);
  await archive.close();
});

test("whatever fails on the way is done again until it is through", async () => {
  const faces = new FakeFaces();
  await withFiles(faces);
  const avatar = ownAvatar(faces, "me");
  const { client, archive } = archiving(faces);
  client.grantArchive.mockRejectedValueOnce(new TypeError("fetch failed"));
  client.grantArchive.mockRejectedValueOnce(new PortalError("/internal/avatars/media", 503));
  portal.faults.set("/storage/still.jpg", [500, 403]);
  client.closeArchive.mockRejectedValueOnce(new PortalError("/internal/avatars/media/done", 500));
  archive.add(avatar);
  await expect.poll(() => avatar.archived).toBe(true);
  expect(client.closeArchive).toHaveBeenCalledTimes(2);
  await archive.close();
});

test("what the portal refuses for good does not stand in the way of the next", async () => {
  const faces = new FakeFaces();
  await withFiles(faces);
  const [refused, next] = [ownAvatar(faces, "refused"), ownAvatar(faces, "next")];
  const { client, archive } = archiving(faces);
  client.grantArchive.mockRejectedValueOnce(new PortalError("/internal/avatars/media", 404));
  archive.add(refused);
  archive.add(next);
  await expect.poll(() => next.archived).toBe(true);
  expect(refused.archived).toBe(false);
  await archive.close();
});

test("an archive that closes gives up what is under way", async () => {
  const faces = new FakeFaces();
  await withFiles(faces);
  const avatar = ownAvatar(faces, "me");
  const { client, archive } = archiving(faces);
  client.grantArchive.mockRejectedValue(new TypeError("fetch failed"));
  archive.add(avatar);
  await archive.close();
  const calls = client.grantArchive.mock.calls.length;
  archive.add(avatar);
  await archive.close();
  expect(client.grantArchive.mock.calls.length).toBe(calls);
  expect(avatar.archived).toBe(false);
});

function sweeping(faces: Pick<FakeFaces, "erase">, everyMs = 60_000) {
  let pending = [erasure("me"), erasure("you")];
  const client = {
    pendingErasures: vi.fn(async () => pending),
    confirmErasures: vi.fn(async (_volume: string, ids: string[]) => {
      pending = pending.filter(({ erasure_id }) => !ids.includes(erasure_id));
    }),
  };
  const sweep = new ErasureSweep({ portal: client, faces, weightsVolume: "v1", log, everyMs, retryMs: 1 });
  return { client, sweep, add: (id: string) => pending.push(erasure(id)) };
}

test("a sweep that finds no portal is made again, and again at its interval", async () => {
  const { client, sweep, add } = sweeping(new FakeFaces(), 5);
  client.pendingErasures.mockRejectedValueOnce(new TypeError("fetch failed"));
  sweep.start();
  await expect.poll(() => client.confirmErasures.mock.calls.length).toBe(1);
  add("another");
  await expect.poll(() => client.confirmErasures.mock.calls.length).toBe(2);
  expect(client.confirmErasures).toHaveBeenLastCalledWith("v1", ["erasure-of-another"]);
  await sweep.close();
  const calls = client.pendingErasures.mock.calls.length;
  sweep.start();
  await sweep.close();
  expect(client.pendingErasures.mock.calls.length).toBe(calls);
});

test("only what is gone is confirmed; the others are tried again", async () => {
  const faces = new FakeFaces();
  const erase = vi.fn((_account: string, id: string) => Promise.resolve(id !== "you"));
  erase.mockImplementationOnce(() => Promise.reject(new Error("EBUSY")));
  faces.erase = erase;
  const { client, sweep } = sweeping(faces);
  sweep.start();
  await expect.poll(() => client.confirmErasures.mock.calls).toEqual([["v1", ["erasure-of-me"]]]);
  erase.mockImplementation(() => Promise.resolve(true));
  await expect.poll(() => client.confirmErasures.mock.calls.length).toBe(2);
  expect(client.confirmErasures).toHaveBeenLastCalledWith("v1", ["erasure-of-you"]);
  await sweep.close();
});
