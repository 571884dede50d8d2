// Custom tools, as a form holds them: the parameters are text until they are read as JSON.

import { builtinTools, type ToolDefinition, toolDefinitionSchema } from "../../contract/tools.ts";
import { toolNameHelp, toolNamePattern } from "./phrases.ts";

export interface ToolDraft {
  name: string;
  description: string;
  /** A JSON Schema object, as typed. */
  parameters: string;
  mode: ToolDefinition["mode"];
  timeout_seconds: string;
  enabled: boolean;
  /** Empty: the call goes to whoever holds the session. */
  endpoint: string;
}

export const emptyTool: ToolDraft = {
  name: "",
  description: "",
  parameters: JSON.stringify({ type: "object", properties: {}, required: [] }, null, 2),
  mode: "await_result",
  timeout_seconds: "10",
  enabled: true,
  endpoint: "",
};

export function toolDraft(tool: ToolDefinition): ToolDraft {
  return {
    name: tool.name,
    description: tool.description,
    parameters: JSON.stringify(tool.parameters, null, 2),
    mode: tool.mode,
    timeout_seconds: String(tool.timeout_seconds),
    enabled: tool.enabled,
    endpoint: tool.endpoint ?? "",
  };
}

function readParameters(text: string): { value: unknown; problem: string | null } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    // The parser's own words say where; each browser has its own.
    const where = thrown instanceof Error ? ` ${thrown.message}` : "";
    return { value: null, problem: `This is not JSON.${where}` };
  }
  if (typeof value !== "object" || value === null || (value as { type?: unknown }).type !== "object") {
    return { value: null, problem: 'The schema must be an object with "type": "object".' };
  }
  return { value, problem: null };
}

function problemWithEndpoint(text: string): string | null {
  if (!URL.canParse(text)) return "Enter a whole address, such as https://api.example.com/orders.";
  return new URL(text).protocol === "https:" ? null : "The address must begin with https://.";
}

/** The definition that a form describes, and what keeps it from being sent, by field. */
export function toolFrom(
  draft: ToolDraft,
  otherNames: readonly string[],
): { tool: ToolDefinition; problems: Record<string, string> } {
  const problems: Record<string, string> = {};
  const name = draft.name.trim();
  const description = draft.description.trim();
  const endpoint = draft.endpoint.trim();
  if (!toolNamePattern.test(name)) problems["name"] = toolNameHelp;
  else if (builtinTools.includes(name)) problems["name"] = `${name} is the name of a built-in tool.`;
  else if (otherNames.includes(name)) problems["name"] = "Two tools have this name.";

  if (!toolDefinitionSchema.shape.description.safeParse(description).success) {
    problems["description"] =
      "Say in 1 to 1024 characters what the tool does, so that the model knows when to use it.";
  }
  const parameters = readParameters(draft.parameters);
  if (parameters.problem) problems["parameters"] = parameters.problem;

  const timeout = Number(draft.timeout_seconds.trim() || Number.NaN);
  if (!toolDefinitionSchema.shape.timeout_seconds.safeParse(timeout).success) {
    problems["timeout_seconds"] = "Enter a whole number of seconds from 1 to 60.";
  }
  const wrongEndpoint = endpoint === "" ? null : problemWithEndpoint(endpoint);
  if (wrongEndpoint) problems["endpoint"] = wrongEndpoint;

  const tool = {
    name,
    description,
    parameters: parameters.value,
    mode: draft.mode,
    timeout_seconds: timeout,
    enabled: draft.enabled,
    ...(endpoint === "" ? {} : { endpoint }),
  };
  return { tool: tool as ToolDefinition, problems };
}
