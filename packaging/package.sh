#!/bin/bash
# Packs a program: package.sh deb|tarball PROGRAM FOLDER. The same commit and code give the same
# bytes. Time and maintainer are those of the commit; SOURCE_DATE_EPOCH, DEBFULLNAME and DEBEMAIL
# say otherwise.
set -euo pipefail
export LC_ALL=C.UTF-8 TZ=UTC
umask 022

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
kind=$1 program=$(realpath "$2") folder=$3
of_commit() { git -C "$root" log -1 --format="$1"; }
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(of_commit %ct)}
maintainer="${DEBFULLNAME:-$(of_commit %aN)} <${DEBEMAIL:-$(of_commit %aE)}>"
version=$("$program" version | cut -d ' ' -f 2)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree

# Installs the program under a prefix in the tree.
stage() {
    make --no-print-directory -C "$root" install DESTDIR="$tree" PROGRAM="$program" "$@" >/dev/null
}

# What the packages of this program's libraries are called, and how new they must be.
depends() {
    mkdir "$work/debian" "$tree/DEBIAN"
    printf 'Source: sluice\n\nPackage: sluice\nArchitecture: any\n' > "$work/debian/control"
    (cd "$work" && dpkg-shlibdeps -O "$tree/usr/bin/sluice") | sed -n 's/^shlibs:Depends=//p'
}

# A text of this folder with its places filled in.
filled() {
    sed "s|@VERSION@|$version|; s|@ARCHITECTURE@|$architecture|; s|@MAINTAINER@|$maintainer|
        s|@SIZE@|$size|; s|@DEPENDS@|$depends|" "$here/deb/$1"
}

deb() {
    stage PREFIX=/usr ZSH_COMPLETIONS=/usr/share/zsh/vendor-completions
    local architecture depends size name
    architecture=$(dpkg --print-architecture)
    depends=$(depends)
    local documents=$tree/usr/share/doc/sluice
    install -d "$documents"
    { cat "$here/deb/copyright"; sed '1,2d; s/^$/./; s/^/ /' "$root/LICENSE"; } \
        > "$documents/copyright"
    printf 'sluice (%s) unstable; urgency=medium\n\n  * Commit %s.\n\n -- %s  %s\n' \
        "$version" "$(of_commit %h)" "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")" |
        gzip -9n > "$documents/changelog.gz"
    find "$tree/usr/share/man" -type f -exec gzip -9n {} +
    size=$(du -sk --apparent-size "$tree/usr" | cut -f 1)
    filled control > "$tree/DEBIAN/control"
    for name in postinst prerm postrm; do
        install -m 755 "$here/deb/$name" "$tree/DEBIAN/$name"
    done
    (cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum) > "$tree/DEBIAN/md5sums"
    local package=$folder/sluice_${version}_$architecture.deb
    dpkg-deb --root-owner-group -Zxz --build "$tree" "$package" >/dev/null
    echo "$package"
}

# What the program loads is to be on every machine.
refuse_libraries() {
    local needed
    needed=$(readelf -d "$program" |
        sed -n '/(NEEDED)/s/.*\[\(.*\)\]/\1/p' | sed '/^lib[cm]\.so/d; /^ld-linux/d' | paste -sd ' ')
    [ -n "$needed" ] || return 0
    echo "the program loads $needed: install libsqlite3-dev and libncurses-dev," \
        "remove $program and make it again" >&2
    exit 1
}

tarball() {
    refuse_libraries
    stage PREFIX=/usr/local
    local name
    name=sluice-$version-linux-$(uname -m)
    mv "$tree/usr/local" "$tree/$name"
    cp "$root/LICENSE" "$root/README.md" "$tree/$name"
    tar -C "$tree" -c --format=gnu --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
        --numeric-owner "$name" | xz -9 -T1 > "$folder/$name.tar.xz"
    echo "$folder/$name.tar.xz"
}

mkdir -p "$folder"
"$kind"
