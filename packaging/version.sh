#!/bin/sh
# Prints the part of the version that names the commit: +git20261128.f4fbd7a9, with .dirty for
# changes without a commit. It is empty for a commit with a tag and for sources without git.
set -eu
cd "$(dirname "$0")/.."
[ -e .git ] && commit=$(git rev-parse --short=8 HEAD 2>/dev/null) || exit 0
git describe --exact-match --tags HEAD >/dev/null 2>&1 && exit 0
dirty=
[ -z "$(git status --porcelain --untracked-files=no)" ] || dirty=.dirty
printf '+git%s.%s%s' "$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y%m%d)" "$commit" "$dirty"
