"""Recorded voices of Debian packages into the cache: decoded, aligned by a first net, the worst left out."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from align_net import NetAligner
from features import RATE
from packages import Voice, voices
from phones import VOWELS, Phone

_TOGETHER = 40         # Recordings that one ffmpeg decodes: starting it costs more than a word does.
_SHORTEST = RATE // 3  # Samples.
_LONGEST = 25 * RATE
_EDGE = 0.35           # Seconds of rest kept before and after the words.
_WORST_SHARE = 0.15    # Of each voice's recordings, those that fit their text least.
_WORST_FIT = -2.1      # Nats, by phone and by frame: below it text and recording do not belong together.
_LEAST_SHARE = 0.3     # Of a voice whose fitting recordings are fewer, even those fit by chance: effects, other texts.
_CLIPPED = 0.03        # Share of samples at full scale, above which consonants turn into noise.
_RATE = (4.0, 24.0)    # Phones a second while speaking; people speak 8 to 18.
_LONG = {True: 0.7, False: 0.45}  # Seconds that a vowel, another phone, may last.

Utterance = tuple[np.ndarray, list[Phone], str]


def decode_all(paths: list[Path]) -> Iterator[np.ndarray]:
    """int16 mono at 16 kHz of each recording in order; empty where ffmpeg cannot read one."""
    for at in range(0, len(paths), _TOGETHER):
        some = paths[at:at + _TOGETHER]
        with tempfile.TemporaryDirectory() as folder:
            outs = [Path(folder) / f"{i}.raw" for i in range(len(some))]
            def run(pairs: list[tuple[Path, Path]]) -> bool:
                command = ["ffmpeg", "-v", "quiet", "-y", "-threads", "1"]
                for path, _ in pairs:
                    command += [*(["-f", "g722"] if path.suffix == ".g722" else []), "-i", str(path)]
                for i, (_, out) in enumerate(pairs):
                    command += ["-map", f"{i}:a", "-f", "s16le", "-ar", str(RATE), "-ac", "1", str(out)]
                return subprocess.run(command, stdin=subprocess.DEVNULL).returncode == 0
            if not run(list(zip(some, outs))):  # One bad file spoils the batch: then each by itself.
                for pair in zip(some, outs):
                    if not run([pair]):
                        pair[1].unlink(missing_ok=True)
            for out in outs:
                yield np.fromfile(out, "<i2") if out.exists() else np.zeros(0, np.int16)


def plausible(pcm: np.ndarray, phones: list[Phone]) -> bool:
    """Whether the phones have lengths that a mouth makes and the recording is not clipped."""
    if np.mean(np.abs(pcm.astype(np.int32)) >= 32700) > _CLIPPED:
        return False
    spoken = [p for p in phones if p.viseme != "sil"]
    speech = sum(p.end - p.start for p in spoken)
    if not _RATE[0] <= len(spoken) / max(speech, 1e-6) <= _RATE[1]:
        return False
    return all(p.end - p.start <= _LONG[p.viseme in VOWELS] for p in spoken)


def trimmed(pcm: np.ndarray, phones: list[Phone]) -> tuple[np.ndarray, list[Phone]]:
    """The same recording with at most _EDGE seconds of rest around the words."""
    spoken = [p for p in phones if p.viseme != "sil"]
    first = max(0, round((spoken[0].start - _EDGE) * RATE))
    last = min(len(pcm), round((spoken[-1].end + _EDGE) * RATE))
    begin, end = first / RATE, last / RATE
    return pcm[first:last], [Phone(p.name, max(p.start, begin) - begin, min(p.end, end) - begin, p.viseme, p.alt)
                             for p in phones if p.end > begin and p.start < end]


def aligned(voice: Voice, aligner: NetAligner) -> tuple[list[Utterance], float]:
    """What is kept of a voice, and the seconds heard in all."""
    found, seconds = [], 0.0
    for pcm, (_, text) in zip(decode_all([path for path, _ in voice.items]), voice.items):
        seconds += len(pcm) / RATE
        if not _SHORTEST <= len(pcm) <= _LONGEST:
            continue
        try:
            result = aligner.align(pcm, text, voice.speaks, _WORST_FIT)
        except KeyError:  # A phone that has no viseme here.
            continue
        if result and result[1] >= _WORST_FIT and plausible(pcm, result[0]):
            found.append((result[1], *trimmed(pcm, result[0]), text))
    if len(found) < _LEAST_SHARE * len(voice.items):
        return [], seconds
    found.sort(key=lambda item: item[0], reverse=True)
    kept = max(0, round(len(voice.items) * (1.0 - _WORST_SHARE)))
    return [(pcm, phones, text) for _, pcm, phones, text in found[:kept]], seconds


def make_packages(cache: Path, net: Path, root: Path, save: Callable[[Path, dict, list[Utterance]], None]) -> None:
    """Writes each voice's file that is not there yet."""
    aligner = NetAligner(net)
    for voice in voices(root):
        path = cache / f"{voice.file}.npz"
        if path.exists():
            continue
        utterances, seconds = aligned(voice, aligner)
        kept = sum(len(pcm) for pcm, _, _ in utterances) / RATE
        print(f"{voice.file}: {len(utterances)} of {len(voice.items)} recordings, {kept / 60:.1f} of {seconds / 60:.1f} "
              "min", flush=True)
        if kept >= 5.0:
            save(path, {"voice": voice.voice, "kind": "real", "language": voice.language,
                        "held": voice.held}, utterances)
