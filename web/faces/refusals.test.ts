import { describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { VisavisError } from "../sdk/index.ts";
import { refusalFromError, refuseFile } from "./refusals.ts";

describe("refuseFile", () => {
  const photo = { name: "me.jpg", size: 400_000, type: "image/jpeg" };

  it("lets photographs up to the limit go", () => {
    expect(refuseFile(photo)).toBeNull();
    expect(refuseFile({ ...photo, type: "image/png", size: limits.imageBytes })).toBeNull();
  });

  it("lets videos go, also those whose type the browser does not know", () => {
    expect(refuseFile({ name: "me.mov", type: "video/quicktime", size: limits.videoBytes })).toBeNull();
    expect(refuseFile({ name: "me.MKV", type: "", size: 1 })).toBeNull();
    expect(refuseFile({ name: "me.mp4", type: "video/mp4", size: limits.videoBytes + 1 })?.detail).toMatch(
      /up to 200 MB/,
    );
  });

  it("stops what the box would refuse anyway, and says what would do", () => {
    expect(refuseFile({ ...photo, type: "application/pdf" })?.detail).toMatch(/JPEG or PNG/);
    expect(refuseFile({ ...photo, size: 0 })?.title).toMatch(/empty/);
    expect(refuseFile({ ...photo, size: limits.imageBytes + 1 })?.detail).toMatch(/15\.7 MB; up to 15 MB/);
  });
});

describe("refusalFromError", () => {
  const message = "The service's own sentence.";

  it("finds a heading by code, by status, or a general one, and keeps the sentence", () => {
    const byCode = refusalFromError(new VisavisError({ code: "no_face", message, status: 400 }));
    expect(byCode).toEqual({ title: "No face to be found", detail: message });
    const byStatus = refusalFromError(new VisavisError({ code: "http_413", message, status: 413 }));
    expect(byStatus.title).toMatch(/too large/);
    const unknown = refusalFromError(new VisavisError({ code: "odd", message, status: 418 }));
    expect(unknown).toEqual({ title: "The upload did not work", detail: message });
  });
});
