import { describe, expect, test } from "vitest";
import { MediaError } from "./media.ts";
import { readReport } from "./probe.ts";

const stream = {
  index: 0,
  codec_type: "video",
  codec_name: "h264",
  width: 640,
  height: 360,
  pix_fmt: "yuv420p",
  avg_frame_rate: "30000/1001",
};
const sound = { index: 1, codec_type: "audio", codec_name: "aac", sample_rate: "48000", channels: 2 };
const report = (streams: object[], format: object = { format_name: "mov,mp4", duration: "2.5" }) =>
  readReport("mov", JSON.stringify({ streams, format }));

function fault(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    if (error instanceof MediaError) return error.fault;
    throw error;
  }
  return "none";
}

test("what a file says becomes its facts", () => {
  expect(report([stream, sound]).facts).toEqual({
    container: "mov,mp4",
    durationSeconds: 2.5,
    video: { codec: "h264", width: 640, height: 360, fps: 30_000 / 1001 },
    audio: { codec: "aac", sampleRate: 48_000, channels: 2 },
  });
});

test("a picture on its side is turned upright, and its pixels are made square", () => {
  const turned = (rotation: number) => report([{ ...stream, side_data_list: [{ rotation }] }]).facts.video;
  expect(turned(-90)).toMatchObject({ width: 360, height: 640 });
  expect(turned(270)).toMatchObject({ width: 360, height: 640 });
  expect(turned(180)).toMatchObject({ width: 640, height: 360 });
  expect(
    report([{ ...stream, width: 720, height: 576, sample_aspect_ratio: "16:11" }]).facts.video,
  ).toMatchObject({
    width: 1047,
    height: 576,
  });
});

test("the cover of a song is no picture", () => {
  const cover = { ...stream, codec_name: "mjpeg", disposition: { attached_pic: 1 } };
  expect(report([cover, sound]).facts.video).toBeNull();
});

test("a picture with sound that is not read is a picture; such sound alone is refused", () => {
  const surround = { ...sound, codec_name: "ac3" };
  expect(report([stream, surround]).facts).toMatchObject({ video: { codec: "h264" }, audio: null });
  expect(fault(() => report([surround]))).toBe("unsupported");
});

test("a length that is not said is not made up", () => {
  expect(report([stream], { format_name: "matroska,webm" }).facts.durationSeconds).toBeNull();
  expect(
    report([stream], { format_name: "matroska,webm", duration: "N/A" }).facts.durationSeconds,
  ).toBeNull();
});

describe("what cannot be true is refused", () => {
  test.each([
    ["nothing", "unreadable", []],
    ["neither picture nor sound", "unreadable", [{ index: 0, codec_type: "subtitle" }]],
    ["no size", "unreadable", [{ ...stream, width: 0 }]],
    ["a side of a million", "unreadable", [{ ...stream, width: 1_000_000 }]],
    ["half a pixel", "unreadable", [{ ...stream, width: 0.5 }]],
    ["pixels a thousand times as wide as high", "unreadable", [{ ...stream, sample_aspect_ratio: "1000:1" }]],
    ["no frame rate", "unreadable", [{ ...stream, avg_frame_rate: "0/0" }]],
    ["a frame rate of billions", "unreadable", [{ ...stream, avg_frame_rate: "4000000000/1" }]],
    ["a codec that is not read", "unsupported", [{ ...stream, codec_name: "cinepak" }]],
    ["no samples a second", "unreadable", [{ ...sound, sample_rate: "0" }]],
    ["a sample rate of nan", "unreadable", [{ ...sound, sample_rate: "nan" }]],
    ["a thousand channels", "unreadable", [{ ...sound, channels: 999 }]],
    ["a channel less than none", "unreadable", [{ ...sound, channels: -1 }]],
  ])("%s", (_, wanted, streams) => {
    expect(fault(() => report(streams))).toBe(wanted);
  });

  test.each(["nan", "inf", "-1", "1e30", "two"])("a length of %s", (duration) => {
    expect(fault(() => report([stream], { format_name: "mov", duration }))).toBe("unreadable");
  });

  test.each(["", "{", "null", "[]", '{"streams":1}', '{"streams":[],"format":{}}'])(
    "a report of %j",
    (text) => {
      expect(fault(() => readReport("mov", text))).toBe("unreadable");
    },
  );
});
