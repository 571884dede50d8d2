import { describe, expect, it, vi } from "vitest";
import { VisavisError } from "../sdk/index.ts";
import { stillsOfBox } from "./box-stills.ts";

const refusal = (code: string) => new VisavisError({ code, message: "No.", status: 503 });

function make() {
  const api = {
    attest: vi.fn(),
    download: vi.fn(async () => new Blob(["portal"])),
    grantUpload: vi.fn(),
    put: vi.fn(),
    startStill: vi.fn(async (_request: object) => "portal-job"),
    stillJob: vi.fn(async (_id: string) => ({ state: "pending" as const })),
  };
  const box = {
    startSeatedStill: vi.fn(async (_request: object) => "box-job"),
    seatedStill: vi.fn(async (_job: string) => ({
      state: "done" as const,
      image_url: "/api/avatar/seated-still/box-job/image",
      identity_checked: true,
      identity_score: 0.97,
    })),
    seatedStillImage: vi.fn(async (_job: string) => new Blob(["box"])),
  };
  return { api, box, stills: stillsOfBox(api, box) };
}

describe("stillsOfBox", () => {
  it("leaves everything to a portal that makes stills", async () => {
    const { box, stills } = make();
    const job = await stills.startStill({ upload_id: "u" });
    expect(await stills.stillJob(job)).toEqual({ state: "pending" });
    expect(box.startSeatedStill).not.toHaveBeenCalled();
    expect(box.seatedStill).not.toHaveBeenCalled();
  });

  it("asks the box where the portal makes none, and shows its picture from memory", async () => {
    const { api, stills } = make();
    api.startStill.mockRejectedValue(refusal("seated_still_unavailable"));
    const job = await stills.startStill({ upload_id: "u", note: "smile" });
    const first = await stills.stillJob(job);
    if (first.state !== "done") throw new Error(first.state);
    expect(first).toMatchObject({ identity_score: 0.97, image_url: expect.stringMatching(/^blob:/) });
    expect(await (await stills.download(first.image_url)).text()).toBe("box");
    expect(api.download).not.toHaveBeenCalled();
    const revoke = vi.spyOn(URL, "revokeObjectURL");
    stills.free();
    expect(revoke).toHaveBeenCalledExactlyOnceWith(first.image_url);
    revoke.mockRestore();
    expect(await (await stills.download(first.image_url)).text()).toBe("portal");
  });

  it("asks nobody else after any other refusal", async () => {
    const { api, box, stills } = make();
    api.startStill.mockRejectedValue(refusal("rate_limited"));
    await expect(stills.startStill({ upload_id: "u" })).rejects.toMatchObject({ code: "rate_limited" });
    expect(box.startSeatedStill).not.toHaveBeenCalled();
  });
});
