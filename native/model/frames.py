"""What the net trains on: log-mel frames with a viseme each, of every voice of a cache, kept beside the voices.

    python3 frames.py --cache /tmp/viseme-data        (train.py does it too; this only prepares)
"""

from __future__ import annotations

import argparse
import time
import zlib
from pathlib import Path

import numpy as np

from augment import coloured_noise, degrade, hum, warp_speed
from features import HOP, RATE, WINDOW, log_mel
from make_data import load
from phones import INDEX, Phone

NO_ALT = 255
NOISE_SECONDS = 1200

Stream = tuple[np.ndarray, np.ndarray, np.ndarray]  # (n, MELS) float16 log-mels, (n,) viseme, (n,) alternative or NO_ALT.


def frame_labels(phones: list[Phone], frames: int) -> tuple[np.ndarray, np.ndarray]:
    """Viseme and one alternative (or NO_ALT) at the centre of each frame."""
    labels, alts = np.zeros(frames, np.uint8), np.full(frames, NO_ALT, np.uint8)
    centre = WINDOW / 2 / RATE
    for phone in phones:
        a, b = (int(np.ceil((t - centre) * RATE / HOP)) for t in (phone.start, phone.end))
        labels[max(a, 0):max(b, 0)] = INDEX[phone.viseme]
        alts[max(a, 0):max(b, 0)] = INDEX[phone.alt[0]] if phone.alt else NO_ALT
    return labels, alts


def voice_stream(path: Path, copy: int) -> Stream:
    """voice_frames(), kept beside the voice for the next training."""
    kept = path.parent / "frames" / f"{path.stem}.{copy}.npz"
    if not kept.exists() or kept.stat().st_mtime < path.stat().st_mtime:
        kept.parent.mkdir(exist_ok=True)
        features, labels, alts = voice_frames(path, copy)
        temporary = kept.with_suffix(".tmp.npz")
        np.savez(temporary, features=features, labels=labels, alts=alts)
        temporary.rename(kept)
    data = np.load(kept)
    return data["features"], data["labels"], data["alts"]


def voice_frames(path: Path, copy: int) -> Stream:
    """All utterances of a voice with pauses between; copy 0 is clean, the others are degraded and warped in speed."""
    _, utterances = load(path)
    rng = np.random.default_rng(zlib.crc32(f"{path.name}{copy}".encode()))
    pieces, phones, at = [], [], 0
    for pcm, ph, _ in utterances:
        x = pcm.astype(np.float32) / 32768.0
        factor = 1.0
        if copy > 0 and rng.random() < 0.6:
            factor = round(float(rng.uniform(0.86, 1.16)), 2)
            x = warp_speed(x, factor).astype(np.float32)
        phones += [Phone(p.name, p.start / factor + at / RATE, p.end / factor + at / RATE, p.viseme, p.alt) for p in ph]
        pieces += [x, np.zeros(int(rng.uniform(0.02, 0.5) * RATE), np.float32)]
        at += sum(len(p) for p in pieces[-2:])
    x = np.concatenate(pieces)
    if copy > 0:
        step = 6 * RATE  # A new room, noise and level every six seconds.
        x = np.concatenate([degrade(x[i:i + step], rng) for i in range(0, len(x), step) if len(x[i:i + step]) > 800])
    features = log_mel(x)
    labels, alts = frame_labels(phones, len(features))
    return features.astype(np.float16), labels, alts


def noise_stream(seconds: int, seed: int) -> Stream:
    """Silence and noises without speech: the mouth rests."""
    rng = np.random.default_rng(seed)
    pieces = []
    for _ in range(seconds // 3):
        n = 3 * RATE
        level = 10.0 ** (rng.uniform(-75.0, -28.0) / 20.0)
        noise = coloured_noise(n, rng) if rng.random() < 0.7 else hum(n, rng)
        if rng.random() < 0.3:
            clicks = (rng.random(n) < 3.0 / RATE) * rng.standard_normal(n) * 20.0
            noise = noise + np.convolve(clicks, np.exp(-np.arange(200) / 30.0))[:n]
        pieces.append(np.clip(noise * level, -1, 1))
    features = log_mel(np.concatenate(pieces).astype(np.float32))
    return features.astype(np.float16), np.zeros(len(features), np.uint8), np.full(len(features), NO_ALT, np.uint8)


def training_streams(cache: Path) -> list[tuple[str, Stream]]:
    """Every stream of the voices not held out, with the kind it is drawn as (`english` is real English)."""
    streams = [("noise", noise_stream(NOISE_SECONDS, 3))]
    for path in sorted(cache.glob("*.npz")):
        if ".tmp." in path.name:
            continue
        meta = load(path)[0]
        if meta["held"]:
            continue
        english = meta["kind"] == "real" and meta["language"] == "en"
        kind = "english" if english else meta["kind"]
        # Recorded English is short: it is varied more.
        streams += [(kind, voice_stream(path, copy)) for copy in range(4 if english else 2)]
    return streams


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True)
    began = time.time()
    streams = training_streams(parser.parse_args().cache)
    for kind in sorted({kind for kind, _ in streams}):
        frames = sum(len(s[1]) for k, s in streams if k == kind)
        print(f"{kind}: {frames / 360000:.2f} h")
    print(f"prepared in {time.time() - began:.0f} s")


if __name__ == "__main__":
    main()
