// Claude behind Amazon Bedrock's InvokeModel, signed with AWS Signature Version 4.

import { AwsClient } from "aws4fetch";
import { bedrockApiVersion } from "../../../contract/model-offers.ts";
import type { BedrockSettings } from "../../platform/env.ts";
import { judge, textAt, type ModelHost } from "./host.ts";

export function bedrockHost({ url, region, ...credentials }: BedrockSettings): ModelHost {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const signer = new AwsClient({
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    service: "bedrock",
    region,
    retries: 0,
  });
  return {
    async ask(model, body, signal) {
      try {
        const request = await signer.sign(`${url}/model/${encodeURIComponent(model)}/invoke`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ anthropic_version: bedrockApiVersion, ...body }),
        });
        const response = await fetch(request, { redirect: "manual", signal });
        const type = response.headers.get("x-amzn-errortype") ?? "";
        return await judge(response, (error) =>
          (type || textAt(error, "__type")).includes("ValidationException"),
        );
      } catch {
        return "unreachable";
      }
    },
  };
}
