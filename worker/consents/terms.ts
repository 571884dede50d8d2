// The wordings people agree to. Any change of a text needs a new version, named after the day it came into force.

import type { z } from "zod";
import type { publicationTermsSchema, recordingTermsSchema } from "../../contract/consents.ts";
import { sha256Hex } from "../platform/digest.ts";

const publication = {
  version: "2026-11-20",
  text: `Publishing an avatar

1. Everybody who is signed in to this service will be able to find this avatar, play its clips and use it in live sessions of their own, where it says what they or their language model decide.
2. You confirm that the face is your own, or that the person it shows has agreed to exactly this use, or that it shows no real person. If it shows anybody under 18, do not publish it.
3. Your e-mail address is never shown with it. The face itself and the name you gave it are.
4. You can withdraw at any time, without a reason and without charge. The avatar then leaves the shared list at once, and its clips play for you alone; a session that is running may go on until it ends.
5. What others recorded while it was public stays with them. We cannot call that back.
6. You keep every right you have in the picture. You allow this service to copy, animate and show it for the purpose above until you withdraw, and for no other purpose; it trains no model.
7. We record that you agreed, when, for which avatar and to which wording, and keep that record until you erase the avatar.`,
} as const;

const recording = {
  version: "2026-11-20",
  text: `Recording a session

1. If you agree, this session is recorded from now until it ends: the avatar's picture and voice, your microphone, and a transcript of what both said. Your camera is not recorded.
2. The recording belongs to the account that opened the session. No other user can see it; whoever runs this service can reach its storage. The file is marked as containing media made by a machine.
3. It is kept until that account erases the session. Erasing removes the recording, the transcript and the record of this agreement.
4. If other people can be heard at your microphone, tell them first and record only if they agree.
5. You may say no. The session then works just the same and no recording of it is kept.
6. It is used to let you look back at the session, and for nothing else; it trains no model.`,
} as const;

export type PublicationTerms = z.infer<typeof publicationTermsSchema>["terms"];
export type RecordingTerms = z.infer<typeof recordingTermsSchema>;

/** The wording a publication must be agreed under now. */
export async function currentPublicationTerms(): Promise<PublicationTerms> {
  return { ...publication, sha256: await sha256Hex(publication.text) };
}

/**
 * Wordings of before, each with when another took its place (epoch seconds). A recording made under one may come days later, and
 * whoever agreed to it agreed to what there was: whenever the text above changes, the old one's version and digest join this list.
 */
export interface EarlierTerms {
  version: string;
  digest: string;
  replacedAt: number;
}
const earlierRecordings: readonly EarlierTerms[] = [];

/** A box may hold a copy of the terms for some minutes, and its clock may be off by some. */
const slackSeconds = 3600;

/** Whether these were the terms of a recording when somebody agreed to them. */
export async function wereRecordingTerms(
  { version, digest, agreedAt }: { version: string; digest: string; agreedAt: number },
  earlier: readonly EarlierTerms[] = earlierRecordings,
): Promise<boolean> {
  const names = (terms: { version: string; digest: string }) =>
    terms.version === version && terms.digest === digest;
  if (names(await currentRecordingTerms())) return true;
  return earlier.some((terms) => names(terms) && agreedAt <= terms.replacedAt + slackSeconds);
}

/** The wording a recording must be agreed under now. */
export async function currentRecordingTerms(): Promise<RecordingTerms> {
  return { ...recording, digest: await sha256Hex(recording.text) };
}
