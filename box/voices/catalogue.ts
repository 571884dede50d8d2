// The voice catalogue of a box: what each engine has to offer a caller, and which voice a reply would have now.

import { voiceEngines, type Settings, type VoiceEngine } from "../../contract/settings.ts";
import {
  isByoEngine,
  voiceEngineLabels,
  type ByoEngine,
  type VoiceCatalogue,
  type VoiceGroup,
  type VoiceRow,
} from "../../contract/voices.ts";
import { Refusal } from "../failure.ts";
import type { AccountVoices, ChosenVoice, VoiceWish } from "./account-voices.ts";
import { builtinVoices } from "./builtin-voices.ts";
import type { ListedVoice, VoiceListing, VoiceProvider } from "./voice.ts";

export interface CatalogueRequest {
  own: AccountVoices;
  settings: Settings;
  /** What the live session's picker holds; null while none is live. */
  session: VoiceWish | null;
  avatar: string | null;
  refresh: boolean;
  /** Whether the box resolves its callers' saved keys. */
  byo: boolean;
}

const byName = new Intl.Collator("en", { sensitivity: "base", numeric: true });

const keyVariables: Record<ByoEngine, string> = {
  cartesia: "CARTESIA_API_KEY",
  elevenlabs: "ELEVENLABS_API_KEY",
};

function compareRows(left: VoiceRow, right: VoiceRow): number {
  return byName.compare(left.name, right.name) || (left.id < right.id ? -1 : 1);
}

const samplePath = (provider: VoiceEngine, voice: string) =>
  `/api/voice/preview?provider=${provider}&voice=${encodeURIComponent(voice)}`;

function row(voice: ListedVoice): VoiceRow {
  return { ...voice, preview: samplePath(voice.provider, voice.id) };
}

/** The built-in engine's voices, as far as a caller may know of them; null is nobody in particular. */
export async function builtinListing(
  engine: VoiceProvider,
  { account, refresh }: { account: string | null; refresh: boolean },
): Promise<VoiceListing> {
  if (engine.list) {
    const listing = await engine.list({ refresh });
    const voices = listing.voices.filter(({ id }) => engine.mayUse?.(id, account) ?? true);
    return { ...listing, voices };
  }
  const { state, detail } = engine.state();
  if (state !== "ready")
    return { state: state === "starting" ? "starting" : "unreachable", reason: detail, voices: [] };
  const voices = builtinVoices(engine);
  return voices.length > 0
    ? { state: "ready", reason: "", voices }
    : { state: "empty", reason: "The engine has no voices installed.", voices };
}

async function groupOf(provider: VoiceEngine, { own, refresh }: CatalogueRequest): Promise<VoiceGroup> {
  if (!isByoEngine(provider)) {
    const { voices, ...listing } = await builtinListing(own.builtin, { account: own.account, refresh });
    const rows = voices.map(row).sort(compareRows);
    return { provider, label: own.builtin.label, ...listing, local: true, voices: rows };
  }
  const { voices, ...listing } = await own.listing(provider, refresh);
  const rows = voices.map(row).sort(compareRows);
  return { provider, label: voiceEngineLabels[provider], ...listing, local: false, voices: rows };
}

/** Never rejects for a provider's sake: its group says what is amiss. */
export async function readCatalogue(request: CatalogueRequest): Promise<VoiceCatalogue> {
  const { own, settings, session, byo } = request;
  const groups = await Promise.all(voiceEngines.map((provider) => groupOf(provider, request)));
  const [builtin, ...hosted] = groups;
  const chosen = currentOf(request);
  const provider = chosen?.engine.id ?? own.engineInUse(settings, session);
  const local = provider === "local";
  const picked = session?.voice !== undefined || session?.voiceProvider !== undefined;
  const fallen = own.chosenEngine(settings);
  const portalDefault = own.portalDefault();
  const listed = groups.some(
    (group) => group.provider === provider && group.voices.some(({ id }) => id === portalDefault?.id),
  );
  const isDefault = !picked && portalDefault?.provider === provider && listed;
  return {
    groups,
    voices: [...(builtin?.voices ?? []), ...hosted.flatMap(({ voices }) => voices).sort(compareRows)],
    current: chosen?.voice ?? null,
    current_provider: provider,
    portal_default: isDefault ? portalDefault : null,
    engine_ready: !local || own.builtin.state().state !== "starting",
    provider,
    provider_label: isByoEngine(provider) ? voiceEngineLabels[provider] : own.builtin.label,
    // Where callers have no keys of their own, the box must have one.
    requires_env: !byo && isByoEngine(fallen) && fallen !== provider ? keyVariables[fallen] : null,
    local,
    byo,
    voice_notice: chosen?.notice ?? "",
  };
}

/** As a reply does; null where it would be refused. */
function currentOf({ own, session, settings, avatar }: CatalogueRequest): ChosenVoice | null {
  try {
    return own.choose({}, session, settings, avatar);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
