// A hosted recogniser that would not start, in words for whoever wants to be heard.

import { Line, LineRefused, type LineOptions, type RefusalKind } from "../../providers/line.ts";
import { RecognitionError } from "../recogniser.ts";

const sentences: Record<RefusalKind, string> = {
  key: "The speech recognition service refused the box's key.",
  credit: "The speech recognition service has no credit left on the box's account.",
  busy: "The speech recognition service is busy; try again in a moment.",
  configuration: "The speech recognition service refused this language or model.",
  unavailable: "The speech recognition service is not available right now.",
  timeout: "The speech recognition service did not answer in time.",
  unreachable: "The speech recognition service could not be reached.",
};

export class RecognitionRefused extends RecognitionError {
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind) {
    super(sentences[kind]);
    this.name = "RecognitionRefused";
    this.kind = kind;
  }
}

/** Rejects with RecognitionRefused. */
export async function openLine(options: LineOptions): Promise<Line> {
  try {
    return await Line.open(options);
  } catch (error) {
    throw error instanceof LineRefused ? new RecognitionRefused(error.kind) : error;
  }
}
