"""How a viseme track is scored against phones: frame accuracy, openness correlation, closure events."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from phones import INDEX, OPENNESS, Phone

HOP = 0.010
_OPEN = np.array(OPENNESS)


@dataclass
class Score:
    """Sums over clips; `offset_ms` is the constant shift of the track that fitted best (positive: the track is late)."""

    frames: int = 0
    right: int = 0
    accepted: int = 0
    seconds: float = 0.0
    closures: dict[str, list[int]] = field(default_factory=lambda: {"PP": [0, 0, 0], "FF": [0, 0, 0]})
    truth_open: list[np.ndarray] = field(default_factory=list)
    track_open: list[np.ndarray] = field(default_factory=list)
    confusion: np.ndarray = field(default_factory=lambda: np.zeros((15, 15), np.int64))

    def row(self) -> dict[str, float]:
        a, b = np.concatenate(self.truth_open), np.concatenate(self.track_open)
        out = {"accuracy": self.right / max(self.frames, 1), "accepted": self.accepted / max(self.frames, 1),
               "openness_r": float(np.corrcoef(a, b)[0, 1]), "seconds": self.seconds}
        for name, (events, hits, false) in self.closures.items():
            out[f"{name}_hit"] = hits / max(events, 1)
            out[f"{name}_false_per_min"] = 60.0 * false / max(self.seconds, 1e-9)
        return out


def smooth(x: np.ndarray, window: int = 7) -> np.ndarray:
    return np.convolve(np.pad(x, window // 2, "edge"), np.ones(window) / window, "valid")


def truth_track(phones: list[Phone], times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Viseme at each time, and a (times, 15) mask of what is accepted."""
    labels = np.zeros(len(times), np.int64)
    mask = np.zeros((len(times), 15), bool)
    for p in phones:
        at = (times >= p.start) & (times < p.end)
        labels[at] = INDEX[p.viseme]
        for alt in p.alt:
            mask[at, INDEX[alt]] = True
    mask[np.arange(len(times)), labels] = True
    return labels, mask


def runs(hit: np.ndarray) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate(([0], hit.astype(np.int8), [0]))))
    return list(zip(edges[::2], edges[1::2]))


def add_clip(score: Score, weights: np.ndarray, start: float, phones: list[Phone], offset: float = 0.0) -> None:
    """Adds a (frames, 15) track whose row i speaks of start + 10 ms x i, corrected by `offset` seconds."""
    times = start + HOP * np.arange(len(weights)) - offset
    labels, mask = truth_track(phones, times)
    shown = weights.argmax(1)
    score.frames += len(labels)
    score.seconds += len(labels) * HOP
    score.right += int((shown == labels).sum())
    score.accepted += int(mask[np.arange(len(shown)), shown].sum())
    np.add.at(score.confusion, (labels, shown), 1)
    score.truth_open.append(smooth(_OPEN[labels]))
    score.track_open.append(smooth(weights @ _OPEN))
    for name in ("PP", "FF"):
        events = [(p.start, p.end) for p in phones if p.viseme == name]
        found = runs(shown == INDEX[name])
        tally = score.closures[name]
        tally[0] += len(events)
        for a, b in events:
            tally[1] += any(times[i] <= b + 0.04 and times[j - 1] >= a - 0.04 for i, j in found)
        for i, j in found:
            tally[2] += not any(times[i] <= b + 0.04 and times[j - 1] >= a - 0.04 for a, b in events)


def best_offset(clips: list[tuple[np.ndarray, float, list[Phone]]], latest: float = 0.08) -> float:
    """The shift from -80 ms to `latest` seconds, in steps of 5 ms, that makes most frames right."""
    def right(offset: float) -> int:
        total = 0
        for weights, start, phones in clips:
            labels, _ = truth_track(phones, start + HOP * np.arange(len(weights)) - offset)
            total += int((weights.argmax(1) == labels).sum())
        return total
    return max((round(k * 0.005, 3) for k in range(-16, round(latest / 0.005) + 1)), key=right)
