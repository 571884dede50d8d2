import { describe, expect, it, vi } from "vitest";
import { ClientTools } from "./tools.ts";

const call = (name: string) => ({ id: "t1", name, arguments: { order: 7 }, correlationId: "c" });

function make() {
  const answer = vi.fn<(id: string, result: unknown) => void>();
  return { tools: new ClientTools(answer), answer };
}

describe("tools of the page", () => {
  it("answer their calls with what the handler returns, now or later", async () => {
    const { tools, answer } = make();
    tools.register("track_order", (input, context) => Promise.resolve({ input, context }));
    tools.register("wave", () => undefined);
    await tools.run(call("track_order"));
    await tools.run(call("wave"));
    expect(answer.mock.calls).toEqual([
      ["t1", { input: { order: 7 }, context: { id: "t1", correlationId: "c" } }],
      ["t1", null],
    ]);
  });

  it("leave calls alone that nobody registered for, or no longer", async () => {
    const { tools, answer } = make();
    const remove = tools.register("wave", () => 1);
    tools.register("wave", () => 2);
    remove();
    await tools.run(call("wave"));
    expect(answer).toHaveBeenCalledExactlyOnceWith("t1", 2);
    await tools.run(call("nod"));
    expect(answer).toHaveBeenCalledTimes(1);
  });

  it("tell the model that a handler failed, without its words, and the page with them", async () => {
    const { tools, answer } = make();
    const uncaught: unknown[] = [];
    const onUncaught = (error: unknown) => uncaught.push(error);
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.on("uncaughtException", onUncaught);
    try {
      tools.register("break", () => {
        throw new Error("a secret");
      });
      await tools.run(call("break"));
      await new Promise(setImmediate);
    } finally {
      process.removeListener("uncaughtException", onUncaught);
      for (const other of others) process.on("uncaughtException", other);
    }
    expect(answer).toHaveBeenCalledExactlyOnceWith("t1", { error: "The tool failed." });
    expect(uncaught).toEqual([new Error("a secret")]);
  });

  it("do not mind a session that ended meanwhile", async () => {
    const tools = new ClientTools(() => {
      throw new Error("The session is over.");
    });
    tools.register("wave", () => 1);
    await expect(tools.run(call("wave"))).resolves.toBeUndefined();
  });
});
