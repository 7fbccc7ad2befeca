# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the VS Code extension is built and tested with: its packages, and a VS Code with a browser.
# Put into the user's cache, never into the source tree. Sourced after install.sh.

codeserver_version=4.100.3
playwright_version=1.54.1
vscode_folder="${XDG_CACHE_HOME:-$HOME/.cache}/tilewright/vscode"

vscode_packages=(chromium ripgrep g++ make python3 pkg-config libkrb5-dev libsecret-1-dev libx11-dev
  libxkbfile-dev)
editor_packages=(neovim emacs-nox elpa-eglot)

# npm_install LOG FOLDER ARGUMENT...: there, with no install step of any package: some would fetch from elsewhere.
npm_install() {
  local log="$1" folder="$2"
  shift 2
  (cd "$folder" && npm_config_yes=true npm install --ignore-scripts --no-audit --no-fund \
    --fetch-retries 1 --fetch-timeout 60000 "$@") >>"$log" 2>&1
}

# The packages of plugins/vscode, as package-lock.json names them.
install_extension_packages() {
  local folder="$vscode_folder/extension" lock="$root/plugins/vscode/package-lock.json"
  cmp -s "$lock" "$folder/package-lock.json" && [ -f "$folder/installed" ] && return 0
  mkdir -p "$folder"
  rm -f "$folder/installed"
  cp "$root/plugins/vscode/package.json" "$lock" "$folder"
  say "Installing the packages of the VS Code extension"
  if (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --fetch-retries 1 \
    --fetch-timeout 60000) >"$vscode_folder/extension.log" 2>&1; then
    touch "$folder/installed"
  else
    say "warning: npm could not install them (is the network down? see $vscode_folder/extension.log);"
    say "         the tests of the VS Code extension are skipped"
  fi
}

# code-server, made from its npm package: what its own install steps would download is built here
# or taken from Debian.
install_codeserver() {
  local folder="$vscode_folder/editor" log="$vscode_folder/editor.log"
  [ -f "$folder/installed-$codeserver_version-$playwright_version" ] && return 0
  say "Installing code-server $codeserver_version for the tests (some minutes, once)"
  rm -rf "$folder"
  mkdir -p "$folder"
  echo '{"private": true}' >"$folder/package.json"
  : >"$log"
  local code="$folder/node_modules/code-server/lib/vscode"
  if npm_install "$log" "$folder" "code-server@$codeserver_version" "playwright-core@$playwright_version" &&
    npm_install "$log" "$code" --omit=dev --legacy-peer-deps &&
    npm_install "$log" "$code/extensions" --omit=dev --legacy-peer-deps &&
    (cd "$code" && npm_config_yes=true npm rebuild node-pty @vscode/spdlog native-watchdog kerberos \
      @vscode/deviceid) >>"$log" 2>&1 &&
    mkdir -p "$code/node_modules/@vscode/ripgrep/bin" &&
    ln -sf "$(command -v rg)" "$code/node_modules/@vscode/ripgrep/bin/rg" &&
    (cd "$folder/node_modules/argon2" && npx --yes node-pre-gyp install --build-from-source) >>"$log" 2>&1; then
    touch "$folder/installed-$codeserver_version-$playwright_version"
  else
    say "warning: code-server could not be installed (see $log); the tests in a real VS Code are skipped"
  fi
}

# The major version of the Node that is found, or 0.
node_major() {
  local version
  version="$(node --version 2>/dev/null)" || version=v0
  version="${version#v}"
  echo "${version%%.*}"
}

# Puts a Node of version 20 at the front of PATH where Debian's own, 18, is what there is.
install_node() {
  [ "$(node_major)" -lt 20 ] || return 0
  local folder="$vscode_folder/node" machine
  case "$(uname -m)" in
  x86_64) machine=x64 ;;
  aarch64) machine=arm64 ;;
  *) return 1 ;;
  esac
  local bin="$folder/node_modules/node-linux-$machine/bin"
  if [ ! -x "$bin/node" ]; then
    say "Installing Node 20 for the tests of the VS Code extension"
    mkdir -p "$folder"
    npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --fetch-retries 1 \
      --fetch-timeout 60000 "node-linux-$machine@20" >"$vscode_folder/node.log" 2>&1 || return 1
  fi
  export PATH="$bin:$PATH"
  [ "$(node_major)" -ge 20 ]
}

# Without network, or without a Node, the tests that need it are skipped, and this says so.
install_vscode() {
  export TILEWRIGHT_VSCODE="$vscode_folder"
  mkdir -p "$vscode_folder"
  require_space "$vscode_folder" 3072
  if ! install_node; then
    say "warning: there is Node $(node_major), and npm could not install 20, with which the VS Code"
    say "         extension is built (is the network down? see $vscode_folder/node.log);"
    say "         its tests are skipped"
    return 0
  fi
  install_extension_packages
  install_codeserver
}
