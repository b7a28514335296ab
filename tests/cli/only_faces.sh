#!/bin/sh
# The command uses the library as any program does, through its public headers: no file in cli/ uses a context's
# device, an algorithm's internals or its problem. Exceptions: files that show, check and measure the catalog, and
# count_in_bins.cpp, which adds weights as the library's weighted histograms do.
#
#   tests/cli/only_faces.sh [ROOT]
cd "${1:-$(dirname "$0")/../..}" || exit 2
find cli -name '*.[ch]pp' ! -path 'cli/bench/*' ! -path 'cli/lens/*' ! -path 'cli/report/*' \
  ! -name list.cpp ! -name conformance_commands.cpp ! -name count_in_bins.cpp \
  -exec awk '{
    code = $0
    sub(/\/\/.*/, "", code)
    if (code ~ /\.device\(\)|detail::[a-z_]*_impl::|(^|[^A-Za-z0-9_.>])problem([^A-Za-z0-9_(]|$)/) {
      print FILENAME ":" FNR ":" $0
      found = 1
    }
  } END { exit found }' {} +
found=$?
[ $found -eq 0 ] || echo 'The command goes through the public headers: say what is meant there, and call that.' >&2
exit $found
