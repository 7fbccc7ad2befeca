#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Looks for faults for a long time, outside continuous integration:
#   scripts/soak.sh [MINUTES]        60 if not said
# Mutated sources are read, kernels with one thing wrong are judged, operators of random sizes and
# random programs run through every stage, in turn, each time with another seed. What fails is kept in
# build/soak, programs also made small. Needs a build.
set -euo pipefail
case "${1:-}" in
-h | --help)
  sed -n '3,7s/^# //p' "${BASH_SOURCE[0]}"
  exit 0
  ;;
esac
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build="${TILEWRIGHT_BUILD:-$root/build}"
minutes="${1:-60}"
for program in tilewright source_fuzz block_mutants; do
  if [ ! -x "$build/bin/$program" ]; then
    echo "soak.sh: $build/bin/$program is missing; run scripts/test.sh first" >&2
    exit 2
  fi
done
end=$((SECONDS + minutes * 60))
status=0
seed="$(date +%s)"
while [ "$SECONDS" -lt "$end" ]; do
  left=$((end - SECONDS))
  slice=$((left < 300 ? left : 300))
  seed=$((seed + 1))
  "$build/bin/source_fuzz" --seconds "$slice" --seed "$seed" --out "$build/soak/sources" \
    "$root/resources/examples" || status=1
  left=$((end - SECONDS))
  [ "$left" -gt 0 ] || break
  slice=$((left < 300 ? left : 300))
  mkdir -p "$build/soak/mutants"
  "$build/bin/block_mutants" --seconds "$slice" --seed "$seed" \
    "$root"/resources/examples/{softmax,layer_norm,ragged_matmul,ragged_rows,transformer_layer_small}.mlir > "$build/soak/mutants/$seed.jsonl" || status=1
  left=$((end - SECONDS))
  [ "$left" -gt 0 ] || break
  slice=$((left < 300 ? left : 300))
  python3 "$root/tests/soak/random_shapes.py" --tilewright "$build/bin/tilewright" \
    --seconds "$slice" --seed "$seed" --out "$build/soak/shapes" || status=1
  left=$((end - SECONDS))
  [ "$left" -gt 0 ] || break
  slice=$((left < 300 ? left : 300))
  python3 "$root/tests/soak/random_programs/run.py" --tilewright "$build/bin/tilewright" \
    --seconds "$slice" --seed "$seed" --jobs 2 --out "$build/soak/programs" || status=1
done
exit "$status"
