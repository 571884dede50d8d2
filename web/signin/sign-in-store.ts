// Asking for a sign-in link.

import { portal } from "../portal/portal.ts";
import { asVisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";

export interface SignInState {
  step: "asking" | "sending" | "sent";
  email: string;
  /** The portal's sentence once the link is out. */
  message: string;
  error: string | null;
  /** One click away, on a local portal. */
  link: string | null;
}

export type SignInPortal = Pick<typeof portal, "requestLink" | "outboxLink">;

export class SignInStore extends Store<SignInState> {
  readonly #portal: SignInPortal;

  constructor(wired: SignInPortal = portal) {
    super({ step: "asking", email: "", message: "", error: null, link: null });
    this.#portal = wired;
  }

  readonly setEmail = (email: string): void => this.update({ email, error: null });

  readonly request = async (): Promise<void> => {
    const email = this.get().email.trim();
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) {
      this.update({ error: "Please enter an e-mail address, like you@example.com." });
      return;
    }
    this.update({ step: "sending", error: null });
    try {
      const message = await this.#portal.requestLink(email);
      this.update({ step: "sent", message, link: null });
    } catch (thrown) {
      this.update({ step: "asking", error: asVisavisError(thrown).message });
      return;
    }
    // Only a local portal has an outbox; anywhere else the mail is on its way and there is nothing to show.
    const link = await this.#portal.outboxLink(email).catch(() => null);
    if (this.get().step === "sent") this.update({ link });
  };

  readonly startOver = (): void => this.update({ step: "asking", message: "", link: null, error: null });
}
