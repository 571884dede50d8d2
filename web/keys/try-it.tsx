// One call that works with a fresh key and nothing else.

import { useState } from "react";
import { CopyButton } from "../ui/copy-button.tsx";
import { Segmented } from "../ui/segmented.tsx";

type Example = "models" | "token";

const examples: readonly { value: Example; label: string }[] = [
  { value: "models", label: "List models" },
  { value: "token", label: "Token for a browser" },
];

const explanations: Record<Example, string> = {
  models: "Answers with the models of this deployment; it works while no box runs.",
  token:
    "Answers with a token that only streams and ends after five minutes. Hand that to a page, never the key.",
};

/** The commands as a POSIX shell takes them, the key in a variable so that it stays out of the command itself. */
export function snippet(example: Example, origin: string): string {
  const key = "export VISAVIS_KEY=vv_live_…   # your key";
  const call =
    example === "models"
      ? `curl ${origin}/v1/public/models \\\n  -H "X-Api-Key: $VISAVIS_KEY"`
      : `curl -X POST ${origin}/v1/streaming.create_token \\\n  -H "X-Api-Key: $VISAVIS_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{"ttl_seconds": 300}'`;
  return `${key}\n\n${call}`;
}

export function TryIt() {
  const [example, setExample] = useState<Example>("models");
  const text = snippet(example, location.origin);
  return (
    <section className="card" aria-labelledby="try-it">
      <div className="card-head">
        <h2 id="try-it">Try it</h2>
        <p className="card-lead">{explanations[example]}</p>
      </div>
      <div className="try-it-line">
        <Segmented<Example> label="Example" value={example} options={examples} onChange={setExample} />
        <CopyButton text={text} what="commands" />
      </div>
      <pre className="code-block" tabIndex={0} aria-label="Commands">
        <code>{text}</code>
      </pre>
      <p className="card-lead">
        Every route is described in the <a href="/static/docs/">API reference</a>.
      </p>
    </section>
  );
}
