#!/bin/sh
# names.sh LIBRARY HEADER: the library exports every function of the header and nothing else, and its soname has a version.
set -eu
shown=$(nm -D --defined-only "$1" | awk '{ print $NF }' | sort)
declared=$(tr '\n' ' ' <"$2" | grep -oE 'UPSWEEP_API [^;(]*\(' | grep -oE 'upsweep_[a-z0-9_]+\(' | tr -d '(' | sort)
if [ "$shown" != "$declared" ]; then
  echo "the functions that the library exports (<) and that the header declares (>) differ:"
  printf '%s\n' "$shown" >shown.txt
  printf '%s\n' "$declared" >declared.txt
  diff shown.txt declared.txt
fi
[ "$(printf '%s\n' "$declared" | wc -l)" -gt 60 ] || { echo "the header's functions were not found"; exit 1; }
readelf -d "$1" | grep -qE 'SONAME.*libupsweep_c\.so\.[0-9]+\.[0-9]+\]' || { echo "no soname with a version"; exit 1; }
