// One burst of load on one route.

import autocannon from "autocannon";

export interface Load {
  url: string;
  method?: "GET" | "POST";
  headers: Record<string, string>;
  body?: string;
}

export interface Burst {
  /** Answers a second. */
  rate: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

const connections = 50;

/** Keeps 50 connections busy for a while. Throws when anything but a 2xx comes back. */
export async function burst(load: Load, seconds: number): Promise<Burst> {
  const { requests, latency, non2xx, errors } = await autocannon({ ...load, connections, duration: seconds });
  if (non2xx > 0 || errors > 0) throw new Error(`${load.url}: ${non2xx} refusals, ${errors} errors.`);
  return { rate: requests.average, p50: latency.p50, p99: latency.p99 };
}
