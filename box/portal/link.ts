// What binds a running box to its portal: signs of life one way, orders and revocations the other.

import type { Heartbeat, HeartbeatAnswer } from "../../contract/internal/boxes.ts";
import type { Services } from "../services.ts";
import type { PortalClient } from "./client.ts";
import { Heartbeats } from "./heartbeat.ts";
import { VoiceReport } from "./voice-report.ts";

export interface PortalLinkOptions {
  client: Pick<PortalClient, "heartbeat">;
  services: Services;
  portal: { url: string; secret: string };
  /** Where the box listens. */
  url: string;
  /** Rooms and other sessions a box has at once. */
  capacity: number;
  /** Takes these credentials out of use. */
  revoke(digests: string[]): void;
}

export class PortalLink {
  readonly #options: PortalLinkOptions;
  readonly #heartbeats: Heartbeats;
  readonly #voiceReport: VoiceReport;
  #ending = false;

  /** Says hello at once. */
  constructor(options: PortalLinkOptions) {
    this.#options = options;
    const { client, portal, services } = options;
    const { log, voices } = services;
    this.#heartbeats = new Heartbeats({
      log,
      send: (heartbeat) => client.heartbeat(heartbeat),
      onAnswer: (answer) => this.#obey(answer),
      compose: (revocationsSeen) => this.#compose(revocationsSeen),
    });
    this.#voiceReport = new VoiceReport({ portal, engine: voices.builtin, log });
    this.beat();
    this.#voiceReport.start();
  }

  /** Something has changed that the portal wants to hear of now. */
  beat(): void {
    this.#heartbeats.beat();
  }

  /** From now on the box drains whatever the portal thinks. */
  end(): void {
    this.#ending = true;
    this.beat();
  }

  /** Resolves once the portal has answered nothing for so long, or nobody wants to know any more. */
  silent(forMs: number, enough: AbortSignal): Promise<void> {
    return this.#heartbeats.silent(forMs, enough);
  }

  async close(): Promise<void> {
    await Promise.all([this.#heartbeats.close(), this.#voiceReport.close()]);
  }

  #compose(revocationsSeen: number): Heartbeat {
    const { services, url, capacity } = this.#options;
    const { config, slot } = services;
    const session = slot.current;
    return {
      public_url: config.publicUrl ?? url,
      region: config.region,
      state: slot.state,
      session: session && { session_id: session.id, account: session.account, kind: session.kind },
      room: session?.room?.name ?? null,
      capacity,
      avatars_warm: session ? [session.avatar.id] : [],
      build: { known: config.commit !== "unknown", short_commit: config.commit.slice(0, 7) },
      uptime_s: Math.round(process.uptime()),
      revocations_seen: revocationsSeen,
    };
  }

  #obey({ drain: ordered, revoked }: HeartbeatAnswer): void {
    const { services, revoke } = this.#options;
    const { slot, log } = services;
    const drain = this.#ending || ordered;
    if (drain !== slot.draining) {
      log.info({ drain }, "the portal ordered a change of drain");
      slot.drain(drain);
    }
    if (revoked.length > 0) revoke(revoked);
  }
}
