import { beforeEach, describe, expect, it } from "vitest";
import { Router, type RouterWindow } from "./router.ts";

/** A browser's session history, as far as a router can tell: `go` answers later, with a `popstate`. */
class FakeWindow implements RouterWindow {
  entries: { path: string; state: unknown }[] = [{ path: "/studio", state: null }];
  at = 0;
  listeners = new Set<() => void>();
  pending: number[] = [];

  get location() {
    return { pathname: this.entries[this.at]!.path };
  }

  get history() {
    const history = {
      pushState: (state: unknown, _unused: string, path?: string | URL | null) => {
        this.entries = [...this.entries.slice(0, this.at + 1), { path: String(path), state }];
        this.at += 1;
      },
      replaceState: (state: unknown, _unused: string, path?: string | URL | null) => {
        this.entries[this.at] = { path: path ? String(path) : this.location.pathname, state };
      },
      go: (delta = 0) => void this.pending.push(delta),
      state: this.entries[this.at]!.state,
    };
    return history;
  }

  addEventListener(_type: "popstate", listener: () => void) {
    this.listeners.add(listener);
  }

  removeEventListener(_type: "popstate", listener: () => void) {
    this.listeners.delete(listener);
  }

  /** What the person's own back and forward buttons do. */
  step(delta: number) {
    this.at += delta;
    for (const listener of this.listeners) listener();
  }

  /** Carries out the steps that the router asked for. */
  settle() {
    for (const delta of this.pending.splice(0)) this.step(delta);
  }

  /** A click on a link to a place on the same page. */
  hash() {
    this.history.pushState(null, "", this.location.pathname);
    for (const listener of this.listeners) listener();
  }
}

let window: FakeWindow;
let router: Router;
beforeEach(() => {
  window = new FakeWindow();
  router = new Router(window);
  router.listen();
});

const paths = () => window.entries.map((entry) => entry.path);

describe("Router", () => {
  it("goes where it is told and follows back and forward", () => {
    router.navigate("/keys");
    router.navigate("/settings");
    expect(paths()).toEqual(["/studio", "/keys", "/settings"]);
    window.step(-2);
    expect(router.get().path).toBe("/studio");
    window.step(1);
    expect(router.get().path).toBe("/keys");
  });

  it("makes no entry for the page it is on", () => {
    router.navigate("/studio");
    expect(paths()).toEqual(["/studio"]);
  });

  it("asks for the focus once after each navigation, and not at the start", () => {
    expect(router.takeFocus()).toBe(false);
    router.navigate("/keys");
    expect(router.takeFocus()).toBe(true);
    expect(router.takeFocus()).toBe(false);
    window.step(-1);
    expect(router.takeFocus()).toBe(true);
  });

  it("holds a navigation while guarded, until the person decides", () => {
    router.setGuarded(true);
    router.navigate("/keys");
    expect(router.get()).toMatchObject({ path: "/studio", held: { kind: "push", path: "/keys" } });
    router.stay();
    expect(router.get()).toMatchObject({ path: "/studio", held: null });
    router.navigate("/keys");
    router.proceed();
    expect(router.get()).toMatchObject({ path: "/keys", held: null });
    expect(paths()).toEqual(["/studio", "/keys"]);
  });

  it("takes the back button back while guarded, and follows it when told to", () => {
    router.navigate("/keys");
    router.navigate("/settings");
    router.setGuarded(true);
    window.step(-2);
    window.settle();
    expect(window.location.pathname).toBe("/settings");
    expect(router.get()).toMatchObject({ path: "/settings", held: { kind: "history", delta: -2 } });
    router.stay();
    expect(router.get().path).toBe("/settings");

    window.step(-2);
    window.settle();
    router.proceed();
    window.settle();
    expect(window.location.pathname).toBe("/studio");
    expect(router.get()).toMatchObject({ path: "/studio", held: null });
    window.step(1);
    expect(router.get().path).toBe("/keys");
  });

  it("leaves places on the same page to the browser, guarded or not", () => {
    router.navigate("/settings");
    router.takeFocus();
    router.setGuarded(true);
    window.hash();
    window.hash();
    window.step(-1);
    expect(router.get()).toMatchObject({ path: "/settings", held: null });
    expect(router.takeFocus()).toBe(false);
    window.step(-2);
    window.settle();
    expect(router.get()).toMatchObject({ path: "/settings", held: { kind: "history", delta: -2 } });
    expect(window.at).toBe(2);
  });

  it("replaces an address without a new entry", () => {
    router.replace("/keys");
    expect(paths()).toEqual(["/keys"]);
    expect(router.get().path).toBe("/keys");
  });

  it("goes on counting after a reload", () => {
    router.navigate("/keys");
    const reloaded = new Router(window);
    reloaded.listen();
    reloaded.setGuarded(true);
    window.step(-1);
    expect(reloaded.get().held).toEqual({ kind: "history", delta: -1 });
  });
});
