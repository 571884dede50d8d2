// Mail: one small interface, one adapter for each way out.

import { drizzle } from "drizzle-orm/d1";
import { nowSeconds } from "./clock.ts";
import type { Env } from "./env.ts";
import { outbox } from "./schema/access.ts";

export interface Mail {
  to: string;
  subject: string;
  text: string;
  /** The one link the mail is about. */
  link: string;
}

export interface Mailer {
  /** Hands the mail over; throws when it cannot. The error names neither the address nor the text. */
  send(mail: Mail): Promise<void>;
}

const resendEndpoint = "https://api.resend.com/emails";
const sendTimeoutMs = 10_000;

/** Keeps the mail in D1, where a local portal shows it at `GET /dev/outbox`. */
function outboxMailer(db: D1Database): Mailer {
  return {
    async send({ to, subject, text, link }) {
      await drizzle(db)
        .insert(outbox)
        .values({ recipient: to, subject, body: text, link, sentAt: nowSeconds() });
    },
  };
}

function resendMailer(apiKey: string, from: string): Mailer {
  return {
    async send({ to, subject, text }) {
      const response = await fetch(resendEndpoint, {
        method: "POST",
        headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
        body: JSON.stringify({ from, to: [to], subject, text }),
        signal: AbortSignal.timeout(sendTimeoutMs),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`The mail provider answered ${response.status}.`);
    },
  };
}

const noMailer: Mailer = {
  async send() {
    throw new Error("This portal sends no mail (MAIL=none).");
  },
};

export function mailerOf(env: Env): Mailer {
  switch (env.mail.kind) {
    case "outbox":
      return outboxMailer(env.db);
    case "resend":
      return resendMailer(env.mail.apiKey, env.mail.from);
    case "none":
      return noMailer;
  }
}
