// Finds faces on a thread of its own, so that neither HTTP nor media waits for it.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parentPort } from "node:worker_threads";
import { LANDMARK_COUNT } from "./face-mesh.ts";
import type { DetectReply, DetectRequest, RawFace } from "./landmarks.ts";

/** The parts of `@vladmandic/human` in use; the package has types for its browser build only. */
interface HumanFace {
  boxScore: number;
  faceScore: number;
  /** Side of the square that the mesh model was shown, in pixels of the input. */
  size: [number, number];
  mesh: [number, number, number][];
}
interface HumanInstance {
  tf: {
    tensor3d(data: Uint8Array, shape: [number, number, number], type: "int32"): object;
    dispose(tensor: object): void;
  };
  load(): Promise<void>;
  detect(tensor: object): Promise<{ face: HumanFace[]; error?: string }>;
}

const MAX_FACES = 8;
/** Input side of the mesh model; its depths are in these units, whatever the size of the face. */
const MESH_INPUT = 256;
/** The iris model is run on a mirrored left eye: its points come first, and go round the other way. */
const IRIS_ORDER = [473, 474, 475, 476, 477, 468, 471, 470, 469, 472];

const require = createRequire(import.meta.url);
const packageDir = dirname(dirname(require.resolve("@vladmandic/human")));
const wasmDir = dirname(require.resolve("@tensorflow/tfjs-backend-wasm"));

// The library fetches its models by URL, and Node's fetch refuses file: ones. This thread fetches nothing else.
globalThis.fetch = async (input) => {
  const url = new URL(input instanceof Request ? input.url : input);
  if (url.protocol !== "file:")
    throw new TypeError(`The landmark worker does not use the network (${url.protocol}).`);
  return new Response(await readFile(url));
};

async function loadHuman(): Promise<HumanInstance> {
  const { Human } = require(join(packageDir, "dist/human.node-wasm.js")) as {
    Human: new (config: object) => HumanInstance;
  };
  const off = { enabled: false };
  const human = new Human({
    backend: "wasm",
    wasmPath: `${wasmDir}/`,
    modelBasePath: `${pathToFileURL(join(packageDir, "models")).href}/`,
    debug: false,
    // Pictures have nothing to do with each other: neither results nor boxes are carried over.
    cacheSensitivity: 0,
    skipAllowed: false,
    filter: off,
    face: {
      detector: { rotation: true, maxDetected: MAX_FACES, minConfidence: 0.3 },
      mesh: { enabled: true },
      iris: { enabled: true },
      attention: off,
      emotion: off,
      description: off,
      antispoof: off,
      liveness: off,
    },
    body: off,
    hand: off,
    object: off,
    gesture: off,
    segmentation: off,
  });
  await human.load();
  return human;
}

let loading: Promise<HumanInstance> | undefined;

async function detect({ rgb, width, height }: DetectRequest): Promise<RawFace[]> {
  loading ??= loadHuman();
  const human = await loading;
  const tensor = human.tf.tensor3d(rgb, [height, width, 3], "int32");
  try {
    const { face, error } = await human.detect(tensor);
    if (error) throw new Error(error);
    return face.filter(({ mesh }) => mesh.length === LANDMARK_COUNT).map(toRawFace);
  } finally {
    human.tf.dispose(tensor);
  }
}

function toRawFace(face: HumanFace): RawFace {
  const landmarks = new Float32Array(LANDMARK_COUNT * 3);
  const depthScale = face.size[0] / MESH_INPUT;
  for (let index = 0; index < LANDMARK_COUNT; index += 1) {
    const source = index < 468 ? index : (IRIS_ORDER[index - 468] ?? index);
    const [x = 0, y = 0, z = 0] = face.mesh[source] ?? [];
    // Coordinates come cut to whole pixels; half of one puts the mean error at zero.
    landmarks.set([x + 0.5, y + 0.5, z * depthScale], index * 3);
  }
  return { confidence: Math.min(face.boxScore, face.faceScore), landmarks };
}

parentPort?.on("message", (request: DetectRequest) => {
  detect(request).then(
    (faces) => reply({ id: request.id, faces }),
    (error: unknown) =>
      reply({ id: request.id, error: error instanceof Error ? error.message : String(error) }),
  );
});

function reply(message: DetectReply): void {
  const moved =
    "faces" in message ? message.faces.map(({ landmarks }) => landmarks.buffer as ArrayBuffer) : [];
  parentPort?.postMessage(message, moved);
}
