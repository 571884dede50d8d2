import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Ten seconds of a moving test pattern and a tone, as a Stage would hand them over. */
export interface CannedMedia {
  /** Annex B access units at 25 fps, a keyframe every second. */
  video: { data: Buffer; keyframe: boolean }[];
  /** Opus packets of 20 ms. */
  audio: Buffer[];
}

const X264 = "keyint=25:min-keyint=25:scenecut=0:sliced-threads=0:threads=1:repeat-headers=1:bframes=0:aud=1";

/** Encodes the media with the ffmpeg command; throws when there is none. */
export function cannedMedia(): CannedMedia {
  const dir = mkdtempSync(join(tmpdir(), "visavis-media-"));
  try {
    const run = (args: string) => execFileSync("ffmpeg", ["-v", "error", ...args.split(" ")], { cwd: dir });
    run(
      `-f lavfi -i testsrc2=size=512x512:rate=25 -t 10 -c:v libx264 -profile:v baseline -preset ultrafast ` +
        `-tune zerolatency -x264-params ${X264} -crf 26 -pix_fmt yuv420p -f h264 video.h264`,
    );
    run(
      `-f lavfi -i sine=frequency=440:sample_rate=48000 -t 10 -c:a libopus -b:a 32k -frame_duration 20 audio.ogg`,
    );
    return {
      video: accessUnits(readFileSync(join(dir, "video.h264"))),
      audio: oggPackets(readFileSync(join(dir, "audio.ogg"))).slice(2),
    };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Splits at access unit delimiters (NAL unit type 9). */
function accessUnits(stream: Buffer): CannedMedia["video"] {
  const delimiter = Buffer.from([0, 0, 0, 1, 9]);
  const starts: number[] = [];
  for (let at = stream.indexOf(delimiter); at >= 0; at = stream.indexOf(delimiter, at + 5)) starts.push(at);
  return starts.map((start, index) => {
    const data = stream.subarray(start + 6, starts[index + 1] ?? stream.length);
    return { data: Buffer.from(data), keyframe: data.includes(Buffer.from([0, 0, 1, 0x65])) };
  });
}

/** Joins the segments of Ogg pages into packets (RFC 3533, section 6). */
function oggPackets(stream: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  let partial: Buffer[] = [];
  for (let page = 0; page + 27 <= stream.length;) {
    const count = stream.readUInt8(page + 26);
    let at = page + 27 + count;
    for (let index = 0; index < count; index += 1) {
      const size = stream.readUInt8(page + 27 + index);
      partial.push(stream.subarray(at, at + size));
      at += size;
      if (size < 255) {
        packets.push(Buffer.concat(partial));
        partial = [];
      }
    }
    page = at;
  }
  return packets;
}
