"""Recorded voices in Debian packages of games and prompts: which files they hold and what is said in each.

A package is looked for where it installs (`/usr/share/…`) and unpacked by itself (`ROOT/PACKAGE/usr/share/…`), as
fetch_voices.sh leaves it: some of these packages refuse to be installed together.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_FEWEST = 10  # Recordings below which a speaker is not worth a file.


@dataclass
class Voice:
    """One cache file: its name, who speaks, the language, espeak-ng's voice for it, and (recording, text) pairs.

    `held` voices are evaluated on and never trained on.
    """

    file: str
    voice: str
    language: str
    speaks: str
    held: bool = False
    items: list[tuple[Path, str]] = field(default_factory=list)


# Languages of Tux Paint's stamps: suffix of the recordings, key of the texts, espeak-ng's voice. Danish is held out;
# Bulgarian and Dutch are too muffled to be aligned, Spanish is overdriven.
_STAMPS = (("ru", "ru", "ru"), ("ro", "ro", "ro"), ("fr", "fr", "fr"), ("ca", "ca", "ca"), ("be", "be", "be"),
           ("el", "el", "el"), ("da", "da", "da"), ("en", "", "en-gb-x-rp"))
_HELD_STAMPS = {"da"}
# Of Fish Fillets' speakers, only the big fish is free enough of echo for the alignment; the others stay out.
_FISH = {"v": "big fish"}
# Prompts by other speakers that share names with the core sounds: package, language, folder, kind of file, voice.
_PROMPTS = (("asterisk-core-sounds-ru-g722", "ru", "ru_RU_f_IvrvoiceRU", "g722", "ru", "Ivrvoice"),
            ("asterisk-prompt-it-menardi-wav", "it", "it_IT_f_Menardi", "wav", "it", "Paola Dal Zot"),
            ("asterisk-prompt-es-co", "es", "es", "gsm", "es-419", "July Jimenez"))


def _folders(root: Path, package: str, inside: str) -> Iterator[Path]:
    for base in (root / package, root):
        folder = base / "usr/share" / inside
        if folder.is_dir():
            yield folder


def stamps(root: Path) -> Iterator[Voice]:
    """Names of pictures: NAME_desc_LANGUAGE.ogg, texts in NAME.txt (first line English, then `fr.utf8=…`)."""
    for folder in _folders(root, "tuxpaint-stamps-default", "tuxpaint/stamps"):
        texts: dict[Path, dict[str, str]] = {}
        for path in folder.rglob("*.txt"):
            first, *lines = path.read_text("utf-8", "replace").splitlines() or [""]
            said = {"": first.strip()}
            for line in lines:
                key, equals, text = line.partition(".utf8=")
                if equals:
                    said[key] = text.strip()
            texts[path.with_suffix("")] = said
        for language, key, speaks in _STAMPS:
            held = language in _HELD_STAMPS
            voice = Voice(f"{'held' if held else 'real'}_tuxpaint_{language}", f"Tux Paint {language}", language, speaks,
                          held)
            ending = f"_desc_{key}.ogg" if key else "_desc.ogg"
            for path in sorted(folder.rglob(f"*{ending}")):
                text = texts.get(path.with_name(path.name.removesuffix(ending)), {}).get(key, "")
                if text and not re.search(r"[\[\]()]", text):  # Whether a bracket was read out is unknown.
                    voice.items.append((path, text))
            if len(voice.items) >= _FEWEST:
                yield voice
        return


def fillets(root: Path) -> Iterator[Voice]:
    """Lines of Fish Fillets in Czech: sound/LEVEL/cs/ID.ogg, where ID is LEVEL-SPEAKER-LINE; texts in Lua."""
    scripts = next(_folders(root, "fillets-ng-data", "games/fillets-ng/script"), None)
    sounds = next(_folders(root, "fillets-ng-data-cs", "games/fillets-ng/sound"), None)
    if scripts is None or sounds is None:
        return
    texts = {}
    for path in scripts.glob("*/dialogs_cs.lua"):
        for name, text in re.findall(r'dialogId\("([^"]+)".*?\n\s*dialogStr\("((?:[^"\\]|\\.)*)"\)',
                                     path.read_text("utf-8", "replace")):
            texts[path.parent.name, name] = text.replace('\\"', '"').replace("\\n", " ")
    for letter, speaker in _FISH.items():
        voice = Voice(f"real_fillets_cs_{letter}", f"Fish Fillets cs, {speaker}", "cs", "cs")
        for path in sorted(sounds.glob(f"*/cs/*-{letter}-*.ogg")):
            text = texts.get((path.parent.parent.name, path.stem), "")
            if text:
                voice.items.append((path, text))
        if len(voice.items) >= _FEWEST:
            yield voice


def prompts(root: Path) -> Iterator[Voice]:
    """Asterisk prompts; what is said comes from the core sounds' list in that language, and an alignment that fits."""
    for package, language, folder, kind, speaks, voice in _PROMPTS:
        listing = f"doc/asterisk-core-sounds-{language}/core-sounds-{language}.txt.gz"
        sources = [base / "usr/share" / listing for base in (root / f"asterisk-core-sounds-{language}", root, Path("/"))]
        source = next((path for path in sources if path.exists()), None)
        if source is None:
            continue
        texts = {}
        for line in gzip.decompress(source.read_bytes()).decode("utf-8", "replace").splitlines():
            name, colon, text = line.partition(":")
            if colon and text.strip() and not line.startswith(";") and not re.search(r"[\[\]()]", text):
                texts[name.strip()] = text.strip()
        bases = [*_folders(root, package, "asterisk/sounds"), Path("/usr/share/asterisk/sounds")]
        for base in bases:
            items = [(base / folder / f"{name}.{kind}", text) for name, text in texts.items()]
            items = [item for item in items if item[0].exists()]
            if items:
                file = package.removeprefix("asterisk-").removesuffix("-wav").removesuffix("-g722")
                yield Voice(f"real_{file.replace('-', '_')}", voice, language, speaks, False, items)
                break


def voices(root: Path) -> Iterator[Voice]:
    """Every voice found, those worth most first."""
    yield from stamps(root)
    yield from fillets(root)
    yield from prompts(root)
