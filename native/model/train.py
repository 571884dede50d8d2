"""Trains the viseme net on a cache written by make_data.py and exports it.

    python3 train.py --cache /tmp/viseme-data --minutes 15 --out visemes.vvn
"""

from __future__ import annotations

import argparse
import time
import zlib
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from augment import coloured_noise, degrade, hum, warp_speed
from export import export
from features import FLOOR, HOP, MELS, RATE, WINDOW, log_mel
from make_data import load
from net import CLASSES, LOOK_AHEAD, VisemeNet
from phones import INDEX, Phone

NO_ALT = 255

# How often each kind of voice is drawn: synthetic voices have exact times, real ones are what the net will mostly hear.
SHARES = {"espeak": 0.28, "flite": 0.11, "festival": 0.20, "real": 0.36, "noise": 0.05}


def frame_labels(phones: list[Phone], frames: int) -> tuple[np.ndarray, np.ndarray]:
    """Viseme and one alternative (or NO_ALT) at the centre of each frame."""
    labels, alts = np.zeros(frames, np.uint8), np.full(frames, NO_ALT, np.uint8)
    centre = WINDOW / 2 / RATE
    for phone in phones:
        a, b = (int(np.ceil((t - centre) * RATE / HOP)) for t in (phone.start, phone.end))
        labels[max(a, 0):max(b, 0)] = INDEX[phone.viseme]
        alts[max(a, 0):max(b, 0)] = INDEX[phone.alt[0]] if phone.alt else NO_ALT
    return labels, alts


def voice_stream(path: Path, copy: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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


def voice_frames(path: Path, copy: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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
        if copy > 0 and len(pieces) >= 6:
            joined = np.concatenate(pieces)
            pieces = [joined]
    x = np.concatenate(pieces)
    if copy > 0:
        step = 6 * RATE  # A new room, noise and level every six seconds.
        x = np.concatenate([degrade(x[i:i + step], rng) for i in range(0, len(x), step) if len(x[i:i + step]) > 800])
    features = log_mel(x)
    labels, alts = frame_labels(phones, len(features))
    return features.astype(np.float16), labels, alts


def noise_stream(seconds: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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


def gather(cache: Path, copies: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, np.ndarray]:
    """Frames of all training voices end to end, and each frame's sampling weight by kind of voice."""
    streams, kinds = [noise_stream(900, 3)], ["noise"]
    for path in sorted(cache.glob("*.npz")):
        if ".tmp." in path.name:
            continue
        meta = load(path)[0]
        if meta["held"]:
            continue
        repeats = copies + (1 if meta["kind"] == "real" else 0)  # Real voices are few: they are varied more.
        for copy in range(repeats):
            streams.append(voice_stream(path, copy))
            kinds.append(meta["kind"])
    frames = {kind: sum(len(s[0]) for s, k in zip(streams, kinds) if k == kind) for kind in set(kinds)}
    weights = [np.full(len(s[0]), SHARES[k] / frames[k]) for s, k in zip(streams, kinds)]
    features, labels, alts = (np.concatenate([s[i] for s in streams]) for i in range(3))
    return torch.from_numpy(features), torch.from_numpy(labels), torch.from_numpy(alts), np.concatenate(weights)


def other_speaker(x: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
    """Another vocal tract and microphone for each crop of (batch, MELS, frames): the mel axis is stretched (vocal tract
    length perturbation, Jaitly and Hinton 2013), a smooth response and a level are added."""
    batch, at = len(x), torch.arange(MELS).float()
    source = torch.empty(batch, 1).uniform_(0.88, 1.14) * at + torch.empty(batch, 1).uniform_(-1.0, 1.0)
    source = torch.where(torch.from_numpy(rng.random((batch, 1)) < 0.35), at.expand(batch, -1), source)
    source = source.clamp(0, MELS - 1.001)
    low = source.floor().long()
    share = (source - low)[:, :, None]
    def pick(i):
        return x.gather(1, i[:, :, None].expand(-1, -1, x.shape[2]))
    x = pick(low) * (1 - share) + pick(low + 1) * share
    phase = at / MELS * np.pi
    curve = sum(torch.empty(batch, 1).uniform_(-0.7, 0.7) / k * torch.cos(k * phase) for k in (1, 2, 3))
    return x + curve[:, :, None] + torch.empty(batch, 1, 1).uniform_(-1.5, 1.5)


def loss_of(logits: torch.Tensor, labels: torch.Tensor, alts: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Cross entropy with label smoothing; an accepted alternative takes a fifth of the target."""
    log_p = F.log_softmax(logits, 1)
    main = log_p.gather(1, labels[:, None]).squeeze(1)
    has_alt = alts != NO_ALT
    alt = log_p.gather(1, torch.where(has_alt, alts, labels)[:, None]).squeeze(1)
    share = 0.2 * has_alt.float()
    smooth = log_p.mean(1)
    nll = -(0.96 * ((1 - share) * main + share * alt) + 0.04 * smooth)
    return (nll * weight[labels]).mean()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--channels", type=int, default=96)
    parser.add_argument("--dilations", default="1,2,4,8,1,2,4")
    parser.add_argument("--copies", type=int, default=2)
    parser.add_argument("--batch", type=int, default=48)
    parser.add_argument("--crop", type=int, default=250)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--resume", type=Path, help="start from these weights (.pt)")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)

    began = time.time()
    features, labels, alts, sampling = gather(options.cache, options.copies)
    usable = np.cumsum(sampling[: len(features) - options.crop - LOOK_AHEAD].astype(np.float64))
    sample = features[:: max(1, len(features) // 200000)].float()
    mean, scale = sample.mean(0), 1.0 / sample.std(0)
    counts = torch.bincount(labels.long(), minlength=CLASSES).float()
    weight = (counts.sum() / CLASSES / counts) ** 0.3
    weight[INDEX["PP"]] *= 1.25
    weight[INDEX["FF"]] *= 1.25
    weight /= (weight * counts).sum() / counts.sum()
    print(f"{len(features) / 360000:.2f} h of frames, prepared in {time.time() - began:.0f} s", flush=True)

    net = VisemeNet(options.channels, tuple(map(int, options.dilations.split(","))), mean, scale)
    if options.resume:
        net.load_state_dict(torch.load(options.resume)["state"])
    print(f"{sum(p.numel() for p in net.parameters())} parameters", flush=True)
    optimiser = torch.optim.AdamW(net.parameters(), lr=options.rate, weight_decay=0.01)
    net.train()
    began, steps, running = time.time(), 0, 0.0
    silence = torch.tensor(float(np.log(FLOOR)))
    span = torch.arange(options.crop + LOOK_AHEAD)
    while True:
        done = (time.time() - began) / (options.minutes * 60)
        if done >= 1.0:
            break
        for group in optimiser.param_groups:  # Warm up over 3 %, then a cosine to zero.
            group["lr"] = options.rate * min(done / 0.03 + 0.01, 0.5 * (1 + np.cos(np.pi * done)))
        starts = np.searchsorted(usable, rng.random(options.batch) * usable[-1])
        index = torch.from_numpy(starts)[:, None] + span
        x = features[index].float().transpose(1, 2)
        x = torch.maximum(other_speaker(x, rng), silence)
        if steps % 2:  # SpecAugment (arXiv 1904.08779): a band of mels goes missing.
            low = int(rng.integers(0, MELS - 6))
            x[:, low:low + int(rng.integers(1, 7))] = mean[low:low + 1].mean()
        logits = net(x)[:, :, LOOK_AHEAD:]
        target = index[:, : options.crop]
        loss = loss_of(logits, labels[target].long(), alts[target].long(), weight)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimiser.step()
        steps += 1
        running += 0.02 * (float(loss) - running) if steps > 1 else float(loss)
        if steps % 100 == 0:
            print(f"step {steps} {100 * done:.0f} % loss {running:.3f} "
                  f"{steps * options.batch * options.crop / 100 / (time.time() - began):.0f}x", flush=True)
    net.eval()
    torch.save({"state": net.state_dict(), "channels": options.channels, "dilations": options.dilations},
               options.out.with_suffix(".pt"))
    export(net, options.out)


if __name__ == "__main__":
    main()
