// The one bucket: what is in it, and URLs that let others reach one object for a quarter of an hour. Whoever gets a URL
// reads the key in it, so keys are made of random ids and file names and of nothing that leads to an account.

import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { limits } from "../../contract/limits.ts";
import type { PutGrant } from "../../contract/uploads.ts";
import type { PortalContext } from "./context.ts";
import type { Env, S3Settings } from "./env.ts";

const clients = new Map<string, S3Client>();

/** Local R2 answers S3 under this path of the portal's own address. */
const localPath = "/cdn-cgi/local/r2/s3";

function clientOf(settings: S3Settings, requestUrl: string): S3Client {
  const endpoint = settings.endpoint ?? new URL(requestUrl).origin + localPath;
  const known = clients.get(endpoint);
  if (known) return known;
  const made = new S3Client({
    region: "auto",
    endpoint,
    forcePathStyle: true,
    credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  clients.set(endpoint, made);
  return made;
}

/** Signs URLs; nothing is asked of the bucket. */
export interface Signer {
  /** A GET of one object. */
  get(key: string): Promise<string>;
  /** A PUT of one object of exactly `size` bytes, which must come with the headers of the grant. */
  put(key: string, content: { contentType: string; size: number }): Promise<PutGrant>;
}

/**
 * How long after it was granted a PUT may still write. Storage judges a signature when a request begins, so one that
 * begins in the last second of its grant goes on for as long as its body takes: another life of a URL is given it. What
 * is emptied for good is emptied again after this long.
 */
export const putEndsWithinSeconds = 2 * limits.signedUrlSeconds;

/** Null when this portal cannot sign. */
export function signerOf(c: PortalContext): Signer | null {
  return signerAt(c.var.env, c.req.url);
}

/** As {@link signerOf}, for what no request asked for: `portalUrl` is any address of the portal's own. */
export function signerAt({ s3 }: Pick<Env, "s3">, portalUrl: string): Signer | null {
  if (!s3) return null;
  const client = clientOf(s3, portalUrl);
  const expiresIn = limits.signedUrlSeconds;
  return {
    get: (key) => getSignedUrl(client, new GetObjectCommand({ Bucket: s3.bucket, Key: key }), { expiresIn }),
    put: async (key, { contentType, size }) => ({
      url: await getSignedUrl(
        client,
        new PutObjectCommand({ Bucket: s3.bucket, Key: key, ContentType: contentType, ContentLength: size }),
        { expiresIn, signableHeaders: new Set(["content-type", "content-length"]) },
      ),
      // Whoever sends a body of known length sends its length as well; a browser lets no page set that header.
      headers: { "Content-Type": contentType },
    }),
  };
}

export interface ExpectedObject {
  key: string;
  size: number;
  contentType: string;
}

/** Whether an object is there with exactly the size and type it was granted for: storage may not have enforced both. */
export async function isAsGranted(media: R2Bucket, expected: ExpectedObject): Promise<boolean> {
  const object = await media.head(expected.key);
  return (
    object !== null &&
    object.size === expected.size &&
    object.httpMetadata?.contentType === expected.contentType
  );
}

/** Most objects one page of a listing, and one call of delete, may hold. */
const pageSize = 1000;

/** Deletes every object under a prefix, which must end in a slash; throws when the bucket fails, with some deleted. */
export async function removePrefix(media: R2Bucket, prefix: string): Promise<void> {
  if (!prefix.endsWith("/")) throw new Error("A prefix of storage ends in a slash.");
  for (;;) {
    const { objects, truncated } = await media.list({ prefix, limit: pageSize });
    if (objects.length > 0) await media.delete(objects.map(({ key }) => key));
    if (!truncated) return;
  }
}
