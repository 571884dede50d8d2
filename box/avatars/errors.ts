import type { ErrorCode } from "../../contract/errors.ts";
import { Refusal, type RefusalOptions } from "../failure.ts";

/** What is wrong with a picture or an avatar; the message may be shown to the person who uploaded it. */
export class AvatarError extends Refusal {
  constructor(code: ErrorCode, message: string, options?: RefusalOptions) {
    super(code, message, options);
    this.name = "AvatarError";
  }
}
