// A file on its way to storage, read as it is sent.

import { createReadStream } from "node:fs";
import { request as plain } from "node:http";
import { request as secure } from "node:https";
import { pipeline } from "node:stream/promises";
import type { PutGrant } from "../../contract/uploads.ts";

/** A line that carries nothing for so long carries nothing any more. */
const silentMs = 60_000;

export interface PutOptions {
  grant: PutGrant;
  path: string;
  size: number;
  signal: AbortSignal;
}

/** Rejects unless the storage took it all. What it says is read by nobody: it may repeat the signed URL. */
export async function putFile({ grant, path, size, signal }: PutOptions): Promise<void> {
  const url = new URL(grant.url);
  const send = url.protocol === "https:" ? secure : plain;
  const sending = send(url, {
    method: "PUT",
    headers: { ...grant.headers, "Content-Length": size },
    timeout: silentMs,
    signal,
  });
  sending.on("timeout", () => sending.destroy(new Error("The storage fell silent.")));
  const answered = new Promise<number>((resolve, reject) => {
    sending.once("error", reject);
    sending.once("response", (response) => {
      response.resume();
      response.once("error", reject);
      response.once("end", () => resolve(response.statusCode ?? 0));
    });
  });
  // A storage that refuses early ends the sending, and its answer says why.
  answered.catch(() => undefined);
  const sent = pipeline(createReadStream(path), sending);
  sent.catch(() => undefined);
  const status = await answered;
  if (status < 200 || status > 299) {
    sending.destroy();
    throw new Error(`The storage answered ${status} to a PUT.`);
  }
  await sent;
}
