import { describe, expect, it, vi } from "vitest";
import type { FleetRow } from "../../contract/fleet.ts";
import { VisavisError } from "../sdk/index.ts";
import { heartbeatAge } from "./box-card.tsx";
import { type fleetPortal, FleetStore } from "./fleet-store.ts";

const row = (box_id: string, drained = false): FleetRow => ({
  box_id,
  public_url: `https://${box_id}.example.com`,
  region: "ap-southeast-2",
  state: "free",
  room: null,
  build: { known: true, short_commit: "e8be59d" },
  heartbeat_at: 100,
  heartbeat_age_seconds: 3,
  fresh: true,
  capacity: 1,
  avatars_warm: [],
  drained,
  leased: false,
});

const missing = new VisavisError({
  code: "lifecycle_unavailable",
  message: "This portal has no way to start boxes.",
  status: 503,
});

function portal(overrides: Partial<typeof fleetPortal> = {}): typeof fleetPortal {
  return {
    list: vi.fn(async () => ({ generatedAt: 103, boxes: [row("a"), row("b")] })),
    start: vi.fn(async () => "c"),
    order: vi.fn(async (boxId: string, order) => row(boxId, order === "drain")),
    ...overrides,
  };
}

describe("FleetStore", () => {
  it("reads the fleet once for everybody who asks at the same time", async () => {
    const wired = portal();
    const store = new FleetStore(wired);
    await Promise.all([store.refresh(), store.refresh()]);
    expect(wired.list).toHaveBeenCalledOnce();
    expect(store.get()).toMatchObject({ status: "ready", generatedAt: 103 });
  });

  it("keeps showing the last reading when a later one fails", async () => {
    const list = vi.fn(portal().list);
    const store = new FleetStore(portal({ list }));
    await store.refresh();
    list.mockRejectedValueOnce(new VisavisError({ code: "network", message: "Not reached." }));
    await store.refresh();
    expect(store.get()).toMatchObject({ status: "ready", error: { code: "network" } });
    expect(store.get().boxes).toHaveLength(2);
    await store.refresh();
    expect(store.get().error).toBeNull();
  });

  it("puts the answered row in place after an order", async () => {
    const store = new FleetStore(portal());
    await store.refresh();
    await store.order("b", "drain");
    expect(store.get().boxes.map((box) => box.drained)).toEqual([false, true]);
  });

  it("remembers that this portal starts no boxes, in the portal's words", async () => {
    const store = new FleetStore(portal({ start: () => Promise.reject(missing) }));
    await store.refresh();
    await expect(store.start("ap-southeast-2")).rejects.toBe(missing);
    expect(store.get().lifecycleMissing).toBe(missing.message);
  });

  it("takes other refusals for what they are", async () => {
    const unknown = new VisavisError({ code: "unknown_box", message: "No such box.", status: 404 });
    const store = new FleetStore(portal({ order: () => Promise.reject(unknown) }));
    await store.refresh();
    await expect(store.order("z", "stop")).rejects.toBe(unknown);
    expect(store.get().lifecycleMissing).toBeNull();
  });
});

describe("heartbeatAge", () => {
  it.each([
    [3, "3 s ago"],
    [119, "119 s ago"],
    [180, "3 min ago"],
    [7200, "2 h ago"],
    [400_000, "5 days ago"],
  ])("%i seconds", (seconds, words) => {
    expect(heartbeatAge(seconds)).toBe(words);
  });
});
