import { z } from "@hono/zod-openapi";
import { structuredErrorSchema } from "../../contract/errors.ts";
import {
  byoEngineSchema,
  previewRequestSchema,
  voiceCatalogueSchema,
  voiceDefaultRequestSchema,
  voiceEngineRequestSchema,
  voiceKeyRequestSchema,
  voiceSettingsSchema,
} from "../../contract/voices.ts";
import { refuseOtherSites } from "../access/origin.ts";
import type { PortalContext } from "../platform/context.ts";
import { refuse, unwrap } from "../platform/errors.ts";
import { answers, declareRoute, takes, type PortalApp } from "../platform/portal.ts";
import type { VoiceScope } from "./account.ts";
import { readCatalogue } from "./catalogue.ts";
import { readSample, speakLine, type Limited, type Wav } from "./previews.ts";
import { chooseDefault, chooseEngine, forgetDefault, readVault, removeKey, saveKey } from "./vault.ts";

const refreshed = { 200: answers(voiceSettingsSchema, "The voice settings as they are now") };
const spoken = {
  200: {
    description: "A WAV of 16-bit PCM",
    content: { "audio/wav": { schema: z.string().openapi({ format: "binary" }) } },
  },
  502: answers(structuredErrorSchema, "The provider did not speak"),
};

const settings = declareRoute("portal", {
  method: "get",
  path: "/auth/voice/settings",
  responses: refreshed,
});

const putKey = declareRoute("portal", {
  method: "put",
  path: "/auth/voice/key",
  request: { body: takes(voiceKeyRequestSchema) },
  responses: refreshed,
});

const deleteKey = declareRoute("portal", {
  method: "delete",
  path: "/auth/voice/key/{provider}",
  request: { params: z.object({ provider: byoEngineSchema }) },
  responses: refreshed,
});

const putEngine = declareRoute("portal", {
  method: "put",
  path: "/auth/voice/engine",
  request: { body: takes(voiceEngineRequestSchema) },
  responses: refreshed,
});

const putDefault = declareRoute("portal", {
  method: "put",
  path: "/auth/voice/default",
  request: { body: takes(voiceDefaultRequestSchema) },
  responses: refreshed,
});

const deleteDefault = declareRoute("portal", {
  method: "delete",
  path: "/auth/voice/default",
  responses: refreshed,
});

const catalogue = declareRoute("portal-or-full-key", {
  method: "get",
  path: "/auth/voices",
  request: { query: z.object({ refresh: z.string().optional() }) },
  responses: { 200: answers(voiceCatalogueSchema, "Every engine's voices, and the one in use") },
});

const sample = declareRoute("portal-or-full-key", {
  method: "get",
  path: "/auth/voices/preview",
  request: { query: z.object({ voice: z.string().optional(), provider: z.string().optional() }) },
  responses: spoken,
});

const preview = declareRoute("portal-or-full-key", {
  method: "post",
  path: "/auth/voices/preview",
  request: { body: takes(previewRequestSchema) },
  responses: { ...spoken, 429: answers(structuredErrorSchema, "Twelve previews were made within a minute") },
});

function scopeOf(c: PortalContext): VoiceScope {
  return { env: c.var.env, account: c.var.caller.account };
}

function wavOf(outcome: Limited<Wav>): Response {
  if (!outcome.ok && "retryAfterSeconds" in outcome) {
    refuse("preview_rate_limited", "Twelve previews were made within a minute.", {
      "Retry-After": String(outcome.retryAfterSeconds),
    });
  }
  return new Response(unwrap(outcome), { headers: { "Content-Type": "audio/wav" } });
}

export function mountVoices(app: PortalApp): void {
  app.use("/auth/voice/*", async (c, next) => {
    refuseOtherSites(c);
    await next();
  });

  app.openapi(settings, async (c) => c.json({ voice: unwrap(await readVault(scopeOf(c))) }, 200));

  app.openapi(putKey, async (c) =>
    c.json({ voice: unwrap(await saveKey(scopeOf(c), c.req.valid("json"))) }, 200),
  );

  app.openapi(deleteKey, async (c) =>
    c.json({ voice: unwrap(await removeKey(scopeOf(c), c.req.valid("param").provider)) }, 200),
  );

  app.openapi(putEngine, async (c) =>
    c.json({ voice: unwrap(await chooseEngine(scopeOf(c), c.req.valid("json").engine)) }, 200),
  );

  app.openapi(putDefault, async (c) =>
    c.json({ voice: unwrap(await chooseDefault(scopeOf(c), c.req.valid("json"))) }, 200),
  );

  app.openapi(deleteDefault, async (c) => c.json({ voice: unwrap(await forgetDefault(scopeOf(c))) }, 200));

  app.openapi(catalogue, async (c) => {
    const refresh = c.req.valid("query").refresh === "1";
    return c.json(unwrap(await readCatalogue(scopeOf(c), refresh)), 200);
  });

  app.openapi(sample, async (c) => wavOf(await readSample(scopeOf(c), c.req.valid("query"))));

  app.openapi(preview, async (c) => wavOf(await speakLine(scopeOf(c), c.req.valid("json"))));
}
