#!/usr/bin/env bash
# Runs README's commands on a new system: a minimal root of SUITE (a Debian or Ubuntu release) with the files of HEAD, a clean environment, no
# compiler cache and no CUDA. Without WORDs it checks all promises of `./quickstart`. WORDs run one after the other in one root:
#   first      ./quickstart, once more, and the tour without /sys, where OpenCL's drivers may end their process
#   build      ./quickstart build
#   site       ./quickstart site
#   test       ./quickstart test
#   required   ./quickstart --required: only the required packages, and the tour
#   configure  packages, configuration, and the library compiled without a warning
#
#   tests/bare.sh SUITE [WORD...]      requires root and mmdebstrap; without them it exits with 77
#
# UPSWEEP_BARE_CACHE=folder     stores the minimal root there as SUITE.tar, and reuses it
# UPSWEEP_BARE_MIRROR=address   instead of mmdebstrap's choice; Ubuntu requires its keyring (ubuntu-keyring) in /usr/share/keyrings
#
# The table at the end lists each step's seconds. No step fails because it is slow: machines differ by more than a factor of two.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
suite=${1:?usage: tests/bare.sh SUITE [first|build|site|test|required|configure ...]}
words=("${@:2}")
if ((${#words[@]} == 0)); then words=(first); fi
for word in "${words[@]}"; do
  case $word in
    first | build | site | test | required | configure) ;;
    *)
      echo "tests/bare.sh: there is no '$word'" >&2
      exit 2
      ;;
  esac
done

cannot() {
  echo "tests/bare.sh: $1: cannot create a minimal root"
  exit 77
}
if [[ $(id -u) != 0 ]]; then cannot "not root"; fi
if ! command -v mmdebstrap >/dev/null; then
  command -v apt-get >/dev/null || cannot "no mmdebstrap"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mmdebstrap >/dev/null; } ||
    cannot "mmdebstrap cannot be installed"
fi
# Mounts in a root belong to a separate namespace and disappear with its last process, however it ends.
isolated=(unshare --mount --propagation private --pid --fork --kill-child --)
"${isolated[@]}" true 2>/dev/null || cannot "no name spaces"

# --- the root

work=$(mktemp -d "${TMPDIR:-/tmp}/upsweep-bare.XXXXXX")
chmod 755 "$work"
root=$work/root
log=$work/log
child=''
clean_up() {
  trap - EXIT
  trap '' INT TERM HUP
  if [[ $child ]]; then
    kill -KILL -- "-$child" 2>/dev/null || true
    wait "$child" 2>/dev/null || true
  fi
  if grep -qF " $work/" /proc/self/mountinfo; then
    echo "tests/bare.sh: something is mounted under $work: not removed" >&2
  else
    rm -rf --one-file-system "$work"
  fi
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Runs a command as a job; its output is shown and stored in $log. A signal to this script ends the job and its children.
logged() {
  local status=0 shown
  rm -f "$work/words"
  mkfifo "$work/words"
  tee "$log" <"$work/words" &
  shown=$!
  set -m
  "$@" >"$work/words" 2>&1 </dev/null &
  child=$!
  set +m
  wait "$child" || status=$?
  child=''
  wait "$shown"
  return $status
}

# shellcheck disable=SC2016
mounted='
  set -e
  root=$1; shift
  mount -t proc proc "$root/proc"
  if [[ ! ${UPSWEEP_BARE_WITHOUT_SYS:-} ]]; then mount -t sysfs -o ro sysfs "$root/sys"; fi
  mount -t tmpfs -o mode=755,nosuid tmpfs "$root/dev"
  for node in null:1:3 zero:1:5 full:1:7 random:1:8 urandom:1:9 tty:5:0; do
    IFS=: read -r name major minor <<<"$node"
    mknod -m 666 "$root/dev/$name" c "$major" "$minor"
  done
  mkdir "$root/dev/shm" "$root/dev/pts"
  mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
  ln -s /proc/self/fd "$root/dev/fd"
  for i in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${i%:*}" "$root/dev/${i#*:}"; done
  status=0
  chroot "$root" env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    bash -c "cd /root/upsweep && $1" || status=$?
  exit $status'
inside() { "${isolated[@]}" bash -c "$mounted" inside "$root" "$1"; }

# apt's network settings of this machine, and nothing else.
{
  apt-config dump 2>/dev/null | grep -E '^Acquire::(https?|ftp|Retries|ForceIPv[46]|Check-Valid-Until|Check-Date)\b' || true
  for scheme in http https; do
    proxy=${scheme}_proxy
    if [[ ${!proxy:-} ]]; then echo "Acquire::$scheme::Proxy \"${!proxy}\";"; fi
  done
} >"$work/apt.conf"

# Ubuntu's images include universe, too.
case $suite in
  bullseye | bookworm | trixie | forky | sid | stable | testing | unstable) components=main ;;
  *) components=main,universe ;;
esac
make_root() { # where to
  "${isolated[@]}" mmdebstrap --variant=minbase --include=apt --components=$components --aptopt="$work/apt.conf" "$suite" "$1" ${UPSWEEP_BARE_MIRROR:+"$UPSWEEP_BARE_MIRROR"}
}
echo "== A bare root of $suite"
started=$SECONDS
tarball=${UPSWEEP_BARE_CACHE:+$UPSWEEP_BARE_CACHE/$suite.tar}
if [[ -z $tarball ]]; then
  logged make_root "$root"
else
  if [[ ! -e $tarball ]]; then
    mkdir -p "$UPSWEEP_BARE_CACHE"
    logged make_root "$work/new.tar"
    mv "$work/new.tar" "$tarball"
  fi
  mkdir "$root"
  tar -C "$root" --numeric-owner -xf "$tarball"
fi
for file in /etc/resolv.conf /etc/hosts; do
  if [[ -e $file ]]; then
    rm -f "$root$file"
    cp -L "$file" "$root$file"
  fi
done
mkdir "$root/root/upsweep"
git -C "$source" archive HEAD | tar -C "$root/root/upsweep" -xf -
table=("$(printf '%-32s %6d' "the root" $((SECONDS - started)))")

# --- checks

failures=()
hold() { # sentence, command...: prints the sentence if the command fails
  if "${@:2}"; then return; fi
  failures+=("$1")
  echo "FAILED: $1"
}
parts() { sed -n '/Parts of this build/,/^$/p' "$log" | sed -n 's/^  \([A-Za-z]\)/\1/p'; }

# Every part whose packages the suite has is on; the packages are those in parentheses in its line. No suite has the CUDA toolkit. The first
# build has no textbook variants, MPI is installed with the tests, and OpenCV is not installed because of its size.
parts_are_on() {
  local line name package bad=0
  while IFS= read -r line; do
    read -r name _ <<<"$line"
    if [[ ${line:12} != off* || $name == CUDA || $name == textbook || $name == OpenCV ]]; then continue; fi
    if [[ $name == MPI && $word != test ]]; then continue; fi
    # shellcheck disable=SC2013
    for package in $(grep -oE '[a-z0-9][a-z0-9.+-]*-[a-z0-9.+-]*[a-z0-9]' <<<"$(grep -oE '\([^)]*\)' <<<"$line")"); do
      if [[ $(inside "LC_ALL=C apt-cache policy $package") == *'Candidate: '[0-9]* ]]; then
        echo "$name is off, and $suite has $package"
        bad=1
      fi
    done
  done < <(parts)
  [[ $bad == 0 && $(parts) == *OpenCL* ]]
}
parts_are_off() {
  local name bad=0
  for name in OpenCL FFTW PNG JPEG HDF5 view; do
    if ! grep -q "^$name  *off" <<<"$(parts)"; then
      echo "$name is not off"
      bad=1
    fi
  done
  return $bad
}
tour_words() { sed -n '/^== The tour/,/^== Not built yet/p' "$log"; }
tour_ran() {
  local at=$root/root/upsweep file bad=0
  [[ $(tour_words | wc -l) -gt 5 && -s $at/report/index.html ]] || return 1
  for file in $(tour_words | grep -oE '(^|[ `"(])(report|build|docs|examples)/[A-Za-z0-9_./-]+' | sed 's/^[ `"(]//; s/[.]$//' | sort -u); do
    if [[ ! -e $at/$file ]]; then
      echo "the tour names $file, which is not there"
      bad=1
    fi
  done
  # shellcheck disable=SC2013
  for file in $(grep -oE '(href|src)="[^"#]+' "$at/report/index.html" | sed 's/^[a-z]*="//' | grep -vE '^([a-z]+:|//)' | sort -u); do
    if [[ ! -e $at/report/${file%%[?#]*} ]]; then
      echo "the page names $file, which is not there"
      bad=1
    fi
  done
  return $bad
}
installed_state() { (cd "$root/var" && cksum lib/dpkg/status log/dpkg.log log/apt/history.log && ls -l --time-style=full-iso lib/apt/lists) 2>/dev/null; }
no_compilation() { ! grep -E '\] (Building|Linking) C' "$log"; }
no_warning() { ! grep -E '(warning:|warning #)' "$log"; }
quickstart() { # words
  local status=0 step count
  echo
  echo "== $suite: ./quickstart${*:+ $*}"
  rm -f "$root/root/upsweep/build/quickstart.log"
  logged inside "./quickstart${*:+ $*}" || status=$?
  while read -r step count; do
    table+=("$(printf '%-32s %6d' "./quickstart${*:+ $*}: $step" "$count")")
  done < <(cat "$root/root/upsweep/build/quickstart.log" 2>/dev/null)
  return $status
}

# After a failed command the remaining checks of a word are skipped.
for word in "${words[@]}"; do
  case $word in
    first)
      hold "./quickstart ends with 0" quickstart
      if ((${#failures[@]})); then break; fi
      hold "what $suite has packages for is on" parts_are_on
      hold "the tour ran, and every file that it and its page name is there" tour_ran
      hold "no compiler warning" no_warning
      before=$(installed_state)
      hold "a second ./quickstart ends with 0" quickstart
      hold "a second ./quickstart installs nothing" test "$before" = "$(installed_state)"
      hold "a second ./quickstart compiles nothing" no_compilation
      UPSWEEP_BARE_WITHOUT_SYS=1 hold "the tour ends with 0 without /sys" logged inside 'build/upsweep tour --quick -o report-without-sys'
      hold "the tour without /sys wrote its page" test -s "$root/root/upsweep/report-without-sys/index.html"
      UPSWEEP_BARE_WITHOUT_SYS=1 hold "the devices are listed without /sys" logged inside 'build/upsweep devices'
      hold "OpenCL is off without /sys, with a reason" grep -q 'off: .*/sys is missing' "$log"
      hold "upsweep --version runs" logged inside 'TIMEFORMAT="%R s for upsweep --version"; time build/upsweep --version'
      ;;
    build)
      hold "./quickstart build ends with 0" quickstart build
      if ((${#failures[@]})); then break; fi
      hold "what $suite has packages for is on" parts_are_on
      hold "no compiler warning" no_warning
      ;;
    site)
      hold "./quickstart site ends with 0" quickstart site
      hold "every link of the site has a target" logged inside 'python3 -B site/check.py build/site'
      ;;
    test)
      hold "./quickstart test ends with 0" quickstart test
      if ((${#failures[@]})); then break; fi
      hold "what $suite has packages for is on" parts_are_on
      hold "no compiler warning" no_warning
      hold "ctest ran tests, and all passed" grep -q '^100% tests passed' "$log"
      ;;
    required)
      hold "./quickstart --required ends with 0" quickstart --required
      if ((${#failures[@]})); then break; fi
      hold "what needs other packages is off" parts_are_off
      hold "the tour ran, and every file that it and its page name is there" tour_ran
      hold "no compiler warning" no_warning
      ;;
    configure)
      hold "./quickstart packages ends with 0" quickstart packages
      if ((${#failures[@]})); then break; fi
      step_started=$SECONDS
      hold "the library compiles" logged inside 'cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DUPSWEEP_CONFORMANCE=OFF -DUPSWEEP_TESTS=OFF &&
        cmake --build build --target library/libupsweep.a'
      hold "what $suite has packages for is on" parts_are_on
      hold "no compiler warning" no_warning
      table+=("$(printf '%-32s %6d' "the library" $((SECONDS - step_started)))")
      ;;
  esac
done

echo
echo "== $suite, from a bare root: seconds"
printf '   %s\n' "${table[@]}"
if ((${#failures[@]})); then
  printf 'FAILED: %s\n' "${failures[@]}"
  exit 1
fi
echo "$suite: ${words[*]}: all checks pass"
