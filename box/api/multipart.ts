// Multipart forms under hard limits: so many parts, so many bytes, so much time.

import { Readable } from "node:stream";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { Refusal } from "../failure.ts";
import type { BoxContext } from "./env.ts";

export interface FormLimits {
  /** Names of the parts that are text, and of those that are files; any other part is refused. */
  fields: readonly string[];
  files: readonly string[];
  fileBytes: number;
  bodyBytes: number;
  timeoutMs: number;
  /** What a file over its limit is refused with. */
  fileTooLarge(): Refusal;
}

export interface FormFile {
  filename: string;
  contentType: string;
  bytes: Buffer;
}

export interface Form {
  fields: Map<string, string>;
  files: Map<string, FormFile>;
}

const fieldBytes = 64 * 1024;

const malformed = (cause?: unknown) =>
  new Refusal("invalid_body", "The body is not a well-formed multipart form.", {
    cause,
    headers: { Connection: "close" },
  });

/** Reads a form whole. Throws Refusal: `invalid_body`, `body_too_large`, or what `fileTooLarge` says. */
export async function readForm(c: BoxContext, limits: FormLimits): Promise<Form> {
  const type = c.req.header("content-type") ?? "";
  if (!/^multipart\/form-data\b/i.test(type))
    throw new Refusal("invalid_body", "Content-Type must be multipart/form-data.");
  const close = { headers: { Connection: "close" } };
  const overall = () =>
    new Refusal("body_too_large", `The body is larger than ${limits.bodyBytes} bytes.`, close);
  if (Number(c.req.header("content-length") ?? 0) > limits.bodyBytes) throw overall();
  const body = c.req.raw.body;
  if (!body) throw malformed();

  let parser: BusboyInstance;
  try {
    parser = new Busboy({
      headers: { "content-type": type },
      limits: {
        fileSize: limits.fileBytes,
        fieldSize: fieldBytes,
        fields: limits.fields.length,
        files: limits.files.length,
        parts: limits.fields.length + limits.files.length,
        headerPairs: 32,
        headerSize: 8 * 1024,
      },
    });
  } catch (error) {
    throw malformed(error);
  }
  const source = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
  const form: Form = { fields: new Map(), files: new Map() };
  const done = Promise.withResolvers<void>();
  const fail = (error: unknown) => done.reject(error instanceof Refusal ? error : malformed(error));
  const repeated = (name: string) =>
    new Refusal("invalid_body", `The part ${JSON.stringify(name)} is not taken here, or came twice.`, close);
  let reading = 0;

  parser.on("field", (name, value, nameCut, valueCut) => {
    if (nameCut || valueCut)
      fail(new Refusal("invalid_body", `The part ${JSON.stringify(name)} is too long.`, close));
    else if (!limits.fields.includes(name) || form.fields.has(name)) fail(repeated(name));
    else form.fields.set(name, value);
  });
  parser.on("file", (name, stream, filename, _encoding, contentType) => {
    // Without a listener a broken stream would end the process.
    stream.on("error", fail);
    if (!limits.files.includes(name) || form.files.has(name)) {
      stream.resume();
      fail(repeated(name));
      return;
    }
    const chunks: Buffer[] = [];
    reading++;
    stream.on("limit", () => fail(limits.fileTooLarge()));
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      reading--;
      form.files.set(name, { filename: filename ?? "", contentType, bytes: Buffer.concat(chunks) });
    });
  });
  for (const event of ["partsLimit", "filesLimit", "fieldsLimit"] as const)
    parser.on(event, () => fail(new Refusal("invalid_body", "The form has too many parts.", close)));
  parser.on("error", fail);
  parser.on("finish", () => (reading === 0 ? done.resolve() : fail(malformed())));

  let size = 0;
  source.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > limits.bodyBytes) fail(overall());
  });
  source.on("error", fail);
  // A body may end in the middle of a part, and then the parser says nothing at all.
  source.on("end", () =>
    setImmediate(() =>
      parser.writableFinished ? undefined : setTimeout(() => fail(malformed()), 1_000).unref(),
    ),
  );
  const late = setTimeout(
    () => fail(new Refusal("invalid_body", "The body took too long to arrive.", close)),
    limits.timeoutMs,
  );
  source.pipe(parser);
  try {
    await done.promise;
    return form;
  } finally {
    clearTimeout(late);
    source.unpipe(parser);
    if (!source.readableEnded) source.destroy();
    parser.on("error", () => undefined);
    parser.destroy();
  }
}
