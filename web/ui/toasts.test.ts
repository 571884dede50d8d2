import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ToastStore } from "./toasts.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("ToastStore", () => {
  it("shows a notice until its time is over, a problem for longer", () => {
    const store = new ToastStore();
    store.show("Done.");
    store.show("Broken.", "problem");
    vi.advanceTimersByTime(4000);
    expect(store.get().toasts.map((toast) => toast.text)).toEqual(["Broken."]);
    vi.advanceTimersByTime(4000);
    expect(store.get().toasts).toEqual([]);
  });

  it("shows the newest three, and lets any be dismissed", () => {
    const store = new ToastStore();
    for (const text of ["1", "2", "3", "4"]) store.show(text);
    expect(store.get().toasts.map((toast) => toast.text)).toEqual(["2", "3", "4"]);
    store.dismiss(store.get().toasts[1]!.id);
    expect(store.get().toasts.map((toast) => toast.text)).toEqual(["2", "4"]);
  });
});
