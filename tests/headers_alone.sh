#!/bin/sh
# Compiles each header by itself, and included twice: headers_alone.sh LIST ROOT JOBS COMPILER [FLAG…]; LIST holds paths below ROOT.
set -eu
list=$1 root=$2 jobs=$3
shift 3
cd "$root"
[ -s "$list" ] || { echo "no headers in $list" >&2; exit 1; }
xargs -P "$jobs" -I '{}' sh -c '
  printf "#include \"%s\"\n#include \"%s\"\n" "$0" "$0" | "$@" || { echo "$0 does not compile by itself" >&2; exit 1; }
' '{}' "$@" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I . -x c++ - <"$list"
