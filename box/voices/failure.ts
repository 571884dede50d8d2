// Why a voice engine that is somebody else's did not speak.

import { VoiceError } from "./voice.ts";

/**
 * - `key`: the provider does not know the key.
 * - `credit`: it knows the key, and the account may not do this: no credit, no permission, no plan.
 * - `busy`: it takes no more for now.
 * - `voice`: the account has no such voice.
 * - `request`: it refuses what it was asked.
 * - `timeout`, `unreachable`: no answer in time, or none that makes sense.
 */
export type VoiceFault = "key" | "credit" | "busy" | "voice" | "request" | "timeout" | "unreachable";

const sentences: Record<VoiceFault, (label: string) => string> = {
  key: (label) => `${label} does not accept the key.`,
  credit: (label) => `The ${label} account has no credit or permission left for this.`,
  busy: (label) => `${label} takes no more requests for now.`,
  voice: (label) => `${label} has no such voice.`,
  request: (label) => `${label} refused to speak this.`,
  timeout: (label) => `${label} took too long.`,
  unreachable: (label) => `${label} cannot be reached, or does not answer as it should.`,
};

/** Nothing that the provider said is in it: that may repeat the key. */
export class VoiceFailure extends VoiceError {
  readonly fault: VoiceFault;

  constructor(label: string, fault: VoiceFault, options?: ErrorOptions) {
    super(sentences[fault](label), options);
    this.name = "VoiceFailure";
    this.fault = fault;
  }

  /** Another try on the same account would end the same way. */
  get ofAccount(): boolean {
    return this.fault === "key" || this.fault === "credit";
  }
}
