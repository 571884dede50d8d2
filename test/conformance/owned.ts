// Things that belong to the owner, made as the owner and a box would make them.

import { boxSecret, owner } from "./credentials.ts";
import type { Owned } from "./route.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64",
);

interface Answered {
  status: number;
  json: Record<string, never>;
}

async function post(url: string, headers: Record<string, string>, body: unknown): Promise<Answered> {
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const json = (await response.json()) as Record<string, never>;
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${JSON.stringify(json)}`);
  return { status: response.status, json };
}

/** A file of an avatar's archive, granted, PUT and confirmed. */
async function archive(url: string, avatar: string, tone: string | null): Promise<void> {
  const box = { Authorization: `Bearer ${boxSecret}` };
  const bytes = tone ? Buffer.from("0000001866747970", "hex") : png;
  const digest = Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
  const file = {
    role: tone ? "clip" : "source",
    tone,
    filename: tone ? `${tone}.mp4` : "face.png",
    content_type: tone ? "video/mp4" : "image/png",
    size: bytes.length,
    sha256: digest,
  };
  const request = { account: owner, avatar_id: avatar, files: [file] };
  const { json } = await post(`${url}/internal/avatars/media`, box, request);
  const [grant] = (json as unknown as { files: { url: string; headers: Record<string, string> }[] }).files;
  if (!grant) throw new Error("The archive granted nothing.");
  const stored = await fetch(grant.url, { method: "PUT", headers: grant.headers, body: bytes });
  if (!stored.ok) throw new Error(`Storage answered ${stored.status}: ${await stored.text()}`);
  await post(`${url}/internal/avatars/media/done`, box, request);
}

export async function makeOwned(url: string, cookie: Record<string, string>): Promise<Owned> {
  const box = { Authorization: `Bearer ${boxSecret}` };
  const now = Math.floor(Date.now() / 1000);
  const avatar = "owners-face";
  const session = "session-of-the-owner";
  await post(`${url}/internal/avatars/report`, box, {
    account: owner,
    avatar_id: avatar,
    name: "Owner's face",
    source_kind: "photo",
    state: "ready",
    detail: "",
    region: "au",
    weights_volume: "volume-1",
  });
  await archive(url, avatar, null);
  await archive(url, avatar, "happy");
  await post(`${url}/internal/avatars/clips`, box, {
    account: owner,
    avatar_id: avatar,
    clip: {
      tone: "happy",
      state: "generated",
      variant_id: `${avatar}__happy`,
      duration_s: 4,
      updated_at: now,
      detail: "",
    },
  });
  await post(`${url}/internal/sessions/report`, box, {
    session_id: session,
    account: owner,
    kind: "studio",
    avatar_id: avatar,
    started_at: now - 60,
    ended_at: now,
    end_reason: "disconnected",
    turns: 1,
  });
  await post(`${url}/internal/sessions/transcript`, box, {
    session_id: session,
    account: owner,
    lines: [{ index: 0, role: "user", content: "Hello there.", tone: null, at: now }],
  });
  const made = await post(`${url}/auth/portraits`, cookie, {
    persona: "A calm teacher with short grey hair",
  });
  const { portrait } = made.json as unknown as { portrait: { portrait_id: string } };
  return { avatar, session, portrait: portrait.portrait_id };
}
