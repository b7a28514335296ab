# A bare root of a release of Debian or Ubuntu, for scripts that test in one. The including script sets:
#   script    its name, for messages
#   suite     the release
# Afterwards $root is the root with /root/upsweep in it, and `logged inside COMMAND` runs a command there. A script ends with 77
# where no root can be made. UPSWEEP_BARE_CACHE and UPSWEEP_BARE_MIRROR: see tests/bare.sh.
# shellcheck shell=bash disable=SC2154  # the including script sets them

cannot() {
  echo "$script: $1: cannot create a minimal root"
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
    echo "$script: something is mounted under $work: not removed" >&2
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
# shellcheck disable=SC2034  # the including script reports it
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
