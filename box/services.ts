import type { Access } from "./access/access.ts";
import type { AudioLibrary } from "./audios/library.ts";
import type { Conversations } from "./chat/conversation.ts";
import type { Models } from "./chat/models/models.ts";
import type { ClientTools } from "./chat/tools/client-tools.ts";
import type { BoxConfig } from "./config.ts";
import type { Ears } from "./hearing/listener.ts";
import type { Faces } from "./live/faces.ts";
import type { Hub } from "./live/hub.ts";
import type { Slot } from "./live/slot.ts";
import type { Turns } from "./live/turns.ts";
import type { Media } from "./media/media.ts";
import type { Log } from "./ops/log.ts";
import type { Metrics } from "./ops/metrics.ts";
import type { Percentiles } from "./ops/percentiles.ts";
import type { AvatarReports } from "./portal/avatar-reports.ts";
import type { Portal } from "./portal/portal.ts";
import type { Recordings } from "./recordings/recordings.ts";
import type { ControlSockets } from "./sockets/control-sockets.ts";
import type { MicrophoneSockets } from "./sockets/microphone-sockets.ts";
import type { Stills } from "./stills/stills.ts";
import type { Voices } from "./voices/voices.ts";

/** What a box is made of, as its routes see it. */
export interface Services {
  config: BoxConfig;
  version: string;
  log: Log;
  access: Access;
  portal: Portal;
  faces: Faces;
  media: Media;
  stills: Stills;
  avatarReports: AvatarReports;
  models: Models;
  voices: Voices;
  conversations: Conversations;
  audios: AudioLibrary;
  recordings: Recordings;
  hub: Hub;
  slot: Slot;
  turns: Turns;
  sockets: ControlSockets;
  microphones: MicrophoneSockets;
  clientTools: ClientTools;
  ears: Ears;
  firstAudioMs: Percentiles;
  metrics: Metrics;
}
