// People who go live through the front door, stay a while, and leave; each notices when it is sent to another's box or loses its own.

export interface Caller {
  account: string;
  key: string;
}

export interface Seen {
  /** Sessions that opened. */
  opened: number;
  /** Times no box was free. */
  full: number;
  /** Requests of a live session that went to another box than its own. */
  astray: number;
  /** Answers that were neither the box's nor "no box is free". */
  failed: number;
  openMs: number[];
}

export const nothingSeen = (): Seen => ({ opened: 0, full: 0, astray: 0, failed: 0, openMs: [] });

const sleep = (milliseconds: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/** The box that took the request; null when none was free. */
async function ask(portal: string, caller: Caller, method: string, path: string): Promise<string | null> {
  const response = await fetch(portal + path, {
    method,
    headers: { "X-Api-Key": caller.key, "X-Simulated-Account": caller.account },
    signal: AbortSignal.timeout(30_000),
  });
  const body = (await response.json()) as { box?: string; error?: { code: string } };
  if (response.status === 200 && body.box) return body.box;
  if (response.status === 503 && body.error?.code === "box_unavailable") return null;
  throw new Error(`${path} answered ${response.status}.`);
}

export interface Visit {
  portal: string;
  caller: Caller;
  seen: Seen;
  /** How long it stays, and how often it asks its box something meanwhile. */
  staysMs: number;
  asksEveryMs: number;
}

/** One session from its opening to its end. */
export async function visit({ portal, caller, seen, staysMs, asksEveryMs }: Visit): Promise<void> {
  try {
    const startedMs = performance.now();
    const box = await ask(portal, caller, "POST", "/connect");
    seen.openMs.push(performance.now() - startedMs);
    if (box === null) {
      seen.full += 1;
      await sleep(200);
      return;
    }
    seen.opened += 1;
    const leavesMs = performance.now() + staysMs;
    while (performance.now() < leavesMs) {
      await sleep(Math.min(asksEveryMs, leavesMs - performance.now()));
      if ((await ask(portal, caller, "GET", "/api/chat/status")) !== box) seen.astray += 1;
    }
    if ((await ask(portal, caller, "POST", "/disconnect")) !== box) seen.astray += 1;
  } catch {
    seen.failed += 1;
  }
}
