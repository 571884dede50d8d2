// The tools of one caller for one turn: built in, or their own.

import type { Settings } from "../../../contract/settings.ts";
import type { ToolDefinition } from "../../../contract/tools.ts";
import type { Language } from "../../../contract/tones.ts";
import type { Log } from "../../ops/log.ts";
import type { ModelTool, ToolUse } from "../models/model.ts";
import { argumentProblem } from "./arguments.ts";
import { builtinLabel, builtinTools, isBuiltin, type BuiltinTool } from "./builtin.ts";
import { ClientToolError, type ClientTools } from "./client-tools.ts";
import { boundedJson, interruptedCall } from "./content.ts";
import { EndpointError, type EndpointCalls } from "./endpoint-calls.ts";
import type { Toolbox, ToolContext, Toolboxes, ToolOutcome } from "./toolbox.ts";
import { humanName, waitingLine } from "./words.ts";

export interface PersonaToolboxesOptions {
  endpoints: Pick<EndpointCalls, "call" | "close">;
  clientTools: Pick<ClientTools, "call" | "tell">;
  log: Log;
}

/** Calls of an account that are sent and not waited for, at once; one whose servers keep it waiting starts no more. */
const mostUnawaited = 32;

const started = "The tool was started; its result is not waited for.";
const broken = "The tool could not be run.";
const busy = "Too many tools are running already.";

export class PersonaToolboxes implements Toolboxes {
  readonly #options: PersonaToolboxesOptions;
  /** By account. */
  readonly #unawaited = new Map<string, Set<Promise<void>>>();

  constructor(options: PersonaToolboxesOptions) {
    this.#options = options;
  }

  of({ tools, tool_phrases }: Pick<Settings, "tools" | "tool_phrases">, live: boolean): Toolbox {
    const builtin = new Map(builtinTools(live).map((tool) => [tool.definition.name, tool]));
    const custom = new Map(
      tools.filter(({ name, enabled }) => enabled && !isBuiltin(name)).map((tool) => [tool.name, tool]),
    );
    return {
      definitions: [...Array.from(builtin.values(), ({ definition }) => definition), ...custom.values()].map(
        asModelTool,
      ),
      label: (name, language) => builtinLabel(name, language) ?? humanName(name),
      phrase: (name, language) => phraseOf({ name, language, phrases: tool_phrases, custom }),
      endsTurn: (name) => builtin.get(name)?.endsTurn ?? false,
      run: async (use, context) => {
        const outcome = await this.#run(use, context, {
          builtin: builtin.get(use.name),
          custom: custom.get(use.name),
        });
        return { id: use.id, ...outcome };
      },
    };
  }

  async close(): Promise<void> {
    this.#options.endpoints.close();
    await Promise.all([...this.#unawaited.values()].flatMap((sent) => [...sent]));
  }

  async #run(
    use: ToolUse,
    context: ToolContext,
    { builtin, custom }: { builtin: BuiltinTool | undefined; custom: ToolDefinition | undefined },
  ): Promise<Omit<ToolOutcome, "id">> {
    if (context.signal.aborted) return failed(interruptedCall);
    const definition = builtin?.definition ?? custom;
    if (!definition) return failed(`There is no tool ${humanName(use.name)}.`);
    try {
      const problem = argumentProblem(definition, use.arguments);
      if (problem !== null) return failed(problem);
      if (custom) return { content: await this.#custom(custom, use, context), isError: false, action: null };
      const done = builtin?.act(use.arguments, builtinLabel(use.name, context.language) ?? use.name);
      if (!done) return failed(broken);
      return "problem" in done ? failed(done.problem) : { ...done, isError: false };
    } catch (error) {
      this.#complain(definition.name, error);
      return failed(
        error instanceof EndpointError || error instanceof ClientToolError ? error.message : broken,
      );
    }
  }

  #custom(tool: ToolDefinition, use: ToolUse, context: ToolContext): Promise<string> {
    return tool.endpoint === undefined
      ? this.#atClient(tool, use, context)
      : this.#atEndpoint(tool, use, { ...context, endpoint: tool.endpoint });
  }

  async #atClient(tool: ToolDefinition, use: ToolUse, context: ToolContext): Promise<string> {
    const { clientTools } = this.#options;
    const { account, correlationId, signal } = context;
    const call = { account, use, correlationId };
    if (tool.mode === "fire_and_forget") {
      clientTools.tell(call);
      return started;
    }
    const result = await clientTools.call({ ...call, timeoutMs: tool.timeout_seconds * 1000, signal });
    const content = boundedJson(result);
    if (content === null) throw new ClientToolError("The tool's answer is nested too deeply.");
    return content;
  }

  async #atEndpoint(
    tool: ToolDefinition,
    use: ToolUse,
    { endpoint, account, sessionId, correlationId, signal }: ToolContext & { endpoint: string },
  ): Promise<string> {
    const call = {
      endpoint,
      tool: tool.name,
      arguments: use.arguments,
      sessionId,
      correlationId,
      timeoutMs: tool.timeout_seconds * 1000,
    };
    if (tool.mode === "await_result") return this.#options.endpoints.call({ ...call, signal });
    const unawaited = this.#unawaited.get(account) ?? new Set();
    if (unawaited.size >= mostUnawaited) throw new EndpointError("network", busy);
    // It was asked for and goes on when its turn is cut short; only its time runs out, or the box ends.
    const sent = this.#options.endpoints
      .call({ ...call, signal: new AbortController().signal })
      .then(
        () => this.#options.log.info({ tool: tool.name }, "a tool that is not waited for has answered"),
        (error: unknown) => this.#complain(tool.name, error),
      )
      .finally(() => {
        unawaited.delete(sent);
        if (unawaited.size === 0) this.#unawaited.delete(account);
      });
    unawaited.add(sent);
    this.#unawaited.set(account, unawaited);
    return started;
  }

  /** Kinds only: what a tool's server says may hold anything. */
  #complain(tool: string, error: unknown): void {
    const { log } = this.#options;
    if (error instanceof EndpointError) {
      const { fault, status } = error;
      if (fault !== "interrupted")
        log.warn({ tool, fault, ...(status === null ? {} : { status }) }, "a tool failed");
    } else if (error instanceof ClientToolError) log.info({ tool, fault: "client" }, "a tool failed");
    else log.error({ tool, error: error instanceof Error ? error.name : typeof error }, "a tool broke");
  }
}

function failed(content: string): Omit<ToolOutcome, "id"> {
  return { content, isError: true, action: null };
}

function asModelTool({ name, description, parameters }: ModelTool): ModelTool {
  return { name, description, parameters };
}

/** The caller's line in the call's language wins, then one of ours in that language, then the caller's English one. */
function phraseOf({
  name,
  language,
  phrases,
  custom,
}: {
  name: string;
  language: Language;
  phrases: Settings["tool_phrases"];
  custom: ReadonlyMap<string, ToolDefinition>;
}): string | null {
  // It is silent on purpose.
  if (name === "skip_turn") return null;
  const own = Object.hasOwn(phrases, name) ? phrases[name] : undefined;
  const line = own?.[language];
  if (line !== undefined) return line;
  // Of ours there are a line that fills the time in which a tool is waited for, and goodbyes for whoever says none.
  if (custom.get(name)?.mode === "await_result") return waitingLine[language];
  return name === "end_call" ? null : (own?.en ?? null);
}
