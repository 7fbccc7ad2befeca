# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Shared by run.sh and test.sh: installs what is missing and builds. Sourced, not run.
# Quiet when there is nothing to do; every failure says what to do about it.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
preset=release
build="$root/build"
export LC_ALL="${LC_ALL:-C.UTF-8}"

say() { printf '%s\n' "$*"; }

die() {
  printf 'error: %s\n' "$1" >&2
  shift
  for line in "$@"; do printf '  %s\n' "$line" >&2; done
  exit 1
}

build_packages=(
  clang-19 lld-19 llvm-19 llvm-19-dev llvm-19-tools libmlir-19-dev mlir-19-tools
  cmake ninja-build ccache pkg-config
  libzstd-dev zlib1g-dev libedit-dev libcurl4-openssl-dev libxml2-dev
  nlohmann-json3-dev libsimdjson-dev libsqlite3-dev libcli11-dev libtbb-dev catch2
  qt6-base-dev qt6-l10n-tools libqscintilla2-qt6-dev libqt6svg6 libgl1-mesa-dev
  graphviz fonts-noto-core fonts-noto-mono fonts-noto-cjk python3
)
test_packages=(python3-numpy python3-torch)
sanitizer_packages=(libclang-rt-19-dev)

# use_preset NAME: builds that preset of CMakePresets.json, in a folder of its own.
use_preset() {
  case "$1" in
  release) build="$root/build" ;;
  debug | asan | tsan) build="$root/build-$1" ;;
  *) die "there is no preset '$1'" "Known are release, debug, asan and tsan." ;;
  esac
  preset="$1"
}

# Those of the arguments that are not installed.
missing_packages() {
  local installed
  installed="$(dpkg-query -W -f='${Package} ${Status}\n' "$@" 2>/dev/null |
    sed -n 's/ install ok installed$//p')"
  comm -23 <(printf '%s\n' "$@" | sort -u) <(printf '%s\n' "$installed" | sort -u)
}

# require_space FOLDER MEBIBYTES: fails if there is less room.
require_space() {
  local free
  free="$(df -Pm "$1" | awk 'NR==2 {print $4}')"
  [ "$free" -ge "$2" ] ||
    die "the disk of $1 is short: $free MiB are free, $2 MiB are needed" \
      "Free some space and run this again; what is done is kept."
}

# install_packages NAME...: by apt-get, and only what is missing.
install_packages() {
  command -v dpkg-query >/dev/null ||
    die "this script installs Debian packages, and dpkg-query is not there" \
      "On another system install the counterparts of: $*"
  local missing as_root=()
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -gt 0 ] || return 0
  say "Installing ${#missing[@]} packages: ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      die "these packages are missing, and only root can install them: ${missing[*]}" \
        "Run as root: apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo)
  fi
  require_space /usr 4096
  local log
  log="$(mktemp)"
  # A list of packages that is out of date fails to download; so it is always fetched anew.
  if ! "${as_root[@]}" apt-get update -q >"$log" 2>&1 || grep -q '^W: Failed to fetch' "$log"; then
    tail -n 3 "$log" >&2
    rm -f "$log"
    die "the package servers cannot be reached" \
      "Connect to the network and run this again, or install by hand: ${missing[*]}"
  fi
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}" >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    local reason="apt-get could not install: ${missing[*]}"
    grep -qi 'no space left\|not have enough free space' "$log" && reason="the disk is full"
    grep -qi 'failed to fetch\|temporary failure resolving' "$log" &&
      reason="the package servers cannot be reached"
    rm -f "$log"
    die "$reason" "What apt-get said is above. Run this again when that is solved."
  fi
  rm -f "$log"
}

# How many compilers at once: each may take 1.5 GiB.
build_jobs() {
  local cores memory
  cores="$(nproc)"
  memory="$(awk '/MemAvailable/ {print int($2 / 1572864)}' /proc/meminfo)"
  [ "${memory:-0}" -ge 1 ] || memory=1
  [ "$cores" -lt "$memory" ] && echo "$cores" || echo "$memory"
}

# build_targets NAME...: configures the preset and builds; all if none is named.
build_targets() {
  # Nothing to build needs no room.
  if [ ! -f "$build/build.ninja" ] || [ -n "$(ninja -C "$build" -n "$@" 2>&1 | grep '^\[')" ]; then
    require_space "$root" 2048
  fi
  mkdir -p "$build"
  (cd "$root" && cmake --preset "$preset") >"$build/configure.log" 2>&1 || {
    tail -n 30 "$build/configure.log" >&2
    die "CMake could not configure the build" "All it said is in $build/configure.log"
  }
  local status=0
  if [ -t 1 ]; then
    ninja -C "$build" -j"$(build_jobs)" "$@" || status=$?
  else
    # Nothing to do, nothing to say.
    ninja -C "$build" -j"$(build_jobs)" --quiet "$@" 2>&1 | grep -v '^ninja: no work to do\.$'
    status="${PIPESTATUS[0]}"
  fi
  [ "$status" -eq 0 ] && return 0
  require_space "$root" 256
  die "the build failed" "The first message above that says 'error' tells why."
}
