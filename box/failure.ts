// How anything in the box refuses: thrown where the reason is known, turned into an answer at one edge.

import { errorStatus, type ErrorCode } from "../contract/errors.ts";

export interface RefusalOptions {
  /** Extra response headers, such as `Retry-After`. */
  headers?: Record<string, string>;
  cause?: unknown;
}

/** A refusal whose message may be shown to the caller. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, options: RefusalOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "Refusal";
    this.code = code;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

/** A disk that has turned read-only, as one does after a fault, takes no more than a full one. */
const fullCodes = new Set(["ENOSPC", "EDQUOT", "EROFS"]);

/** Whether a disk without room is behind an error, however it was put into words on its way. */
export function isDiskFull(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const code = (at as NodeJS.ErrnoException).code;
    if (fullCodes.has(code ?? "") || /no space left on device/i.test(at.message)) return true;
  }
  return false;
}
