# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ONNX Runtime for Node, which tests compare with: put into the user's cache, never into the
# source tree. Sourced after install.sh.

onnxruntime_version=1.30.0
onnxruntime_folder="${XDG_CACHE_HOME:-$HOME/.cache}/tilewright/oracle"

# Without network the tests that need it are skipped, and this says so.
install_onnxruntime() {
  export TILEWRIGHT_ONNXRUNTIME="$onnxruntime_folder"
  [ -f "$onnxruntime_folder/onnxruntime-$onnxruntime_version" ] && return 0
  if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
    install_packages nodejs npm
  fi
  mkdir -p "$onnxruntime_folder"
  require_space "$onnxruntime_folder" 1024
  local log="$onnxruntime_folder/npm.log"
  say "Installing onnxruntime-node $onnxruntime_version for the tests"
  # Its install script would fetch GPU libraries that nothing here uses.
  if npm install --prefix "$onnxruntime_folder" --ignore-scripts --no-audit --no-fund \
    --fetch-retries 1 --fetch-timeout 60000 \
    "onnxruntime-node@$onnxruntime_version" >"$log" 2>&1; then
    touch "$onnxruntime_folder/onnxruntime-$onnxruntime_version"
  else
    say "warning: npm could not install onnxruntime-node (is the network down? see $log);"
    say "         the tests that compare with ONNX Runtime are skipped"
  fi
}
