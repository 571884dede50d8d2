// Entry of the Worker: requests and the scheduled clean-up.

import { createApp } from "./app.ts";
import { cleanUp } from "./cleanup.ts";
import { finishHeaders } from "./headers.ts";
import { ConfigurationError, envOf, type Bindings } from "./platform/env.ts";
import { failureResponse } from "./platform/errors.ts";
import { newId } from "./platform/ids.ts";
import { log } from "./platform/log.ts";

const app = createApp();

export default {
  async fetch(request, bindings, context) {
    try {
      envOf(bindings);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      const requestId = newId();
      log("error", "configuration", { request_id: requestId, problems: error.problems.join(" ") });
      const response = failureResponse("structured", {
        code: "internal",
        message: "The portal is not configured. Its log says what is missing.",
      });
      finishHeaders(response, request, requestId);
      return response;
    }
    return app.fetch(request, bindings, context);
  },

  async scheduled(_controller, bindings) {
    await cleanUp(envOf(bindings));
  },
} satisfies ExportedHandler<Bindings>;
