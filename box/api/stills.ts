// Seated stills: started, polled, fetched.

import { Hono } from "hono";
import { limits } from "../../contract/limits.ts";
import { stillRequestSchema } from "../../contract/stills.ts";
import { Refusal } from "../failure.ts";
import { describeIssue } from "../issues.ts";
import type { Services } from "../services.ts";
import { fetchPhotograph } from "../stills/photograph.ts";
import type { StillWish } from "../stills/stills.ts";
import { readJson } from "./body.ts";
import { callerOf, type BoxContext, type BoxEnv } from "./env.ts";
import { readForm } from "./multipart.ts";

const path = "/api/avatar/seated-still";
const wordsSchema = stillRequestSchema.pick({ note: true, look: true });
const roomForFields = 256 * 1024;

const formLimits = {
  fields: ["note", "look"],
  files: ["file"],
  fileBytes: limits.imageBytes,
  bodyBytes: limits.imageBytes + roomForFields,
  timeoutMs: 300_000,
  fileTooLarge: () =>
    new Refusal("image_too_large", `A photograph may have at most ${limits.imageBytes / 1024 / 1024} MB.`, {
      headers: { Connection: "close" },
    }),
};

type Asked = Omit<StillWish, "account">;

function words(note: unknown, look: unknown): Pick<Asked, "note" | "look"> {
  const checked = wordsSchema.safeParse({ note, look });
  if (!checked.success) throw new Refusal("invalid_body", describeIssue(checked.error));
  return { note: checked.data.note ?? null, look: checked.data.look ?? null };
}

function lookOf(text: string | undefined): unknown {
  if (text === undefined || text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal("invalid_body", "look must be a JSON object of texts.");
  }
}

async function askedInForm(c: BoxContext): Promise<Asked> {
  const { fields, files } = await readForm(c, formLimits);
  const file = files.get("file");
  if (!file) throw new Refusal("invalid_body", "The form needs a photograph in the part named file.");
  return {
    photograph: file.bytes,
    photographUrl: null,
    ...words(fields.get("note"), lookOf(fields.get("look"))),
  };
}

export function stillRoutes({ portal, stills }: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();

  const askedInJson = async (c: BoxContext): Promise<Asked> => {
    const { upload_id: uploadId, note, look } = await readJson(c, stillRequestSchema);
    const upload = await portal.claimUpload(callerOf(c).account, uploadId);
    return { ...(await fetchPhotograph(upload)), note: note ?? null, look: look ?? null };
  };

  app.post(path, async (c) => {
    const { account } = callerOf(c);
    // An upload can be claimed once, so nobody's is claimed in vain.
    stills.checkRoom(account);
    const form = /^multipart\//i.test(c.req.header("content-type") ?? "");
    const asked = await (form ? askedInForm(c) : askedInJson(c));
    return c.json({ job_id: await stills.start({ account, ...asked }) }, 202);
  });

  app.get(`${path}/:id`, (c) => c.json(stills.read(callerOf(c).account, c.req.param("id"))));

  app.get(`${path}/:id/image`, async (c) => {
    const image = await stills.image(callerOf(c).account, c.req.param("id"));
    return c.body(new Uint8Array(image), 200, {
      "Content-Type": "image/png",
      "Cache-Control": "private, max-age=3600",
    });
  });

  return app;
}
