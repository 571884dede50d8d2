// Multipart forms under hard limits: so many parts, so many bytes, so much time.

import { Readable } from "node:stream";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { Refusal } from "../failure.ts";
import type { BoxContext } from "./env.ts";

/** What any form may have. */
interface FormShape {
  /** Names of the parts that are text; each may come once, and any other part is refused. */
  fields: readonly string[];
  bodyBytes: number;
  timeoutMs: number;
}

export interface FormLimits extends FormShape {
  /** Names of the parts that are files. */
  files: readonly string[];
  fileBytes: number;
  /** What a file over its limit is refused with. */
  fileTooLarge(): Refusal;
}

export interface FormFile {
  filename: string;
  contentType: string;
  bytes: Buffer;
}

export interface Form<File = FormFile> {
  fields: Map<string, string>;
  files: Map<string, File>;
}

/** A file part as it arrives. */
export interface FilePart {
  name: string;
  filename: string;
  contentType: string;
  stream: Readable;
}

export interface StreamedLimits<File> extends FormShape {
  isFile(name: string): boolean;
  mostFiles: number;
  /** Reads a part to its end. What it rejects with ends the form; then its stream is destroyed. */
  take(part: FilePart): Promise<File>;
}

const fieldBytes = 64 * 1024;

const close = { headers: { Connection: "close" } };
const malformed = (cause?: unknown) =>
  new Refusal("invalid_body", "The body is not a well-formed multipart form.", { cause, ...close });
const named = (name: string) => JSON.stringify(name.slice(0, 100));

/** Reads a form whole. Throws Refusal: `invalid_body`, `body_too_large`, or what `fileTooLarge` says. */
export function readForm(c: BoxContext, limits: FormLimits): Promise<Form> {
  return streamForm(c, {
    fields: limits.fields,
    bodyBytes: limits.bodyBytes,
    timeoutMs: limits.timeoutMs,
    isFile: (name) => limits.files.includes(name),
    mostFiles: limits.files.length,
    async take({ stream, filename, contentType }) {
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > limits.fileBytes) throw limits.fileTooLarge();
        chunks.push(chunk);
      }
      return { filename, contentType, bytes: Buffer.concat(chunks) };
    },
  });
}

/** Reads a form whose files go wherever `take` puts them. Throws Refusal, and settles only once every `take` has. */
export async function streamForm<File>(c: BoxContext, limits: StreamedLimits<File>): Promise<Form<File>> {
  const type = c.req.header("content-type") ?? "";
  if (!/^multipart\/form-data\b/i.test(type))
    throw new Refusal("invalid_body", "Content-Type must be multipart/form-data.");
  const overall = () =>
    new Refusal("body_too_large", `The body is larger than ${limits.bodyBytes} bytes.`, close);
  if (Number(c.req.header("content-length") ?? 0) > limits.bodyBytes) throw overall();
  const body = c.req.raw.body;
  if (!body) throw malformed();
  const parser = parserOf(type, limits);
  const source = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
  const form: Form<File> = { fields: new Map(), files: new Map() };
  const done = Promise.withResolvers<void>();
  const fail = (error: unknown) => done.reject(error instanceof Refusal ? error : malformed(error));
  const repeated = (name: string) =>
    new Refusal("invalid_body", `The part ${named(name)} is not taken here, or came twice.`, close);
  const streams = new Set<Readable>();
  const taking = new Map<string, Promise<void>>();
  let reading = 0;
  /** Of the first file that could not be taken. */
  let fault: { error: unknown } | null = null;
  const failedFile = () => fault;

  parser.on("field", (name, value, nameCut, valueCut) => {
    if (nameCut || valueCut) fail(new Refusal("invalid_body", `The part ${named(name)} is too long.`, close));
    else if (!limits.fields.includes(name) || form.fields.has(name)) fail(repeated(name));
    else form.fields.set(name, value);
  });
  parser.on("file", (name, stream, filename, _encoding, contentType) => {
    // Without a listener a broken stream would end the process. What its reader destroyed it for is told by `take`.
    stream.on("error", (error) => {
      if (!stream.destroyed) fail(error);
    });
    if (!limits.isFile(name) || taking.has(name)) {
      stream.resume();
      fail(repeated(name));
      return;
    }
    reading++;
    streams.add(stream);
    stream.on("end", () => reading--);
    const taken = limits.take({ name, filename: filename ?? "", contentType, stream }).then(
      (file) => void form.files.set(name, file),
      (error: unknown) => {
        fault ??= { error };
        done.reject(error);
      },
    );
    taking.set(name, taken);
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
  // A body may end in the middle of a part, and then the parser says nothing at all. One that still waits for a disk will.
  let ending: NodeJS.Timeout | undefined;
  const judgeEnd = () => {
    if (parser.writableFinished) return;
    if (parser.writableLength > 0) ending = setTimeout(judgeEnd, 1_000);
    else ending = setTimeout(() => fail(malformed()), 1_000);
  };
  source.on("end", () => setImmediate(judgeEnd));
  const late = setTimeout(
    () => fail(new Refusal("invalid_body", "The body took too long to arrive.", close)),
    limits.timeoutMs,
  );
  source.pipe(parser);
  try {
    await done.promise;
    await Promise.all(taking.values());
    // A file may have failed after the last part had arrived.
    const failed = failedFile();
    if (failed) throw failed.error;
    return form;
  } finally {
    clearTimeout(late);
    clearTimeout(ending);
    source.unpipe(parser);
    if (!source.readableEnded) source.destroy();
    parser.on("error", () => undefined);
    parser.destroy();
    for (const stream of streams) {
      // Without an error whoever reads it would wait for ever.
      if (!stream.readableEnded) stream.destroy(new Error("The form was given up."));
    }
    await Promise.all(taking.values());
  }
}

function parserOf<File>(type: string, { fields, mostFiles }: StreamedLimits<File>): BusboyInstance {
  try {
    return new Busboy({
      headers: { "content-type": type },
      limits: {
        fieldSize: fieldBytes,
        fields: fields.length,
        files: mostFiles,
        parts: fields.length + mostFiles,
        headerPairs: 32,
        headerSize: 8 * 1024,
      },
    });
  } catch (error) {
    throw malformed(error);
  }
}
