// A reply of the Messages API, put together from its events.

import type { ContentBlockParam, RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages";
import type { ToolUse } from "./model.ts";

interface OpenBlock {
  block: ContentBlockParam;
  /** Arguments of a tool as far as they were written. */
  json: string;
  closed: boolean;
}

/** The arguments, or null when they are no JSON object. A tool without arguments may be called with nothing at all. */
function argumentsOf(json: string): Record<string, unknown> | null {
  if (json.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

export interface ToolUses {
  uses: ToolUse[];
  /** A tool was called in a way that cannot be understood, or not to the end. */
  broken: boolean;
}

export class MessagesReply {
  readonly #blocks = new Map<number, OpenBlock>();
  /** Words came after the last end of some. */
  #spoke = false;
  /** Why the model stopped; null while it has not said. */
  stopReason: string | null = null;
  /** The stream came to its proper end. */
  complete = false;

  /** Takes an event in; answers the words it brought. */
  push(event: RawMessageStreamEvent): string {
    switch (event.type) {
      case "content_block_start":
        return this.#open(event.index, event.content_block);
      case "content_block_delta":
        return this.#grow(event.index, event.delta);
      case "content_block_stop": {
        const open = this.#blocks.get(event.index);
        if (open) open.closed = true;
        return "";
      }
      case "message_delta":
        this.stopReason = event.delta.stop_reason ?? this.stopReason;
        return "";
      case "message_stop":
        this.complete = true;
        return "";
      default:
        return "";
    }
  }

  /** The tools that the model wants to have run. */
  toolUses(): ToolUses {
    const uses: ToolUse[] = [];
    let broken = false;
    for (const { block, json, closed } of this.#blocks.values()) {
      if (block.type !== "tool_use") continue;
      const { id, name } = block;
      const input = closed ? argumentsOf(json) : null;
      if (input && typeof id === "string" && typeof name === "string" && id !== "" && name !== "")
        uses.push({ id, name, arguments: input });
      else broken = true;
    }
    return { uses, broken };
  }

  /** Everything as it was received, but for what the API would refuse to take back: empty text and broken tool uses. */
  content(): ContentBlockParam[] {
    const { uses } = this.toolUses();
    return [...this.#blocks.values()].flatMap(({ block }): ContentBlockParam[] => {
      if (block.type === "text") return block.text.trim() === "" ? [] : [block];
      if (block.type !== "tool_use") return [block];
      const use = uses.find(({ id }) => id === block.id);
      return use ? [{ ...block, input: use.arguments }] : [];
    });
  }

  #open(
    index: number,
    block: Extract<RawMessageStreamEvent, { type: "content_block_start" }>["content_block"],
  ): string {
    switch (block.type) {
      case "text":
        this.#blocks.set(index, { block: { ...block }, json: "", closed: false });
        return this.#afterWords() + this.#heard(textOf(block.text));
      case "thinking":
      case "redacted_thinking":
        this.#blocks.set(index, { block: { ...block }, json: "", closed: false });
        return "";
      case "tool_use": {
        const given = typeof block.input === "object" && block.input !== null ? block.input : {};
        const json = Object.keys(given).length === 0 ? "" : JSON.stringify(given);
        this.#blocks.set(index, { block: { ...block }, json, closed: false });
        return this.#afterWords();
      }
      default:
        // Blocks of tools that run upstream: none of those is ever offered.
        return "";
    }
  }

  #heard(words: string): string {
    if (words !== "") this.#spoke = true;
    return words;
  }

  /** Ends the words before another block: they need not wait for what it holds, and its own do not run into them. */
  #afterWords(): string {
    if (!this.#spoke) return "";
    this.#spoke = false;
    return "\n";
  }

  #grow(
    index: number,
    delta: Extract<RawMessageStreamEvent, { type: "content_block_delta" }>["delta"],
  ): string {
    const open = this.#blocks.get(index);
    if (!open) return "";
    const { block } = open;
    if (delta.type === "text_delta" && block.type === "text") {
      block.text += textOf(delta.text);
      return this.#heard(textOf(delta.text));
    }
    if (delta.type === "input_json_delta" && block.type === "tool_use")
      open.json += textOf(delta.partial_json);
    if (delta.type === "thinking_delta" && block.type === "thinking")
      block.thinking += textOf(delta.thinking);
    if (delta.type === "signature_delta" && block.type === "thinking")
      block.signature += textOf(delta.signature);
    return "";
  }
}

/** Servers that speak the API after their own fashion leave out what is empty. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
