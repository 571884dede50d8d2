// Orders as a signed POST to whatever starts machines here.

import type { LifecycleOrder } from "../../../contract/fleet.ts";
import { nowSeconds } from "../../platform/clock.ts";
import { hexOf } from "../../platform/digest.ts";
import type { LifecycleSettings } from "../../platform/env.ts";
import { describeError, log } from "../../platform/log.ts";
import type { LifecycleDriver } from "./driver.ts";

type WebhookSettings = Extract<LifecycleSettings, { kind: "webhook" }>;

const timeoutMs = 10_000;

/** Statuses by which a gateway or Cloudflare's edge says that it waited for an answer in vain: the order may have arrived. */
const isGatewayFailure = (status: number) =>
  status === 502 || status === 504 || (status >= 520 && status <= 530);

const encoder = new TextEncoder();

/** HMAC-SHA-256 of a text under a secret, as hex. */
async function hmacHex(secret: string, text: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  return hexOf(new Uint8Array(await crypto.subtle.sign(algorithm.name, key, encoder.encode(text))));
}

/** `t=<epoch seconds>,v1=<hex>`: the time is signed with the body, so that an old order cannot be sent again as new. */
export async function signatureOf(secret: string, at: number, body: string): Promise<string> {
  return `t=${at},v1=${await hmacHex(secret, `${at}.${body}`)}`;
}

export function createWebhookDriver({ url, secret }: WebhookSettings): LifecycleDriver {
  return {
    async order(order: LifecycleOrder) {
      const body = JSON.stringify(order);
      try {
        const answer = await fetch(url, {
          method: "POST",
          headers: {
            "Content-Type": "application/json",
            "X-Signature": await signatureOf(secret, nowSeconds(), body),
          },
          body,
          redirect: "manual",
          signal: AbortSignal.timeout(timeoutMs),
        });
        await answer.body?.cancel();
        if (!answer.ok) {
          log("warn", "lifecycle", { action: order.action, box: order.box_id, status: answer.status });
        }
        if (answer.ok) return "taken";
        return isGatewayFailure(answer.status) ? "unanswered" : "refused";
      } catch (error) {
        log("warn", "lifecycle", { action: order.action, box: order.box_id, ...describeError(error) });
        return "unanswered";
      }
    },
  };
}
