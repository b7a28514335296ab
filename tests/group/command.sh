#!/usr/bin/env bash
# command.sh UPSWEEP MPIRUN FOLDER: several processes, or one process with several devices, write the same file as one device; complete or
# not at all.
set -euo pipefail
upsweep=$1 mpirun=$2 folder=$3
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
processes() { timeout -k 5 120 "$mpirun" --oversubscribe --bind-to none --mca btl self,vader -n "$@"; }
fail() { echo "$*"; exit 1; }

head -c 1200004 /dev/urandom >x.raw
"$upsweep" scan x.raw --dtype u32 -o x.npy  # with a header
head -c 40 x.raw >few.raw
: >none.raw

compared() { # name of the output, words...
  local out=$1
  shift
  "$upsweep" "$@" -o "one-$out"
  for devices in cpu:1,cpu:1 cpu:1,cpu:2,cpu:1; do
    "$upsweep" "$@" --device $devices -o "devices-$out"
    cmp "one-$out" "devices-$out" || fail "--device $devices: $*"
  done
  if [[ $have_mpi ]]; then
    processes 3 "$upsweep" "$@" -o "processes-$out"
    cmp "one-$out" "processes-$out" || fail "3 processes: $*"
  fi
}
have_mpi=''
if command -v "$mpirun" >/dev/null && [[ -e $(dirname "$upsweep")/upsweep_mpi.so ]]; then have_mpi=yes; fi

compared sorted.npy sort x.npy
compared falling.npy sort x.raw --dtype f32 --descending
compared order.npy sort x.raw --dtype i16 --argsort
compared bits.raw sort x.raw --dtype u32 --key-bits 3..9
compared few.raw sort few.raw --dtype u64
compared none.raw sort none.raw --dtype u64
compared running.npy scan x.npy
compared highest.raw scan x.raw --dtype i32 --op maximum --exclusive --init 5
compared affine.npy scan few.raw --dtype u64 --op compose_affine
compared kept.npy select x.npy --where 'x % 7 == 3'
compared places.npy select x.raw --dtype u32 --where 'x < 1000000' --indices
compared counts.npy histogram x.npy --bins 300
compared edges.csv histogram x.raw --dtype u8 --edges 0,10,100,255
[[ $("$upsweep" reduce x.npy) == "$("$upsweep" reduce x.npy --device cpu:1,cpu:1)" ]] || fail "reduce by two devices"
[[ $("$upsweep" select x.npy --where 'x < 9999999' --count) == "$("$upsweep" select x.npy --where 'x < 9999999' --count --device cpu:1,cpu:1,cpu:1)" ]] ||
  fail "select --count by three devices"

# nbody: the positions of a film, step by step, and the checkpoint, from which any number of ranks can continue.
bodies() { # name, words...
  local name=$1
  shift
  "$@" nbody --steps 6 --trajectory "$name.npy" --checkpoint "$name.ckpt" --sample 2 >/dev/null
  "$@" nbody --resume "$name.ckpt" --steps 2 --trajectory "$name-on.npy" >/dev/null
}
alike() { for part in .npy .ckpt -on.npy; do cmp "one$part" "$1$part" || fail "bodies by $1: $part"; done; }
by_bodies() { # of a run: scene, number, integrator
  local scene=(--scene "$1" --bodies "$2" --integrator "$3")
  command_with() { local device=$1; shift; [[ $* == *--resume* ]] || set -- "$@" "${scene[@]}"; "$upsweep" "$@" --device "$device"; }
  bodies one command_with cpu:1
  for devices in cpu:1,cpu:1 cpu:2,cpu:1,cpu:1; do
    bodies devices command_with $devices
    alike devices
  done
  if [[ $have_mpi ]]; then
    by_processes() { [[ $* == *--resume* ]] || set -- "$@" "${scene[@]}"; processes 3 "$upsweep" "$@" --device cpu:1; }
    bodies processes by_processes
    alike processes
  fi
}
by_bodies plummer 101 hermite
by_bodies cube 4000 leapfrog

refused() { # words of the sentence, words...
  local words=$1 said
  shift
  if said=$("$@" 2>&1); then fail "not refused: $*"; fi
  [[ $said == *"$words"* ]] || fail "$*: '$said' does not say '$words'"
}
refused 'groups of devices support only runs' "$upsweep" nbody --view --device cpu:1,cpu:1
refused 'groups of devices support only runs' "$upsweep" nbody --errors --device cpu:1,cpu:1
refused 'cannot read it' "$upsweep" sort nowhere.npy --device cpu:1,cpu:1 -o never.npy
refused 'standard output' "$upsweep" sort x.npy --device cpu:1,cpu:1
refused 'each device of a group selects' "$upsweep" sort x.npy --device cpu:1,cpu:1 --variant sort/radix -o never.npy
refused 'leave it out' "$upsweep" sort x.npy --device cpu:1,cpu:1 --top 3 -o never.npy
printf 'a\n1\n2\n' >t.csv
refused 'save it as .npy' "$upsweep" reduce t.csv --column a --device cpu:1,cpu:1
gzip -k x.raw
# A build without zlib reports that instead.
if said=$("$upsweep" reduce x.raw.gz --dtype u32 2>&1) || [[ $said != *'gzip is off'* ]]; then
  refused 'save it as .npy' "$upsweep" reduce x.raw.gz --dtype u32 --device cpu:1,cpu:1
fi
# A limit of 200 KB for a file.
refused 'cannot write it' bash -c "ulimit -f 200; '$upsweep' sort x.npy --device cpu:1,cpu:1 -o never.npy"

if [[ ! $have_mpi ]]; then
  echo "no mpirun, or the command has no MPI: several devices of one process alone"
  exit 77
fi
for n in 1 2 4; do
  [[ $(processes $n "$upsweep" reduce x.npy) == "$("$upsweep" reduce x.npy)" ]] || fail "reduce by $n processes"
  processes $n "$upsweep" sort x.npy -o sorted.npy && cmp sorted.npy one-sorted.npy || fail "sort by $n processes"
done
cp x.npy same.npy && processes 2 "$upsweep" sort same.npy -o same.npy && cmp same.npy one-sorted.npy || fail "a file onto itself"
refused 'cannot read it' processes 3 "$upsweep" sort nowhere.npy -o never.npy
said=$(processes 3 "$upsweep" sort nowhere.npy -o never.npy 2>&1 | grep -c 'cannot read it' || true)
((said == 1)) || fail "$said processes say what one could"
refused 'cannot write' processes 2 "$upsweep" nbody --scene figure-eight --steps 3 --device cpu:1 --trajectory /nowhere/never.npy
refused 'groups of devices support only runs' processes 2 "$upsweep" nbody --view --device cpu:1
# A full disk: no rank can write its slice.
refused 'No space left on device' processes 3 "$upsweep" sort x.npy -o /dev/full --output-format raw
[[ -z $(find . -name 'never*' -o -name '*.upsweep-*') ]] || fail "something is left: $(ls)"

# One of three processes has a limit of memory or of file size: the others do not wait for it.
limited() { # who, ulimit's words, words...
  processes 3 bash -c 'if [[ $OMPI_COMM_WORLD_RANK == "$0" ]]; then ulimit $1; fi; shift; exec "$@"' "$@"
}
head -c 60000000 /dev/urandom >large.raw
"$upsweep" sort large.raw --dtype u32 -o whole.raw
named=0
for kilobytes in 150000 200000 250000 300000 350000; do
  status=0
  said=$(limited 1 "-v $kilobytes" "$upsweep" sort large.raw --dtype u32 --device cpu:1 -o never.raw 2>&1) || status=$?
  ((status != 124 && status != 137)) || fail "a process of $kilobytes kB makes the others wait"
  if ((status == 0)); then rm never.raw && break; fi
  if [[ $said == *'rank 1 of 3 '* ]]; then named=$((named + 1)); fi
done
((named > 0)) || fail "no message names the process that lacks memory: $said"
for who in 0 2; do refused 'cannot write it' limited $who '-f 10000' "$upsweep" sort large.raw --dtype u32 --device cpu:1 -o never.raw; done
# One process is killed while they write, the one that opened the file or another: mpirun ends the others, and no file remains.
for who in 0 1; do
  began=$SECONDS
  processes 3 "$upsweep" sort large.raw --dtype u32 --device cpu:1 -o never.raw >killed.txt 2>&1 &
  job=$!
  while kill -0 $job 2>/dev/null && ! compgen -G 'never.raw.upsweep-*' >/dev/null; do sleep 0.002; done
  first=$(compgen -G 'never.raw.upsweep-*' | head -1 | sed 's/.*upsweep-\([0-9]*\)-.*/\1/') || true
  victim=$first
  if ((who > 0)); then victim=$(pgrep -x -n -f "$upsweep sort large.raw --dtype u32 --device cpu:1 -o never.raw") || true; fi
  if [[ $victim ]]; then kill -9 "$victim" || true; fi
  status=0
  wait $job || status=$?
  ((SECONDS - began < 60)) || fail "a killed process makes the others wait"
  for ((i = 0; i < 50; ++i)); do compgen -G 'never.raw.*' >/dev/null || break; sleep 0.1; done
  # If everything was written before the kill, the file exists and is complete.
  if [[ -e never.raw ]]; then
    cmp never.raw whole.raw || fail "the remaining file of a killed sort is incomplete (its status was $status)"
    rm never.raw
  fi
done
[[ -z $(find . -name 'never*' -o -name '*.upsweep-*') ]] || fail "something is left: $(ls)"
