"""Real voices: Debian's Asterisk prompts and PocketSphinx's test recordings, force-aligned, and alignments made elsewhere."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from pathlib import Path

import numpy as np

from align import Aligner
from phones import Phone

SOUNDS = Path("/usr/share/asterisk/sounds")
DOCUMENTS = Path("/usr/share/doc")
TEST_DATA = Path("/usr/share/pocketsphinx/test/data")

Utterance = tuple[np.ndarray, list[Phone], str]


def decode(path: Path) -> np.ndarray:
    """int16 mono at 16 kHz of any file that ffmpeg reads; headerless .g722 and .raw (16 kHz) too."""
    kind = {".g722": ["-f", "g722"], ".raw": ["-f", "s16le", "-ar", "16000", "-ac", "1"]}.get(path.suffix, [])
    done = subprocess.run(["ffmpeg", "-v", "error", *kind, "-i", str(path), "-f", "s16le", "-ar", "16000", "-ac", "1", "-"],
                          capture_output=True, check=True)
    return np.frombuffer(done.stdout, "<i2")


def prompt_texts(language: str) -> dict[str, str]:
    """Prompt name to what is said; bracketed stage directions and sound effects are left out."""
    path = DOCUMENTS / f"asterisk-core-sounds-{language}" / f"core-sounds-{language}.txt.gz"
    texts = {}
    for line in gzip.decompress(path.read_bytes()).decode("utf-8", "replace").splitlines():
        name, colon, text = line.partition(":")
        if colon and not line.startswith(";") and not re.search(r"[\[\]()]", text):
            texts[name.strip()] = text.strip()
    return texts


def prompts(language: str, folder: str) -> list[tuple[str, np.ndarray, str]]:
    found = []
    for name, text in prompt_texts(language).items():
        path = SOUNDS / folder / f"{name}.g722"
        if path.exists() and text:
            found.append((name, decode(path), text))
    return found


def english_prompts(aligner: Aligner, leave_out: set[str]) -> list[Utterance]:
    utterances = []
    for name, pcm, text in prompts("en", "en_US_f_Allison"):
        if name in leave_out or len(pcm) < 8000:
            continue
        phones = aligner(pcm, text)
        if phones:
            utterances.append((pcm, phones, text))
    return utterances


def aligned_elsewhere(folder: Path) -> list[tuple[str, Utterance]]:
    """Recordings that came with their phones: json/ and flac/ side by side."""
    out = []
    for path in sorted((folder / "json").glob("*.json")):
        data = json.loads(path.read_text())
        phones = [Phone(p["p"], p["s"], p["e"], p["v"], tuple(p["alt"])) for p in data["phones"]]
        out.append((data["id"], (decode(folder / "flac" / f"{path.stem}.flac"), phones, data["text"])))
    return out


def test_recordings(aligner: Aligner) -> dict[str, list[Utterance]]:
    """PocketSphinx's test data, never trained on: a LibriVox reader, card names, one command."""
    texts: dict[str, list[tuple[Path, str]]] = {"librivox": [], "cards": []}
    for voice, listing in (("librivox", "librivox/transcription"), ("cards", "cards/cards.transcription")):
        for line in (TEST_DATA / listing).read_text().splitlines():
            match = re.match(r"<s>(.*)</s>\s*\((.*)\)", line)
            if match:
                texts[voice].append((TEST_DATA / voice / f"{match[2]}.wav", match[1].strip()))
    texts["goforward"] = [(TEST_DATA / "goforward.raw", "go forward ten meters")]
    out: dict[str, list[Utterance]] = {}
    for voice, items in texts.items():
        for path, text in items:
            pcm = decode(path)
            phones = aligner(pcm, text)
            if phones:
                out.setdefault(voice, []).append((pcm, phones, text))
    return out
