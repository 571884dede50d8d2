"""Scores the trained net, or poses through the C++ library, on the held-out voices of a cache.

    python3 evaluate.py --cache /tmp/viseme-data --net visemes.vvn [--tool build/net_bench --weights visemes.vvn]
                        [--picture confusion.png] [--json figures.json]
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path

import numpy as np
import torch

from export import load_net
from features import WINDOW, RATE, log_mel
from make_data import load
from net import LOOK_AHEAD
from phones import VISEMES
from scoring import Score, add_clip, best_offset


class NetTrack:
    """The net's own probabilities."""

    start = WINDOW / 2 / RATE

    def __init__(self, path: Path) -> None:
        self.net = load_net(path)

    def __call__(self, pcm: np.ndarray) -> np.ndarray:
        x = np.concatenate([pcm.astype(np.float32) / 32768.0, np.zeros(LOOK_AHEAD * 160 + 400, np.float32)])
        with torch.no_grad():
            p = torch.softmax(self.net(torch.from_numpy(log_mel(x)).T[None]), 1)[0, :, LOOK_AHEAD:].T
        return p.numpy()[: max(1, len(pcm) // 160 - 1)]


class PoseTrack:
    """Poses as LipSync shows them, through `net_bench track`."""

    start = 0.0

    def __init__(self, tool: Path, weights: Path, mode: str = "poses") -> None:
        self.command = [str(tool), mode, str(weights)]

    def __call__(self, pcm: np.ndarray) -> np.ndarray:
        done = subprocess.run(self.command, input=pcm.astype("<i2").tobytes(), capture_output=True, check=True)
        return np.frombuffer(done.stdout, "<f4").reshape(-1, 15)


HEAD = f"{'voice':34} {'s':>5} {'frames':>7} {'accept':>7} {'open r':>7} {'PP hit':>7} {'false/m':>8} {'FF hit':>7} {'false/m':>8} {'offset':>7}"


def line(name: str, row: dict[str, float], offset: float) -> str:
    return (f"{name:34} {row['seconds']:5.0f} {100 * row['accuracy']:6.1f}% {100 * row['accepted']:6.1f}% "
            f"{row['openness_r']:7.3f} {100 * row['PP_hit']:6.1f}% {row['PP_false_per_min']:8.1f} "
            f"{100 * row['FF_hit']:6.1f}% {row['FF_false_per_min']:8.1f} {1000 * offset:4.0f} ms")


def draw(confusion: np.ndarray, path: Path) -> None:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    share = confusion / np.maximum(confusion.sum(1, keepdims=True), 1)
    figure, axes = plt.subplots(figsize=(7, 6.2), dpi=110)
    axes.imshow(share, cmap="Blues", vmin=0, vmax=1)
    axes.set_xticks(range(15), VISEMES)
    axes.set_yticks(range(15), VISEMES)
    axes.set_xlabel("shown")
    axes.set_ylabel("spoken")
    axes.set_title("Share of each viseme's frames, held-out voices")
    for i in range(15):
        for j in range(15):
            if share[i, j] >= 0.03:
                axes.text(j, i, f"{100 * share[i, j]:.0f}", ha="center", va="center", fontsize=7,
                          color="white" if share[i, j] > 0.5 else "black")
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--net", type=Path)
    parser.add_argument("--tool", type=Path)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    track = PoseTrack(options.tool, options.weights) if options.tool else NetTrack(options.net)
    groups: dict[str, Score] = {}
    figures = {}
    print(HEAD)
    for path in sorted(options.cache.glob("*.npz")):
        meta, utterances = load(path)
        if not meta["held"]:
            continue
        clips = [(track(pcm), track.start, phones) for pcm, phones, _ in utterances]
        offset = best_offset(clips)
        score = Score()
        # A truth that a net aligned is no judge of nets: such a voice is shown and counted with no other.
        counted = [] if meta["kind"] == "real" and meta["language"] != "en" else [f"all {meta['kind']}", "all"]
        for target in (score, *(groups.setdefault(name, Score()) for name in counted)):
            for weights, start, phones in clips:
                add_clip(target, weights, start, phones, offset)
        figures[meta["voice"]] = {**score.row(), "offset": offset}
        print(line(meta["voice"], score.row(), offset), flush=True)
    for name, score in groups.items():
        figures[name] = score.row()
        print(line(name, score.row(), 0.0))
    if options.picture:
        draw(groups["all"].confusion, options.picture)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
