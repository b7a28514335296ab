#!/usr/bin/env bash
# Checks that a shared object that links the archive and hides its symbols exports only its own function.
#   tests/weight/hidden.sh LIBRARY FUNCTION
set -euo pipefail
export LC_ALL=C
shown=$(nm -D --defined-only "$1" | awk '{ print $2, $3 }')
grep -qx "T $2" <<<"$shown" || {
  echo "FAILED: $1 does not show $2"
  exit 1
}
# libstdc++ declares its templates visible, whatever the options: weak symbols of std::vector are in every shared object and are ignored.
others=$(grep -vx "T $2" <<<"$shown" | grep -vE '^[WVu] _ZN?K?(St|[0-9]*__gnu_cxx|S[absiod])|^[WVu] _Z(TI|TS|TV|GV|Z)?N?K?(St|9__gnu_cxx|S[absiod])' || true)
ours=$(grep -E '[0-9]upsweep|cuda|hwy' <<<"$shown" | grep -vx "T $2" || true)
if [[ $others$ours ]]; then
  echo "FAILED: $1 shows more than $2:"
  printf '%s\n' "$others" "$ours" | sort -u | head -20 | c++filt
  exit 1
fi
echo "${1##*/} shows $2, and $(grep -c . <<<"$shown") symbols with what libstdc++ shows everywhere"
