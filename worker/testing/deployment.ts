// A portal under other variables than the test runtime's own, driven inside the test's isolate.

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { createApp } from "../app.ts";
import type { Bindings } from "../platform/env.ts";
import { bindings, origin, type Call } from "./portal.ts";

export interface Deployment {
  call(path: string, options?: Call): Promise<Response>;
  /** Waits for what goes on after the answers. */
  settle(): Promise<void>;
}

export function deploy(variables: Partial<Bindings>): Deployment {
  const app = createApp();
  const deployed = { ...bindings, ...variables };
  const contexts: ExecutionContext[] = [];
  return {
    async call(path, { method = "GET", headers = {}, body } = {}) {
      const context = createExecutionContext();
      contexts.push(context);
      const text = body === undefined ? undefined : JSON.stringify(body);
      return app.fetch(
        new Request(origin + path, { method, headers, ...(text === undefined ? {} : { body: text }) }),
        deployed,
        context,
      );
    },
    async settle() {
      await Promise.all(contexts.splice(0).map(waitOnExecutionContext));
    },
  };
}
