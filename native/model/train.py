"""Trains the viseme net on a cache written by make_data.py and exports it, every few minutes and at the end.

    python3 train.py --cache /tmp/viseme-data --minutes 15 --out visemes.vvn [--resume first.vvn]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from crops import other_place, other_speaker, without_a_band
from export import export, load_net
from features import FLOOR
from frames import NO_ALT, training_streams
from net import CLASSES, LOOK_AHEAD, VisemeNet, grown
from phones import INDEX

# How often each kind of voice is drawn: synthetic voices have exact times, real ones are what the net will mostly hear.
SHARES = {"espeak": 0.13, "flite": 0.08, "festival": 0.13, "english": 0.19, "real": 0.41, "noise": 0.06}
WARM_UP = 0  # A net that is judged from the first frame on keeps the mouth still where a noise sets in.
EXPORT_SECONDS = 180.0


class Speech:
    """Frames of all training voices end to end, and each frame's share by kind of voice."""

    def __init__(self, cache: Path) -> None:
        streams = training_streams(cache)
        frames = {kind: sum(len(s[1]) for k, s in streams if k == kind) for kind, _ in streams}
        total = sum(SHARES[kind] for kind in frames)
        self.features, self.labels, self.alts = (torch.from_numpy(np.concatenate([s[i] for _, s in streams]))
                                                 for i in range(3))
        weights = [np.full(len(s[1]), SHARES[kind] / total / frames[kind]) for kind, s in streams]
        self.drawn = np.cumsum(np.concatenate(weights, dtype=np.float64))
        print(", ".join(f"{kind} {count / 360000:.2f} h" for kind, count in frames.items()), flush=True)

    def crops(self, count: int, length: int, rng: np.random.Generator) -> torch.Tensor:
        """(count, length + LOOK_AHEAD) frame numbers."""
        last = len(self.labels) - length - LOOK_AHEAD - 1
        starts = np.minimum(np.searchsorted(self.drawn, rng.random(count) * self.drawn[-1]), last)
        return torch.from_numpy(starts)[:, None] + torch.arange(length + LOOK_AHEAD)


def loss_of(logits: torch.Tensor, labels: torch.Tensor, alts: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Cross entropy with label smoothing; an accepted alternative takes a fifth of the target."""
    log_p = F.log_softmax(logits, 1)
    main = log_p.gather(1, labels[:, None]).squeeze(1)
    has_alt = alts != NO_ALT
    alt = log_p.gather(1, torch.where(has_alt, alts, labels)[:, None]).squeeze(1)
    share = 0.2 * has_alt.float()
    nll = -(0.98 * ((1 - share) * main + share * alt) + 0.02 * log_p.mean(1))
    return (nll * weight[labels]).mean()


def class_weights(labels: torch.Tensor) -> torch.Tensor:
    """Rare visemes count a little more, on average one."""
    counts = torch.bincount(labels.long(), minlength=CLASSES).float()
    weight = (counts.sum() / CLASSES / counts) ** 0.15
    return weight / ((weight * counts).sum() / counts.sum())


def starting_net(options: argparse.Namespace, speech: Speech) -> VisemeNet:
    dilations = tuple(map(int, options.dilations.split(",")))
    if options.resume:
        return grown(load_net(options.resume), options.channels, dilations).train()
    sample = speech.features[:: max(1, len(speech.labels) // 200000)].float()
    return VisemeNet(options.channels, dilations, sample.mean(0), 1.0 / sample.std(0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--channels", type=int, default=96)
    parser.add_argument("--dilations", default="1,2,4,8,1,2,4")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--crop", type=int, default=300)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--resume", type=Path, help="start from this net (.vvn), grown to the channels and dilations asked for")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)

    began = time.time()
    speech = Speech(options.cache)
    weight = class_weights(speech.labels)
    net = starting_net(options, speech)
    size = sum(p.numel() for p in net.parameters())
    print(f"prepared in {time.time() - began:.0f} s, {size} parameters", flush=True)
    optimiser = torch.optim.AdamW(net.parameters(), lr=options.rate, weight_decay=0.01)
    silence = torch.tensor(float(np.log(FLOOR)))
    began, exported, steps, running = time.time(), time.time(), 0, None
    while (done := (time.time() - began) / (options.minutes * 60)) < 1.0:
        for group in optimiser.param_groups:  # Warm up over 2 %, then a cosine to zero.
            group["lr"] = options.rate * min(done / 0.02 + 0.01, 0.5 * (1 + np.cos(np.pi * done)))
        index = speech.crops(options.batch, options.crop, rng)
        x = speech.features[index].float().transpose(1, 2)
        x = other_place(torch.maximum(other_speaker(x, rng), silence), rng)
        x = torch.maximum(without_a_band(x, net.mean, rng), silence)
        logits = net(x)[:, :, LOOK_AHEAD + WARM_UP:]
        target = index[:, WARM_UP:options.crop]
        loss = loss_of(logits, speech.labels[target].long(), speech.alts[target].long(), weight)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimiser.step()
        steps += 1
        running = float(loss.detach()) if running is None else running + 0.01 * (float(loss.detach()) - running)
        if steps % 100 == 0:
            pace = steps * options.batch * options.crop / 100 / (time.time() - began)
            print(f"step {steps} {100 * done:.0f} % loss {running:.3f} {pace:.0f}x", flush=True)
        if time.time() - exported > EXPORT_SECONDS:
            export(net, options.out)
            exported = time.time()
    export(net, options.out)


if __name__ == "__main__":
    main()
