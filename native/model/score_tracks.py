"""Scores viseme tracks that others wrote, on the clips that clips.py wrote, with scoring.py's figures.

    python3 score_tracks.py --clips /tmp/viseme-clips --tracks FOLDER [--latest 0.3]

FOLDER holds one folder a contestant, in it for each clip CLIP.f32: 15 little-endian floats every 10 ms, the first of what is
heard at the clip's first sample, or as many seconds later as its file `start` says. Prints JSON: contestant → voice, and "all KIND" → figures (shares are 0..1, `offset` is seconds the track
is late by, at most --latest: what is not live sync may still know its shapes).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from phones import INDEX, Phone
from scoring import Score, add_clip, best_offset

CLOSED = [INDEX["PP"], INDEX["FF"]]


def figures(score: Score) -> dict[str, float]:
    closed = score.confusion[CLOSED]
    recall = sum(score.confusion[i, i] for i in CLOSED) / max(int(closed.sum()), 1)
    return {**score.row(), "closed_frame_recall": float(recall)}


def score_contestant(clips: list[dict], folder: Path, latest: float) -> dict[str, dict[str, float]]:
    voices: dict[str, list[tuple[np.ndarray, float, list[Phone]]]] = {}
    kinds = {}
    start = float((folder / "start").read_text()) if (folder / "start").exists() else 0.0
    for clip in clips:
        track = np.fromfile(folder / f"{clip['id']}.f32", "<f4").reshape(-1, 15)
        phones = [Phone(p["p"], p["s"], p["e"], p["v"], tuple(p["alt"])) for p in clip["phones"]]
        voices.setdefault(clip["voice"], []).append((track, start, phones))
        kinds[clip["voice"]] = clip["kind"]
    rows: dict[str, dict[str, float]] = {}
    groups: dict[str, Score] = {}
    for voice, tracks in voices.items():
        offset = best_offset(tracks, latest)
        score = Score()
        for target in (score, groups.setdefault(f"all {kinds[voice]}", Score())):
            for track, begins, phones in tracks:
                add_clip(target, track, begins, phones, offset)
        rows[voice] = {**figures(score), "offset": offset}
    return {**rows, **{name: figures(score) for name, score in groups.items()}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=Path, required=True)
    parser.add_argument("--tracks", type=Path, required=True)
    parser.add_argument("--latest", type=float, default=0.3)
    options = parser.parse_args()
    clips = [json.loads(path.read_text()) for path in sorted((options.clips / "json").glob("*.json"))]
    contestants = sorted(folder for folder in options.tracks.iterdir() if folder.is_dir())
    print(json.dumps({f.name: score_contestant(clips, f, options.latest) for f in contestants}, allow_nan=True))


if __name__ == "__main__":
    main()
