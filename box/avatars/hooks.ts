// How the avatar library is tied to the rest of the box.

import type { FaceHooks } from "../live/faces.ts";
import type { Loops } from "../live/loops.ts";
import { describeError, type Log } from "../ops/log.ts";
import type { Operations } from "../ops/operations.ts";
import type { AvatarReports } from "../portal/avatar-reports.ts";
import type { Portal } from "../portal/portal.ts";

/** Builds and clips are told to the portal and to a live session, consents are asked of it, and defects are logged. */
export function faceHooks({
  portal,
  reports,
  loops,
  operations,
  log,
}: {
  portal: Pick<Portal, "checkConsent">;
  reports: AvatarReports;
  loops: Loops;
  operations: Pick<Operations, "built">;
  log: Log;
}): FaceHooks {
  return {
    onProgress: (avatar, report) => {
      reports.moved(avatar, report);
      operations.built(avatar, report);
      loops.moved(avatar);
    },
    onClip: (avatar, clip) => {
      reports.clipMoved(avatar, clip);
      loops.moved(avatar);
    },
    onFault: (error) => log.error(describeError(error), "an avatar could not be built"),
    checkConsent: (asked) => portal.checkConsent(asked),
  };
}
