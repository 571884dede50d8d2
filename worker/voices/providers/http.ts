// Requests to voice providers: never redirected, never read past a limit, every trouble a ProviderFailure.

import type { z } from "zod";
import { readBytesWithin } from "../../platform/body.ts";
import { wavOfPcm } from "../wav.ts";
import { ProviderFailure, type ProviderFailureKind } from "./provider.ts";

/** A page of a hundred voices is some 300 KB at the wordiest provider. */
const jsonBytes = 4 * 1024 * 1024;
const errorBytes = 64 * 1024;
/** Three minutes of speech at 24 kHz: far past any line that is ever previewed. */
const audioBytes = 8 * 1024 * 1024;
/** The rate every plan of both providers may ask for. */
export const sampleRateHz = 24_000;

export interface ProviderRequest {
  url: URL;
  headers: Record<string, string>;
  signal: AbortSignal;
  /** Sent as JSON by POST; a GET without. */
  body?: object;
  /** What a refusal means, from its status and its JSON, where it has any. */
  explain(status: number, detail: unknown): ProviderFailureKind;
}

function asFailure(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  const timedOut = error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError");
  return timedOut
    ? new ProviderFailure("timeout", "The provider took too long.")
    : new ProviderFailure("unreachable", "The provider could not be reached.");
}

function parseJson(bytes: Uint8Array | null): unknown {
  try {
    return bytes && JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

async function exchange<T>(request: ProviderRequest, read: (response: Response) => Promise<T>): Promise<T> {
  const { url, headers, signal, body, explain } = request;
  try {
    const response = await fetch(url, {
      method: body ? "POST" : "GET",
      headers: body ? { ...headers, "Content-Type": "application/json" } : headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
      redirect: "manual",
      signal,
    });
    if (response.ok) return await read(response);
    const { status } = response;
    const detail = parseJson(await readBytesWithin(response, errorBytes));
    const kind = status >= 500 || status < 400 ? "unreachable" : explain(status, detail);
    throw new ProviderFailure(kind, `The provider answered ${status}.`);
  } catch (error) {
    throw asFailure(error);
  }
}

/** The answer's JSON, which must be what the schema says. */
export function fetchJson<S extends z.ZodType>(request: ProviderRequest, schema: S): Promise<z.infer<S>> {
  return exchange(request, async (response) => {
    const parsed = schema.safeParse(parseJson(await readBytesWithin(response, jsonBytes)));
    if (parsed.success) return parsed.data;
    throw new ProviderFailure("unreachable", "The provider answered with something else.");
  });
}

/** The answer's raw 16-bit samples, as a WAV. */
export function fetchSpeech(request: ProviderRequest): Promise<Uint8Array<ArrayBuffer>> {
  return exchange(request, async (response) => {
    const type = response.headers.get("Content-Type") ?? "";
    const samples = await readBytesWithin(response, audioBytes);
    if (samples && samples.length > 1 && !/json|text|html|xml/i.test(type)) {
      return wavOfPcm(samples, sampleRateHz);
    }
    throw new ProviderFailure("unreachable", "The provider answered with something that is no speech.");
  });
}

/** Follows pages to their end; one that brings nothing new ends them too, so that no provider can make it go on for ever. */
export async function collectPages<Row extends { id: string }>(
  fetchPage: (cursor: string | null) => Promise<{ rows: Row[]; next: string | null }>,
): Promise<Row[]> {
  const found = new Map<string, Row>();
  let cursor: string | null = null;
  do {
    const { rows, next }: { rows: Row[]; next: string | null } = await fetchPage(cursor);
    const before = found.size;
    for (const row of rows) found.set(row.id, row);
    cursor = found.size > before ? next : null;
  } while (cursor !== null);
  return [...found.values()];
}
