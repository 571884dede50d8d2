import type { Language } from "../../contract/tones.ts";
import type { ToolUse } from "../chat/models/model.ts";
import type { PersonaAction, Toolbox, Toolboxes, ToolContext, ToolOutcome } from "../chat/tools/toolbox.ts";

const actions: Record<string, (input: Record<string, unknown>) => PersonaAction> = {
  end_call: () => ({ name: "end_call", label: "Ended the call" }),
  skip_turn: () => ({ name: "skip_turn", label: "Stayed quiet" }),
  pause_conversation: () => ({ name: "pause_conversation", label: "Paused", paused: true }),
  set_language: ({ language }) => ({
    name: "set_language",
    label: "Changed the language",
    language: language as Language,
  }),
};

/** The built-in tools, and `look_up`, which answers what a test says. */
export class FakeTools implements Toolboxes, Toolbox {
  readonly ran: { use: ToolUse; context: ToolContext }[] = [];
  readonly phrases = new Map<string, string>();
  /** Runs of `look_up` wait for this. */
  answer: (use: ToolUse, context: ToolContext) => Promise<string> = () => Promise.resolve("found");
  readonly definitions = ["look_up", ...Object.keys(actions)].map((name) => ({
    name,
    description: `What ${name} does.`,
    parameters: { type: "object" },
  }));

  of(): Toolbox {
    return this;
  }

  label(name: string): string {
    return `Label of ${name}`;
  }

  phrase(name: string): string | null {
    return this.phrases.get(name) ?? null;
  }

  endsTurn(name: string): boolean {
    return name === "end_call" || name === "skip_turn" || name === "pause_conversation";
  }

  async run(use: ToolUse, context: ToolContext): Promise<ToolOutcome> {
    this.ran.push({ use, context });
    const { id, name } = use;
    const action = actions[name]?.(use.arguments) ?? null;
    if (action) return { id, content: "done", isError: false, action };
    if (name !== "look_up") return { id, content: `There is no tool ${name}.`, isError: true, action: null };
    return { id, content: await this.answer(use, context), isError: false, action: null };
  }
}
