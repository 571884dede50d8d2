export type OfferErrorCode =
  | "offer_too_large"
  | "offer_malformed"
  | "offer_no_h264"
  | "offer_no_opus"
  | "offer_not_bundled"
  | "offer_no_transport"
  | "candidates_malformed"
  | "ice_restart_unsupported";

/** What the client sent cannot be answered; the message is a sentence for its developer. */
export class OfferError extends Error {
  readonly code: OfferErrorCode;

  constructor(code: OfferErrorCode, message: string) {
    super(message);
    this.name = "OfferError";
    this.code = code;
  }
}
