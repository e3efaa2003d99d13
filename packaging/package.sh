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
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree

# Installs the program under a prefix in the tree. The installed program knows its commit.
stage() {
    make --no-print-directory -C "$root" install DESTDIR="$tree" PROGRAM="$program" \
        PREFIX="$1" "${@:2}" >/dev/null
    version=$("$tree$1/bin/sluice" version | cut -d ' ' -f 2)
}

# Copies the pages for people who read them without a network.
document() {
    install -d "$1/docs/notes" "$1/docs/foreign" "$1/docs/workers"
    cp "$root/README.md" "$root/CHANGELOG.md" "$root/SECURITY.md" "$1"
    cp "$root"/docs/*.md "$root/docs/grafana-board.json" "$1/docs"
    cp "$root"/docs/notes/*.md "$1/docs/notes"
    cp "$root"/docs/foreign/*.md "$1/docs/foreign"
    cp -R "$root/docs/workers/." "$1/docs/workers"
}

# Copies the licences of the libraries that the program contains.
license() {
    install -d "$1"
    cp "$here/deb/copyright" "$1/NOTICES"
    cp -L /usr/share/common-licenses/Apache-2.0 /usr/share/common-licenses/GPL-3 "$1"
    cp -L /usr/share/doc/libncurses-dev/copyright "$1/ncurses"
    cp -L /usr/share/doc/zlib1g-dev/copyright "$1/zlib"
    cp -L "/usr/share/doc/$(dpkg-query -S '*/libgcc_eh.a' | head -n 1 | cut -d : -f 1)/copyright" \
        "$1/gcc"
}

# Prints the packages of the program's libraries with their minimum versions.
depends() {
    mkdir "$work/debian" "$tree/DEBIAN"
    printf 'Source: sluice\n\nPackage: sluice\nArchitecture: any\n' > "$work/debian/control"
    local found
    found=$(cd "$work" && dpkg-shlibdeps -O "$tree/usr/bin/sluice" | sed -n 's/^shlibs:Depends=//p')
    # No symbol says that packed relocations need glibc 2.36.
    if readelf --version-info "$tree/usr/bin/sluice" | grep -q GLIBC_ABI_DT_RELR; then
        found=$(sed 's/libc6 (>= [0-9.]*)/libc6 (>= 2.36)/' <<< "$found")
    fi
    echo "$found"
}

# A text of this folder with its places filled in.
filled() {
    sed "s|@VERSION@|$version|; s|@ARCHITECTURE@|$architecture|; s|@MAINTAINER@|$maintainer|
        s|@SIZE@|$size|; s|@DEPENDS@|$depends|" "$here/deb/$1"
}

deb() {
    stage /usr ZSH_COMPLETIONS=/usr/share/zsh/vendor-completions
    local package=sluice-debugger architecture depends size name
    architecture=$(dpkg --print-architecture)
    depends=$(depends)
    local documents=$tree/usr/share/doc/$package
    document "$documents"
    { cat "$here/deb/copyright"; sed '1,2d; s/^$/./; s/^/ /' "$root/LICENSE"; } \
        > "$documents/copyright"
    printf '%s (%s) unstable; urgency=medium\n\n  * Commit %s.\n\n -- %s  %s\n' \
        "$package" "$version" "$(of_commit %h)" "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")" |
        gzip -9n > "$documents/changelog.gz"
    find "$tree/usr/share/man" -type f -exec gzip -9n {} +
    size=$(du -sk --apparent-size "$tree/usr" | cut -f 1)
    filled control > "$tree/DEBIAN/control"
    for name in postinst prerm postrm; do
        install -m 755 "$here/deb/$name" "$tree/DEBIAN/$name"
    done
    (cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum) > "$tree/DEBIAN/md5sums"
    local file=$folder/${package}_${version}_$architecture.deb
    dpkg-deb --root-owner-group -Zxz --build "$tree" "$file" >/dev/null
    echo "$file"
}

# Refuses a program that loads libraries other than the C library's.
refuse_libraries() {
    local needed
    needed=$(readelf -d "$program" |
        sed -n '/(NEEDED)/s/.*\[\(.*\)\]/\1/p' | sed '/^lib[cm]\.so/d; /^ld-linux/d' | paste -sd ' ')
    [ -n "$needed" ] || return 0
    echo "the program loads $needed: install libsqlite3-dev, libncurses-dev and zlib1g-dev," \
        "remove $program and make it again" >&2
    exit 1
}

# Refuses a program that needs a newer glibc than systems of 2021 have.
refuse_symbols() {
    local newest
    newest=$(readelf --version-info "$program" | grep -o 'GLIBC_[0-9.A-Z_]*' | sort -uV | tail -n 1)
    [ "$(printf '%s\n' "$newest" GLIBC_2.34 | sort -V | tail -n 1)" != GLIBC_2.34 ] || return 0
    echo "the program needs $newest: the archive promises GLIBC_2.34" >&2
    exit 1
}

tarball() {
    refuse_libraries
    refuse_symbols
    stage /usr/local
    local name
    name=sluice-$version-linux-$(uname -m)
    mv "$tree/usr/local" "$tree/$name"
    cp "$root/LICENSE" "$tree/$name"
    document "$tree/$name/share/doc/sluice"
    license "$tree/$name/share/doc/sluice/licenses"
    tar -C "$tree" -c --format=gnu --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
        --numeric-owner "$name" | xz -9 -T1 > "$folder/$name.tar.xz"
    echo "$folder/$name.tar.xz"
}

mkdir -p "$folder"
"$kind"
