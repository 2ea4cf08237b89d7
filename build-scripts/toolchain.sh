#!/usr/bin/env bash
# Brings the tools and libraries that the build needs, and nothing else: it compiles nothing
# of the project. A second run finds a stamp of the pinned versions and downloads nothing.
#
#   toolchain.sh native    compiler, cmake, ninja, NumPy (for tests); xtensor, xtl, xsimd and Catch2 in .toolchain/
#   toolchain.sh wasm      the same without the compiler, and Emscripten (an emcc on PATH that is new
#                          enough is used as it is)
#   toolchain.sh browser   Chromium for the browser tests
#   toolchain.sh all       all of these
#   toolchain.sh bench     native, and what attn_bench compares with: OpenBLAS and Eigen, as the system's packages
#   toolchain.sh arm       native, and what the preset aarch64 needs: a cross compiler for 64-bit ARM, and QEMU to run its tests
#
# Ordinary tools come from the machine's own Debian release by apt-get, as root. What that
# release has only in too old a version is downloaded from a later Debian suite through a
# private apt configuration, checked by apt against Debian's signatures, and unpacked into
# .toolchain/: the system's apt configuration is read but never changed. On a machine that is
# not Debian, or not root, the script lists what to install and stops.
# The versions stand in versions.env.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
tc=$root/.toolchain
# shellcheck source=versions.env
. "$here/versions.env"
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
llvm=/usr/lib/llvm-$LLVM_MAJOR/bin

say() { printf 'toolchain: %s\n' "$*" >&2; }
die() { printf '\ntoolchain: %s\n' "$*" >&2; exit 1; }
have() { if [[ $1 == /* ]]; then [[ -e $1 ]]; else command -v "$1" >/dev/null 2>&1; fi; }

# version_at_least 3.1.70 3.1.69 : true when the first is the same or newer.
version_at_least() { [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]; }

is_root() { ((EUID == 0)); }
# Debian itself: its relatives have other archives, which do not carry the suite that we need.
is_debian() { grep -qsx 'ID=debian' /etc/os-release && have apt-get && have dpkg-deb; }

# ---- ordinary tools ---------------------------------------------------------------------------

# need COMMAND-OR-FILE PACKAGE : remembers the package when the command is missing.
missing=()
need() { have "$1" || missing+=("$2"); }

# Installs what is missing, or says what to install.
install_missing() {
  ((${#missing[@]})) || return 0
  if ! is_debian; then
    die "this machine lacks the following; install it with your package manager and run this again
(a library in an unusual place is found through CMAKE_PREFIX_PATH):
$(printf '  %s\n' "${missing[@]}")"
  fi
  if ! is_root; then
    die "these Debian packages are missing, and only root may install them:
  apt-get install --no-install-recommends ${missing[*]}"
  fi
  say "installing from Debian: ${missing[*]}"
  local -a apt=(apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 -qq)
  twice "${apt[@]}" update
  twice "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
  missing=()
}

# Runs a command of apt's, and once more after a pause when it fails: mirrors have hiccups. What it
# printed is shown only when it failed both times.
twice() {
  "$@" >"$tc/tmp/log" 2>&1 </dev/null && return 0
  sleep 5
  "$@" >"$tc/tmp/log" 2>&1 </dev/null && return 0
  cat "$tc/tmp/log" >&2
  say "failed: $*"
  return 1
}

# ---- private apt: a later suite of the machine's own Debian mirror -------------------------------

apt_dir=$tc/tmp/apt
apt_ready=
apt_options=()

# The Nth entry of a deb822 file (.sources) with its suite replaced. N counts paragraphs that hold fields.
deb822_entry() { # FILE N
  awk -v RS= -v n="$2" -v suite="$DEBIAN_SUITE" '
    { fields=0; k=split($0, line, "\n")
      for (i=1; i<=k; i++) if (line[i] !~ /^#/) fields=1
      if (!fields || ++seen != n) next
      skip=0
      for (i=1; i<=k; i++) {
        if (line[i] ~ /^#/) continue
        if (line[i] !~ /^[ \t]/) {
          name=tolower(line[i]); sub(/[ \t]*:.*/, "", name)
          skip=(name ~ /^(types|suites|components|enabled|pdiffs|targets)$/)
        }
        if (!skip) print line[i]
      }
      print "Types: deb deb-src"; print "Suites: " suite; print "Components: main"; exit
    }' "$1"
}

# Line N of a one-line file (.list), deb [options] uri suite components, with its suite replaced.
one_line_entry() { # FILE N
  sed -n "$2p" "$1" | awk -v suite="$DEBIAN_SUITE" '
    { options=""; rest=$0; sub(/^[ \t]*deb(-src)?[ \t]+/, "", rest)
      if (rest ~ /^\[/) { options=rest; sub(/\].*/, "] ", options); sub(/^\[[^\]]*\][ \t]*/, "", rest) }
      split(rest, word, /[ \t]+/)
      print "deb " options word[1] " " suite " main"; print "deb-src " options word[1] " " suite " main"
    }'
}

# Writes the machine's own Debian source, with the suite replaced, as the private configuration's only one.
derive_source() {
  local codename entry file number
  # shellcheck source=/dev/null
  codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
  # shellcheck disable=SC2016 # apt, not the shell, fills these in
  entry=$(apt-get indextargets --format '$(ORIGIN)|$(CODENAME)|$(COMPONENT)|$(SOURCESENTRY)' \
    'Created-By: Packages' 2>/dev/null |
    awk -F'|' -v c="$codename" '$1=="Debian" && $2==c && $3=="main" {print $4; exit}')
  [[ -n $entry ]] || return 1
  file=${entry%:*} number=${entry##*:}
  if [[ $file == *.sources ]]; then
    deb822_entry "$file" "$number" >"$apt_dir/parts/debian.sources"
  else
    one_line_entry "$file" "$number" >"$apt_dir/parts/debian.list"
  fi
}

prepare_apt() {
  [[ -z $apt_ready ]] || return 0
  rm -rf "$apt_dir"
  mkdir -p "$apt_dir"/{parts,preferences,lists/partial,cache/archives/partial,download}
  if ! derive_source; then
    # A fresh image has no package lists yet, and apt knows where a source comes from only through them.
    if is_root; then twice apt-get -o Acquire::Retries=3 -qq update; fi
    derive_source || die "apt knows no Debian source on this machine (run apt-get update as root, then this again)."
  fi
  apt_options=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$apt_dir/parts"
    -o "Dir::Etc::preferences=/dev/null" -o "Dir::Etc::preferencesparts=$apt_dir/preferences"
    -o "Dir::State::Lists=$apt_dir/lists" -o "Dir::Cache=$apt_dir/cache"
    -o Acquire::Languages=none -o Acquire::Retries=3 -o APT::Sandbox::User=root -o APT::Get::List-Cleanup=0
    -o APT::Update::Post-Invoke::= -o APT::Update::Post-Invoke-Success::=)
  say "reading the index of Debian $DEBIAN_SUITE"
  twice apt-get "${apt_options[@]}" -o APT::Update::Error-Mode=any -qq update
  apt_ready=yes
}

# fetch download|source PACKAGE VERSION : into the private download folder.
fetch() {
  prepare_apt
  local -a command=(apt-get "${apt_options[@]}" -qq "$1")
  [[ $1 != source ]] || command+=(--download-only)
  cd "$apt_dir/download"
  if ! twice "${command[@]}" "$2=$3"; then
    die "cannot download $2 $3; Debian $DEBIAN_SUITE offers: $(apt-cache "${apt_options[@]}" madison "$2" |
      awk -F'|' '{gsub(/ /, "", $2); print $2}' | sort -u | tr '\n' ' ')
The pin stands in build-scripts/versions.env."
  fi
  cd "$root"
}

# The file that apt downloaded for PACKAGE (the version's colon and tilde are escaped in its name).
deb_file() { printf '%s\n' "$apt_dir/download/$1"_*.deb; }

# ---- what goes into .toolchain/ ------------------------------------------------------------------

# A part is unpacked under a temporary name and renamed when it is whole; its stamp is written
# inside it beforehand, so an interrupted run leaves nothing that looks finished.
part_is() { [[ -f $tc/$1/.stamp && $(<"$tc/$1/.stamp") == "$2" ]]; }

put_part() { # NAME STAMP : tmp/NAME becomes .toolchain/NAME
  printf '%s' "$2" >"$tc/tmp/$1/.stamp"
  rm -rf "${tc:?}/$1"
  mv "$tc/tmp/$1" "$tc/$1"
}

headers_stamp="xtensor $DEB_LIBXTENSOR_DEV, xtl $DEB_XTL_DEV, xsimd $DEB_LIBXSIMD_DEV"
unpack_headers() {
  part_is usr "$headers_stamp" && return 0
  say "unpacking $headers_stamp"
  prepare_apt
  fetch download libxtensor-dev "$DEB_LIBXTENSOR_DEV"
  fetch download xtl-dev "$DEB_XTL_DEV"
  fetch download libxsimd-dev "$DEB_LIBXSIMD_DEV"
  local stage=$tc/tmp/headers package
  rm -rf "$stage" "$tc/tmp/usr"
  for package in libxtensor-dev xtl-dev libxsimd-dev; do
    dpkg -x "$(deb_file "$package")" "$stage"
  done
  mv "$stage/usr" "$tc/tmp/usr"
  put_part usr "$headers_stamp"
}

unpack_catch2() {
  part_is catch2 "$DEB_SRC_CATCH2" && return 0
  say "unpacking Catch2 $DEB_SRC_CATCH2 (source)"
  prepare_apt
  fetch source catch2 "$DEB_SRC_CATCH2"
  rm -rf "$tc/tmp/catch2"
  mkdir -p "$tc/tmp/catch2"
  tar -xzf "$apt_dir"/download/catch2_*.orig.tar.gz -C "$tc/tmp/catch2" --strip-components=1 \
    --wildcards '*/src/catch2/*' '*/extras/*' '*/LICENSE.txt'
  put_part catch2 "$DEB_SRC_CATCH2"
}

# Prints the root folder of an emcc on PATH that is new enough; fails when there is none.
emcc_on_path() {
  local version
  have emcc || return 1
  version=$(emcc --version 2>/dev/null | sed -n '1s/.* \([0-9][0-9.]*[0-9]\).*/\1/p')
  [[ -n $version ]] && version_at_least "$version" "$EMSCRIPTEN_MIN" || return 1
  em-config EMSCRIPTEN_ROOT 2>/dev/null
}

# The number counts changes in how it is unpacked.
emscripten_stamp="$DEB_EMSCRIPTEN 2"
unpack_emscripten() {
  part_is emscripten "$emscripten_stamp" && return 0
  say "downloading Emscripten $DEB_EMSCRIPTEN (237 MB)"
  prepare_apt
  fetch download emscripten "$DEB_EMSCRIPTEN"
  say "unpacking Emscripten (0.4 GB; about 20 seconds)"
  rm -rf "$tc/tmp/emscripten"
  mkdir -p "$tc/tmp/emscripten"
  # Left out: its own tests and manuals, and the system libraries for dynamic linking and
  # link-time optimisation, which this project does not use: 1.2 GB.
  dpkg-deb --fsys-tarfile "$(deb_file emscripten)" |
    tar -x -C "$tc/tmp/emscripten" --strip-components=4 --no-same-owner \
      --exclude='*/emscripten/test' --exclude='*/emscripten/docs' --exclude='*/emscripten/media' \
      --exclude='*/wasm32-emscripten/pic' --exclude='*/wasm32-emscripten/lto' \
      --exclude='*/wasm32-emscripten/lto-pic' ./usr/share/emscripten
  # emcc looks for the npm packages it needs (acorn) in a node_modules folder beside its scripts.
  ln -s ../../node_modules "$tc/tmp/emscripten/node_modules"
  # Its own scripts are CommonJS, whatever this project's package.json says of files below it.
  printf '{ "type": "commonjs" }\n' >"$tc/tmp/emscripten/package.json"
  put_part emscripten "$emscripten_stamp"
}

# The file beside emcc that tells it where clang, wasm-opt and node are. Absolute paths, so it is
# written anew when the checkout has moved.
configure_emscripten() {
  local node config=$tc/emscripten/.emscripten text
  node=$(command -v node) || die "Node.js is needed to run Emscripten's JavaScript tools (package.json names the oldest version); install it and run this again."
  text="LLVM_ROOT = '$llvm'
BINARYEN_ROOT = '$root/node_modules/binaryen'
NODE_JS = '$node'
LLVM_ADD_VERSION = ''
CLANG_ADD_VERSION = ''
CACHE = '$tc/emscripten/cache'
FROZEN_CACHE = True
"
  [[ -f $config && "$(<"$config")"$'\n' == "$text" ]] || printf '%s' "$text" >"$config"
}

# Tells CMake (build-scripts/cmake/emscripten.cmake) which Emscripten to use.
select_emscripten() {
  [[ -f $tc/emscripten-root && $(<"$tc/emscripten-root") == "$1" ]] || printf '%s' "$1" >"$tc/emscripten-root"
}

# ---- subcommands ---------------------------------------------------------------------------------

# installed HEADER... : true when one of them is in a usual place or below CMAKE_PREFIX_PATH.
installed() {
  local prefix header
  local -a prefixes
  IFS=':;' read -r -a prefixes <<<"${CMAKE_PREFIX_PATH:-}"
  for prefix in "${prefixes[@]}" /usr/local /usr /opt/homebrew; do
    for header in "$@"; do
      if [[ -e $prefix/include/$header ]]; then return 0; fi
    done
  done
  return 1
}

want_libraries() {
  need cmake cmake
  need ninja ninja-build
  is_debian && return 0 # they are unpacked, see get_libraries
  installed xtensor/xtensor_config.hpp xtensor/core/xtensor_config.hpp || missing+=("xtensor >= $XTENSOR_MIN")
  installed catch2/catch_all.hpp || missing+=("Catch2 >= $CATCH2_MIN")
}

get_libraries() {
  is_debian || return 0
  unpack_headers
  unpack_catch2
}

want_native() {
  have c++ || have g++ || have clang++ || missing+=(g++)
  if is_debian; then
    need /usr/include/benchmark/benchmark.h libbenchmark-dev
    need /usr/lib/python3/dist-packages/numpy python3-numpy
  else
    python3 -c 'import numpy' >/dev/null 2>&1 || missing+=("Python 3 with NumPy")
  fi
}

# Libraries that the native benchmarks run beside; without them they say so and run on.
want_peers() {
  if is_debian; then
    need /usr/share/doc/libopenblas-dev libopenblas-dev
    need /usr/include/eigen3/Eigen/Core libeigen3-dev
  else
    installed cblas.h openblas/cblas.h || missing+=(OpenBLAS)
    installed eigen3/Eigen/Core || missing+=("Eigen >= 3.3")
  fi
}

# The names are those of build-scripts/cmake/aarch64.cmake.
want_arm() {
  need aarch64-linux-gnu-g++ g++-aarch64-linux-gnu
  need qemu-aarch64 qemu-user
}

emcc_root=
want_wasm() {
  if emcc_root=$(emcc_on_path); then return 0; fi
  emcc_root=
  if ! is_debian; then
    missing+=("Emscripten >= $EMSCRIPTEN_MIN (emcc on PATH)")
    return 0
  fi
  need python3 python3
  need "$llvm/clang++" "clang-$LLVM_MAJOR"
  need "$llvm/wasm-ld" "lld-$LLVM_MAJOR"
  need "$llvm/llvm-ar" "llvm-$LLVM_MAJOR"
}

get_wasm() {
  if [[ -n $emcc_root ]]; then
    select_emscripten "$emcc_root"
    return 0
  fi
  unpack_emscripten
  configure_emscripten
  select_emscripten "$tc/emscripten"
  [[ -x $root/node_modules/binaryen/bin/wasm-opt ]] ||
    say "note: the WebAssembly build also needs the npm packages: run 'npm ci'."
}

want_browser() {
  [[ -n ${CHROMIUM:-} ]] || have chromium-browser || have google-chrome || need chromium chromium
}

usage() { sed -n '5,11s/^# \{0,3\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }

main() {
  local what=${1:-}
  (($# == 1)) || usage
  case $what in native | wasm | browser | all | bench | arm) ;; *) usage ;; esac
  mkdir -p "$tc"
  # One run at a time: a second one waits and then finds everything there.
  if have flock; then
    exec 9>"$tc/lock"
    flock 9
  fi
  mkdir -p "$tc/tmp"
  trap 'rm -rf "$tc/tmp"' EXIT
  [[ $what == browser ]] || want_libraries
  [[ $what == native || $what == all || $what == bench || $what == arm ]] && want_native
  [[ $what == bench ]] && want_peers
  [[ $what == arm ]] && want_arm
  [[ $what == wasm || $what == all ]] && want_wasm
  [[ $what == browser || $what == all ]] && want_browser
  install_missing
  [[ $what == browser ]] || get_libraries
  [[ $what == wasm || $what == all ]] && get_wasm
  return 0
}

# The tests source this file for its functions.
if [[ ${BASH_SOURCE[0]} == "$0" ]]; then main "$@"; fi
