// The browser client of Visàvis.

export { Client, type ClientOptions, createClient, type MessageOptions, type TalkOptions } from "./client.ts";
export type { CredentialGrant, GetCredential } from "./credentials.ts";
export { asVisavisError, type ClientErrorCode, errorFromResponse, VisavisError } from "./errors.ts";
export {
  type CloseReason,
  type ConnectionState,
  type EventMap,
  type EventName,
  type Listener,
  type MessageStreamEvent,
  VisavisEvent,
} from "./events.ts";
export type { ConnectFields } from "./media.ts";
export {
  Microphone,
  type MicrophoneEventMap,
  type MicrophoneEventName,
  type MicrophoneListener,
  type MicrophoneStartOptions,
  type MicrophoneState,
} from "./microphone.ts";
export type { StreamStats } from "./stats.ts";
export { TalkStream, type TalkStreamOptions } from "./talk-stream.ts";
export type { ToolCallContext, ToolHandler } from "./tools.ts";
export type { AudioUploaded, UploadOptions } from "./upload.ts";
