// The turn machine without sockets and HTTP: a slot, a hub and everything around a turn in a test's hands.

import type { ServerEvent } from "../../contract/control-socket.ts";
import { modelCatalogue } from "../../contract/model-catalogue.ts";
import type { Caller } from "../access/caller.ts";
import { Conversations } from "../chat/conversation.ts";
import { Models } from "../chat/models/models.ts";
import type { HubMessage } from "../live/hub.ts";
import { Hub } from "../live/hub.ts";
import type { Metric } from "../live/director.ts";
import { Loops } from "../live/loops.ts";
import type { LiveSession } from "../live/session.ts";
import { Slot } from "../live/slot.ts";
import type { PreparedMessage, TurnObserver } from "../live/turn.ts";
import { Turns } from "../live/turns.ts";
import { createLog } from "../ops/log.ts";
import { StandalonePortal } from "../portal/standalone.ts";
import { Voices } from "../voices/voices.ts";
import { FakeFaces } from "./fake-faces.ts";
import { FakeMedia } from "./fake-media.ts";
import { FakeModel } from "./fake-model.ts";
import { FakeScreen } from "./fake-screen.ts";
import { FakeTools } from "./fake-tools.ts";
import { FakeVoice } from "./fake-voice.ts";

const catalogue = modelCatalogue({ anthropic: false, residencyOptIn: [] });

export function callerNamed(account: string): Caller {
  return { account, scope: "full", kind: "static", digest: account, operator: false, expires_at: null };
}

export class TurnMachine {
  readonly media = new FakeMedia();
  readonly model = new FakeModel();
  readonly voice = new FakeVoice();
  readonly tools = new FakeTools();
  readonly screen = new FakeScreen();
  readonly faces = new FakeFaces();
  readonly hub = new Hub();
  readonly conversations = new Conversations();
  readonly portal = new StandalonePortal(catalogue);
  readonly loops = new Loops(createLog("silent"));
  readonly slot: Slot;
  readonly turns: Turns;
  readonly lines: { session: string; role: string; content: string }[] = [];
  readonly ends: string[] = [];
  readonly metrics: Metric[] = [];
  readonly #told = new Map<string, HubMessage[]>();

  constructor() {
    this.loops.attach(this.faces);
    this.slot = new Slot({
      loops: this.loops,
      config: {
        ice: { servers: [], publicAddress: null, portRange: null },
        session: { idleSeconds: 300, maxSeconds: 0 },
        video: { fps: 25, bitrateBps: 1_000_000 },
      },
      engine: this.media,
      hub: this.hub,
      onFirstAudio: () => undefined,
      onMetric: (metric) => this.metrics.push(metric),
      onBegin: () => undefined,
      onLine: (session, { role, content }) => this.lines.push({ session: session.id, role, content }),
      onEnd: (_, reason) => this.ends.push(reason),
    });
    this.turns = new Turns({
      models: new Models(catalogue, [this.model]),
      voices: new Voices([this.voice]),
      conversations: this.conversations,
      portal: this.portal,
      slot: this.slot,
      hub: this.hub,
      screen: this.screen,
      toolboxes: this.tools,
      faces: this.faces,
      log: createLog("silent"),
    });
  }

  /** What the hub told an account, from the first time it was asked for on. */
  told(account = "ada"): HubMessage[] {
    const known = this.#told.get(account);
    if (known) return known;
    const told: HubMessage[] = [];
    this.#told.set(account, told);
    this.hub.subscribe(account, (message) => told.push(message));
    return told;
  }

  events(account = "ada"): ServerEvent[] {
    return this.told(account).flatMap((message) => (message.case === "event" ? message.event : []));
  }

  types(account = "ada"): string[] {
    return this.events(account)
      .map(({ type }) => type)
      .filter((type) => type !== "metric");
  }

  async connect(account = "ada"): Promise<LiveSession> {
    this.told(account);
    const avatar = this.faces.active();
    if (!avatar) throw new Error("There is no avatar.");
    const { session } = await this.slot.open({
      caller: callerNamed(account),
      offerSdp: "v=0\r\n",
      avatar,
      tones: ["neutral"],
      kind: "api",
      voice: {},
      facts: { model: "", voice: "", persona: "" },
      maxSeconds: 0,
      signal: new AbortController().signal,
    });
    return session;
  }

  prepare(
    content: string,
    { account = "ada", correlationId = null }: { account?: string; correlationId?: string | null } = {},
  ): Promise<PreparedMessage> {
    return this.turns.prepare({ caller: callerNamed(account), source: "typed", content, correlationId });
  }

  /** A whole turn. */
  async say(content: string, options: { account?: string; observer?: TurnObserver } = {}) {
    return this.turns.message(await this.prepare(content, options), options.observer);
  }

  history(account = "ada"): string[] {
    return this.conversations
      .of(account)
      .messages()
      .map(({ role, content }) => `${role}: ${content}`);
  }

  close(): Promise<void> {
    return this.slot.close();
  }
}

/** Lets everything happen that waits for nothing outside. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 5; round++) await new Promise((resolve) => setImmediate(resolve));
}
