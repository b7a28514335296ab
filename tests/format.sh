#!/usr/bin/env bash
# Checks that every C++ and CUDA file is formatted by clang-format, and that no line is longer than ColumnLimit in .clang-format. Raw strings
# are exempt, because they contain other languages.
#   tests/format.sh ROOT [JOBS]      exits with 77 without clang-format 19: other versions format differently
set -euo pipefail
root=$1 jobs=${2:-$(nproc)}
cd "$root"
columns=$(sed -n 's/^ColumnLimit: *//p' .clang-format)
files=()
while IFS= read -r -d '' file; do files+=("$file"); done < <(find . -type d \( -name 'build*' -o -name '.?*' \) -prune -o \
  -type f \( -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' -o -name '*.cuh' \) -print0 | sort -z)
((${#files[@]} > 100)) || {
  echo "FAILED: only ${#files[@]} files in $root"
  exit 1
}

# Columns are characters, not bytes.
bad=0
long=$(printf '%s\0' "${files[@]}" | LC_ALL=C xargs -0 awk -v columns="$columns" '
  FNR == 1 { inside = 0 }
  {
    raw = inside
    rest = $0
    while (1) {
      if (inside) {
        at = index(rest, ")" name "\"")
        if (!at) break
        rest = substr(rest, at + length(name) + 2)
        inside = 0
      } else {
        if (!match(rest, /R"[A-Za-z_]*\(/)) break
        name = substr(rest, RSTART + 2, RLENGTH - 3)
        rest = substr(rest, RSTART + RLENGTH)
        inside = raw = 1
      }
    }
    line = $0
    gsub(/[\200-\277]/, "", line)  # a character counts by its first byte
    if (!raw && length(line) > columns) print FILENAME ":" FNR ": " length(line) " columns"
  }')
if [[ $long ]]; then
  echo "$long"
  echo "FAILED: lines of more than $columns columns"
  bad=1
fi

formatter=''
for candidate in clang-format-19 clang-format; do
  if command -v "$candidate" >/dev/null && [[ $("$candidate" --version) =~ version\ 19\. ]]; then
    formatter=$candidate
    break
  fi
done
if [[ -z $formatter ]]; then
  echo "clang-format-19 is not installed: checked only that lines have at most $columns columns, in ${#files[@]} files"
  exit $((bad ? 1 : 77))
fi
printf '%s\0' "${files[@]}" | xargs -0 -n 40 -P "$jobs" "$formatter" --dry-run -Werror --ferror-limit=1 || {
  echo "FAILED: $formatter -i FILE formats it"
  bad=1
}
echo "${#files[@]} files, by $formatter"
exit $bad
