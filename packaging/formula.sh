#!/bin/bash
# Prints a formula for Homebrew on Linux: formula.sh ARCHIVE ADDRESS. ADDRESS is the folder on the
# web from which people download the archive.
set -euo pipefail
archive=$1 address=$2
name=$(basename "$archive")
version=${name#sluice-}
version=${version%-linux-*}
cat <<END
class Sluice < Formula
  desc "Debugger for task queues in the terminal"
  homepage "$address"
  url "$address/$name"
  version "$version"
  sha256 "$(sha256sum "$archive" | cut -d ' ' -f 1)"
  license "MIT"

  depends_on :linux

  def install
    prefix.install Dir["*"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/sluice version")
  end
end
END
