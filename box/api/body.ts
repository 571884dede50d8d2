// Request bodies, read under a limit.

import type { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { Refusal } from "../failure.ts";
import { describeIssue } from "../issues.ts";
import type { BoxContext } from "./env.ts";

const bodyWithinMs = 15_000;

/** What is left of the body is not worth reading. */
const close = { headers: { Connection: "close" } };

function tooLarge(limitBytes: number): Refusal {
  return new Refusal("body_too_large", `The body is larger than ${limitBytes} bytes.`, close);
}

/** The body's bytes. Throws Refusal `body_too_large` as soon as it is, `invalid_body` when it does not arrive. */
export async function readBytes(c: BoxContext, limitBytes: number): Promise<Uint8Array> {
  if (Number(c.req.header("content-length") ?? 0) > limitBytes) throw tooLarge(limitBytes);
  const body = c.req.raw.body;
  if (!body) return new Uint8Array();
  const reader = body.getReader();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void reader.cancel().catch(() => undefined);
  }, bodyWithinMs);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      size += step.value.byteLength;
      if (size > limitBytes) {
        void reader.cancel().catch(() => undefined);
        throw tooLarge(limitBytes);
      }
      chunks.push(step.value);
    }
    // Cancelling ends the body as if it were whole.
    if (late) throw new Refusal("invalid_body", "The body took too long to arrive.", close);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal("invalid_body", "The body broke off.", { cause: error });
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}

/** The body as text in UTF-8. */
export async function readText(c: BoxContext, limitBytes: number): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readBytes(c, limitBytes));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal("invalid_body", "The body is not UTF-8.");
  }
}

/** The body as a JSON object of whatever shape; `empty` is what no body at all counts as. Throws Refusal. */
export async function readObject(c: BoxContext, { empty }: { empty?: object } = {}): Promise<object> {
  const text = await readText(c, limits.jsonBodyBytes);
  if (empty && text.trim() === "") return empty;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal("invalid_body", "The body is not JSON.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Refusal("invalid_body", "The body must be a JSON object.");
  return value;
}

/** The body as a JSON object of the given shape. Throws Refusal naming the field at fault. */
export async function readJson<Schema extends z.ZodType>(
  c: BoxContext,
  schema: Schema,
  options: { empty?: object } = {},
): Promise<z.infer<Schema>> {
  const checked = schema.safeParse(await readObject(c, options));
  if (!checked.success) throw new Refusal("invalid_body", describeIssue(checked.error));
  return checked.data;
}
