#!/usr/bin/env bash
# Brings the tools and libraries that the build needs, and nothing else: it compiles nothing
# of the project. A second run finds a stamp of the pinned versions and downloads nothing.
#
#   toolchain.sh native    compiler, cmake, ninja; xtensor, xtl, xsimd and Catch2 in .toolchain/
#   toolchain.sh wasm      native, and Emscripten (an emcc on PATH that is new enough is used as it is)
#   toolchain.sh browser   Chromium for the browser tests
#   toolchain.sh all       all of these
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
have() { [[ $1 == /* ]] && [[ -e $1 ]] || command -v "$1" >/dev/null 2>&1; }

# version_at_least 3.1.70 3.1.69 : true when the first is the same or newer.
version_at_least() { [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]; }

is_debian() { [[ -r /etc/debian_version ]] && have apt-get && have dpkg-deb; }

# ---- ordinary tools ---------------------------------------------------------------------------

# need COMMAND-OR-FILE PACKAGE : remembers the package when the command is missing.
missing=()
need() { have "$1" || missing+=("$2"); }

need_cxx() { have c++ || have g++ || have clang++ || missing+=(g++); }

# Installs what `need` found missing, or says what to install.
install_missing() {
  ((${#missing[@]})) || return 0
  if ! is_debian; then
    die "this machine lacks: ${missing[*]} (named as Debian's packages).
Install them with your package manager and run this again. Also needed, from a package manager
or found through CMAKE_PREFIX_PATH: xtensor >= $XTENSOR_MIN, Catch2 >= $CATCH2_MIN (for the tests)
and, for the pages, an emcc >= $EMSCRIPTEN_MIN on PATH."
  fi
  if ((EUID != 0)); then
    die "these Debian packages are missing, and only root may install them:
  apt-get install --no-install-recommends ${missing[*]}"
  fi
  say "installing from Debian: ${missing[*]}"
  apt_quiet apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 -qq update
  apt_quiet apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 \
    -qq install -y --no-install-recommends "${missing[@]}"
  missing=()
}

# Runs a command and shows what it printed only when it failed.
apt_quiet() {
  local log
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    rm -f "$log"
    die "failed: $*"
  fi
  rm -f "$log"
}

# ---- private apt: a later suite of the machine's own Debian mirror -------------------------------

apt_dir=$tc/tmp/apt
apt_ready=
apt_options=()

# Prints the machine's Debian source entry with the suite replaced, as a deb822 or one-line entry.
derived_source() {
  local codename entry file number
  # shellcheck source=/dev/null
  codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
  entry=$(apt-get indextargets --format '$(ORIGIN)|$(CODENAME)|$(COMPONENT)|$(SOURCESENTRY)' \
            'Created-By: Packages' 2>/dev/null |
    awk -F'|' -v c="$codename" '$1=="Debian" && $2==c && $3=="main" {print $4; exit}')
  [[ -n $entry ]] || return 1
  file=${entry%:*} number=${entry##*:}
  case $file in
  *.sources)
    # A deb822 file: the entry's number counts paragraphs that hold fields.
    awk -v RS= -v n="$number" -v suite="$DEBIAN_SUITE" '
      { fields=0; k=split($0, line, "\n"); for(i=1;i<=k;i++) if (line[i] !~ /^#/) fields=1
        if (!fields || ++seen != n) next
        skip=0
        for (i=1;i<=k;i++) {
          if (line[i] ~ /^#/) continue
          if (line[i] !~ /^[ \t]/) {
            name=tolower(line[i]); sub(/:.*/, "", name)
            skip=(name ~ /^(types|suites|components|enabled|pdiffs|targets)$/)
          }
          if (!skip) print line[i]
        }
        print "Types: deb deb-src"; print "Suites: " suite; print "Components: main"; exit
      }' "$file" >"$apt_dir/parts/debian.sources"
    ;;
  *)
    # A one-line file: deb [options] uri suite components.
    sed -n "${number}p" "$file" | awk -v suite="$DEBIAN_SUITE" '
      { options=""; rest=$0; sub(/^[ \t]*deb(-src)?[ \t]+/, "", rest)
        if (rest ~ /^\[/) { options=rest; sub(/\].*/, "] ", options); sub(/^\[[^\]]*\][ \t]*/, "", rest) }
        split(rest, word, /[ \t]+/)
        print "deb " options word[1] " " suite " main"; print "deb-src " options word[1] " " suite " main"
      }' >"$apt_dir/parts/debian.list"
    ;;
  esac
}

prepare_apt() {
  [[ -z $apt_ready ]] || return 0
  rm -rf "$apt_dir"
  mkdir -p "$apt_dir"/{parts,preferences,lists/partial,cache/archives/partial,download}
  if ! derived_source; then
    # A fresh image has no package lists yet, and apt knows its sources only through them.
    if ((EUID == 0)); then apt_quiet apt-get -o Acquire::Retries=3 -qq update; fi
    derived_source || die "apt knows no Debian source on this machine (run apt-get update as root, then this again)."
  fi
  apt_options=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$apt_dir/parts"
    -o "Dir::Etc::preferences=/dev/null" -o "Dir::Etc::preferencesparts=$apt_dir/preferences"
    -o "Dir::State::Lists=$apt_dir/lists" -o "Dir::Cache=$apt_dir/cache"
    -o Acquire::Languages=none -o Acquire::Retries=3 -o APT::Sandbox::User="$(id -un)" -o APT::Get::List-Cleanup=0
    -o APT::Update::Post-Invoke::= -o APT::Update::Post-Invoke-Success::=)
  say "reading the index of Debian $DEBIAN_SUITE"
  apt_quiet apt-get "${apt_options[@]}" -qq update
  apt_ready=yes
}

# fetch_deb PACKAGE VERSION : prints the path of the downloaded package.
fetch_deb() {
  prepare_apt
  local have_version
  if ! (cd "$apt_dir/download" && apt-get "${apt_options[@]}" -qq download "$1=$2" >"$apt_dir/log" 2>&1 </dev/null); then
    cat "$apt_dir/log" >&2
    have_version=$(apt-cache "${apt_options[@]}" policy "$1" | awk '/Candidate:/ {print $2}')
    die "cannot download $1 $2; Debian $DEBIAN_SUITE offers ${have_version:-none}. The pin stands in build-scripts/versions.env."
  fi
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
  fetch_deb libxtensor-dev "$DEB_LIBXTENSOR_DEV"
  fetch_deb xtl-dev "$DEB_XTL_DEV"
  fetch_deb libxsimd-dev "$DEB_LIBXSIMD_DEV"
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
  if ! (cd "$apt_dir/download" && apt-get "${apt_options[@]}" -qq source --download-only "catch2=$DEB_SRC_CATCH2" \
    >"$apt_dir/log" 2>&1 </dev/null); then
    cat "$apt_dir/log" >&2
    die "cannot download the source of Catch2 $DEB_SRC_CATCH2 (the pin stands in build-scripts/versions.env)."
  fi
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
  fetch_deb emscripten "$DEB_EMSCRIPTEN"
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

libraries_installed() { # by a package manager, outside .toolchain/
  local prefix
  local -a prefixes
  IFS=':;' read -r -a prefixes <<<"${CMAKE_PREFIX_PATH:-}"
  for prefix in "${prefixes[@]}" /usr/local /usr /opt/homebrew; do
    [[ -e $prefix/include/xtensor/xtensor_config.hpp || -e $prefix/include/xtensor/core/xtensor_config.hpp ]] && return 0
  done
  return 1
}

want_native() {
  need cmake cmake
  need ninja ninja-build
  need_cxx
  if is_debian; then need /usr/include/benchmark/benchmark.h libbenchmark-dev; fi
}

get_native() {
  if is_debian; then
    unpack_headers
    unpack_catch2
  elif ! libraries_installed; then
    say "xtensor was not found: install xtensor >= $XTENSOR_MIN and Catch2 >= $CATCH2_MIN, or name their prefix in CMAKE_PREFIX_PATH."
    return 1
  fi
}

emcc_root=
want_wasm() {
  if emcc_root=$(emcc_on_path); then return 0; fi
  emcc_root=
  is_debian || die "no emcc >= $EMSCRIPTEN_MIN on PATH: install Emscripten $EMSCRIPTEN_MIN or newer and run this again."
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

want_browser() { have chromium || have chromium-browser || have google-chrome || need chromium chromium; }

usage() { sed -n '5,8s/^# *//p' "${BASH_SOURCE[0]}" >&2; exit 2; }

main() {
  local what=${1:-}
  (($# == 1)) || usage
  case $what in native | wasm | browser | all) ;; *) usage ;; esac
  mkdir -p "$tc"
  # One run at a time: a second one waits and then finds everything there.
  if have flock; then
    exec 9>"$tc/lock"
    flock 9
  fi
  mkdir -p "$tc/tmp"
  trap 'rm -rf "$tc/tmp"' EXIT
  [[ $what == browser ]] || want_native
  [[ $what != wasm && $what != all ]] || want_wasm
  [[ $what != browser && $what != all ]] || want_browser
  install_missing
  [[ $what == browser ]] || get_native
  [[ $what != wasm && $what != all ]] || get_wasm
}

main "$@"
