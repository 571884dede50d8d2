// Drives the catalogue of voices in tests.

import { expect } from "vitest";
import { voiceCatalogueSchema, type ByoEngine, type VoiceCatalogue } from "../../../contract/voices.ts";
import { asBox, bodyOf, call, post, type Browser } from "../../testing/portal.ts";
import type { FakeProviders } from "./providers.ts";
import { put } from "./vault.ts";

export async function read(headers: Record<string, string>, query = ""): Promise<VoiceCatalogue> {
  const answer = await call(`/auth/voices${query}`, { headers });
  expect(answer.status).toBe(200);
  return bodyOf(answer, voiceCatalogueSchema);
}

export function groupOf(catalogue: VoiceCatalogue, provider: string): VoiceCatalogue["groups"][number] {
  const group = catalogue.groups.find((one) => one.provider === provider);
  if (!group) throw new Error(`No group of ${provider}.`);
  return group;
}

/** A row as a box reports it. */
export const builtin = (id: string, name: string, changes: object = {}) => ({
  provider: "local",
  id,
  name,
  language: "en-us",
  gender: "female",
  description: "",
  recommended: false,
  ...changes,
});

export const report = (...voices: object[]) => post("/internal/voices/builtin", { voices }, asBox("box-a"));

/** The requests for a list that a provider got; those that verify a key ask for one voice only. */
export const listings = ({ seen }: FakeProviders, provider: ByoEngine) =>
  seen.filter((one) => one.provider === provider && !/(?:limit|page_size)=1$/.test(one.url.search));

export const choose = (browser: Browser, engine: string, voiceId: string) =>
  put("/auth/voice/default", { engine, voice_id: voiceId, display_name: "V" }, browser);
