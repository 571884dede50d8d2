import { expect, test } from "vitest";
import { bindings } from "../testing/portal.ts";
import type { PortalContext } from "./context.ts";
import { parseEnv } from "./env.ts";
import { carryOutRemoval, carryOutRemovals, noteRemoval } from "./removals.ts";
import { isAsGranted, removePrefix, signerOf } from "./storage.ts";

const contextOf = (changes: object = {}) =>
  ({
    var: { env: parseEnv({ ...bindings, ...changes }) },
    req: { url: "http://localhost:8787/auth/uploads" },
  }) as unknown as PortalContext;

const media = bindings.MEDIA;

test("a grant signs the content type and the length, and names the local bucket's own address", async () => {
  const grant = await signerOf(contextOf())?.put("uploads/1/face.png", {
    contentType: "image/png",
    size: 10,
  });
  const url = new URL(grant?.url ?? "");
  expect(url.origin + url.pathname).toBe(
    "http://localhost:8787/cdn-cgi/local/r2/s3/visavis-media/uploads/1/face.png",
  );
  expect(url.searchParams.get("X-Amz-SignedHeaders")?.split(";").sort()).toEqual([
    "content-length",
    "content-type",
    "host",
  ]);
  expect(url.searchParams.get("X-Amz-Expires")).toBe("900");
  expect(grant?.headers).toEqual({ "Content-Type": "image/png" });
});

test("a portal away from home signs for the endpoint it was given, or not at all", async () => {
  const production = { ENVIRONMENT: "production", PORTAL_URL: "https://p.example", MAIL: "none" };
  expect(signerOf(contextOf(production))).toBeNull();
  const s3 = {
    S3_ENDPOINT: "https://r2.example/",
    S3_BUCKET: "b",
    S3_ACCESS_KEY_ID: "id",
    S3_SECRET_ACCESS_KEY: "secret-key",
  };
  const url = await signerOf(contextOf({ ...production, ...s3 }))?.get("k");
  expect(url).toMatch(/^https:\/\/r2\.example\/b\/k\?/);
  expect(url).not.toContain("secret-key");
  expect(() => contextOf({ ...production, S3_BUCKET: "b" })).toThrow("must be set together");
});

test("an object counts only with the size and type it was granted for", async () => {
  await media.put("k", "hello", { httpMetadata: { contentType: "image/png" } });
  const granted = { key: "k", size: 5, contentType: "image/png" };
  expect(await isAsGranted(media, granted)).toBe(true);
  expect(await isAsGranted(media, { ...granted, size: 6 })).toBe(false);
  expect(await isAsGranted(media, { ...granted, contentType: "image/jpeg" })).toBe(false);
  expect(await isAsGranted(media, { ...granted, key: "other" })).toBe(false);
});

test("a prefix is emptied, and its neighbour is not", async () => {
  await Promise.all(["a/1", "a/2/3", "ab/1"].map((key) => media.put(key, "x")));
  await removePrefix(media, "a/");
  expect((await media.list()).objects.map(({ key }) => key)).toEqual(["ab/1"]);
  await expect(removePrefix(media, "ab")).rejects.toThrow("slash");
});

test("a removal that storage refused is carried out by the clean-up", async () => {
  const db = bindings.DB;
  const waiting = async () => (await db.prepare("SELECT prefix FROM media_removals").all()).results;
  await media.put("gone/1", "x");
  await db.batch([noteRemoval(db, "gone/"), noteRemoval(db, "gone/")]);
  const broken = { list: () => Promise.reject(new Error("out")) } as unknown as R2Bucket;
  expect(await carryOutRemoval({ db, media: broken }, "gone/")).toBe(false);
  expect(await waiting()).toEqual([{ prefix: "gone/" }]);
  await carryOutRemovals({ db, media });
  expect(await waiting()).toEqual([]);
  expect(await media.head("gone/1")).toBeNull();
});
