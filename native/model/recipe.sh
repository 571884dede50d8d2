#!/bin/sh
# From nothing to visemes.vvn: data, a first net, foreign prompts aligned by it, the final net, figures, test vectors.
#
#   [VOICES=FOLDER] recipe.sh CACHE [DEV_FOLDER [JFK_WAV]]    (four hours on two cores; Debian packages: README.md)
# VOICES is where fetch_voices.sh puts packages of recorded voices: CACHE/packages where it is not set.
set -eu
cache=$1
dev=${2:+--dev $2}
voices=${VOICES:-$1/packages}
here=$(dirname "$0")
run() { nice -n 10 python3 "$here/$@"; }

mkdir -p "$cache"
"$here/fetch_voices.sh" "$voices"
if [ -n "${3:-}" ]; then
  run make_data.py --cache "$cache" $dev --held-recording "$3" "and so my fellow americans ask not what your country can
    do for you ask what you can do for your country"
else
  run make_data.py --cache "$cache" $dev
fi
run train.py --cache "$cache" --out "$cache/first.vvn" --minutes 12
run make_data.py --cache "$cache" --sources foreign,packages --packages "$voices" --net "$cache/first.vvn"
run train.py --cache "$cache" --out "$cache/visemes.vvn" --resume "$cache/first.vvn" --channels 112 \
  --dilations 1,2,4,8,1,2,4,8,1 --minutes 140
run evaluate.py --cache "$cache" --net "$cache/visemes.vvn" --picture "$here/confusion.png" --json "$here/figures.json"
run vectors.py --net "$cache/visemes.vvn" --out "$here/../test/speech/vectors.vvt"
cp "$cache/visemes.vvn" "$here/visemes.vvn"
