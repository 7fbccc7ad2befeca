#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What docs/editors.md tells Emacs users to write, with the real server: emacs_test.sh SOURCE_DIR SERVER
set -euo pipefail
command -v emacs >/dev/null || { echo "skipped: emacs is not installed"; exit 77; }
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
export HOME="$folder" TILEWRIGHT_SERVER="$2" TILEWRIGHT_WORK="$folder/work"
mkdir "$TILEWRIGHT_WORK"
# -batch alone leaves Debian's packages out.
emacs=(emacs -batch -l /dev/null --eval '(package-initialize)')
"${emacs[@]}" --eval "(kill-emacs (if (locate-library \"eglot\") 0 1))" >/dev/null 2>&1 ||
  { echo "skipped: this Emacs has no eglot (Debian: elpa-eglot)"; exit 77; }
sed -n '/^```elisp$/,/^```$/p' "$1/docs/editors.md" | grep -v '^```' >"$folder/init.el"
[ -s "$folder/init.el" ] || { echo "docs/editors.md has no elisp"; exit 1; }
timeout 240 "${emacs[@]}" -l "$folder/init.el" -l "$1/tests/plugins/emacs/emacs_test.el" 2>&1
