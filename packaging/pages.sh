#!/bin/bash
# Makes the DocC pages of the library's products from what a debug build left: pages.sh BUILD
# FOLDER. A link that leads nowhere is an error.
set -euo pipefail

root=$(dirname "$(cd "$(dirname "$0")" && pwd)")
build=$1 folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What an app sees by importing Sluice alone.
reexported=SluiceModel,SluiceStore,SluiceControl,SluiceRunner,SluiceSQL
options=(-I "$build/Modules" -I "$root/Sources/System/SluiceCSQLite"
    -target "$(uname -m)-unknown-linux-gnu" -minimum-access-level public
    -skip-synthesized-members -emit-extension-block-symbols)
for map in "$build"/*.build/module.modulemap; do
    options+=(-Xcc "-fmodule-map-file=$map")
done

mkdir -p "$folder"
for product in Sluice SluicePostgres SluiceTesting; do
    mkdir "$work/$product"
    swift-symbolgraph-extract -module-name "$product" "${options[@]}" \
        -experimental-allowed-reexported-modules="$reexported" -output-dir "$work/$product"
    docc convert "$root/Sources/Library/$product/$product.docc" \
        --additional-symbol-graph-dir "$work/$product" --fallback-display-name "$product" \
        --fallback-bundle-identifier "$product" --warnings-as-errors \
        --output-path "$folder/$product.doccarchive"
done
