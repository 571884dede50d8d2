import { z } from "@hono/zod-openapi";
import {
  builtinSampleAnswerSchema,
  builtinSampleBytes,
  builtinVoicesAnswerSchema,
  builtinVoicesSchema,
  voiceAccountRequestSchema,
  voiceAccountSchema,
} from "../../contract/internal/voices.ts";
import { readBytesWithin } from "../platform/body.ts";
import { unwrap } from "../platform/errors.ts";
import { answers, declareRoute, takes, type PortalApp } from "../platform/portal.ts";
import { readVoiceAccount } from "../voices/account.ts";
import { keepBuiltin, keepSample } from "../voices/builtin.ts";

const account = declareRoute("box", {
  method: "post",
  path: "/internal/voices/account",
  request: { body: takes(voiceAccountRequestSchema) },
  responses: { 200: answers(voiceAccountSchema, "How the account speaks, with its keys in the clear") },
});

const builtin = declareRoute("box", {
  method: "post",
  path: "/internal/voices/builtin",
  request: { body: takes(builtinVoicesSchema) },
  responses: { 200: answers(builtinVoicesAnswerSchema, "The voices whose sample is missing") },
});

// Its body is no JSON, so it is not declared: the handler reads it, within its own limit.
const sample = declareRoute("box", {
  method: "put",
  path: "/internal/voices/builtin/{voice}/sample",
  description: "Takes a WAV of 16-bit PCM as its body.",
  request: { params: z.object({ voice: z.string() }) },
  responses: { 200: answers(builtinSampleAnswerSchema, "The sample is kept") },
});

export function mountInternalVoices(app: PortalApp): void {
  app.openapi(account, async (c) => {
    const scope = { env: c.var.env, account: c.req.valid("json").account };
    return c.json(unwrap(await readVoiceAccount(scope)), 200);
  });

  app.openapi(builtin, async (c) =>
    c.json({ samples_wanted: unwrap(await keepBuiltin(c.var.env, c.req.valid("json").voices)) }, 200),
  );

  app.openapi(sample, async (c) => {
    const wav = await readBytesWithin(c.req.raw, builtinSampleBytes);
    unwrap(await keepSample(c.var.env, c.req.valid("param").voice, wav));
    return c.json({ ok: true as const }, 200);
  });
}
