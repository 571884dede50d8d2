// Whatever is no route of the portal: its pages and their files, or a plain answer that there is no such thing.

import { identify } from "./access/identify.ts";
import { admit, failures } from "./access/policy.ts";
import { presentedBy } from "./access/presented.ts";
import { pagePolicy } from "./headers.ts";
import { failureResponse } from "./platform/errors.ts";
import type { PortalContext } from "./platform/context.ts";
import type { PortalApp } from "./platform/portal.ts";

/** Where only programs go: an unknown path here is never a page. */
const programPaths =
  /^\/(?:auth|api|v1|internal|dev|livekit|rtc|connect|offer|disconnect|health|static)(?:\/|$)/;

interface KnownPath {
  method: string;
  pattern: RegExp;
}

function knownPaths(app: PortalApp): KnownPath[] {
  return app.openAPIRegistry.definitions.flatMap((definition) =>
    definition.type === "route"
      ? [
          {
            method: definition.route.method.toUpperCase(),
            pattern: new RegExp(
              `^${definition.route.path.replaceAll(/[.+*?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, "[^/]+")}$`,
            ),
          },
        ]
      : [],
  );
}

/** Methods that a path does take; empty for an unknown path. GET brings HEAD along. */
function allowedMethods(known: KnownPath[], path: string): string[] {
  const methods = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  return methods.includes("GET") ? [...methods, "HEAD"] : methods;
}

async function isAdmin(c: PortalContext): Promise<boolean> {
  const outcome = await identify(c.var.env, presentedBy(c));
  return outcome.ok && admit("admin", outcome.value.caller) === null;
}

const pageMethods = ["GET", "HEAD"];

/** Whether a path is that of a page or a file, which can only be read. */
async function isAsset(c: PortalContext): Promise<boolean> {
  const asset = await c.var.env.assets.fetch(new Request(c.req.url, { method: "HEAD" }));
  return asset.status !== 404;
}

/** The asset of a path; for a person who follows a link into the console, its shell. */
async function findPage(c: PortalContext): Promise<Response | null> {
  const asset = await c.var.env.assets.fetch(c.req.raw.clone());
  if (asset.status !== 404) return asset;
  await asset.body?.cancel();
  const wantsPage = (c.req.header("Accept") ?? "").includes("text/html");
  if (!wantsPage || programPaths.test(c.req.path)) return null;
  const shell = await c.var.env.assets.fetch(new Request(new URL("/", c.req.url), { method: c.req.method }));
  return shell.ok ? shell : null;
}

/** Built files carry a hash of their content in their name, so a name never changes its meaning. */
const hashedFiles = /^\/assets\/[^/]+-[\w-]{8}\.\w+$/;

function finishPage(page: Response, { req: { url, path }, var: { env } }: PortalContext): Response {
  const response = new Response(page.body, page);
  if (page.ok && hashedFiles.test(path)) {
    response.headers.set("Cache-Control", "public, max-age=31536000, immutable");
  }
  response.headers.set("Content-Security-Policy", pagePolicy(url, env.s3?.endpoint ?? null));
  response.headers.set("Referrer-Policy", "same-origin");
  return response;
}

/** Mounted last: it reads the routes that were declared before it. */
export function mountPages(app: PortalApp): void {
  const known = knownPaths(app);
  app.notFound(async (c) => {
    const { method, path } = c.req;
    let allowed = allowedMethods(known, path);
    const reads = pageMethods.includes(method);
    if (allowed.length === 0 && !reads && (await isAsset(c))) allowed = pageMethods;
    if (allowed.length > 0 && !(path.startsWith("/auth/admin/") && !(await isAdmin(c)))) {
      const message = `${method} is not a method of this path.`;
      return failureResponse(
        "structured",
        { code: "method_not_allowed", message },
        { Allow: allowed.join(", ") },
      );
    }
    const page = allowed.length === 0 && reads ? await findPage(c) : null;
    return page ? finishPage(page, c) : failureResponse("structured", failures.hidden);
  });
}
