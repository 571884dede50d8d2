// What was said, newest last.

import { useEffect, useRef } from "react";
import type { Turn } from "./conversation.ts";
import "./transcript.css";

function Line({ turn, name }: { turn: Turn; name: string }) {
  if (turn.who === "notice") {
    return (
      <div className="turn turn-notice" role="alert">
        {turn.text}
      </div>
    );
  }
  if (turn.who === "note") return <div className="turn turn-note">{turn.text}</div>;
  const who = turn.who === "you" ? "You" : name;
  return (
    <div className={`turn turn-${turn.who} turn-is-${turn.state}`}>
      <span className="turn-who">
        {who}
        {turn.exact && <span className="turn-tag">your words</span>}
        {turn.state === "interrupted" && <span className="turn-tag">interrupted</span>}
        {turn.state === "failed" && <span className="turn-tag">not answered</span>}
      </span>
      <p>{turn.text}</p>
    </div>
  );
}

export interface TranscriptProps {
  turns: readonly Turn[];
  name: string;
  thinking: boolean;
}

export function Transcript({ turns, name, thinking }: TranscriptProps) {
  const list = useRef<HTMLDivElement>(null);
  const last = turns.at(-1);
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [turns.length, last?.text, thinking]);

  if (turns.length === 0) {
    return (
      <div className="transcript-empty">
        <p>{name} is here.</p>
        <span>Speak, or type a sentence and press Enter. Esc interrupts at any time.</span>
      </div>
    );
  }
  // The captions are announced as they are spoken; announcing the same words here again would say everything twice.
  return (
    <div ref={list} className="transcript" role="log" aria-live="off" aria-label="Conversation" tabIndex={0}>
      {turns.map((turn) => (
        <Line key={turn.key} turn={turn} name={name} />
      ))}
      {thinking && (
        <div className="turn turn-face turn-thinking" aria-hidden="true">
          <span className="turn-who">{name}</span>
          <p>
            <i />
            <i />
            <i />
          </p>
        </div>
      )}
    </div>
  );
}
