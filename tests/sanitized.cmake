# Configures PRESET in BUILD, builds a PART of the tests there and runs it on the CPU, in CORES (or $JOBS) processes:
#   library   the library's tests, with samples of the checks; each process's output is stored in BUILD
#   command   the tests and scripts of the command, of the C interface and of the lens (not for threads), and the fuzzers' corpus
# Each report of a sanitizer, about a test or a command that a test started, is a file in BUILD/reports. Any report is printed and is a
# failure, whatever the test expects.
if(DEFINED ENV{JOBS})
  set(CORES $ENV{JOBS})
endif()
function(step)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${ROOT} RESULT_VARIABLE failed OUTPUT_VARIABLE words ERROR_VARIABLE words)
  if(NOT failed EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${failed}:\n${words}")
  endif()
endfunction()
set(targets_of_library upsweep_tests)
set(targets_of_command upsweep_command upsweep_cli_tests upsweep_c_tests upsweep_c_sales upsweep_lens_tests upsweep_fuzz_replay)
step(${CMAKE_COMMAND} --preset ${PRESET} -B ${BUILD})
step(${CMAKE_COMMAND} --build ${BUILD} -j ${CORES} --target ${targets_of_${PART}})

# The command never exits with 99 itself. Leaks are detected when a process ends normally.
file(REMOVE_RECURSE ${BUILD}/reports)
file(MAKE_DIRECTORY ${BUILD}/reports)
set(each "exitcode=99:log_path=${BUILD}/reports/of")
set(ENV{UPSWEEP_QUICK} 1)
set(ENV{ASAN_OPTIONS} "${each}:detect_leaks=1:detect_stack_use_after_return=0")
set(ENV{LSAN_OPTIONS} "suppressions=${ROOT}/tests/lsan.supp:print_suppressions=0:${each}")
set(ENV{TSAN_OPTIONS} "suppressions=${ROOT}/tests/tsan.supp:${each}:halt_on_error=0:history_size=7")
set(ENV{UBSAN_OPTIONS} "print_stacktrace=1:log_path=${BUILD}/reports/of")

# Runs a program in shards and stores their output.
function(run_in_shards program)
  set(ENV{GTEST_TOTAL_SHARDS} ${CORES})
  math(EXPR last "${CORES} - 1")
  execute_process(
    COMMAND sh -c "seq 0 ${last} | xargs -P ${CORES} -I {} sh -c 'GTEST_SHARD_INDEX={} ${BUILD}/${program} --gtest_brief=1 >${BUILD}/${program}.{}.words 2>&1 || { echo shard {} ended with $?; exit 1; }'"
    WORKING_DIRECTORY ${ROOT} RESULT_VARIABLE failed)
  foreach(shard RANGE ${last})
    if(failed)
      # 30 lines from each failure on.
      execute_process(COMMAND grep -nE -A30 "Failure$|FAILED|ERROR: |WARNING: |SUMMARY: |runtime error: " ${BUILD}/${program}.${shard}.words
                      OUTPUT_VARIABLE words)
      string(SUBSTRING "${words}" 0 20000 words)
      message("${words}")
      execute_process(COMMAND tail -n 5 ${BUILD}/${program}.${shard}.words OUTPUT_VARIABLE words)
      message("shard ${shard} ended with:\n${words}")
    else()
      execute_process(COMMAND grep -A1 "^.==========. .* ran" ${BUILD}/${program}.${shard}.words OUTPUT_VARIABLE words)
      message("${words}")
    endif()
  endforeach()
  unset(ENV{GTEST_TOTAL_SHARDS})
  if(failed)
    set(wrong "${wrong} ${program}" PARENT_SCOPE)
  endif()
endfunction()

set(wrong "")
if(PART STREQUAL "library")
  run_in_shards(upsweep_tests)
else()
  # One host thread runs all threads of the lens's kernels, on separate stacks, so that no data race is possible. The
  # thread sanitizer records their calls as one stack, and aborts at 65,536.
  if(EXISTS ${BUILD}/upsweep_lens_tests AND NOT PRESET STREQUAL "tsan")
    run_in_shards(upsweep_lens_tests)
  endif()
  # Without numpy_sort, which would take an hour, and with the thread sanitizer without pil, which would take too long.
  set(left_out "^cli\\.numpy_sort$")
  if(PRESET STREQUAL "tsan")
    string(APPEND left_out "|^cli\\.lens|^cli\\.pil$")
  endif()
  execute_process(COMMAND ctest --test-dir ${BUILD} -j ${CORES} -R "^(cli|c|fuzz)\\." -E "${left_out}" --timeout 1800 --output-on-failure RESULT_VARIABLE failed)
  if(failed)
    set(wrong "${wrong} ctest")
  endif()
endif()
file(GLOB written ${BUILD}/reports/*)
set(reports "")
foreach(report ${written})
  file(READ ${report} words LIMIT 6000)
  # The report about an exception on a fiber's stack (of the lens) is not an error.
  string(REGEX REPLACE "==[0-9]+==WARNING: ASan is ignoring requested __asan_handle_no_return:[^\n]*\nFalse positive[^\n]*\nFor details[^\n]*\n" "" rest
                       "${words}")
  string(STRIP "${rest}" rest)
  if(NOT rest STREQUAL "")
    message("${report}:\n${words}")
    list(APPEND reports ${report})
  endif()
endforeach()
if(reports)
  list(LENGTH reports count)
  set(wrong "${wrong} ${count} reports")
endif()
if(wrong)
  message(FATAL_ERROR "under ${PRESET}:${wrong}")
endif()
