#!/bin/bash
# Tries a Debian package on bare systems of Debian 12 and 13: distributions.sh PACKAGE. Needs root,
# debootstrap, lintian and tmux; MIRROR names another mirror than debootstrap's own. Copies the
# systems bookworm and trixie from the folder SYSTEMS if it has them. Removes all that it made.
set -euo pipefail

package=$(realpath "$1")
if [ "$(id -u)" != 0 ]; then
    echo "make distributions needs root: only root can make a system and enter it"
    exit 1
fi
# What is mounted is mounted for these processes alone.
[ -n "${IS_APART:-}" ] || IS_APART=1 exec unshare --mount "$0" "$package"

work=$(mktemp -d)
terminal=sluice-distributions-$$
leave() {
    tmux -L "$terminal" kill-server 2>/dev/null || true
    umount "$work"/*/proc 2>/dev/null || true
    rm -rf --one-file-system "$work"
}
trap leave EXIT

fail() { echo "$system: NO: $*" >&2; exit 1; }
say() { echo "$system: $*"; }
# Runs a command in the system.
in_system() {
    chroot "$work/$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=xterm-256color \
        LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
# The same, said only where it fails.
quietly() { in_system "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; fail "$*"; }; }

make_system() {
    if [ -d "${SYSTEMS:-}/$system" ]; then
        cp -a "$SYSTEMS/$system" "$work/$system"
    else
        debootstrap --variant=minbase "$system" "$work/$system" ${MIRROR:+"$MIRROR"} > "$work/log" 2>&1 ||
            { tail "$work/log" >&2; fail "debootstrap"; }
    fi
    mount -t proc proc "$work/$system/proc"
    cp "$package" "$work/$system/tmp/sluice.deb"
    quietly apt-get update
}

# Tasks of a file, worked on without any other library.
use() {
    local said
    in_system sh -e -c '
        cd /root
        echo "{\"handlers\": {\"send\": {\"command\": [\"sh\", \"-c\", \"cat >> sent.txt\"]}}}" > h.json
        sluice enqueue mail send "{\"to\":\"kim\"}"
        sluice work --handlers h.json --until-empty
        grep -q kim sent.txt
        sluice doctor' || fail "a task was not worked on"
    said=$(in_system sluice queues --store postgres://localhost/none 2>&1) && fail "no server answered"
    case $said in *libpq5*) say "without libpq5: $said" ;; *) fail "libpq5 is not named: $said" ;; esac
}

# The demonstration in a terminal, stepped once.
show() {
    local picture=
    tmux -L "$terminal" -f /dev/null new-session -d -x 100 -y 30 "chroot $work/$system env -i \
        PATH=/usr/bin:/bin HOME=/root TERM=screen-256color LANG=C.UTF-8 sluice demo"
    await profiles
    tmux -L "$terminal" send-keys s
    await 'HTTP 500'
    tmux -L "$terminal" capture-pane -p
    tmux -L "$terminal" send-keys q
}

# Waits until the terminal shows a text.
await() {
    local turn
    for turn in $(seq 300); do
        tmux -L "$terminal" capture-pane -p 2>/dev/null | grep -q "$1" && return
        sleep 0.1
    done
    tmux -L "$terminal" capture-pane -p >&2
    fail "the console does not show $1"
}

# With a manual, systemd and the recommended libraries.
furnish() {
    quietly apt-get install -y --no-install-recommends systemd man-db libpq5 libcurl4
    quietly apt-get install -y --reinstall /tmp/sluice.deb
    in_system getent passwd sluice >/dev/null || fail "there is no user sluice"
    in_system systemd-analyze verify sluice-work.service || fail "the unit is not right"
    local page
    for page in $(in_system sluice __manual); do
        in_system man --warnings -P cat "${page%.*}" > /dev/null 2> "$work/log" ||
            fail "man ${page%.*}"
        [ ! -s "$work/log" ] || { cat "$work/log" >&2; fail "man ${page%.*}"; }
    done
    say "the unit is right, and man shows every page"
}

remove() {
    quietly apt-get purge -y sluice-debugger
    local left
    # What man keeps of the pages that it showed is man's.
    left=$(in_system find / -xdev -name '*sluice*' \
        -not -path '/root/*' -not -path '/tmp/*' -not -path '/var/cache/man/*')
    [ -z "$left" ] || fail "left behind: $left"
    ! in_system getent passwd sluice >/dev/null || fail "the user sluice is left"
    say "removed, and nothing is left"
}

lintian --fail-on error,warning "$package"
for system in bookworm trixie; do
    make_system
    quietly apt-get install -y --no-install-recommends /tmp/sluice.deb
    say "installed: $(in_system sluice version), $(in_system sh -c '. /etc/os-release; echo $PRETTY_NAME')"
    use
    show
    furnish
    remove
done
