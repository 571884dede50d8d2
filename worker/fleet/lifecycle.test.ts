import { beforeEach, describe, expect, test, vi } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import {
  boxStartedSchema,
  fleetRowAnswerSchema,
  fleetSchema,
  lifecycleOrderSchema,
  type LifecycleOrder,
} from "../../contract/fleet.ts";
import { heartbeatAnswerSchema } from "../../contract/internal/boxes.ts";
import { cleanUp } from "../cleanup.ts";
import { envOf } from "../platform/env.ts";
import { callWith } from "../testing/altered.ts";
import {
  asBox,
  beat,
  bindings,
  bodyOf,
  call,
  captureLog,
  db,
  idle,
  liveSession,
  makeKey,
  moveClock,
  origin,
  post,
  signIn,
  withKey,
  type Browser,
} from "../testing/portal.ts";

const secret = "secret-of-the-webhook-0123";
const driven = {
  LIFECYCLE: "webhook",
  LIFECYCLE_URL: "https://machines.test/orders",
  LIFECYCLE_SECRET: secret,
};

let admin: Browser;
beforeEach(async () => {
  admin = await signIn("admin@example.com");
});

const path = (boxId: string, verb: string) => `/auth/admin/boxes/${boxId}/${verb}`;
const tell = (boxId: string, verb: string) => post(path(boxId, verb), undefined, admin);
const orderStart = (region = "au") =>
  callWith(driven, "/auth/admin/boxes", { method: "POST", headers: admin, body: { region } });
const orderStop = (boxId: string) =>
  callWith(driven, path(boxId, "stop"), { method: "POST", headers: admin });
const rowOf = async (response: Response) => {
  expect(response.status).toBe(200);
  return (await bodyOf(response, fleetRowAnswerSchema)).box;
};
const refusalOf = async (response: Response) => [
  response.status,
  (await bodyOf(response, structuredErrorSchema)).error.code,
];
const unavailable = [503, "lifecycle_unavailable"];
const beatAs = (bearer: string, changes: object = {}) =>
  post("/internal/heartbeat", { ...idle, ...changes }, { Authorization: `Bearer ${bearer}` });
const launches = async () => (await db.prepare("SELECT * FROM box_launches").all()).results;

interface Sent {
  url: string;
  init: RequestInit;
  order: LifecycleOrder;
}

/** What takes the orders; answers what it was sent. */
function takeOrders(answer: () => Response | Promise<Response> = () => new Response("fine")): Sent[] {
  const sent: Sent[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init = {}) => {
    sent.push({ url: String(input), init, order: lifecycleOrderSchema.parse(JSON.parse(String(init.body))) });
    return answer();
  });
  return sent;
}

/** Ways in which nobody can tell whether an order was taken. */
const unanswered: [label: string, answer: () => Response | Promise<Response>][] = [
  ["the line breaks", () => Promise.reject(new TypeError("Network connection lost."))],
  [
    "nothing is answered in time",
    () => Promise.reject(new DOMException("The operation timed out.", "TimeoutError")),
  ],
  ["a gateway gave up", () => new Response(null, { status: 504 })],
  ["the edge gave up", () => new Response(null, { status: 524 })],
];

interface Launched {
  boxId: string;
  boxSecret: string;
}

async function launch(region = "au"): Promise<Launched> {
  const sent = takeOrders();
  const { box_id: boxId } = await bodyOf(await orderStart(region), boxStartedSchema);
  const order = sent.at(-1)?.order;
  if (order?.action !== "start") throw new Error("No box was ordered.");
  return { boxId, boxSecret: order.box_secret };
}

async function isSigned({ init }: Sent): Promise<boolean> {
  const header = new Headers(init.headers).get("X-Signature") ?? "";
  const [, at = "", hex = ""] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  expect(Math.abs(Number(at) - Date.now() / 1000)).toBeLessThan(10);
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["verify"]);
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return crypto.subtle.verify("HMAC", key, bytes, encoder.encode(`${at}.${String(init.body)}`));
}

describe("starting a box", () => {
  test("sends a signed order and answers which box is coming", async () => {
    const sent = takeOrders();
    const lines = captureLog();
    const answer = await orderStart(" nz ");
    expect(answer.status).toBe(202);
    const text = await answer.clone().text();
    const started = await bodyOf(answer, boxStartedSchema);
    expect(started.state).toBe("starting");
    const [one, ...others] = sent;
    if (one?.order.action !== "start") throw new Error("No box was ordered.");
    expect(others).toEqual([]);
    expect(one.url).toBe(driven.LIFECYCLE_URL);
    expect(one.order).toMatchObject({ box_id: started.box_id, region: "nz", portal_url: origin });
    expect(await isSigned(one)).toBe(true);
    expect(one.init).toMatchObject({ method: "POST", redirect: "manual" });
    expect(one.init.signal).toBeInstanceOf(AbortSignal);
    for (const seen of [text, lines.join("\n"), JSON.stringify(await launches())]) {
      expect(seen).not.toContain(one.order.box_secret);
      expect(seen).not.toContain(secret);
    }
    expect(await launches()).toMatchObject([{ box_id: started.box_id, started_by: "admin@example.com" }]);
  });

  test("gives each box a secret of its own, under which it is itself", async () => {
    const boxes = [await launch(), await launch()];
    expect(new Set(boxes.flatMap(({ boxId, boxSecret }) => [boxId, boxSecret])).size).toBe(4);
    for (const { boxId, boxSecret } of boxes) {
      expect((await beatAs(boxSecret, { public_url: `http://${boxId}.test` })).status).toBe(200);
    }
    const fleet = await bodyOf(await call("/auth/admin/fleet", { headers: admin }), fleetSchema);
    expect(fleet.boxes.map(({ box_id }) => box_id).sort()).toEqual(boxes.map(({ boxId }) => boxId).sort());
    expect((await beatAs(`${boxes[0]?.boxSecret}x`)).status).toBe(401);
  });

  test.each<[string, () => Response | Promise<Response>]>([
    ["with 500", () => new Response("the upstream's own words", { status: 500 })],
    ["with 404", () => new Response(null, { status: 404 })],
    ["with a redirection", () => Response.redirect("https://elsewhere.test/", 307)],
  ])("is unavailable when the order is refused %s, and no launch is kept", async (_label, answer) => {
    captureLog();
    const sent = takeOrders(answer);
    const refused = await orderStart();
    expect(await refused.clone().text()).not.toContain("upstream");
    expect(await refusalOf(refused)).toEqual(unavailable);
    expect(sent).toHaveLength(1);
    expect(await launches()).toEqual([]);
    const order = sent[0]?.order;
    if (order?.action === "start") expect((await beatAs(order.box_secret)).status).toBe(401);
  });

  test.each(unanswered)(
    "is unavailable when %s, and a machine that starts anyway is let in",
    async (_label, answer) => {
      captureLog();
      const sent = takeOrders(answer);
      const refused = await orderStart();
      const order = sent[0]?.order;
      if (order?.action !== "start") throw new Error("No box was ordered.");
      const text = await refused.clone().text();
      expect(text).toMatch(/may have been taken/);
      expect(text).toContain(order.box_id);
      expect(text).not.toContain(order.box_secret);
      expect(await refusalOf(refused)).toEqual(unavailable);
      expect(await launches()).toMatchObject([{ box_id: order.box_id, stopped_at: null }]);
      expect((await beatAs(order.box_secret)).status).toBe(200);
    },
  );

  test("is unavailable while the registry fails, and no order goes out", async () => {
    captureLog();
    const sent = takeOrders();
    await db.prepare("DROP TABLE box_launches").run();
    expect(await refusalOf(await orderStart())).toEqual(unavailable);
    expect(sent).toEqual([]);
    // A box that the configuration names does not need the table.
    expect((await beat("box-a")).status).toBe(200);
  });

  test("is unavailable without a driver", async () => {
    expect(await refusalOf(await post("/auth/admin/boxes", { region: "au" }, admin))).toEqual(unavailable);
    expect(await launches()).toEqual([]);
  });

  test.each([[{}], [{ region: " " }], [{ region: "a".repeat(65) }], [{ region: "au", size: 2 }]])(
    "takes no order of the shape %j",
    async (body) => {
      const asked = { method: "POST", headers: admin, body };
      expect(await refusalOf(await callWith(driven, "/auth/admin/boxes", asked))).toEqual([
        400,
        "invalid_body",
      ]);
    },
  );
});

describe("draining", () => {
  test("needs no driver: the box hears of it and gets no lease, until it is taken back", async () => {
    await beat("box-a");
    const { secret: key } = await makeKey(admin);
    const connect = () => post("/connect", { sdp: "v=0" }, withKey(key));
    expect(await rowOf(await tell("box-a", "drain"))).toMatchObject({ box_id: "box-a", drained: true });
    expect((await bodyOf(await beat("box-a"), heartbeatAnswerSchema)).drain).toBe(true);
    expect(await refusalOf(await connect())).toEqual([503, "box_unavailable"]);
    expect(await rowOf(await tell("box-a", "drain"))).toMatchObject({ drained: true });
    expect(await rowOf(await tell("box-a", "undrain"))).toMatchObject({ drained: false, fresh: true });
    expect((await bodyOf(await beat("box-a"), heartbeatAnswerSchema)).drain).toBe(false);
    expect((await connect()).status).toBe(200);
  });

  test("leaves a running session its lease", async () => {
    await beat("box-a", liveSession("ann@example.com"));
    expect(await rowOf(await tell("box-a", "drain"))).toMatchObject({ leased: true, state: "busy" });
  });
});

test.each(["drain", "undrain", "stop"])(
  "nobody can %s a box that the registry does not know",
  async (verb) => {
    await beat("box-a");
    const asked = { method: "POST", headers: admin };
    for (const changes of [{}, driven]) {
      expect(await refusalOf(await callWith(changes, path("box-z", verb), asked))).toEqual([
        404,
        "unknown_box",
      ]);
    }
  },
);

test("to anybody but an administrator none of it exists", async () => {
  await beat("box-a");
  const sent = takeOrders();
  const ann = await signIn("ann@example.com");
  const { secret: key } = await makeKey(admin);
  for (const headers of [{}, ann, withKey(key), asBox("box-a")]) {
    for (const [where, body] of [
      ["/auth/admin/boxes", { region: "au" }],
      ["/auth/admin/boxes", {}],
      ...["drain", "undrain", "stop"].flatMap((verb) => [
        [path("box-a", verb), undefined] as const,
        [path("box-z", verb), undefined] as const,
      ]),
    ] as const) {
      const answer = await callWith(driven, where, { method: "POST", headers, body });
      expect(await refusalOf(answer)).toEqual([404, "not_found"]);
    }
  }
  expect(sent).toEqual([]);
  expect((await bodyOf(await beat("box-a"), heartbeatAnswerSchema)).drain).toBe(false);
});

describe("stopping a box", () => {
  test("orders it, once nobody can be sent to it, and ends its lease and, in a while, its secret", async () => {
    const { boxId, boxSecret } = await launch("nz");
    await beatAs(boxSecret, { ...liveSession("ann@example.com"), region: "nz" });
    const drainedBefore: unknown[] = [];
    const sent = takeOrders(async () => {
      drainedBefore.push(await db.prepare("SELECT drained FROM boxes").first("drained"));
      return new Response(null, { status: 204 });
    });
    const row = await rowOf(await orderStop(boxId));
    expect(row).toMatchObject({ box_id: boxId, drained: true, leased: false });
    expect(drainedBefore).toEqual([1]);
    expect(sent.map(({ order }) => order)).toEqual([{ action: "stop", box_id: boxId, region: "nz" }]);
    expect(sent[0] && (await isSigned(sent[0]))).toBe(true);
    expect(await launches()).toMatchObject([{ box_id: boxId, stopped_at: expect.any(Number) }]);
    expect(await refusalOf(await tell(boxId, "undrain"))).toEqual([404, "unknown_box"]);
    expect(await rowOf(await orderStop(boxId))).toMatchObject({ drained: true });
  });

  test("leaves it five minutes to say how its last session ended, in which no lease goes to it", async () => {
    const { boxId, boxSecret } = await launch();
    await beatAs(boxSecret, liveSession("ann@example.com"));
    takeOrders();
    await orderStop(boxId);
    vi.restoreAllMocks();
    moveClock(299);
    const ended = {
      session_id: "s1",
      account: "ann@example.com",
      kind: "studio",
      avatar_id: "mary-ann",
      started_at: Math.floor(Date.now() / 1000) - 400,
      ended_at: Math.floor(Date.now() / 1000),
      end_reason: "box_shutdown",
      turns: 1,
    };
    const bearer = { Authorization: `Bearer ${boxSecret}` };
    expect((await post("/internal/sessions/report", ended, bearer)).status).toBe(200);
    expect(await db.prepare("SELECT end_reason FROM sessions").first("end_reason")).toBe("box_shutdown");
    expect((await bodyOf(await beatAs(boxSecret), heartbeatAnswerSchema)).drain).toBe(true);
    const { secret: key } = await makeKey(admin);
    expect(await refusalOf(await post("/connect", {}, withKey(key)))).toEqual([503, "box_unavailable"]);
    moveClock(2);
    expect((await beatAs(boxSecret)).status).toBe(401);
  });

  test.each(unanswered)("leaves it drained when %s, since it may be about to go", async (_label, answer) => {
    const { boxId, boxSecret } = await launch();
    await beatAs(boxSecret);
    captureLog();
    takeOrders(answer);
    const refused = await orderStop(boxId);
    expect(await refused.clone().text()).toMatch(/may have been taken/);
    expect(await refusalOf(refused)).toEqual(unavailable);
    expect((await bodyOf(await beatAs(boxSecret), heartbeatAnswerSchema)).drain).toBe(true);
    expect(await rowOf(await tell(boxId, "undrain"))).toMatchObject({ drained: false });
  });

  test("works for one that has not been heard of yet", async () => {
    const { boxId, boxSecret } = await launch("nz");
    const sent = takeOrders();
    expect(await rowOf(await orderStop(boxId))).toMatchObject({
      box_id: boxId,
      region: "nz",
      public_url: "",
      fresh: false,
      leased: false,
    });
    expect(sent.map(({ order }) => order.action)).toEqual(["stop"]);
    moveClock(301);
    expect((await beatAs(boxSecret)).status).toBe(401);
  });

  test("works for one that was started by hand, whose secret the configuration keeps", async () => {
    await beat("box-a");
    const sent = takeOrders();
    expect(await rowOf(await orderStop("box-a"))).toMatchObject({ box_id: "box-a", drained: true });
    expect(sent.map(({ order }) => order)).toEqual([{ action: "stop", box_id: "box-a", region: "au" }]);
    expect((await bodyOf(await beat("box-a"), heartbeatAnswerSchema)).drain).toBe(true);
  });

  test.each([false, true])("that is refused leaves a box as it was (drained: %s)", async (drained) => {
    const { boxId, boxSecret } = await launch();
    await beatAs(boxSecret, liveSession("ann@example.com"));
    if (drained) await tell(boxId, "drain");
    captureLog();
    takeOrders(() => new Response(null, { status: 503 }));
    expect(await refusalOf(await orderStop(boxId))).toEqual(unavailable);
    const answer = await bodyOf(
      await beatAs(boxSecret, liveSession("ann@example.com")),
      heartbeatAnswerSchema,
    );
    expect(answer.drain).toBe(drained);
    expect(await db.prepare("SELECT lease_account FROM boxes").first("lease_account")).toBe(
      "ann@example.com",
    );
    expect(await launches()).toMatchObject([{ stopped_at: null }]);
  });

  test("without a driver is unavailable and changes nothing", async () => {
    await beat("box-a");
    expect(await refusalOf(await tell("box-a", "stop"))).toEqual(unavailable);
    expect((await bodyOf(await beat("box-a"), heartbeatAnswerSchema)).drain).toBe(false);
  });
});

test("the clean-up forgets launches that were stopped, or never heard of, a day ago", async () => {
  const [stopped, unseen, alive] = [await launch(), await launch(), await launch()];
  takeOrders();
  await orderStop(stopped.boxId);
  const ids = async () => (await launches()).map((row) => row["box_id"]);
  moveClock(24 * 3600 - 60);
  await beatAs(alive.boxSecret);
  await cleanUp(envOf(bindings));
  expect((await ids()).sort()).toEqual([stopped.boxId, unseen.boxId, alive.boxId].sort());
  moveClock(120);
  await cleanUp(envOf(bindings));
  expect(await ids()).toEqual([alive.boxId]);
  expect((await beatAs(unseen.boxSecret)).status).toBe(401);
  expect((await beatAs(alive.boxSecret)).status).toBe(200);
  moveClock(25 * 3600);
  await cleanUp(envOf(bindings));
  expect(await ids()).toEqual([]);
});
