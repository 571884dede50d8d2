// What the box asks of a model, in the words of the Messages API.

import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  Tool,
} from "@anthropic-ai/sdk/resources/messages";
import type { ModelMessage, ModelRequest, ModelTool, ToolResult } from "./model.ts";

/** What a reply with tool uses hands back: its content as it was received, signed thinking included. */
export class CarriedContent {
  readonly blocks: readonly ContentBlockParam[];

  constructor(blocks: readonly ContentBlockParam[]) {
    this.blocks = blocks;
  }
}

/** The host remembers a request up to here, and the next one that begins the same way is read sooner. */
const remembered = { cache_control: { type: "ephemeral" } } as const;

const isWritten = (text: string) => text.trim() !== "";

function contentOf({ content, toolUses = [], carry }: Extract<ModelMessage, { role: "assistant" }>) {
  if (carry instanceof CarriedContent) return [...carry.blocks];
  const blocks: ContentBlockParam[] = isWritten(content) ? [{ type: "text", text: content }] : [];
  for (const { id, name, arguments: input } of toolUses) blocks.push({ type: "tool_use", id, name, input });
  return blocks;
}

/** Every tool use needs a result, and a result without its use is refused. */
function resultsOf(uses: readonly string[], results: readonly ToolResult[]): ContentBlockParam[] {
  return uses.map((id) => {
    const result = results.find((one) => one.id === id);
    const { content, isError } = result ?? { content: "This tool was not run.", isError: true };
    return { type: "tool_result", tool_use_id: id, content, ...(isError ? { is_error: true } : {}) };
  });
}

function messagesOf(messages: readonly ModelMessage[]): MessageParam[] {
  const sent: MessageParam[] = [];
  /** Tool uses of the message before that have no results yet. */
  let waiting: string[] = [];
  for (const message of messages) {
    const results = resultsOf(waiting, message.role === "tool" ? message.results : []);
    waiting = [];
    if (message.role === "assistant") {
      if (results.length > 0) sent.push({ role: "user", content: results });
      const content = contentOf(message);
      waiting = content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
      if (content.length > 0) sent.push({ role: "assistant", content });
      continue;
    }
    const content: ContentBlockParam[] = [...results];
    if (message.role === "user" && isWritten(message.content))
      content.push({ type: "text", text: message.content });
    if (content.length > 0) sent.push({ role: "user", content });
  }
  if (waiting.length > 0) sent.push({ role: "user", content: resultsOf(waiting, []) });
  return sent;
}

/** Of what was said last, the last block. */
function rememberLast(messages: readonly MessageParam[]): void {
  const last = messages.at(-1);
  const block = last?.role === "user" && Array.isArray(last.content) ? last.content.at(-1) : undefined;
  if (block) Object.assign(block, remembered);
}

function toolOf({ name, description, parameters }: ModelTool): Tool {
  return { name, description, input_schema: { ...parameters, type: "object" } };
}

export function messagesRequest(request: ModelRequest): MessageCreateParamsStreaming {
  const { effort, ...parameters } = request.parameters;
  const system: TextBlockParam[] = isWritten(request.system)
    ? [{ type: "text", text: request.system, ...remembered }]
    : [];
  const tools = request.tools.map(toolOf);
  const lastTool = tools.at(-1);
  // Tools come before the system prompt in what is remembered, so that the prompt's mark covers both.
  if (system.length === 0 && lastTool) Object.assign(lastTool, remembered);
  const messages = messagesOf(request.messages);
  rememberLast(messages);
  return {
    model: request.model,
    ...(system.length === 0 ? {} : { system }),
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...parameters,
    ...(effort === undefined ? {} : { output_config: { effort } }),
    stream: true,
  };
}
