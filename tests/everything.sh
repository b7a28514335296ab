#!/usr/bin/env bash
# Runs every check of the project, and writes each step's outcome, seconds, commit and date to docs/everything.md. CI runs a part of this
# (.ci/run). The whole takes some hours on two processors.
#
#   tests/everything.sh             every step
#   tests/everything.sh STEP...     these steps
#   tests/everything.sh --list      the steps and their commands
#   tests/everything.sh --page      writes docs/everything.md from the record it has
#   tests/everything.sh --old       the steps whose record is more than 20 commits old, or missing
#
# A step that cannot run on this machine has status 77 and is recorded as skipped. The exit status is 1 if a step failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
page=docs/everything.md
log_folder=build/everything

# name | command
steps=(
  "tests|./quickstart test --one-build"
  "check|build/upsweep check"
  "headers|ctest --test-dir build --output-on-failure -R ^headers.alone$"
  "faults|ctest --test-dir build --output-on-failure -R faults"
  "without-memory|ctest --test-dir build --output-on-failure -R without_memory"
  "oclgrind|ctest --test-dir build --output-on-failure -R ^opencl.oclgrind"
  "bare-bookworm|tests/bare.sh bookworm"
  "bare-trixie|tests/bare.sh trixie configure"
  "packages-bookworm|tests/packages.sh bookworm --build"
  "packages-trixie|tests/packages.sh trixie dist"
  "every-gpu|ctest --test-dir build --output-on-failure -L ^every-gpu$"
  "on-lens|tests/on_lens.sh"
  "on-lens-sources|tests/on_lens.sh sources"
  "sanitized-asan-ubsan|ctest --test-dir build --output-on-failure -R ^sanitized.asan-ubsan$"
  "sanitized-tsan|ctest --test-dir build --output-on-failure -R ^sanitized.tsan$"
  "sanitized-asan-ubsan-command|ctest --test-dir build --output-on-failure -R ^sanitized.asan-ubsan.command$"
  "sanitized-tsan-command|ctest --test-dir build --output-on-failure -R ^sanitized.tsan.command$"
  "contributing|ctest --test-dir build --output-on-failure -R ^contributing.recipes$"
  "fuzz|tests/fuzz.sh 60"
  "required|tests/configurations.sh required"
  "clang|tests/configurations.sh clang"
  "shared|tests/configurations.sh shared"
  "no-opencl|tests/configurations.sh no-opencl"
  "no-cuda|tests/configurations.sh no-cuda"
  "no-boost|tests/configurations.sh no-boost"
  "arm|tests/arm.sh"
)

command_of() { # step
  local entry
  for entry in "${steps[@]}"; do
    if [[ ${entry%%|*} == "$1" ]]; then
      echo "${entry#*|}"
      return
    fi
  done
  return 1
}

# --- the record: one row a step

declare -A record=()
read_record() {
  local name rest
  while IFS='|' read -r _ name rest; do
    name=${name//[\` ]/}
    if [[ $name ]] && command_of "$name" >/dev/null; then record[$name]=$rest; fi
  done < <(cat $page 2>/dev/null)
}

write_record() {
  local entry name
  {
    cat <<'TEXT'
# Last runs of every check

`tests/everything.sh` runs every check of the project and writes this table. CI runs `./quickstart` and the step `tests`
for each change. A step is skipped if it cannot run on the machine; its command prints the reason.

| step | command | outcome | seconds | commit | date |
| --- | --- | --- | ---: | --- | --- |
TEXT
    for entry in "${steps[@]}"; do
      name=${entry%%|*}
      echo "| \`$name\` |${record[$name]:- \`${entry#*|}\` | no record | | | |}"
    done
  } >$page.new
  mv $page.new $page
}

commits_since() { # step
  local commit
  commit=$(awk -F'|' '{ gsub(/ /, "", $4); print $4 }' <<<"${record[$1]:-}")
  if [[ $commit ]]; then git rev-list --count "$commit..HEAD" 2>/dev/null; fi
}

tell_old() {
  local entry name count old=0
  for entry in "${steps[@]}"; do
    name=${entry%%|*}
    count=$(commits_since "$name")
    if [[ -z $count ]]; then
      echo "$name: no record of a commit that is an ancestor of this one"
      old=1
    elif ((count > 20)); then
      echo "$name: the record is $count commits old"
      old=1
    fi
  done
  return $old
}

# --- the steps

failed=0
run_step() { # name
  local name=$1 command began=$SECONDS status=0 outcome
  command=$(command_of "$name")
  printf '\n======== %s: %s\n' "$name" "$command"
  mkdir -p $log_folder
  # shellcheck disable=SC2086  # a command and its words
  $command </dev/null 2>&1 | tee "$log_folder/$name.log" || true
  status=${PIPESTATUS[0]}
  case $status in
    0) outcome=passed ;;
    77) outcome=skipped ;;
    *) outcome=failed failed=1 ;;
  esac
  # ctest ends with 0 where it had no test to run.
  if [[ $outcome == passed ]] && grep -q '^No tests were found' "$log_folder/$name.log"; then outcome=skipped; fi
  record[$name]=" \`$command\` | $outcome | $((SECONDS - began)) | $(git rev-parse --short=8 HEAD) | $(date -u +%F) |"
  write_record
}

read_record
case ${1:-} in
  --list)
    for entry in "${steps[@]}"; do printf '%-30s %s\n' "${entry%%|*}" "${entry#*|}"; done
    exit
    ;;
  --page)
    write_record
    exit
    ;;
  --old)
    tell_old
    exit
    ;;
esac
names=("$@")
if ((${#names[@]} == 0)); then for entry in "${steps[@]}"; do names+=("${entry%%|*}"); done; fi
for name in "${names[@]}"; do
  if ! command_of "$name" >/dev/null; then
    echo "tests/everything.sh: there is no step '$name'; see tests/everything.sh --list" >&2
    exit 2
  fi
done
for name in "${names[@]}"; do run_step "$name"; done
sed -n '/^|/p' $page
exit $failed
