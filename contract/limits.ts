// Numbers both planes and their clients agree on. Sizes are bytes, durations carry their unit.

export const limits = {
  jsonBodyBytes: 1024 * 1024,
  avatarBodyBytes: 200 * 1024 * 1024,
  audioBodyBytes: 25 * 1024 * 1024,
  imageBytes: 15 * 1024 * 1024,
  /** A full-frame camera's picture passes; one of forty megapixels is refused before it is decoded. */
  imagePixels: 36_000_000,
  videoBytes: 200 * 1024 * 1024,
  /** Footage of a face at rest: shorter repeats visibly, longer is cut. */
  videoSeconds: { min: 2, kept: 20, max: 300 },
  /** Of one side; more is refused before anything is decoded. */
  videoSide: 4096,
  takesPerTone: 20,
  audioSeconds: 600,
  /** A sound file that was uploaded is removed after this long. */
  soundKeptSeconds: 30 * 24 * 3600,
  /** A recording waits on a box this long to be stored. */
  recordingWaitsSeconds: 30 * 24 * 3600,
  /** A clip that a voice is cloned from. */
  voiceClipSeconds: { min: 3, max: 60 },
  /** Browsers send about 10 KiB with every codec they have; nobody needs six times that. */
  sdpBytes: 64 * 1024,
  /** Longest message, talk text or talkstream piece, in characters. */
  messageChars: 20_000,

  keysPerAccount: 100,
  keyNameChars: 80,
  tokenTtlSeconds: { default: 300, min: 30, max: 600 },
  sessionCredentialSeconds: 3600,
  signInLinkSeconds: 900,
  signInLinksPerAddress: 5,
  signInLinksPerClient: 20,
  portalSessionSeconds: 30 * 24 * 3600,

  systemPromptChars: 100_000,
  maxTokens: { default: 1024, min: 1, max: 8192 },
  avatarsPerAccount: 200,
  toolPhraseChars: 160,
  toolPhraseTools: 32,
  tools: 10,
  toolParametersChars: 16_384,
  /** Objects and arrays within one another in a tool's parameters. */
  toolParametersLevels: 32,
  toolEndpointChars: 2048,

  /** Life of every signed URL. */
  signedUrlSeconds: 15 * 60,
  uploadFiles: 20,
  uploadVideoBytes: 200 * 1024 * 1024,
  uploadTotalBytes: 500 * 1024 * 1024,
  /** What was uploaded waits this long for the request that uses it. */
  uploadKeptSeconds: 24 * 3600,
  /** Uploads of an account that wait for their request at once. */
  uploadsWaiting: 50,
  stillKeptSeconds: 24 * 3600,
  personaChars: 2000,
  stillNoteChars: 2000,
  /** Each costs its generator's time, so an account has so many an hour. */
  portraitsPerHour: 20,
  stillsPerHour: 20,

  sessionPage: { default: 20, max: 50 },
  sessionTitleChars: 200,
  sessionNotesChars: 10_000,
  sessionTags: 20,
  sessionTagChars: 40,
  /** Characters of the prompt that a session's row shows as its persona, and of the first words as its preview. */
  sessionPersonaChars: 80,
  sessionPreviewChars: 160,

  modelProbeSeconds: 30,
  modelReadySeconds: 24 * 3600,
  /** What a model was found to accept is found out anew after this long. */
  modelFlagsSeconds: 30 * 24 * 3600,

  previewTextChars: 200,
  previewsPerMinute: 12,
  /** Samples of a provider's voices that are made for one account; those made before are free. */
  samplesPerHour: 60,
  voiceCatalogueSeconds: 300,
  voiceCatalogueFailedSeconds: 30,

  erasureSweepSeconds: 15 * 60,

  heartbeatSeconds: 15,
  heartbeatFreshSeconds: 45,

  idleSeconds: 300,
  maxSessionSeconds: 3600,

  /** Ceilings of what a join may ask for. */
  roomMaxMinutes: 120,
  roomIdleMinutes: 20,
  /** A box begins to drain so long before its end. */
  drainMinutes: 55,

  /** Largest control-socket frame the box accepts; a larger one closes the socket with 1009. */
  controlFrameBytes: 256 * 1024,
  /** Control messages a second one socket may send, with as much again in a burst; past it the socket closes with 1008. */
  controlMessagesPerSecond: 50,
  /** Largest frame of the microphone socket: two seconds of audio; a larger one closes the socket with 1009. */
  microphoneFrameBytes: 64 * 1024,

  /** What a tool's answer may bring into the conversation, in characters of JSON; more is cut and says so. */
  toolResultChars: 16_384,
  /** Times a model may call tools before it must answer. */
  toolRounds: 8,
} as const;
