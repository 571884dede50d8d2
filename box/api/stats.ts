import { Hono } from "hono";
import type { Stats } from "../../contract/live.ts";
import type { Services } from "../services.ts";
import type { BoxEnv } from "./env.ts";

const none = { p50: 0, p95: 0, p99: 0 };

/** How the box and its live session are doing. */
export function statsRoutes({ firstAudioMs, metrics, slot, turns }: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();

  app.get("/api/stats", (c) => {
    const session = slot.current;
    const media = session?.stage?.stats();
    const stats: Stats = {
      session: session && {
        session_id: session.id,
        avatar: session.avatar.id,
        kind: session.kind,
        started_at: session.startedAt,
        recording: session.recording?.recording ?? false,
      },
      fps: media?.fps ?? 0,
      frame_ms: media?.frameMs ?? none,
      encode_ms: media?.encodeMs ?? none,
      dropped_frames: media?.droppedFrames ?? 0,
      bitrate_bps: media?.bitrateBps ?? 0,
      rtt_ms: session?.peer?.stats().rttMs ?? null,
      first_audio_ms: firstAudioMs.read(),
      first_frame_ms: metrics.percentiles("first_frame_ms"),
      llm_ms: metrics.percentiles("llm_ms"),
      tts_ms: metrics.percentiles("tts_ms"),
      end_of_speech_ms: metrics.percentiles("end_of_speech_to_audio_ms"),
      turns: turns.count,
      // Both tracks carry timestamps of one clock: the box adds nothing between them.
      av_offset_ms: 0,
      encoder: media?.encoder ?? "",
      device: media?.warpDevice ?? "",
      net_device: media?.netDevice ?? "",
      gpu: media?.gpu ?? "",
      gpu_off: media?.gpuOff ?? "",
      memory: { rss: process.memoryUsage.rss(), gpu: media?.gpuBytes ?? 0 },
      uptime_s: Math.round(process.uptime() * 10) / 10,
    };
    return c.json(stats);
  });

  return app;
}
