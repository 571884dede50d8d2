// A hundred sessions on a whole box, each connected, spoken to and ended; the box's threads, file descriptors and memory
// after each ten, read from outside. The receivers live in this process.
//
//   node box/live/bench/cycles.ts [cycles]

import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { loopbackClient, type LoopbackClient } from "../../streaming/bench/client.ts";
import { SocketClient } from "../../testing/socket-client.ts";

const cycles = Number(process.argv[2] ?? 100);
const stateDir = await mkdtemp(join(tmpdir(), "visavis-cycles-"));
const child = spawn(process.execPath, [fileURLToPath(new URL("../../main.ts", import.meta.url))], {
  env: { PATH: process.env.PATH, BOX_PORT: "0", VISAVIS_STATE: stateDir },
  stdio: ["ignore", "pipe", "inherit"],
});

async function listening(): Promise<string> {
  let text = "";
  for await (const chunk of child.stdout) {
    text += String(chunk);
    const line = text.split("\n").find((one) => one.includes('"box listens"'));
    if (line) return (JSON.parse(line) as { url: string }).url;
  }
  throw new Error("The box ended before it listened.");
}

async function usage(): Promise<string> {
  const status = await readFile(`/proc/${child.pid}/status`, "utf8");
  const fds = await readdir(`/proc/${child.pid}/fd`);
  const rssMiB = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  const anonymousMiB = Number(/RssAnon:\s+(\d+)/.exec(status)?.[1]) / 1024;
  const threads = /Threads:\s+(\d+)/.exec(status)?.[1];
  return `threads ${threads}, fds ${fds.length}, RSS ${rssMiB.toFixed(0)} MiB, of it private ${anonymousMiB.toFixed(0)} MiB`;
}

async function until(done: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await done())) await sleep(20);
}

/** A receiver of a new session. The library at this end now and then loses its own transport while it takes an answer. */
async function goLive(attempts = 5): Promise<LoopbackClient> {
  const client = await loopbackClient();
  const body = JSON.stringify({ sdp: client.offerSdp, type: "offer" });
  const answer = await fetch(`${url}/connect`, { method: "POST", body });
  if (answer.status !== 200) throw new Error(`/connect answered ${answer.status}: ${await answer.text()}`);
  const { sdp } = (await answer.json()) as { sdp: string };
  try {
    client.connection.setRemoteDescription(sdp, "answer");
    return client;
  } catch (error) {
    await client.close();
    if (attempts === 1) throw error;
    return goLive(attempts - 1);
  }
}

const url = await listening();
child.stdout.resume();
try {
  await until(async () => {
    const { avatars } = (await (await fetch(`${url}/api/avatars`)).json()) as { avatars: string[] };
    return avatars.length === 2;
  });
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const client = await goLive();
    await until(() => client.videoPackets.length > 5);
    const socket = await SocketClient.open(`${url.replace("http", "ws")}/api/session/ws`);
    socket.send({ type: "message", content: "Tell me a story" });
    await socket.next("avatar_speech_started");
    await fetch(`${url}/disconnect`, { method: "POST" });
    socket.close();
    await Promise.all([socket.closed, client.close()]);
    if (cycle % 10 === 0) console.log(`after ${String(cycle).padStart(3)}: ${await usage()}`);
  }
} finally {
  child.kill("SIGTERM");
  await rm(stateDir, { recursive: true, force: true });
}
