#!/usr/bin/env bash
# processes.sh PROGRAM MPIRUN: every call of a communicator by 1 to 7 processes, 32 once; a process that is killed; calls in disorder.
# processes.sh PROGRAM MPIRUN --memory: PROGRAM is memory_over_mpi.cpp's.
set -euo pipefail
program=$1 mpirun=$2
command -v "$mpirun" >/dev/null || { echo "there is no $mpirun (openmpi-bin)"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Several processes share a processor, and MPI uses none of the machine's networks.
started() { timeout -k 5 300 "$mpirun" --oversubscribe --bind-to none --mca btl self,vader -n "$@"; }

if [[ ${3:-} == --memory ]]; then
  started 3 "$program"
  # MPI itself runs out of memory, too: all processes end, and none has a wrong result.
  for call in reduce sort whole bodies; do
    for at in 1 4 9 40; do
      status=0
      said=$(started 3 "$program" $call $at 2>&1) || status=$?
      if ((status == 124)) || [[ $said =~ "Alarm clock"|"wrong result"|"call ended as"|"no call" ]]; then
        echo "$call, from allocation $at on: $status: $said"
        exit 1
      fi
    done
  done
  exit
fi

for n in 1 2 3 4 5 6 7; do started $n "$program" 3000 3; done
for n in 1 3; do started $n "$program" --bodies 500; done
for n in 2 5; do started $n "$program" --drawn ${UPSWEEP_SEED:-1} 0 40; done
started 32 "$program" --start

# A process is killed, whichever it is, in any call: mpirun ends the others and names it.
for who in 0 1 2; do
  began=$SECONDS status=0
  said=$(started 3 "$program" --killed $who 2>&1) || status=$?
  if ((status == 0 || status == 124 || SECONDS - began > 60)) || [[ $said != *"process rank $who "*"signal 9"* ]]; then
    echo "Process $who was killed: mpirun ended with $status after $((SECONDS - began)) s: $said"
    exit 1
  fi
done
# Under a launcher that does not end the others, they detect the missing process themselves.
said=$(started 3 --enable-recovery --mca orte_abort_on_non_zero_status 0 "$program" --killed 1 2>&1) || true
# A later process may report one that ended because of the first.
for rank in 0 2; do
  [[ $said == *"rank $rank: communicator::mpi: rank "[012]" of 3, process "*", is gone; "* ]] || { echo "Rank $rank reports no missing process: $said"; exit 1; }
done
[[ $said == *"communicator::mpi: rank 1 of 3, process "*", is gone; "* ]] || { echo "No rank reports that process 1 is gone: $said"; exit 1; }
for who in 0 2; do started 3 "$program" --leaving $who; done
started 3 "$program" --disorder
