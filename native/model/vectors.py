"""Records what the C++ tests compare with: a short synthetic utterance, the trained net's probabilities, its closures.

Layout, little endian: "VVTV", samples n, rows r, closures k (uint32); n int16 samples at 16 kHz; r x 15 float32
probabilities (row i speaks of 12.5 + 10 i ms); k pairs of float32 seconds, start and end of each p, b or m.
"""

from __future__ import annotations

import argparse
import struct
from pathlib import Path

import numpy as np
import torch

from espeak_source import Espeak
from export import load_net
from features import log_mel
from net import LOOK_AHEAD


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--net", type=Path, required=True, help="visemes.vvn as train.py wrote it")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    pcm, phones = Espeak().speak("Maybe Bob may move five more.", "en-us")
    net = load_net(options.net)
    with torch.no_grad():
        x = torch.from_numpy(log_mel(pcm.astype(np.float32) / 32768.0)).T[None]
        rows = torch.softmax(net(x), 1)[0, :, LOOK_AHEAD:].T.contiguous().numpy()
    closures = [(p.start, p.end) for p in phones if p.viseme == "PP"]
    data = struct.pack("<4s3I", b"VVTV", len(pcm), len(rows), len(closures))
    data += pcm.astype("<i2").tobytes() + rows.astype("<f4").tobytes()
    options.out.write_bytes(data + np.array(closures, "<f4").tobytes())


if __name__ == "__main__":
    main()
