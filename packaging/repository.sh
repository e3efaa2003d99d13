#!/bin/bash
# Makes an apt repository of Debian packages: repository.sh KEY FOLDER PACKAGE.deb... KEY is the id
# of a secret key of gpg, which signs the repository. The public key is written to FOLDER/sluice.asc.
set -euo pipefail
export LC_ALL=C.UTF-8 TZ=UTC
fail() { echo "repository.sh: $1" >&2; exit 1; }

[ $# -ge 3 ] || fail "usage: repository.sh KEY FOLDER PACKAGE.deb..."
key=$1 folder=$2
shift 2
gpg --batch --list-secret-keys "$key" >/dev/null 2>&1 || fail "gpg has no secret key $key"
for package in "$@"; do [ -f "$package" ] || fail "there is no package $package: run make deb"; done

mkdir -p "$folder/pool"
cp "$@" "$folder/pool"
cd "$folder"
for architecture in $(for p in pool/*.deb; do dpkg-deb -f "$p" Architecture; done | sort -u); do
    list=dists/stable/main/binary-$architecture
    mkdir -p "$list"
    dpkg-scanpackages --arch "$architecture" --multiversion pool > "$list/Packages" 2>/dev/null
    gzip -9nk -f "$list/Packages"
done
apt-ftparchive -o APT::FTPArchive::Release::Origin=Sluice \
    -o APT::FTPArchive::Release::Label=Sluice -o APT::FTPArchive::Release::Suite=stable \
    -o APT::FTPArchive::Release::Codename=stable -o APT::FTPArchive::Release::Components=main \
    -o APT::FTPArchive::Release::Architectures="$(cd dists/stable/main && ls -d binary-* |
        sed 's/binary-//' | paste -sd ' ')" release dists/stable > Release.new
mv Release.new dists/stable/Release
gpg --batch --yes --local-user "$key" --clearsign -o dists/stable/InRelease dists/stable/Release
gpg --batch --yes --local-user "$key" -abs -o dists/stable/Release.gpg dists/stable/Release
gpg --batch --yes --armor --export "$key" > sluice.asc
echo "$PWD"
