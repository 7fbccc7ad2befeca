#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Neovim plugin with the real server, headless: neovim_test.sh SOURCE_DIR SERVER
set -euo pipefail
command -v nvim >/dev/null || { echo "skipped: nvim is not installed"; exit 77; }
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
export HOME="$folder" XDG_CONFIG_HOME="$folder/config" XDG_DATA_HOME="$folder/data" XDG_STATE_HOME="$folder/state"
export TILEWRIGHT_SERVER="$2" TILEWRIGHT_WORK="$folder/with space"
mkdir "$TILEWRIGHT_WORK"
cd "$TILEWRIGHT_WORK"
timeout 240 nvim --headless -u NONE -i NONE --cmd "set runtimepath^=$1/plugins/neovim" \
  -c "runtime! plugin/tilewright.lua ftdetect/mlir.lua" -c "luafile $1/tests/plugins/neovim/neovim_test.lua" 2>&1
