// The tools of a turn, as the turn machine sees them.

import type { Language } from "../../../contract/tones.ts";
import type { Settings } from "../../../contract/settings.ts";
import type { ModelTool, ToolResult, ToolUse } from "../models/model.ts";

/** What a built-in tool does to the conversation, once its turn is over or at once. */
export type PersonaAction =
  | { name: "end_call"; label: string }
  | { name: "skip_turn"; label: string }
  | { name: "pause_conversation"; label: string; paused: boolean }
  | { name: "set_language"; label: string; language: Language };

export interface ToolContext {
  account: string;
  /** Null: the turn is answered in writing only. */
  sessionId: string | null;
  correlationId: string | null;
  language: Language;
  signal: AbortSignal;
}

export interface ToolOutcome extends ToolResult {
  action: PersonaAction | null;
}

export interface Toolbox {
  /** What the model may call. */
  readonly definitions: readonly ModelTool[];
  /** A tool's name in words for people, in the call's language. */
  label(name: string, language: Language): string;
  /** What the persona says while the tool runs, or null. */
  phrase(name: string, language: Language): string | null;
  /** True when the turn has no further words after this tool. */
  endsTurn(name: string): boolean;
  /** Runs a tool. Never rejects: a tool that fails, hangs or does not exist is an outcome with `isError`. */
  run(use: ToolUse, context: ToolContext): Promise<ToolOutcome>;
}

export interface Toolboxes {
  /** The tools of a caller; `live` when there is a call to end, pause or turn to another language. */
  of(settings: Pick<Settings, "tools" | "tool_phrases">, live: boolean): Toolbox;
  /** Ends what is still under way. */
  close?(): Promise<void>;
}

/** No tools at all. */
export const noTools: Toolboxes = {
  of: () => ({
    definitions: [],
    label: (name) => name,
    phrase: () => null,
    endsTurn: () => false,
    run: ({ id, name }) =>
      Promise.resolve({ id, content: `There is no tool ${name}.`, isError: true, action: null }),
  }),
};
