import * as fc from "fast-check";
import { expect, test } from "vitest";
import { limits } from "../../contract/limits.ts";
import { imageTypes, uploadTypeSchema, type UploadRequest } from "../../contract/uploads.ts";
import { tones } from "../../contract/tones.ts";
import { call, db, post, signIn } from "../testing/portal.ts";

type File = UploadRequest["files"][number];

const near = (limit: number) => fc.integer({ min: Math.max(0, limit - 2), max: limit + 2 });
const file: fc.Arbitrary<File> = fc.record({
  field: fc.oneof(
    { weight: 2, arbitrary: fc.constant("file") },
    { weight: 5, arbitrary: fc.constantFrom(...tones.map((tone) => `take__${tone}`)) },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 100 }).map((n) => `take__warm__${n}`) },
  ),
  filename: fc.string({ maxLength: 210 }),
  content_type: fc.constantFrom(...uploadTypeSchema.options),
  size: fc.oneof(
    near(limits.imageBytes),
    near(limits.uploadVideoBytes),
    near(limits.uploadTotalBytes - 2 * limits.uploadVideoBytes),
    fc.integer({ min: 0, max: 1000 }),
  ),
});

/** Mostly well-formed lists, so that grants and refusals both come up. */
const files = fc.oneof(
  fc.array(file, { maxLength: 24 }),
  fc
    .uniqueArray(file, { maxLength: 22, selector: ({ field }) => field })
    .map((list): File[] => [
      { field: "file", filename: "a", content_type: "video/webm", size: limits.uploadVideoBytes },
      ...list
        .filter(({ field }) => field !== "file")
        .map((one): File => ({ ...one, filename: "b", content_type: "video/mp4" })),
    ]),
);

const isImage = (type: string) => (imageTypes as readonly string[]).includes(type);

/** The rules, read off the specification and not off the code. */
function isWithinRules(list: File[]): boolean {
  const named = list.every(({ filename }) => filename.trim().length >= 1 && filename.trim().length <= 200);
  const fields = list.map(({ field }) => field);
  const known = fields.every((field) => !/__(?:0|100)$/.test(field));
  const takes = list.every(({ field, content_type: type }) => field === "file" || !isImage(type));
  const sized = list.every(
    ({ content_type: type, size }) => size >= 1 && size <= (isImage(type) ? 15 : 200) * 1024 * 1024,
  );
  const total = list.reduce((sum, { size }) => sum + size, 0);
  return (
    list.length <= 20 &&
    named &&
    known &&
    takes &&
    sized &&
    total <= 500 * 1024 * 1024 &&
    fields.includes("file") &&
    new Set(fields).size === fields.length
  );
}

test("an upload is granted exactly when it keeps every limit", async () => {
  const ann = await signIn("ann@example.com");
  let granted = 0;
  await fc.assert(
    fc.asyncProperty(files, async (list) => {
      const answer = await post("/auth/uploads", { files: list }, ann);
      const within = isWithinRules(list);
      expect(within ? [201] : [400, 413]).toContain(answer.status);
      await answer.body?.cancel();
      const noted = await db.prepare("DELETE FROM uploads").run();
      expect(noted.meta.changes).toBe(within ? 1 : 0);
      if (within) granted += 1;
    }),
    { numRuns: 200 },
  );
  expect(granted).toBeGreaterThan(0);
  expect((await call("/auth/uploads", { headers: ann })).status).toBe(405);
}, 60_000);
