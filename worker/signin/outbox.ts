// What a local portal would have mailed.

import { html } from "hono/html";
import type { z } from "zod";
import type { outboxSchema } from "../../contract/credentials.ts";
import type { OutboxRow } from "./store.ts";

export type Outbox = z.infer<typeof outboxSchema>;

export function outboxOf(rows: readonly OutboxRow[]): Outbox {
  return {
    mails: rows.map((row) => ({
      id: String(row.id),
      to: row.recipient,
      subject: row.subject,
      text: row.body,
      link: row.link,
      sent_at: row.sentAt,
    })),
  };
}

/** The outbox as a page, with each mail's link one click away. */
export function outboxPage({ mails }: Outbox) {
  const style =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:2rem auto;padding:0 1rem}" +
    "article{border-top:1px solid #ccc;padding:1rem 0}pre{white-space:pre-wrap;overflow-wrap:anywhere;color:#444}" +
    "a.open{display:inline-block;padding:.5rem 1rem;border-radius:.4rem;background:#0b5fff;color:#fff}";
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Outbox</title>
        <style>
          ${style}
        </style>
      </head>
      <body>
        <main>
          <h1>Outbox</h1>
          <p>This portal runs locally: mail stays here. Each link works once.</p>
          ${
            mails.length === 0
              ? html`<p>No mail yet.</p>`
              : mails.map(
                  (mail) =>
                    html`<article>
                      <h2>${mail.subject}</h2>
                      <p>To ${mail.to}, ${new Date(mail.sent_at * 1000).toISOString()}</p>
                      ${mail.link === null ? "" : html`<p><a class="open" href="${mail.link}">Open the link</a></p>`}
                      <pre>${mail.text}</pre>
                    </article>`,
                )
          }
        </main>
      </body>
    </html>`;
}
