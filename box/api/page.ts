// The one page a box serves: what it is and how it is doing.

export interface PageFacts {
  version: string;
  state: "free" | "busy" | "draining";
  uptimeSeconds: number;
}

const sentence = {
  free: "Free: the next caller can go live.",
  busy: "Busy: a session is live.",
  draining: "Draining: it finishes what is live and takes nothing new.",
};

function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return "less than a minute";
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function statusPage({ version, state, uptimeSeconds }: PageFacts): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Visàvis box: ${state}</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 18vh auto 0; padding: 0 1.5rem; }
  h1 { font-size: 1.4rem; font-weight: 600; }
  dl { display: grid; grid-template-columns: auto 1fr; gap: .2rem 1.2rem; }
  dt { opacity: .7; } dd { margin: 0; }
</style>
<h1>Visàvis box</h1>
<p>${sentence[state]}</p>
<dl>
  <dt>Version</dt><dd>${version}</dd>
  <dt>Up for</dt><dd>${duration(uptimeSeconds)}</dd>
  <dt>Health</dt><dd><a href="/health">/health</a></dd>
</dl>
</html>
`;
}
