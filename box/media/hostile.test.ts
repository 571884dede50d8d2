import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changeBoxes, hugePng, lyingJpeg, movOfAnother, nestedMatroska } from "../testing/hostile-files.ts";
import { ffmpeg } from "../testing/media-samples.ts";
import { MediaError, type Media } from "./media.ts";
import { openMedia } from "./open.ts";

let folder: string;
let media: Media;
let mp4: Buffer;
let mov: Buffer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "visavis-hostile-"));
  media = openMedia();
  const both = "-f lavfi -i testsrc2=s=192x144:d=1 -f lavfi -i sine=d=1 -shortest".split(" ");
  const h264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p".split(" ");
  await ffmpeg(...both, ...h264, "-c:a", "aac", at("whole.mp4"));
  await ffmpeg(...both, ...h264, "-c:a", "aac", at("whole.mov"));
  [mp4, mov] = await Promise.all([readFile(at("whole.mp4")), readFile(at("whole.mov"))]);
});

afterAll(async () => {
  await media?.close();
  await rm(folder, { recursive: true, force: true });
});

const at = (name: string) => join(folder, name);

async function outcome(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "decoded";
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    expect(error.message).not.toContain(folder);
    return error.fault;
  }
}

async function file(name: string, bytes: Uint8Array | string): Promise<string> {
  await writeFile(at(name), bytes);
  return at(name);
}

const sound = (path: string) => outcome(media.sound(path, { sampleRate: 16_000, maxSeconds: 600 }));
const facts = (path: string) => outcome(media.facts(path));
const footage = (path: string) => {
  const size = { width: 64, height: 48, outPath: `${path}.i420` };
  return outcome(media.footage({ path, fromSeconds: 0, seconds: 1, fps: 10, ...size }));
};

describe("photographs", () => {
  it("of billions of pixels are refused by their header", async () => {
    expect(await outcome(media.photo(hugePng(60_000, 60_000, 1)))).toBe("too_large");
    const jpeg = await sharp(hugePng(200, 200)).jpeg().toBuffer();
    expect(await outcome(media.photo(lyingJpeg(jpeg)))).toBe("too_large");
  });

  it("that are none are not opened", async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>';
    for (const text of [svg, `<?xml version="1.0"?>${svg}`, "", "\x89PNG", "II*\0", "%PDF-1.4"])
      expect(await outcome(media.photo(Buffer.from(text, "latin1")))).toBe("unsupported");
  });

  it("of a text chunk that unpacks to a gigabyte cost no gigabyte", async () => {
    const png = hugePng(300, 300);
    expect(await outcome(media.photo(png))).toBe("decoded");
    const wide = await sharp(hugePng(6_000, 5_900)).png({ compressionLevel: 9 }).toBuffer();
    expect(wide.length).toBeLessThan(200_000);
    expect(await outcome(media.photo(wide))).toBe("decoded");
  });
});

describe("lists of other files under the name of a video", () => {
  const lists = {
    concat: (secret: string) => `ffconcat version 1.0\nfile '${secret}'\n`,
    hls: (secret: string) =>
      `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://${secret}\n#EXT-X-ENDLIST\n`,
    dash: (secret: string) => `<?xml version="1.0"?><MPD><BaseURL>file://${secret}</BaseURL></MPD>`,
    sdp: () => "v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n",
  };
  it.each(Object.entries(lists))("%s", async (kind, list) => {
    const path = await file(`${kind}.mp4`, list(at("whole.mp4")));
    expect([await facts(path), await footage(path), await sound(path)]).toEqual(
      Array.from({ length: 3 }, () => "unsupported"),
    );
  });

  it("behind the first bytes of a video are no lists either", async () => {
    const start = Buffer.from([0, 0, 0, 0x10, ...Buffer.from("ftypisom\0\0\0\0")]);
    const path = await file("both.mp4", Buffer.concat([start, Buffer.from(lists.hls(at("whole.mp4")))]));
    expect([await facts(path), await footage(path)]).toEqual(["unreadable", "unreadable"]);
  });
});

it("a MOV whose media is another file gets nothing of that file", async () => {
  const path = await file("alias.mov", movOfAnother(mov, at("whole.mov")));
  // FFmpeg would follow it if it were let: the file is a working one.
  await ffmpeg(
    "-enable_drefs",
    "1",
    "-use_absolute_path",
    "1",
    "-i",
    path,
    "-frames:v",
    "5",
    at("followed.mkv"),
  );
  expect((await readFile(at("followed.mkv"))).length).toBeGreaterThan(1_000);
  await rm(path);
  await file("alias.mov", movOfAnother(mov.subarray(), at("whole.mov")));
  expect(await footage(path)).toBe("unreadable");
  expect(await sound(path)).toBe("unreadable");
});

describe("videos that lie", () => {
  it("of two thousand million samples", async () => {
    for (const type of ["stts", "stsz", "stsc", "stco", "ctts"]) {
      const lying = changeBoxes(mp4, type, (content) => {
        content.writeUInt32BE(0x7fff_ffff, type === "stsz" ? 8 : 4);
        if (type === "stts") content.writeUInt32BE(0x7fff_ffff, 8);
        return content;
      });
      const path = await file(`samples-${type}.mp4`, lying);
      expect(["decoded", "unreadable", "too_large"]).toContain(await footage(path));
    }
  });

  it("of tracks larger than any picture", async () => {
    const large = changeBoxes(
      changeBoxes(mp4, "tkhd", (content) => {
        content.writeUInt32BE(0xffff_0000, content.length - 8);
        content.writeUInt32BE(0xffff_0000, content.length - 4);
        return content;
      }),
      "stsd",
      (content) => {
        const visual = content.indexOf("avc1");
        if (visual < 0) return content;
        content.writeUInt16BE(0xffff, visual + 28);
        content.writeUInt16BE(0xffff, visual + 30);
        return content;
      },
    );
    const path = await file("large.mp4", large);
    // The stream itself knows better; if it is believed, the picture is as small as it is.
    expect(["decoded", "unreadable", "too_large"]).toContain(await footage(path));
    const said = await media.facts(path).catch(() => null);
    if (said?.video) expect(Math.max(said.video.width, said.video.height)).toBeLessThanOrEqual(65_535);
  });

  it("of pictures that really are larger than may be decoded", async () => {
    const path = at("giant.mp4");
    await ffmpeg(
      ..."-f lavfi -i color=c=gray:s=8192x4320:d=0.08 -c:v libx264 -preset ultrafast".split(" "),
      path,
    );
    expect([await facts(path), await footage(path)]).toEqual(["too_large", "too_large"]);
  });

  it("in a codec that nobody asked for", async () => {
    const path = at("old.mkv");
    await ffmpeg(..."-f lavfi -i testsrc2=s=64x64:d=1 -c:v msvideo1".split(" "), path);
    expect([await facts(path), await footage(path)]).toEqual(["unsupported", "unsupported"]);
    const song = at("old.wav");
    await ffmpeg(..."-f lavfi -i sine=d=1 -c:a adpcm_ima_wav".split(" "), song);
    expect(await sound(song)).toBe("unsupported");
  });

  it("beside tracks that nobody looks at are taken", async () => {
    const path = at("tracks.mov");
    await writeFile(at("words.srt"), "1\n00:00:00,000 --> 00:00:01,000\nHello.\n");
    const tracks = "-map 0 -map 1 -c:v copy -c:a ac3 -c:s mov_text -timecode 01:00:00:00".split(" ");
    await ffmpeg("-i", at("whole.mp4"), "-i", at("words.srt"), ...tracks, path);
    expect(await footage(path)).toBe("decoded");
    const song = at("cover.mp3");
    const cover =
      "-map 0:a -map 1:v -frames:v 1 -c:v mjpeg -disposition:v attached_pic -c:a libmp3lame".split(" ");
    await ffmpeg("-i", at("whole.mp4"), "-i", at("whole.mp4"), ...cover, song);
    expect(await media.facts(song)).toMatchObject({ video: null, audio: { codec: "mp3" } });
    expect(await sound(song)).toBe("decoded");
  });

  it("of Matroska without an end to its depth", async () => {
    for (const levels of [20, 10_000, 200_000]) {
      const path = await file(`deep-${levels}.mkv`, nestedMatroska(levels));
      expect([await facts(path), await footage(path)]).toEqual(["unreadable", "unreadable"]);
    }
  });
});

describe("sounds that lie", () => {
  it("about four gigabytes", async () => {
    await ffmpeg(..."-f lavfi -i sine=d=1:sample_rate=16000".split(" "), at("short.wav"));
    const wav = await readFile(at("short.wav"));
    wav.writeUInt32LE(0xffff_fff0, 4);
    wav.writeUInt32LE(0xffff_ff00, wav.indexOf("data") + 4);
    const { samples } = await media.sound(await file("vast.wav", wav), { sampleRate: 16_000, maxSeconds: 5 });
    expect(samples.length / 16_000).toBeCloseTo(1, 1);
  });

  it("about their rate and channels", async () => {
    const wav = await readFile(at("short.wav"));
    for (const [rate, channels] of [
      [0, 1],
      [0xffff_ffff, 1],
      [16_000, 0],
      [16_000, 0xffff],
    ] as const) {
      const lying = Buffer.from(wav);
      lying.writeUInt16LE(channels, 22);
      lying.writeUInt32LE(rate, 24);
      expect(["decoded", "unreadable", "too_long"]).toContain(await sound(await file("rate.wav", lying)));
    }
  });

  it("of silence that goes on for hours in a few bytes", async () => {
    await ffmpeg(..."-f lavfi -i anullsrc=r=8000:cl=mono -t 7200 -c:a flac".split(" "), at("hours.flac"));
    expect(await sound(at("hours.flac"))).toBe("too_long");
  });
});

it("a name is only a name", async () => {
  for (const name of ["-i.mp4", "concat:a|b.mp4", "http:%03d?x=1#y.mp4", "pipe:0.mp4", "ü 'q\".mp4"]) {
    await writeFile(at(name), mp4);
    expect(await facts(at(name))).toBe("decoded");
    expect(await sound(at(name))).toBe("decoded");
  }
});

it("nothing at all is a file that is empty", async () => {
  const path = await file("nothing.mp4", "");
  expect([await facts(path), await sound(path), await footage(path)]).toEqual(
    Array.from({ length: 3 }, () => "unreadable"),
  );
});
