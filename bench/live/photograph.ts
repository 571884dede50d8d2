// From a photograph on somebody's disk to its first live frame.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BoxProcess } from "../../test/harness/box.ts";
import { root } from "../../test/harness/process.ts";
import { connectRtc } from "../../test/harness/rtc-client.ts";
import { report, type Row } from "../report.ts";

const defaultPhotograph = join(root, "box/avatars/stock/maya.png");

/** Uploads a photograph (`BENCH_PHOTOGRAPH`, else a stock portrait) and goes live with it as soon as the box says it is ready. */
export async function photographToLive(box: BoxProcess): Promise<Row[]> {
  const path = process.env.BENCH_PHOTOGRAPH || defaultPhotograph;
  const form = new FormData();
  form.set("file", new Blob([readFileSync(path)], { type: "image/png" }), "photograph.png");
  form.set("name", "Benchmark");
  const start = performance.now();
  const response = await fetch(`${box.url}/api/avatar`, { method: "POST", body: form });
  if (!response.ok) throw new Error(`POST /api/avatar answered ${response.status}: ${await response.text()}`);
  const { avatar } = (await response.json()) as { avatar: string };
  for (;;) {
    const list = (await (await fetch(`${box.url}/api/avatars`)).json()) as {
      avatars: string[];
      preparing: string[];
    };
    if (list.avatars.includes(avatar) && !list.preparing.includes(avatar)) break;
    if (performance.now() - start > 60_000) throw new Error("The photograph was not ready after a minute.");
    await new Promise((resolve) => {
      setTimeout(resolve, 25);
    });
  }
  const client = await connectRtc(box.url, { body: { avatar } });
  try {
    while (client.video.length === 0) {
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
    }
    const seconds = ((client.video[0]?.atMs ?? Number.NaN) - start) / 1000;
    return [
      report({ name: "photograph → first live frame", value: seconds, unit: "s", floor: { atMost: 5 } }),
    ];
  } finally {
    client.close();
  }
}
