// Models behind Anthropic's Messages API, or a server that speaks it.

import { messagesApiVersion } from "../../../contract/model-offers.ts";
import type { AnthropicSettings } from "../../platform/env.ts";
import { judge, textAt, type ModelHost } from "./host.ts";

const isInvalidRequest = (body: unknown) => textAt(body, "error", "type") === "invalid_request_error";

export function anthropicHost({ apiKey, baseUrl }: AnthropicSettings): ModelHost {
  return {
    async ask(model, body, signal) {
      try {
        const response = await fetch(`${baseUrl}/v1/messages`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "x-api-key": apiKey,
            "anthropic-version": messagesApiVersion,
          },
          body: JSON.stringify({ model, ...body }),
          redirect: "manual",
          signal,
        });
        return await judge(response, isInvalidRequest);
      } catch {
        return "unreachable";
      }
    },
  };
}
