// A whole box: everything made, wired, started, and ended again.

import { createServer } from "node:http";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import packageJson from "../package.json" with { type: "json" };
import { openCredentials } from "./access/credentials.ts";
import { createApp } from "./api/app.ts";
import { closeServer, listen } from "./api/listening.ts";
import { clearSpool } from "./api/spool.ts";
import { faceHooks } from "./avatars/hooks.ts";
import { AudioLibrary } from "./audios/library.ts";
import { Conversations } from "./chat/conversation.ts";
import { configuredScreen } from "./chat/moderation/configured.ts";
import { configuredModels, type Models } from "./chat/models/models.ts";
import { ClientCalls } from "./chat/tools/client-calls.ts";
import { configuredToolboxes } from "./chat/tools/configured.ts";
import type { BoxConfig } from "./config.ts";
import { openEars } from "./hearing/ears.ts";
import type { Ears } from "./hearing/listener.ts";
import type { MediaEngine } from "./live/engine.ts";
import { faceOf, tonesOf, type FaceHooks, type Faces } from "./live/faces.ts";
import { Hub } from "./live/hub.ts";
import { Loops } from "./live/loops.ts";
import { Slot } from "./live/slot.ts";
import { Turns } from "./live/turns.ts";
import { unlessAborted } from "./live/unless-aborted.ts";
import type { Media } from "./media/media.ts";
import type { Log } from "./ops/log.ts";
import { measuredEars } from "./ops/measured-ears.ts";
import { Metrics } from "./ops/metrics.ts";
import { Percentiles } from "./ops/percentiles.ts";
import { AvatarReports } from "./portal/avatar-reports.ts";
import { PortalClient } from "./portal/client.ts";
import { ErasureSweep } from "./portal/erasure-sweep.ts";
import { PortalLink } from "./portal/link.ts";
import { MediaArchive } from "./portal/media-archive.ts";
import type { Portal } from "./portal/portal.ts";
import { SessionReports } from "./portal/session-reports.ts";
import { StandalonePortal } from "./portal/standalone.ts";
import { keptWeightsVolume } from "./portal/weights-volume.ts";
import { Recordings } from "./recordings/recordings.ts";
import type { RoomDialer } from "./rooms/connection.ts";
import { Lifetime } from "./rooms/lifetime.ts";
import { LiveKitDialer } from "./rooms/livekit.ts";
import { Ownership } from "./rooms/ownership.ts";
import { Rooms } from "./rooms/rooms.ts";
import type { Services } from "./services.ts";
import { ControlSockets } from "./sockets/control-sockets.ts";
import { MicrophoneSockets } from "./sockets/microphone-sockets.ts";
import { acceptUpgrades } from "./sockets/upgrade.ts";
import { Stills } from "./stills/stills.ts";
import type { VoiceProvider } from "./voices/voice.ts";
import { openVoices, ttsProviders } from "./voices/open.ts";

export interface BoxParts {
  config: BoxConfig;
  log: Log;
  /** Null when the native addon has not been built: the box then answers everything but /connect. */
  engine: MediaEngine | null;
  /** Opens the avatar library. */
  openFaces(hooks: FaceHooks): Promise<Faces>;
  engines: readonly VoiceProvider[];
  /** Reads and writes files; the box closes it. */
  media: Media;
  /** Default: what the configuration allows for. */
  models?: Models;
  /** Default: those of the configured recogniser. */
  ears?: Ears;
  /** Default: LiveKit's client, which whoever starts the box closes; it belongs to the process. */
  dialer?: RoomDialer;
}

export interface RunningBox {
  /** Where it listens; no trailing slash. */
  url: string;
  services: Services;
  /** Takes no more sessions from now on, whatever the portal says, and tells it so at once. */
  drain(): void;
  /** Resolves once recordings and reports have arrived where they belong, or nobody wants to wait for them. */
  settled(enough: AbortSignal): Promise<void>;
  /** Ends everything the box started. Idempotent. */
  close(): Promise<void>;
}

/** Rooms and other sessions a box has at once. */
const capacity = 1;
/** What a portal that is away has not taken by then stays on disk. */
const portalPatienceMs = 180_000;

export async function startBox(parts: BoxParts): Promise<RunningBox> {
  const { config, log, engine } = parts;
  await clearSpool(config.stateDir);
  const models = parts.models ?? configuredModels(config);
  const client =
    config.portal &&
    new PortalClient({
      ...config.portal,
      models: models.catalogue,
      ttsProviders: ttsProviders(config),
      outboxDir: join(config.stateDir, "outbox"),
      log,
    });
  const portal: Portal = client ?? new StandalonePortal(models.catalogue, ttsProviders(config));
  // A box alone tells nobody where its avatars are.
  const weightsVolume = client ? (config.weightsVolume ?? (await keptWeightsVolume(config.stateDir))) : "";
  const avatarReports = new AvatarReports({
    portal,
    region: config.region,
    weightsVolume,
    onArchivable: (avatar) => archive?.add(avatar),
  });
  const metrics = new Metrics(() => ({
    controlSockets: sockets.size,
    microphoneSockets: microphones.size,
    session: slot.state,
    media: slot.current?.stage?.stats() ?? null,
  }));
  const loops = new Loops(log);
  const faces = await parts.openFaces(
    faceHooks({ portal, reports: avatarReports, loops, operations: metrics.operations, log }),
  );
  const archive = client && new MediaArchive({ portal: client, faces, log });
  const sweep = client && new ErasureSweep({ portal: client, faces, weightsVolume, log });
  avatarReports.attach(faces);
  loops.attach(faces);
  sweep?.start();

  let running: Services | null = null;
  const credentials = await openCredentials({
    config,
    log,
    ask: client && ((digest) => client.lookup(digest)),
    onRevoked: (digests) => running && endRevoked(running, digests),
  });
  const { access } = credentials;

  const hub = new Hub();
  const firstAudioMs = new Percentiles();
  metrics.operations.watch({
    name: "visavis_reports_waiting",
    help: "Reports that the portal has not taken yet.",
    read: () => client?.reportsWaiting ?? 0,
  });
  let link: PortalLink | null = null;
  let closing: Promise<void> | null = null;
  const sessionReports = new SessionReports({
    portal,
    dir: client && join(config.stateDir, "live"),
    log,
  });
  const lifetime = new Lifetime(config.lifeSeconds);
  const slot = new Slot({
    config,
    engine,
    hub,
    loops,
    nearEnd: () => lifetime.nearEnd,
    onFirstAudio: (milliseconds) => firstAudioMs.add(milliseconds),
    onMetric: (metric) => metrics.reply(metric),
    onBegin: (session) => {
      log.info({ session: session.id, avatar: session.avatar.id }, "session began");
      sessionReports.began(session);
      link?.beat();
    },
    onStage: (session, { encoder, warpDevice, netDevice, gpu, gpuOff }) =>
      log.info({ session: session.id, encoder, warpDevice, netDevice, gpu, gpuOff }, "stage opened"),
    onLeftGpu: (session, why) =>
      log.warn({ session: session.id, why }, "work left the GPU; the session goes on"),
    onLine: (session, line) => sessionReports.line(session, line),
    onEnd: (session, reason) => {
      log.info({ session: session.id, reason, turns: session.turns }, "session ended");
      metrics.operations.sessionEnded(reason);
      sessionReports.ended(session, reason);
      link?.beat();
    },
  });
  const ownership = new Ownership(slot);
  const recordings = new Recordings({ config, portal, media: parts.media, hub, log });
  metrics.operations.watch({
    name: "visavis_recordings_waiting",
    help: "Recordings that are under way or wait to be stored.",
    read: () => recordings.pending,
  });
  await recordings.start();
  const audios = new AudioLibrary({ stateDir: config.stateDir });
  audios.start(log);
  const conversations = new Conversations();
  const voices = openVoices({ config, engines: parts.engines, portal, log });
  voices.onTakenOver = (account, notice) => hub.tell(account, { case: "voice", notice });
  const sockets = new ControlSockets();
  const microphones = new MicrophoneSockets();
  const clientTools = new ClientCalls({ hub, connected: (account) => sockets.has(account) });
  const [ears, screen, toolboxes] = await Promise.all([
    openMeasuredEars(parts, metrics),
    configuredScreen({ config, log }),
    configuredToolboxes({ config, clientTools, log }),
  ]);
  const turns = new Turns({
    models,
    voices,
    conversations,
    portal,
    slot,
    hub,
    screen,
    toolboxes,
    onTurn: (turn) => metrics.turn(turn),
    faces,
    log,
  });
  sockets.attach({
    access,
    hub,
    slot,
    turns,
    clientTools,
    log,
    faceOf: async ({ account }) => {
      const { settings } = await portal.settings(account);
      // Looked up while nobody waits for it: the first turn finds it.
      void voices.of(account, { settings });
      const face = faceOf(faces, account, { saved: settings.avatar });
      return {
        avatar: face?.id ?? "",
        tones: face ? tonesOf(faces, account, face.id) : ["neutral"],
      };
    },
  });
  microphones.attach({
    config,
    access,
    faces,
    hub,
    slot,
    turns,
    ears,
    mayDrive: (caller) => Promise.resolve(ownership.owns(caller) ? "yes" : "not_owner"),
    driverOf: (caller) => (ownership.owns(caller) ? ownership.driver(caller) : caller),
    onAnswered: (milliseconds) => metrics.answered(milliseconds),
    log,
  });
  const rooms = new Rooms({
    config,
    access,
    faces,
    portal,
    voices,
    slot,
    ownership,
    lifetime,
    engine,
    dialer: parts.dialer ?? new LiveKitDialer(),
    log,
  });
  const services: Services = {
    config,
    version: packageJson.version,
    log,
    access,
    portal,
    faces,
    media: parts.media,
    stills: await Stills.open({ stateDir: config.stateDir, url: config.stillUrl, media: parts.media, log }),
    avatarReports,
    models,
    voices,
    conversations,
    hub,
    slot,
    rooms,
    ownership,
    turns,
    sockets,
    microphones,
    clientTools,
    ears,
    firstAudioMs,
    metrics,
    audios,
    recordings,
  };
  running = services;

  const server = createServer(getRequestListener(createApp(services).fetch));
  acceptUpgrades({ server, access, sockets, microphones, roomLive: () => ownership.live, log });
  const url = await listen(server, config);

  if (client && config.portal)
    link = new PortalLink({
      client,
      services,
      portal: config.portal,
      url,
      capacity,
      revoke: (digests) => credentials.revoke(digests),
    });
  log.info(
    { url, portal: config.portal?.url ?? null, open: access.open, media: engine !== null },
    "box listens",
  );

  const drain = () => {
    slot.drain(true);
    link?.end();
  };
  const settled = async (enough: AbortSignal) => {
    const done = new AbortController();
    const over = AbortSignal.any([enough, done.signal]);
    const delivered = unlessAborted(Promise.all([recordings.settled(over), portal.reported()]), over);
    await Promise.race([delivered, ...(link ? [link.silent(portalPatienceMs, over)] : [])]);
    done.abort();
  };
  const close = async () => {
    client?.hurry();
    drain();
    await Promise.all([sockets.close(), microphones.close(), rooms.close()]);
    await slot.close();
    await recordings.close();
    audios.close();
    models.readiness.close();
    // Whoever waits for an avatar to be made is told that it will not be now, and then the connections are closed.
    const libraryClosed = faces.close();
    await closeServer(server);
    await Promise.all([link?.close(), credentials.close()]);
    await Promise.all([
      ears.close(),
      toolboxes.close?.(),
      voices.close(),
      libraryClosed,
      services.stills.close(),
      sweep?.close(),
      archive?.close(),
      parts.media.close(),
      sessionReports.close(),
      portal.close(),
    ]);
    log.info("box ended");
  };
  return {
    url,
    services,
    drain,
    settled,
    close: () => (closing ??= close()),
  };
}

async function openMeasuredEars({ ears, config, log }: BoxParts, metrics: Metrics): Promise<Ears> {
  return measuredEars(ears ?? (await openEars({ config, log })), metrics);
}

/** What stands on a credential ends with it. */
function endRevoked({ microphones, slot, sockets, voices }: Services, revoked: ReadonlySet<string>): void {
  // Whose they were is not known any more; everybody's keys are looked up again.
  voices.forget();
  sockets.revoke(revoked);
  microphones.revoke(revoked);
  if (slot.current && revoked.has(slot.current.digest)) void slot.end("disconnected");
}
