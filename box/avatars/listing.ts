// The library as its routes show it.

import {
  variantId,
  type AvatarGroup,
  type AvatarList,
  type BuildReport,
  type VideoList,
} from "../../contract/avatars.ts";
import { baseTone, type Tone } from "../../contract/tones.ts";
import { AvatarError } from "./errors.ts";
import { diskFull } from "./faults.ts";
import { askedTones, isRemade, readyTones, type AvatarRecord, type ClipRecord } from "./record.ts";

/** Variants whose loops are there, the base one first. */
function variantsOf(record: AvatarRecord): string[] {
  return readyTones(record).map((tone) => variantId(record.id, tone));
}

function groupOf(record: AvatarRecord): AvatarGroup {
  return {
    id: record.id,
    display_name: record.display_name,
    variants: variantsOf(record),
    tones: readyTones(record),
    preview: record.build === null ? "" : record.id,
    stock: record.owner === null,
  };
}

/** Variants that are being built, or wait for it; one whose loop can be shown for the first time needs no MP4 for that. */
function preparingOf(record: AvatarRecord): string[] {
  const tones = askedTones(record).filter((tone) => record.clips?.[tone]?.state === "generating");
  return [
    ...(record.status === "preparing" || isRemade(record) ? [record.id] : []),
    ...tones.map((tone) => variantId(record.id, tone)),
  ];
}

export function listAvatars({
  records,
  active,
  report,
}: {
  records: readonly AvatarRecord[];
  /** Empty while none exists. */
  active: string;
  report(avatar: string): BuildReport | undefined;
}): AvatarList {
  return {
    avatars: records.filter(({ status }) => status === "ready").flatMap(variantsOf),
    groups: records.map(groupOf),
    preparing: records.flatMap(preparingOf),
    active,
    active_group: active,
    builds: Object.fromEntries(
      records.flatMap(({ id }) => {
        const found = report(id);
        return found ? [[id, found]] : [];
      }),
    ),
  };
}

/** What became of an avatar and its clips, once nothing of it is being built any more. */
export interface FinishedAvatar {
  /** Why there is no avatar, or not every clip of it; null when all is there. */
  failure: AvatarError | null;
  /** Those that there are. */
  clips: (Pick<ClipRecord, "template" | "frames" | "fps"> & { tone: Tone })[];
}

export function finishedOf(record: AvatarRecord): FinishedAvatar {
  const { clips = {}, detail, status } = record;
  if (status === "failed") {
    const code = detail === diskFull ? "storage_full" : "face_unusable";
    return { failure: new AvatarError(code, detail), clips: [] };
  }
  const asked = [baseTone, ...askedTones(record)];
  if (status === "preparing" || asked.some((tone) => clips[tone]?.state === "generating")) {
    const message = "The box ended while the avatar was built; it goes on at its next start.";
    return { failure: new AvatarError("library_closed", message), clips: [] };
  }
  const failed = asked.find((tone) => clips[tone]?.state === "failed");
  return {
    failure: failed ? clipFailure(failed, clips[failed]?.detail ?? "") : null,
    clips: asked.flatMap((tone) => {
      const clip = clips[tone];
      return clip?.state === "generated" ? [{ tone, ...clip }] : [];
    }),
  };
}

function clipFailure(tone: Tone, detail: string): AvatarError {
  const code = detail === diskFull ? "storage_full" : "clip_failed";
  return new AvatarError(code, `The avatar is there, but not its clip of ${tone}: ${detail}`);
}

const states = { generating: "preparing", generated: "ready", failed: "failed" } as const;

export function listVideos({
  records,
  active,
}: {
  records: readonly AvatarRecord[];
  active: string;
}): VideoList {
  return {
    videos: records.flatMap((record) =>
      [baseTone, ...askedTones(record)].map((tone) => ({
        id: variantId(record.id, tone),
        status: tone === baseTone ? record.status : states[record.clips?.[tone]?.state ?? "failed"],
        kind: record.kind ?? "photo",
        bytes: record.owner === null ? null : (record.original?.bytes ?? null),
        identity: record.id,
        emotion: tone,
        active: tone === baseTone && record.id === active,
        deletable: record.owner !== null,
        registry_note: (record.status === "ready" && record.registry_note) || null,
      })),
    ),
    active,
  };
}
