// Describes faces by numbers, on a thread of its own: it lives as long as one comparison, for they are few.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parentPort } from "node:worker_threads";
import { setWasmPaths } from "@tensorflow/tfjs-backend-wasm";
import { loadGraphModel, type GraphModel } from "@tensorflow/tfjs-converter";
import * as tf from "@tensorflow/tfjs-core";
import { DESCRIPTION_SIDE, type DescribeReply, type DescribeRequest } from "./identity.ts";

/** What the network sums a face up in, before it guesses ages. */
const OUTPUT = "global_pooling/Mean";

const require = createRequire(import.meta.url);
const models = join(dirname(dirname(require.resolve("@vladmandic/human"))), "models");

/** As the converter wrote it. */
interface ModelFile {
  modelTopology: object;
  weightsManifest: { weights: tf.io.WeightsManifestEntry[] }[];
}

async function loadModel(): Promise<GraphModel> {
  setWasmPaths(`${dirname(require.resolve("@tensorflow/tfjs-backend-wasm"))}/`);
  await tf.setBackend("wasm");
  const [text, weights] = await Promise.all([
    readFile(join(models, "faceres.json"), "utf8"),
    readFile(join(models, "faceres.bin")),
  ]);
  const { modelTopology, weightsManifest } = JSON.parse(text) as ModelFile;
  const weightSpecs = weightsManifest.flatMap((group) => group.weights);
  return loadGraphModel(
    tf.io.fromMemory({ modelTopology, weightSpecs, weightData: new Uint8Array(weights).buffer }),
  );
}

let loading: Promise<GraphModel> | undefined;

async function describe({ rgb }: DescribeRequest): Promise<Float32Array> {
  const model = await (loading ??= loadModel());
  const result = tf.tidy(() => {
    const face = tf.tensor4d(rgb, [1, DESCRIPTION_SIDE, DESCRIPTION_SIDE, 3]);
    // Its mirror image counts as much, so that which way a picture was taken makes no difference.
    const pair = tf.concat([face, tf.reverse(face, 2)]);
    return tf.mean(model.execute(pair, OUTPUT) as tf.Tensor, 0);
  });
  try {
    return Float32Array.from(await result.data());
  } finally {
    result.dispose();
  }
}

parentPort?.on("message", (request: DescribeRequest) => {
  describe(request).then(
    (description) => reply({ id: request.id, description }),
    (error: unknown) =>
      reply({ id: request.id, error: error instanceof Error ? error.message : String(error) }),
  );
});

function reply(message: DescribeReply): void {
  parentPort?.postMessage(message, []);
}
