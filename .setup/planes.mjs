// Portal and box on this machine, wired to each other.

import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { service } from "./processes.mjs";
import { SetupError } from "./report.mjs";
import { bin, node, stateDir, wranglerEnv } from "./setup.mjs";

const boxId = "local";
const cleanUpEveryMs = 5 * 60_000;
const patienceMs = 30_000;

/** Variables of the user's environment that the portal may see. */
const portalVariables = [
  "ADMIN_EMAILS",
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_BASE_URL",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "BEDROCK_REGION",
  "BEDROCK_URL",
  "CARTESIA_URL",
  "ELEVENLABS_URL",
  "IDENTITY_AUDIENCE",
  "IDENTITY_ISSUER",
  "IDENTITY_JWKS_URL",
  "LIFECYCLE",
  "LIFECYCLE_SECRET",
  "LIFECYCLE_URL",
  "MAIL",
  "MAIL_FROM",
  "PORTRAIT_URL",
  "RESEND_API_KEY",
  "RESIDENCY_OPT_IN",
  "STILL_URL",
  "VAULT_KEY_PREVIOUS",
];

function port(name, fallback) {
  const value = Number(process.env[name] || fallback);
  if (!Number.isInteger(value) || value < 1 || value > 65535) {
    throw new SetupError(`${name} must be a port number; it is "${process.env[name]}".`);
  }
  return value;
}

async function assertFree(name, number) {
  const probe = createServer();
  await new Promise((resolve, reject) => {
    probe.once("error", reject).listen(number, "127.0.0.1", resolve);
  }).catch(() => {
    throw new SetupError(`Port ${number} is taken. Set ${name} to another one.`);
  });
  await new Promise((resolve) => {
    probe.close(resolve);
  });
}

/** A secret that is made once and kept, readable by its owner alone. */
function keptSecret(name) {
  const path = join(stateDir(), name);
  if (!existsSync(path)) {
    mkdirSync(stateDir(), { recursive: true });
    writeFileSync(path, randomBytes(32).toString("hex"), { mode: 0o600 });
  }
  chmodSync(path, 0o600);
  return readFileSync(path, "utf8").trim();
}

/** Secrets reach the Worker through a file, never through a command line that `ps` shows. */
function writePortalEnv(secret) {
  const path = join(stateDir(), "portal.env");
  const vaultKey = process.env.VAULT_KEY || keptSecret("vault-key");
  const lines = ["ENVIRONMENT=local", `BOX_SECRETS=${boxId}:${secret}`, `VAULT_KEY=${vaultKey}`];
  for (const name of portalVariables) {
    if (process.env[name]) lines.push(`${name}=${JSON.stringify(process.env[name])}`);
  }
  writeFileSync(path, `${lines.join("\n")}\n`, { mode: 0o600 });
  return path;
}

async function answers(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** A line of the portal's log: it took in a heartbeat of the box. */
function isHeartbeat(line) {
  try {
    const { path, status, box } = JSON.parse(line);
    return path === "/internal/heartbeat" && status === 200 && box === boxId;
  } catch {
    return false;
  }
}

/**
 * Starts both planes. `ready` resolves with the portal's address once the portal knows the box and it answers, and rejects when a
 * plane ends first; `exited` resolves when either plane ends; `stop` ends both and everything they started.
 */
export async function startPlanes() {
  const portalPort = port("PORTAL_PORT", 8787);
  const boxPort = port("BOX_PORT", 8788);
  await assertFree("PORTAL_PORT", portalPort);
  await assertFree("BOX_PORT", boxPort);
  const secret = keptSecret("box-secret");
  const portalUrl = `http://localhost:${portalPort}`;
  const boxUrl = `http://127.0.0.1:${boxPort}`;
  let heard = false;
  // Until both planes know each other they complain of each other, which is worth a person's time only if it stays so.
  let held = [];
  const release = () => {
    for (const line of held ?? []) console.log(line);
    held = null;
  };
  const patience = setTimeout(release, patienceMs);
  const show = (line) => {
    if (held) held.push(line);
    else console.log(line);
  };

  const flags = {
    ip: "127.0.0.1",
    port: portalPort,
    "inspector-port": 0,
    "persist-to": join(stateDir(), "portal"),
    "env-file": writePortalEnv(secret),
    "log-level": "info",
    "show-interactive-dev-session": false,
  };
  const portal = service("portal", {
    command: node,
    args: [bin("wrangler"), "dev", ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)],
    env: wranglerEnv,
    logFile: join(stateDir(), "portal.log"),
    show,
    // Wrangler's own lines name whole URLs, and a WebSocket's holds a credential; the portal's own lines do not.
    omit: /^\[wrangler:info\]/,
    onLine: (line) => {
      heard ||= isHeartbeat(line);
    },
  });
  const box = service("box", {
    command: node,
    args: ["box/main.ts"],
    env: {
      BOX_HOST: "127.0.0.1",
      BOX_PORT: String(boxPort),
      BOX_ID: boxId,
      BOX_SECRET: secret,
      BOX_PUBLIC_URL: boxUrl,
      PORTAL_URL: `http://127.0.0.1:${portalPort}`,
      VISAVIS_STATE: stateDir(),
    },
    logFile: join(stateDir(), "box.log"),
    show,
  });

  let stopped = false;
  const planes = [portal, box];
  const exited = Promise.race(
    planes.map((plane) => plane.exited.then((code) => ({ name: plane.name, code }))),
  );
  const stop = async () => {
    stopped = true;
    clearInterval(cleanUp);
    clearTimeout(patience);
    await Promise.all(planes.map((plane) => plane.stop()));
  };
  // No box path answers without a credential, and none is made for this alone: the portal's log says when it has taken in
  // where the box is, and the box itself says that it answers there.
  const wired = async () => heard && (await answers(`${boxUrl}/health`));
  const reachable = async () => {
    while (!stopped && !((await answers(`${portalUrl}/health`)) && (await wired()))) {
      await new Promise((resolve) => {
        setTimeout(resolve, 250);
      });
    }
    clearTimeout(patience);
    held = null;
    return portalUrl;
  };
  // Wrangler fires no cron triggers of its own while it serves a local portal.
  const cleanUp = setInterval(() => void answers(`${portalUrl}/cdn-cgi/local/scheduled`), cleanUpEveryMs);
  const died = exited.then(({ name, code }) => {
    release();
    throw new SetupError(`The ${name} ended before it was ready (exit ${code}).`);
  });
  return { ready: Promise.race([reachable(), died]), exited, stop };
}
