// Every route of a box against every kind of credential: on a box of a real portal, on one with keys of its own, on an open one.

import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTokenResponseSchema } from "../../contract/credentials.ts";
import { flatErrorSchema, structuredErrorSchema, unwrappedErrorSchema } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { startTestBox, type TestBox } from "../../box/testing/test-box.ts";
import { startPortal, type PortalProcess } from "../harness/portal.ts";
import { boxRows, staticCell, unmatched, wiredCell, type BoxKind, type BoxRow } from "./box-table.ts";
import { boxSecret, credentialKinds, expiredRows, makeCredentials, type Credentials } from "./credentials.ts";
import { startIdentityProvider, type IdentityProvider } from "./identity-provider.ts";

const operatorKey = "a key of the box's own environment";
const kinds: BoxKind[] = [...credentialKinds, "operator"];
const mintPath = "/v1/streaming.create_token";

let identity: IdentityProvider;
let portal: PortalProcess;
let credentials: Credentials & { operator: Record<string, string> };
let wired: TestBox;
let alone: TestBox;
let open: TestBox;

beforeAll(async () => {
  identity = await startIdentityProvider();
  portal = await startPortal({
    seed: expiredRows,
    variables: { ...identity.variables, BOX_SECRETS: `box-a:${boxSecret}`, VAULT_KEY: "ab".repeat(32) },
  });
  const made = await makeCredentials(portal.url, identity);
  credentials = { ...made, operator: { "X-Api-Key": operatorKey } };
  [wired, alone, open] = await Promise.all([
    startTestBox({ SERVICE_API_KEYS: operatorKey, PORTAL_URL: portal.url, BOX_SECRET: boxSecret }),
    startTestBox({ SERVICE_API_KEYS: operatorKey }),
    startTestBox({ SERVICE_API_KEYS: "" }),
  ]);
});
afterAll(async () => {
  await Promise.all([wired, alone, open].map((box) => box?.close()));
  await portal?.stop();
  identity?.close();
});

interface Answer {
  status: number;
  text: string;
  headers: Record<string, string | string[] | undefined>;
}

interface Sending {
  method: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  upgrade?: boolean;
}

/** By hand, since fetch neither upgrades nor says more in a header than it sends. */
function send(box: TestBox, path: string, { method, headers = {}, body, upgrade }: Sending): Promise<Answer> {
  const handshake = {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": Buffer.alloc(16).toString("base64"),
  };
  return new Promise((resolve, reject) => {
    const asked = httpRequest(box.url + path, {
      method,
      headers: { Connection: "close", ...headers, ...(upgrade ? handshake : {}) },
    });
    asked.once("upgrade", ({ headers: given }, socket) => {
      socket.destroy();
      resolve({ status: 101, text: "", headers: given });
    });
    asked.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.once("error", reject);
      response.once("end", () => {
        asked.destroy();
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers });
      });
    });
    asked.once("error", reject);
    // A body that is announced and never sent whole is answered all the same.
    if (headers["Content-Length"] === undefined) asked.end(body);
    else asked.write(body ?? "x");
  });
}

/** The refusal as `status code`, from the envelope it must come in; the code is left out where the envelope has none. */
function refusalOf(envelope: BoxRow["envelope"], { status, text }: Answer): string {
  const body: unknown = JSON.parse(text);
  if (status === 401 || envelope === "unwrapped")
    return `${status} ${unwrappedErrorSchema.strict().parse(body).code}`;
  if (envelope === "flat") return `${status} ${flatErrorSchema.strict().parse(body) && ""}`.trim();
  const { error } = structuredErrorSchema.strict().parse(body);
  return `${status} ${structuredErrorSchema.shape.error.strict().parse(error).code}`;
}

const isSocket = ({ path }: BoxRow) => path.endsWith("/ws");
const title = ({ method, path, headers }: BoxRow) => `${method} ${path}${headers ? " through a proxy" : ""}`;

async function ask(box: TestBox, row: BoxRow, kind: BoxKind): Promise<Answer> {
  const target = row.path.replace("{id}", row.path.startsWith("/connect/") ? await liveSession(box) : "none");
  // A credential alone: what a page of some origin may do is another matter.
  const { Origin: _, ...presented } = credentials[kind];
  return send(box, `${target.replace("{job_id}", "none")}${row.query ? `?${row.query}` : ""}`, {
    method: row.method,
    headers: { ...presented, ...row.headers },
    upgrade: isSocket(row),
  });
}

/** The owner's. */
async function liveSession(box: TestBox): Promise<string> {
  const key = credentials[box === wired ? "full key" : "operator"]["X-Api-Key"] ?? "";
  return box.services.slot.current?.id ?? (await box.connect({ key })).session_id;
}

/** What a cell came to: `in` for what the route itself answers, if that is what it should be. */
function cellOf(row: BoxRow, answer: Answer, status: number): string {
  if (answer.status === 401) {
    expect(answer.headers["www-authenticate"]).toBe("Bearer");
    return refusalOf(row.envelope, answer);
  }
  const got = answer.status < 400 ? `${answer.status}` : refusalOf(row.envelope, answer);
  const code = row.code && row.envelope !== "flat" && status === row.status ? ` ${row.code}` : "";
  return got === `${status}${code}` || (code === "" && got.startsWith(`${status}`)) ? "in" : got;
}

async function rowOf(box: TestBox, row: BoxRow, own: (kind: BoxKind) => boolean) {
  const cells: [BoxKind, string][] = [];
  for (const kind of kinds) {
    const answer = await ask(box, row, kind);
    const foreign = row.foreign ?? row.status;
    const status = own(kind) ? row.status : kind === "operator" ? (row.operator ?? foreign) : foreign;
    cells.push([kind, cellOf(row, answer, status)]);
    if (answer.status !== 101) expect(answer.headers["x-request-id"]).toMatch(/^[\w-]{8,}$/);
  }
  return Object.fromEntries(cells);
}

test("the table names every route of the contract, and no other", () => {
  expect(unmatched).toEqual([]);
});

describe("a box of a portal", () => {
  const own = (kind: BoxKind) => kind !== "operator" && kind !== "someone else's key";
  test.each(boxRows.map((row) => [title(row), row] as const))("%s", async (_, row) => {
    const wanted = Object.fromEntries(kinds.map((kind) => [kind, wiredCell(row.policy, kind)]));
    expect(await rowOf(wired, row, own)).toEqual(wanted);
  });
});

describe("a box with keys of its own", () => {
  const operators = boxRows.map((row): BoxRow => (row.headers ? row : { ...row, operator: row.status }));
  test.each(operators.map((row) => [title(row), row] as const))("%s", async (_, row) => {
    const wanted = Object.fromEntries(kinds.map((kind) => [kind, staticCell(row.policy, kind)]));
    expect(await rowOf(alone, row, (kind) => kind !== "operator")).toEqual(wanted);
  });
});

describe("an open box lets everybody in", () => {
  test.each(boxRows.map((row) => [title(row), row] as const))("%s", async (_, row) => {
    const everybody = { ...row, operator: row.status };
    const wanted = Object.fromEntries(kinds.map((kind) => [kind, "in"]));
    expect(await rowOf(open, everybody, () => true)).toEqual(wanted);
  });
});

describe(`POST ${mintPath}`, () => {
  const mint = async (box: TestBox, kind: BoxKind) => {
    const answer = await send(box, mintPath, { method: "POST", headers: credentials[kind] });
    if (answer.status !== 200) return refusalOf("unwrapped", answer);
    return createTokenResponseSchema.strict().parse(JSON.parse(answer.text)).data.token;
  };

  test("on a box of a portal", async () => {
    for (const kind of kinds) {
      const cell = kind === "session credential" ? "401 insufficient_scope" : wiredCell("full", kind);
      const minted = await mint(wired, kind);
      if (cell !== "in") expect.soft([kind, minted]).toEqual([kind, cell]);
      else expect.soft((await wired.ask("/api/avatars", { key: minted })).status).toBe(200);
    }
    // The portal's keys mint at the portal, whose tokens are good on every box and there.
    const token = await mint(wired, "full key");
    const elsewhere = await fetch(`${portal.url}/v1/public/tones`, { headers: { "X-Api-Key": token } });
    expect(elsewhere.status).toBe(200);
  });

  test("on a box without a key table, and on one without keys", async () => {
    expect(await mint(alone, "operator")).toBe("503 mint_failed");
    expect(await mint(alone, "none")).toBe("401 missing_api_key");
    for (const kind of kinds) expect(await mint(open, kind)).toBe("400 auth_disabled");
  });
});

describe("bodies", () => {
  const readers = boxRows.filter(({ bodies }) => bodies.length > 0);
  const target = async (row: BoxRow) => row.path.replace("{id}", await liveSession(wired));
  const key = () => credentials["full key"];
  const of = (type: string) =>
    readers.filter(({ bodies }) => bodies.includes(type)).map((row) => [title(row), row] as const);
  const refused = ({ envelope }: BoxRow, status: number, code: string) =>
    envelope === "flat" ? `${status}` : `${status} ${code}`;

  test.each(of("application/json"))("%s takes nothing but a JSON object", async (_, row) => {
    for (const body of ["{", "[1]", "null", '"text"', "\u0000", Buffer.from([0xff, 0xfe])]) {
      const headers = { ...key(), "Content-Type": "application/json" };
      const answer = await send(wired, await target(row), { method: row.method, headers, body });
      expect.soft([body, refusalOf(row.envelope, answer)]).toEqual([body, refused(row, 400, "invalid_body")]);
    }
  });

  test.each(of("application/json"))("%s takes no more than its limit", async (_, row) => {
    const body = JSON.stringify({ filler: "x".repeat(limits.jsonBodyBytes) });
    const headers = { ...key(), "Content-Type": "application/json" };
    const answer = await send(wired, await target(row), { method: row.method, headers, body });
    expect(refusalOf(row.envelope, answer)).toBe(refused(row, 413, "body_too_large"));
  });

  test.each(of("multipart/form-data"))("%s takes nothing but a form", async (_, row) => {
    for (const [type, body] of [
      ["multipart/form-data", "x"],
      ["multipart/form-data; boundary=b", '--b\r\nContent-Disposition: form-data; name="file"'],
      ["multipart/form-data; boundary=b", "--b\r\n\r\n\r\n--c--"],
      ["text/plain", "x"],
    ] as const) {
      const headers = { ...key(), "Content-Type": type };
      const answer = await send(wired, row.path, { method: row.method, headers, body });
      expect.soft([type, body, answer.status]).toEqual([type, body, 400]);
      refusalOf(row.envelope, answer);
    }
  });

  test.each(of("multipart/form-data"))(
    "%s takes no more than its limit, and says so at once",
    async (_, row) => {
      const bytes = row.path.includes("avatar") ? limits.avatarBodyBytes : limits.audioBodyBytes;
      const headers = {
        ...key(),
        "Content-Type": "multipart/form-data; boundary=b",
        // The form around a file has some room of its own.
        "Content-Length": String(bytes + 128 * 1024),
      };
      const answer = await send(wired, row.path, { method: row.method, headers, body: "--b\r\n" });
      // Without a speech server no voice is cloned, however large its clip.
      if (row.path === "/api/voice/upload" && answer.status === 400) refusalOf(row.envelope, answer);
      else expect(refusalOf(row.envelope, answer)).toBe(refused(row, 413, "body_too_large"));
    },
  );
});

test("a path that is asked in a wrong way is told which ways there are", async () => {
  for (const row of boxRows) {
    if (row.path === "/nowhere" || isSocket(row) || row.method === "OPTIONS" || row.method === "PUT")
      continue;
    const answer = await send(wired, row.path.replace(/\{\w+\}/, "x"), {
      method: "PUT",
      headers: credentials["full key"],
    });
    expect
      .soft([title(row), refusalOf("structured", answer)])
      .toEqual([title(row), "405 method_not_allowed"]);
    expect
      .soft([title(row), answer.headers.allow])
      .toEqual([title(row), expect.stringContaining(row.method)]);
  }
});
