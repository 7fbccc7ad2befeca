#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what is missing, builds, and shows one operator from source to machine code:
#   scripts/run.sh [FILE]      FILE: an operator, else resources/examples/swiglu_ffn.mlir
# Needs no display. Results go to build/out/.
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib/install.sh"

case "${1:-}" in
-h | --help)
  sed -n '3,5s/^# //p' "${BASH_SOURCE[0]}"
  exit 0
  ;;
esac
file="${1:-$root/resources/examples/swiglu_ffn.mlir}"
[ -r "$file" ] || die "cannot read '$file'" "Give the path of an operator, or no argument at all."

install_packages "${build_packages[@]}"
build_targets tilewright tilewright-engine tilewright-lsp tilewright-studio

out="$build/out"
mkdir -p "$out"
bin="$build/bin"
failed=0

# step WHAT COMMAND...: goes on after a failure, so that one shows all the others.
step() {
  local what="$1"
  shift
  "$@" && return 0
  printf 'error: %s failed (exit code %d): %s\n' "$what" "$?" "$*" >&2
  failed=1
}

say "== Stages and passes of $(basename "$file")"
step "compiling" "$bin/tilewright" stages "$file"

say ""
say "== Running it on this machine, and checking the result"
step "running" "$bin/tilewright" run "$file" --check --repeat 5 --trace "$out/trace.json"

for stage in tensor tile block execution; do
  step "drawing the $stage graph" \
    "$bin/tilewright" graph "$file" --stage "$stage" --svg -o "$out/$stage.svg"
done

runtime="$(mktemp -d)" # Qt wants a folder of its own
trap 'rm -rf "$runtime"' EXIT
step "the picture of Studio" env QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR="$runtime" \
  "$bin/tilewright-studio" "$file" --stage tile --trace "$out/trace.json" \
  --screenshot "$out/studio.png" --size 1280x720

say ""
say "== What to open next"
show() { [ -s "$out/$1" ] && printf '  %-28s %s\n' "build/out/$1" "$2"; }
show tensor.svg "the operator as whole tensors"
show tile.svg "the same in tiles, with their grids"
show block.svg "kernels: buffers, instructions, events"
show execution.svg "tasks and what they wait for"
show trace.json "what ran when: open in Studio, or in ui.perfetto.dev"
show studio.png "the workbench with all of these linked"
say "  build/bin/tilewright-studio $file"
say "  build/bin/tilewright --help"
exit "$failed"
