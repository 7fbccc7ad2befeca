#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what is missing, builds everything, and runs all tests:
#   scripts/test.sh [--preset debug|asan|tsan] [CTEST ARGUMENT...]
# for example: scripts/test.sh -R Model
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib/install.sh"
. "$(dirname "${BASH_SOURCE[0]}")/lib/onnxruntime.sh"
. "$(dirname "${BASH_SOURCE[0]}")/lib/vscode.sh"

case "${1:-}" in
-h | --help)
  sed -n '3,5s/^# //p' "${BASH_SOURCE[0]}"
  exit 0
  ;;
esac

packages=("${build_packages[@]}" "${test_packages[@]}" "${vscode_packages[@]}" "${editor_packages[@]}")
if [ "${1:-}" = --preset ]; then
  use_preset "${2:-}"
  shift 2
  case "$preset" in asan | tsan) packages+=("${sanitizer_packages[@]}") ;; esac
fi

install_packages "${packages[@]}"
install_onnxruntime
install_vscode
build_targets

# Without a display, and with Qt's folder of its own.
runtime="$(mktemp -d)"
trap 'rm -rf "$runtime"' EXIT
export QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR="$runtime"
# MLIR, Qt and oneTBB are not instrumented: what only they do is not ours to mend. LLVM's allocators
# poison what is free where they are inlined into our code, and do not take it back in theirs.
export ASAN_OPTIONS=detect_container_overflow=0:detect_odr_violation=0:allow_user_poisoning=0
export LSAN_OPTIONS="suppressions=$root/tests/sanitizers/leaks.txt:print_suppressions=0"
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
case "${preset:-}" in asan | tsan) export TILEWRIGHT_TEST_SLOWDOWN=10 ;; esac
export TSAN_OPTIONS="suppressions=$root/tests/sanitizers/threads.txt:halt_on_error=1"
log="$build/test.log"
status=0
ctest --test-dir "$build" --output-on-failure --no-tests=error -j"$(nproc)" "$@" 2>&1 |
  tee "$log" || status=$?

say ""
summary="$(grep -E '[0-9]+% tests passed' "$log" | tail -n 1)"
skipped="$(grep -cE '\*\*\*(Skipped|Not Run)' "$log")"
say "Tests: ${summary:-none were run}; $skipped skipped"
exit "$status"
