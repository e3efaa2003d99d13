#!/bin/sh
# Installs a release archive: install.sh ARCHIVE [PREFIX]. It checks the archive against the file
# SHA256SUMS in the same folder, and the version of glibc. PREFIX is /usr/local by default.
set -eu
fail() { echo "install.sh: $1" >&2; exit 1; }

[ $# -ge 1 ] || fail "name the archive: install.sh sluice-VERSION-linux-MACHINE.tar.xz [PREFIX]"
archive=$1 prefix=${2:-/usr/local}
[ -f "$archive" ] || fail "there is no file $archive"
folder=$(dirname "$archive") name=$(basename "$archive")
case $name in *-linux-"$(uname -m)".tar.xz) ;; *) fail "$name is not for $(uname -m)" ;; esac
[ -f "$folder/SHA256SUMS" ] || fail "there is no $folder/SHA256SUMS: download it to that folder"
line=$(grep "  $name\$" "$folder/SHA256SUMS") || fail "SHA256SUMS does not name $name"
(cd "$folder" && echo "$line" | sha256sum -c - >/dev/null 2>&1) ||
    fail "the checksum of $name is wrong: download it again"
mkdir -p "$prefix" && [ -w "$prefix" ] || fail "$prefix cannot be written: use sudo, or name another prefix"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -C "$work" -xJf "$archive" || fail "$name cannot be unpacked: install xz-utils"
"$work"/sluice-*/bin/sluice version >/dev/null 2>"$work/error" ||
    fail "the program does not start here: $(head -n 1 "$work/error")"
cp -R "$work"/sluice-*/. "$prefix"
echo "$("$prefix/bin/sluice" version) is in $prefix/bin"
