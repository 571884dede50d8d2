"""Writes speech with known phone times into a cache folder: one .npz per voice (int16 at 16 kHz, utterance bounds, phones).

    python3 make_data.py --cache /tmp/viseme-data [--sources espeak,flite,festival,recordings,foreign,packages]
    python3 make_data.py --cache /tmp/viseme-held --held    only voices that are never trained on
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
import zlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from phones import Phone

TEXTS = Path(__file__).parent / "texts"
DICTIONARY = Path("/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict")

ENGLISH = ("en-us", "en", "en-gb-x-rp", "en-gb-scotland", "en-us-nyc", "en-029")
OTHERS = ("es", "es-419", "fr", "fr-be", "de", "it", "pt", "pt-br", "hi")
TRAIN_VARIANTS = ("f1", "f2", "f4", "f5", "m1", "m2", "m4", "m5", "m6", "m7", "m8", "klatt", "klatt2", "klatt4",
                  "Annie", "Andy", "Gene", "Jacky", "Lee", "Mario", "Michael", "adam", "anika", "belinda", "boris",
                  "caleb", "david", "edward", "grandma", "iven", "john", "paul", "rob", "sandro", "shelby", "steph",
                  "travis", "victor", "zac")
HELD_ESPEAK = ("en-us+f3", "en-us+m3", "en+linda", "en-us+max", "es+f3", "fr+m3", "de+f3", "it+m3", "pt-br+f3",
               "hi+m3")


def sentences(language: str) -> list[str]:
    lines = (TEXTS / f"{language}.txt").read_text().splitlines()
    return [line.strip() for line in lines if line.strip()]


def dictionary_words() -> list[str]:
    """English words for nonsense sentences, so that the net meets every sequence of phones."""
    if not DICTIONARY.exists():
        return " ".join(sentences("en")).split()
    words = (line.split(" ")[0] for line in DICTIONARY.read_text().splitlines())
    return [w for w in words if w.isalpha() and len(w) > 2]


def endless_text(language: str, rng: random.Random) -> Iterable[str]:
    """Own sentences in random order, then sentences of shuffled words, without end."""
    own = sentences(language)
    words = dictionary_words() if language == "en" else [w.strip(".,?¿!;:।") for w in " ".join(own).split()]
    order = own[:]
    rng.shuffle(order)
    for line in order[: 8 if language == "en" else 12]:
        yield line
    while True:
        if rng.random() < 0.2:
            yield rng.choice(own)
        else:
            text = " ".join(rng.choice(words) for _ in range(rng.randint(2, 9)))
            yield text + rng.choice((".", ".", "?", "!", ", " + rng.choice(own)))


def save(path: Path, meta: dict, utterances: list[tuple[np.ndarray, list[Phone], str]]) -> None:
    """Writes under a temporary name first, so that a file that exists is whole."""
    bounds = np.cumsum([0] + [len(pcm) for pcm, _, _ in utterances])
    phones = [[[p.name, round(p.start, 5), round(p.end, 5), p.viseme, list(p.alt)] for p in ph]
              for _, ph, _ in utterances]
    temporary = path.with_suffix(".tmp.npz")
    np.savez(temporary, pcm=np.concatenate([pcm for pcm, _, _ in utterances]), bounds=bounds,
             meta=json.dumps(meta), phones=json.dumps(phones), texts=json.dumps([t for _, _, t in utterances]))
    temporary.rename(path)


def load(path: Path) -> tuple[dict, list[tuple[np.ndarray, list[Phone], str]]]:
    data = np.load(path)
    meta, phones, texts = (json.loads(str(data[k])) for k in ("meta", "phones", "texts"))
    pcm, bounds = data["pcm"], data["bounds"]
    return meta, [(pcm[a:b], [Phone(n, s, e, v, tuple(alt)) for n, s, e, v, alt in ph], text)
                  for a, b, ph, text in zip(bounds, bounds[1:], phones, texts)]


def make_espeak(cache: Path, seconds: float, held_only: bool = False) -> None:
    from espeak_source import Espeak
    espeak = Espeak()
    variants = list(TRAIN_VARIANTS)
    train = list(ENGLISH) + list(OTHERS)
    for i, variant in enumerate(variants):
        train.append(f"{'en-us' if i % 2 else ENGLISH[i % len(ENGLISH)]}+{variant}")
        train.append(f"{OTHERS[i % len(OTHERS)]}+{variant}")
    for voice in HELD_ESPEAK if held_only else [*train, *HELD_ESPEAK]:
        held = voice in HELD_ESPEAK
        path = cache / f"espeak_{voice}.npz"
        if path.exists():
            continue
        local = random.Random(zlib.crc32(voice.encode()))
        want = 40.0 if held else seconds * (2.0 if voice == "en-us" else 1.0)
        language = voice.split("-")[0].split("+")[0]
        utterances, total = [], 0.0
        for text in endless_text(language, local):
            rate = 175 if held else int(local.choice((175, 175, local.uniform(120, 240))))
            pitch = 50 if held else int(local.choice((50, local.uniform(15, 90))))
            pcm, phones = espeak.speak(text, voice, rate, pitch, 50 if held else int(local.uniform(20, 80)))
            if len(pcm) < 8000:
                continue
            utterances.append((pcm, phones, text))
            total += len(pcm) / 16000
            if total >= want:
                break
        save(path, {"voice": voice, "kind": "espeak", "language": language, "held": held}, utterances)


def make_flite(cache: Path, seconds: float, held_only: bool = False) -> None:
    import segment_sources
    for voice, held in segment_sources.FLITE.items():
        if held_only and not held:
            continue
        rng = random.Random(zlib.crc32(voice.encode()))
        utterances, total = [], 0.0
        for text in endless_text("en", rng):
            pcm, phones = segment_sources.flite(text, voice, 1.0 if held else rng.choice((1.0, 1.0, 0.8, 1.2)))
            utterances.append((pcm, phones, text))
            total += len(pcm) / 16000
            if total >= (60.0 if held else 4 * seconds):
                break
        save(cache / f"flite_{voice}.npz", {"voice": f"flite {voice}", "kind": "flite", "language": "en", "held": held,
                                            "weight": 1.5}, utterances)


def make_festival(cache: Path, seconds: float, held_only: bool = False) -> None:
    import segment_sources
    for voice, (language, held) in segment_sources.FESTIVAL.items():
        path = cache / f"festival_{voice}.npz"
        if path.exists() or (held_only and not held):
            continue
        rng = random.Random(zlib.crc32(voice.encode()))
        texts, letters = [], 0
        for text in endless_text(language, rng):
            texts.append(text)
            letters += len(text)
            if letters > 14 * (60.0 if held else 4 * seconds):  # About 14 letters a second.
                break
        utterances = segment_sources.festival(texts, voice, language)
        if utterances:
            save(path, {"voice": f"festival {voice}", "kind": "festival", "language": language, "held": held,
                        "weight": 1.5}, utterances)


def make_recordings(cache: Path, dev: Path | None, held_recordings: list[list[str]], held_only: bool = False) -> None:
    import recordings
    from align import Aligner
    aligner = Aligner(cache)
    held_names: set[str] = set()
    if dev:
        aligned = recordings.aligned_elsewhere(dev)
        held_names = {name.removeprefix("ast_") for name, _ in aligned}
        save(cache / "real_dev.npz", {"voice": "Allison, held prompts", "kind": "real", "language": "en", "held": True},
             [utterance for _, utterance in aligned])
    if not held_only:
        english = recordings.english_prompts(aligner, held_names)
        save(cache / "real_allison.npz", {"voice": "Allison", "kind": "real", "language": "en", "held": False,
                                          "weight": 3.0}, english)
    held = recordings.test_recordings(aligner)
    for path, text in held_recordings:
        pcm = recordings.decode(Path(path))
        phones = aligner(pcm, text)
        if phones:
            held[Path(path).stem] = [(pcm, phones, text)]
    for voice, utterances in held.items():
        save(cache / f"real_{voice}.npz", {"voice": voice, "kind": "real", "language": "en", "held": True}, utterances)


def make_foreign(cache: Path, net: Path) -> None:
    """Prompts in languages without a recogniser here, aligned by a net trained on the other sources."""
    import recordings
    from align_net import NetAligner
    aligner = NetAligner(net)
    for voice, language, folder, speaks in (("carlo", "it", "it_IT_m_Carlo", "it"), ("june", "fr", "fr_CA_f_June", "fr"),
                                            ("allison_es", "es", "es_MX_f_Allison", "es-419")):
        utterances, skipped = [], 0
        for _, pcm, text in recordings.prompts(language, folder):
            phones = aligner(pcm, text, speaks) if len(pcm) >= 8000 else None
            if phones:
                utterances.append((pcm, phones, text))
            else:
                skipped += 1
        print(f"{voice}: {len(utterances)} aligned, {skipped} left out", flush=True)
        save(cache / f"real_{voice}.npz", {"voice": voice, "kind": "real", "language": language, "held": False,
                                           "weight": 2.0}, utterances)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--sources", default="espeak,flite,festival,recordings")
    parser.add_argument("--dev", type=Path, help="folder with json/ and flac/ of aligned recordings")
    parser.add_argument("--held-recording", nargs=2, action="append", default=[], metavar=("FILE", "TEXT"),
                        help="a recording to evaluate on, never trained on")
    parser.add_argument("--net", type=Path, help="visemes.vvn that aligns the sources `foreign` and `packages`")
    parser.add_argument("--packages", type=Path, default=Path("/"), help="folder that fetch_voices.sh filled")
    parser.add_argument("--held", action="store_true", help="only voices that are never trained on")
    parser.add_argument("--seconds", type=float, default=110.0, help="speech per synthetic training voice")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    for source in options.sources.split(","):
        began = time.time()
        if source == "espeak":
            make_espeak(options.cache, options.seconds, options.held)
        elif source == "flite":
            make_flite(options.cache, options.seconds, options.held)
        elif source == "festival":
            make_festival(options.cache, options.seconds, options.held)
        elif source == "recordings":
            make_recordings(options.cache, options.dev, options.held_recording, options.held)
        elif source == "foreign" and options.net:
            make_foreign(options.cache, options.net)
        elif source == "packages" and options.net:
            from package_source import make_packages
            make_packages(options.cache, options.net, options.packages, save)
        else:
            sys.exit(f"no source {source}")
        print(f"{source}: {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
