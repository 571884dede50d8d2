#!/bin/sh
# Debian packages with recorded voices, each unpacked into its own folder and none installed: some refuse each other.
#
#   fetch_voices.sh FOLDER        (about 250 MB to download; then make_data.py --sources packages --packages FOLDER)
set -eu
mkdir -p "$1"
cd "$1"
for package in tuxpaint-stamps-default fillets-ng-data fillets-ng-data-cs asterisk-core-sounds-ru \
  asterisk-core-sounds-ru-g722 asterisk-core-sounds-it asterisk-core-sounds-es asterisk-prompt-it-menardi-wav \
  asterisk-prompt-es-co; do
  [ -d "$package" ] && continue
  apt-get download "$package"
  dpkg-deb -x "$package"_*.deb "$package.part"
  mv "$package.part" "$package"
  rm "$package"_*.deb
done
