import type { ErrorCode } from "../../contract/errors.ts";
import type { MediaFault } from "../media/media.ts";
import { Refusal, type RefusalOptions } from "../failure.ts";

/** What is wrong with a picture or an avatar; the message may be shown to the person who uploaded it. */
export class AvatarError extends Refusal {
  constructor(code: ErrorCode, message: string, options?: RefusalOptions) {
    super(code, message, options);
    this.name = "AvatarError";
  }
}

/** What a file's fault is called of a video. */
export const videoFaultCodes: Record<MediaFault, ErrorCode> = {
  unreadable: "video_unreadable",
  unsupported: "video_unsupported",
  too_large: "video_too_large",
  too_long: "video_too_long",
  too_slow: "video_unreadable",
};
