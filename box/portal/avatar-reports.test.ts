// What a portal is told of the avatars that are made on a box, and when.

import { expect, test } from "vitest";
import { avatarReportSchema, clipReportSchema } from "../../contract/internal/avatars.ts";
import type { AvatarEntry } from "../avatars/library.ts";
import { FakeFaces } from "../testing/fake-faces.ts";
import { AvatarReports } from "./avatar-reports.ts";
import type { Portal } from "./portal.ts";

const account = "someone@example.org";

function ownAvatar(faces: FakeFaces, id: string, changes: Partial<AvatarEntry> = {}): AvatarEntry {
  const [stock] = faces.entries;
  if (!stock) throw new Error("There is no stock avatar.");
  const made = { ...stock, id, owner: account, stock: false, filename: "me.png", madeAt: 5, ...changes };
  faces.entries.push(made);
  return made;
}

const build = (state: "preparing" | "ready" | "failed", detail = "") => ({
  state,
  step: "done" as const,
  progress: 1,
  detail,
  started_at: 5,
  finished_at: 6,
});

function reporting(faces: FakeFaces) {
  const reports: Parameters<ConstructorParameters<typeof AvatarReports>[0]["portal"]["reportAvatar"]>[] = [];
  const clips: Parameters<Portal["reportClip"]>[] = [];
  const archivable: string[] = [];
  const avatarReports = new AvatarReports({
    portal: {
      reportAvatar: (...given) => reports.push(given),
      reportClip: (...given) => clips.push(given),
    },
    region: "syd",
    weightsVolume: "v1",
    onArchivable: ({ id }) => archivable.push(id),
  });
  avatarReports.attach(faces);
  return { avatarReports, archivable, clips, reports, told: () => reports.map(([report]) => report) };
}

test("a build is told of at its end, and its files are archived once the library holds it", () => {
  const faces = new FakeFaces();
  const { avatarReports, archivable, reports, told } = reporting(faces);
  const avatar = ownAvatar(faces, "me", {
    status: "preparing",
    crop: { crop: "bust", x: 0, y: 0, w: 1, h: 0.5 },
  });
  avatarReports.moved("me", build("preparing"));
  avatarReports.made({ account, avatar: "me", name: "Me" });
  avatarReports.moved("me", build("preparing"));
  // The record moves before the journal says so.
  avatarReports.moved("me", build("ready"));
  avatar.status = "ready";
  avatarReports.moved("me", build("ready"));
  expect(told()).toMatchObject([
    { state: "preparing", name: "Me", made_at: 5, framing: { crop: "bust", h: 0.5 } },
    { state: "ready", name: "Me", build: { state: "ready", started_at: 5 } },
  ]);
  for (const report of told()) avatarReportSchema.parse(report);
  expect(archivable).toEqual([]);
  reports[0]?.[1]?.("");
  reports[1]?.[1]?.("The library is full.");
  expect(archivable).toEqual([]);
  reports[1]?.[1]?.("");
  expect(archivable).toEqual(["me"]);
});

test("clips are told of after their avatar, and archived once the library holds them", () => {
  const faces = new FakeFaces();
  const { avatarReports, archivable, clips } = reporting(faces);
  const [neutral] = faces.entries[0]?.clips ?? [];
  if (!neutral) throw new Error("There is no clip.");
  const happy = { ...neutral, tone: "happy" as const, variant_id: "me__happy", duration_s: null };
  const avatar = ownAvatar(faces, "me", { clips: [neutral, { ...happy, state: "generating" }] });
  avatarReports.made({ account, avatar: "me", name: null });
  expect(clips.map(([{ clip }]) => [clip.tone, clip.state])).toEqual([
    ["neutral", "generated"],
    ["happy", "generating"],
  ]);
  avatarReports.clipMoved("me", { ...happy, state: "failed", detail: "No." });
  avatarReports.clipMoved("me", { ...happy, state: "generated", duration_s: 8 });
  avatarReports.clipMoved("maya", neutral);
  avatarReports.clipMoved("erased", neutral);
  expect(clips).toHaveLength(4);
  for (const [report] of clips) clipReportSchema.parse(report);
  expect(clips.at(-1)?.[0]).toMatchObject({ account, avatar_id: "me", made_at: avatar.madeAt });
  clips[2]?.[1]?.();
  expect(archivable).toEqual([]);
  clips[3]?.[1]?.();
  expect(archivable).toEqual(["me"]);
});

test("of a build's steps only those that are news are told, and the library's note is kept", async () => {
  const faces = new FakeFaces();
  const { avatarReports, reports, told } = reporting(faces);
  ownAvatar(faces, "me");
  const ready = { ...build("ready"), step: "clips" as const, finished_at: null };
  for (const progress of [0.6, 0.7, 0.8]) avatarReports.moved("me", { ...ready, progress });
  avatarReports.moved("me", build("ready"));
  avatarReports.moved("me", build("ready"));
  expect(told().map((report) => report.build?.step)).toEqual(["clips", "done"]);
  reports[0]?.[1]?.("The library is full.");
  expect(faces.notes.get("me")).toBe("The library is full.");
  reports[1]?.[1]?.("");
  expect(faces.notes.get("me")).toBe("");
});

test("a start tells of what is not ready, and archives what never was", () => {
  const faces = new FakeFaces();
  ownAvatar(faces, "half", { status: "preparing" });
  ownAvatar(faces, "broken", { status: "failed", detail: "no face" });
  ownAvatar(faces, "done", { archived: true });
  ownAvatar(faces, "waiting");
  const { archivable, told } = reporting(faces);
  expect(told()).toMatchObject([
    { avatar_id: "half", state: "preparing", name: null },
    { avatar_id: "broken", state: "failed", detail: "no face" },
  ]);
  expect(archivable).toEqual(["waiting"]);
});

test("an avatar that was erased while it was built is told of no more", () => {
  const faces = new FakeFaces();
  const { avatarReports, told } = reporting(faces);
  avatarReports.moved("me", build("failed", "The avatar was deleted."));
  expect(told()).toEqual([]);
});

test("nothing is kept of avatars that were deleted while they were built", () => {
  const faces = new FakeFaces();
  ownAvatar(faces, "gone", { status: "preparing" });
  const { avatarReports, told } = reporting(faces);
  avatarReports.made({ account, avatar: "gone", name: "Gone", consentId: "c1" });
  faces.entries.pop();
  ownAvatar(faces, "next", { status: "preparing" });
  avatarReports.made({ account, avatar: "next", name: "Next" });
  ownAvatar(faces, "gone");
  avatarReports.moved("gone", build("ready"));
  expect(told().at(-1)).toMatchObject({ avatar_id: "gone", name: null });
  expect(told().at(-1)).not.toHaveProperty("consent_id");
});
