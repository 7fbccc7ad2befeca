#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Looks for faults for a long time, outside continuous integration:
#   scripts/soak.sh [MINUTES]          60 if not said
#   scripts/soak.sh --edits [MINUTES]  only the last of what follows; 120 if not said
# Mutated sources are read, kernels with one thing wrong are judged, operators of random sizes and
# random programs run through every stage, and files are edited at random through the language server, in
# turn, each time with another seed. What fails is kept in build/soak, programs also made small; so is each
# text that an engine died of. Needs a build.
set -euo pipefail
case "${1:-}" in
-h | --help)
  sed -n '3,9s/^# //p' "${BASH_SOURCE[0]}"
  exit 0
  ;;
esac
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build="${TILEWRIGHT_BUILD:-$root/build}"
only_edits=""
if [ "${1:-}" = --edits ]; then
  only_edits=1
  shift
fi
minutes="${1:-${only_edits:+120}}"
minutes="${minutes:-60}"
if ! [[ "$minutes" =~ ^[1-9][0-9]{0,5}$ ]]; then
  echo "soak.sh: '$minutes' is no number of minutes" >&2
  exit 2
fi
for program in tilewright tilewright-lsp tilewright-engine source_fuzz block_mutants; do
  if [ ! -x "$build/bin/$program" ]; then
    echo "soak.sh: $build/bin/$program is missing; run scripts/test.sh first" >&2
    exit 2
  fi
done
end=$((SECONDS + minutes * 60))
status=0
seed="$(date +%s)"
# For so many seconds, 30 minutes each time: a session long enough to tell memory that grows.
edits() {
  python3 "$root/tests/soak/random_edits/run.py" --server "$build/bin/tilewright-lsp" \
    --engine "$build/bin/tilewright-engine" --seconds "$1" --seed "$seed" --wild "$2" \
    --out "$build/soak/edits" "$root/resources/examples" || status=1
}
while [ -n "$only_edits" ] && [ "$SECONDS" -lt "$end" ]; do
  left=$((end - SECONDS))
  seed=$((seed + 1))
  edits $((left < 1800 ? left : 1800)) "$([ $((seed % 2)) = 0 ] && echo 0.12 || echo 0.25)"
done
[ -z "$only_edits" ] || exit "$status"
# Of a short time each of the five gets its part.
part=$((minutes * 60 / 5 < 300 ? minutes * 60 / 5 : 300))
# What the next one may take; ends the script when the time is over.
next_slice() {
  slice=$((end - SECONDS < part ? end - SECONDS : part))
  [ "$slice" -gt 0 ] || exit "$status"
}
while true; do
  seed=$((seed + 1))
  next_slice
  "$build/bin/source_fuzz" --seconds "$slice" --seed "$seed" --out "$build/soak/sources" \
    "$root/resources/examples" || status=1
  next_slice
  mkdir -p "$build/soak/mutants"
  "$build/bin/block_mutants" --seconds "$slice" --seed "$seed" \
    "$root"/resources/examples/{softmax,layer_norm,ragged_matmul,ragged_rows,transformer_layer_small}.mlir > "$build/soak/mutants/$seed.jsonl" || status=1
  next_slice
  python3 "$root/tests/soak/random_shapes.py" --tilewright "$build/bin/tilewright" \
    --seconds "$slice" --seed "$seed" --out "$build/soak/shapes" || status=1
  next_slice
  python3 "$root/tests/soak/random_programs/run.py" --tilewright "$build/bin/tilewright" \
    --server "$build/bin/tilewright-lsp" --engine "$build/bin/tilewright-engine" \
    --seconds "$slice" --seed "$seed" --jobs 2 --out "$build/soak/programs" || status=1
  next_slice
  edits "$slice" 0.12
done
