// Each peer's own code behind one shape: track(samples) → viseme index every 10 ms of 16 kHz mono samples. The Web Audio
// that they ask for is answered with the specification's arithmetic.
import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";
import { pathToFileURL } from "node:url";

const RATE = 16_000;
const HOP = 160;
const VISEMES = ["sil", "PP", "FF", "TH", "DD", "kk", "CH", "SS", "nn", "RR", "aa", "E", "I", "O", "U"];

/** In-place radix-2 transform of interleaved complex numbers. */
function fft(re, im) {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
  for (let size = 2; size <= n; size <<= 1) {
    const half = size >> 1;
    for (let k = 0; k < half; k++) {
      const wr = Math.cos((-2 * Math.PI * k) / size);
      const wi = Math.sin((-2 * Math.PI * k) / size);
      for (let i = k; i < n; i += size) {
        const j = i + half;
        const xr = re[j] * wr - im[j] * wi;
        const xi = re[j] * wi + im[j] * wr;
        re[j] = re[i] - xr;
        im[j] = im[i] - xi;
        re[i] += xr;
        im[i] += xi;
      }
    }
  }
}

/** AnalyserNode.getByteFrequencyData (Web Audio API 1.1, § 1.8.6): Blackman window, smoothing 0.8, -100..-30 dB. */
class Analyser {
  fftSize = 2048;
  #history;
  #end = 0;
  #smoothed;

  get frequencyBinCount() {
    return this.fftSize / 2;
  }
  load(samples) {
    this.#history = samples;
    this.#smoothed = new Float32Array(this.frequencyBinCount);
  }
  moveTo(end) {
    this.#end = end;
  }
  connect() {}
  getByteFrequencyData(out) {
    const n = this.fftSize;
    const re = new Float32Array(n);
    const im = new Float32Array(n);
    for (let i = 0; i < n; i++) {
      const at = this.#end - n + i;
      const window = 0.42 - 0.5 * Math.cos((2 * Math.PI * i) / n) + 0.08 * Math.cos((4 * Math.PI * i) / n);
      re[i] = at >= 0 && at < this.#history.length ? this.#history[at] * window : 0;
    }
    fft(re, im);
    for (let k = 0; k < out.length; k++) {
      this.#smoothed[k] = 0.8 * this.#smoothed[k] + (0.2 * Math.hypot(re[k], im[k])) / n;
      const db = 20 * Math.log10(this.#smoothed[k] || 1e-12);
      out[k] = Math.max(0, Math.min(255, Math.floor((255 * (db + 100)) / 70)));
    }
  }
}

/** wawa-lipsync reads an AnalyserNode once a displayed frame; here 60 times a second of audio. */
export async function wawaLipsync(folder) {
  const analyser = new Analyser();
  globalThis.window = {
    AudioContext: class {
      sampleRate = RATE;
      createAnalyser = () => analyser;
    },
  };
  const { Lipsync } = await import(pathToFileURL(`${folder}/dist/wawa-lipsync.es.js`));
  return {
    track(samples) {
      const lips = new Lipsync();
      analyser.load(samples);
      const track = [];
      let frame = 0;
      const now = performance.now;
      for (let i = 0; i * HOP + 400 <= samples.length; i++) {
        while (frame / 60 <= i / 100) {
          // Its viseme durations are measured by the clock, which here is the audio's.
          performance.now = () => (1000 * frame) / 60;
          analyser.moveTo(Math.floor((frame * RATE) / 60) + 200);
          lips.processAudio();
          frame++;
        }
        track.push(VISEMES.indexOf(lips.viseme.replace("viseme_", "")));
      }
      performance.now = now;
      return track;
    },
  };
}

/** HeadAudio's worklet processor with the model that it ships. */
export async function headAudio(folder) {
  const { Processor } = await import(pathToFileURL(`${folder}/modules/processor.mjs`));
  const { Training } = await import(pathToFileURL(`${folder}/modules/training.mjs`)).then((module) => ({
    Training: module.Training ?? module.default,
  }));
  const bytes = readFileSync(`${folder}/dist/model-en-mixed.bin`);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const fetched = globalThis.fetch;
  globalThis.fetch = async () => new Response(buffer);
  const { model } = await new Training().loadModel("model-en-mixed.bin");
  globalThis.fetch = fetched;
  const order = ["aa", "E", "I", "O", "U", "PP", "SS", "TH", "DD", "FF", "kk", "nn", "RR", "CH", "sil"];
  return {
    track(samples) {
      let active = 0;
      const port = {
        postMessage(message) {
          if (message.event === "ended") active = 0;
          if (message.event === "viseme" && message.viseme !== null)
            active = VISEMES.indexOf(order[message.viseme]);
        },
      };
      const processor = new Processor({ sampleRate: RATE }, { port });
      // The worklet has no public way in.
      // oxlint-disable-next-line no-underscore-dangle
      processor._onmessage({ data: { event: "model", model } });
      const track = [];
      let fed = 0;
      for (let i = 0; i * HOP + 400 <= samples.length; i++) {
        for (; fed + 128 <= i * HOP + 200; fed += 128) processor.process(samples.subarray(fed, fed + 128));
        track.push(active);
      }
      return track;
    },
  };
}

/**
 * wLipSync's worklet and WebAssembly. It ships no profile, so that its accuracy is not scored; the six phonemes here are
 * there for its speed, which does not depend on their values.
 */
export async function wLipSync(folder) {
  const profile = {
    targetSampleRate: RATE,
    sampleCount: 1024,
    melFilterBankChannels: 30,
    compareMethod: 2,
    mfccNum: 12,
    mfccDataCount: 16,
    useStandardization: true,
    mfccs: ["A", "I", "U", "E", "O", "S"].map((name, n) => ({
      name,
      mfccCalibrationDataList: Array.from({ length: 16 }, (_, k) => ({
        array: Array.from({ length: 12 }, (_unused, i) => Math.sin(1 + n * 5 + i * 3 + k * 0.1)),
      })),
    })),
  };
  const wasmModule = new WebAssembly.Module(readFileSync(`${folder}/dist/wlipsync.wasm`));
  const source = readFileSync(`${folder}/dist/audio-processor.js`, "utf8");
  let heard;
  let Worklet;
  const scope = {
    WebAssembly,
    DataView,
    Float32Array,
    sampleRate: RATE,
    currentTime: 0,
    AudioWorkletProcessor: class {
      port = { postMessage: (message) => (heard = message) };
    },
    registerProcessor: (_name, processor) => (Worklet = processor),
  };
  runInContext(source, createContext(scope));
  const processor = new Worklet({ processorOptions: { wasmModule, profile } });
  await new Promise((done) => setTimeout(done, 200));
  const parameters = { blockSize: [512] };
  return {
    scores: false,
    track(samples) {
      const track = [];
      for (let at = 0; at + 128 <= samples.length; at += 128) {
        scope.currentTime = at / RATE;
        processor.process([[samples.subarray(at, at + 128)]], [[]], parameters);
        if (at % HOP < 128) track.push(heard?.index ?? 0);
      }
      if (!heard) throw new Error("wLipSync's worklet never answered");
      return track;
    },
  };
}
