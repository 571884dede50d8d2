"""Writes held-out voices of a cache as json/ and pcm/ (s16le, 16 kHz, mono), for benchmarks that know no Python.

    python3 clips.py --cache /tmp/viseme-data --kind real --out /tmp/viseme-clips
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from make_data import load


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--kind", help="only this kind of voice: espeak, flite, festival or real")
    options = parser.parse_args()
    for folder in ("json", "pcm"):
        (options.out / folder).mkdir(parents=True, exist_ok=True)
    for path in sorted(options.cache.glob("*.npz")):
        meta, utterances = load(path)
        if not meta["held"] or (options.kind and meta["kind"] != options.kind):
            continue
        for i, (pcm, phones, text) in enumerate(utterances):
            name = f"{path.stem}_{i:02}"
            (options.out / "pcm" / f"{name}.pcm").write_bytes(pcm.astype("<i2").tobytes())
            clip = {"id": name, "voice": meta["voice"], "kind": meta["kind"], "text": text, "sr": 16000,
                    "dur": len(pcm) / 16000,
                    "phones": [{"p": p.name, "s": p.start, "e": p.end, "v": p.viseme, "alt": list(p.alt)} for p in phones]}
            (options.out / "json" / f"{name}.json").write_text(json.dumps(clip))


if __name__ == "__main__":
    main()
