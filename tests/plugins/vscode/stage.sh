#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds and tests the VS Code extension outside of the source tree:
#   stage.sh SOURCE_DIR STAGE_DIR CACHE_DIR unit
#   stage.sh SOURCE_DIR STAGE_DIR CACHE_DIR package
#   stage.sh SOURCE_DIR STAGE_DIR CACHE_DIR editor SERVER TEST
# Exit code 77: what it needs is not installed.
set -euo pipefail
source_dir="$1" stage="$2" cache="$3" what="$4"

skip() {
  echo "skipped: $1; scripts/test.sh installs it where npm can be reached"
  exit 77
}

command -v node >/dev/null || skip "node is missing"
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || skip "Node $(node --version) is older than 20"
[ -f "$cache/extension/installed" ] || skip "the extension's packages are not installed in $cache"

mkdir -p "$stage"
find "$stage" -mindepth 1 -maxdepth 1 ! -name '*.vsix' ! -name pictures -exec rm -rf {} +
(cd "$source_dir/plugins/vscode" && tar cf - --exclude=node_modules --exclude=dist .) | tar xf - -C "$stage"
ln -s "$cache/extension/node_modules" "$stage/node_modules"
cd "$stage"

case "$what" in
unit)
  node_modules/.bin/tsc --noEmit -p .
  node_modules/.bin/tsc --noEmit -p src/webview
  node build.mjs --tests
  node --test dist/test/
  ;;
package)
  node build.mjs --minify
  rm -f tilewright.vsix
  node_modules/.bin/vsce package --no-dependencies --allow-missing-repository --skip-license -o tilewright.vsix
  # Nothing but what the extension needs, and all of that.
  python3 - <<'PYTHON'
import sys, zipfile
names = set(zipfile.ZipFile("tilewright.vsix").namelist())
needed = ["package.json", "package.nls.json", "package.nls.zh-cn.json", "readme.md", "language-configuration.json",
          "dist/extension.js", "l10n/bundle.l10n.zh-cn.json", "media/icon.png", "snippets/mlir.json",
          "syntaxes/mlir.tmLanguage.json", *(f"dist/webview/{v}.js" for v in ("graph", "tiling", "memory", "timeline", "experiments"))]
missing = [n for n in needed if f"extension/{n}" not in names]
extra = [n for n in names if n.endswith((".ts", ".map")) or "/test/" in n or "node_modules" in n]
sys.exit(f"missing {missing}, not wanted {extra}" if missing or extra else 0)
PYTHON
  ;;
editor)
  editor="$cache/editor"
  ls "$editor"/installed-* >/dev/null 2>&1 || skip "code-server is not installed in $editor"
  command -v "${TILEWRIGHT_CHROMIUM:-chromium}" >/dev/null || skip "chromium is missing"
  exec node "$6" "$editor" "$stage/tilewright.vsix" "$5" "$source_dir" "$stage/pictures"
  ;;
esac
