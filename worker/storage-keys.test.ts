// What a signed URL tells whoever gets one: nothing that leads to the account behind it.

import { expect, test } from "vitest";
import { archiveGrantSchema } from "../contract/internal/avatars.ts";
import { recordingGrantSchema } from "../contract/internal/sessions.ts";
import { assetsSchema, clipVideoSchema } from "../contract/library.ts";
import { portraitSchema } from "../contract/portraits.ts";
import { stillJobSchema } from "../contract/stills.ts";
import { uploadGrantSchema } from "../contract/uploads.ts";
import { currentRecordingTerms } from "./consents/terms.ts";
import { hexOf } from "./platform/digest.ts";
import {
  agree,
  ann,
  archiveClip,
  askGrant,
  keyOf,
  report as reportAvatar,
  setVisibility,
  still,
} from "./testing/avatars.ts";
import { bindings, bodyOf, call, db, post, signIn } from "./testing/portal.ts";
import { readDetail, report as reportSession, tell } from "./testing/sessions.ts";

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
const zeros = "0".repeat(64);

/** Every run of eight characters in what can be made of an address by those who guess it. */
async function tracesOf(account: string): Promise<string[]> {
  const bytes = new TextEncoder().encode(account);
  const spellings = [account, btoa(account), hexOf(bytes)];
  for (const algorithm of ["SHA-1", "SHA-256", "SHA-512", "MD5"]) {
    const digest = new Uint8Array(await crypto.subtle.digest(algorithm, bytes));
    spellings.push(hexOf(digest), btoa(String.fromCharCode(...digest)));
  }
  return spellings.flatMap((text) =>
    Array.from({ length: Math.max(1, text.length - 7) }, (_, at) => text.slice(at, at + 8).toLowerCase()),
  );
}

test("holds ids that were drawn by lot and names of files, and nothing that is made of the account", async () => {
  const [owner, stranger] = [await signIn(ann), await signIn("bea@example.com")];
  await reportAvatar();
  await archiveClip();
  await agree();
  await setVisibility(owner, "public");
  const clip = await call("/auth/avatars/mary-ann/clips/happy/video", { headers: stranger });
  const assets = await call("/auth/avatars/mary-ann/assets", { headers: owner });

  const files = [{ field: "file", filename: "me.png", content_type: "image/png", size: 9 }];
  const upload = await bodyOf(await post("/auth/uploads", { files }, owner), uploadGrantSchema);
  const portrait = await bodyOf(
    await post("/auth/portraits", { persona: "A calm teacher" }, owner),
    portraitSchema,
  );
  const jobId = crypto.randomUUID();
  await db
    .prepare(
      "INSERT INTO still_jobs (id, account, state, upload_id, portal_origin, created_at, updated_at) " +
        "VALUES (?, ?, 'done', 'u', 'http://localhost', ?, 0)",
    )
    .bind(jobId, ann, Math.floor(Date.now() / 1000))
    .run();
  const seated = await bodyOf(await call(`/auth/seated-still/${jobId}`, { headers: owner }), stillJobSchema);

  await reportSession({ session_id: "s1" });
  const { version, digest } = await currentRecordingTerms();
  const recording = await bodyOf(
    await tell("sessions/recording", {
      session_id: "s1",
      account: ann,
      content_type: "video/mp4",
      size: 4,
      sha256: zeros,
      consent: { terms_version: version, terms_digest: digest, agreed_at: 1 },
    }),
    recordingGrantSchema,
  );
  await bindings.MEDIA.put(keyOf(recording.url), "film", { httpMetadata: { contentType: "video/mp4" } });
  await tell("sessions/recording/done", { session_id: "s1", account: ann });
  const detail = await readDetail(owner, "s1");

  const urls = {
    clip: (await bodyOf(clip, clipVideoSchema)).url,
    asset: (await bodyOf(assets, assetsSchema)).assets[0]?.url,
    archive: (await bodyOf(await askGrant(await still()), archiveGrantSchema)).files[0]?.url,
    upload: upload.files[0]?.url,
    portrait: portrait.portrait.image_url,
    still: seated.state === "done" ? seated.image_url : undefined,
    grant: recording.url,
    recording: detail.recording,
    consent: detail.consent,
  };
  const shapes: Record<keyof typeof urls, string> = {
    clip: `avatars/${uuid}/happy\\.mp4`,
    asset: `avatars/${uuid}/happy\\.mp4`,
    archive: `avatars/${uuid}/still\\.jpg`,
    upload: `uploads/${uuid}/0`,
    portrait: `portraits/${uuid}\\.png`,
    still: `stills/${jobId}\\.png`,
    grant: "sessions/s1/recording\\.mp4",
    recording: "sessions/s1/recording\\.mp4",
    consent: "sessions/s1/consent\\.json",
  };
  const traces = await tracesOf(ann);
  for (const [name, url] of Object.entries(urls)) {
    const shape = shapes[name as keyof typeof urls];
    expect.soft(keyOf(url ?? ""), name).toMatch(new RegExp(`^${shape}$`));
    const text = decodeURIComponent(url ?? "").toLowerCase();
    expect
      .soft(
        traces.filter((trace) => text.includes(trace)),
        name,
      )
      .toEqual([]);
  }
  // Nor is any other object there under a key that tells more.
  const { objects } = await bindings.MEDIA.list();
  for (const { key } of objects)
    expect
      .soft(
        traces.filter((trace) => key.includes(trace)),
        key,
      )
      .toEqual([]);
}, 60_000);
