# upsweep_add_groups(<target> [PREFIX <prefix>] [TIMEOUT <seconds>]): ctest runs the program's GoogleTest suites, a process each rather
# than a process a case, since starting the program can take longer than a case. Suites of many cases are cut in shards. What suites
# there are the program says itself, when ctest starts, after each build.
function(upsweep_add_groups target)
  cmake_parse_arguments(arg "" "PREFIX;TIMEOUT" "" ${ARGN})
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${target}_groups.cmake)
  file(GENERATE OUTPUT ${script} CONTENT
"set(program \"$<TARGET_FILE:${target}>\")
set(target ${target})
set(prefix \"${arg_PREFIX}\")
set(timeout \"${arg_TIMEOUT}\")
set(list \"${CMAKE_CURRENT_BINARY_DIR}/${target}_list.cmake\")
include(\"${PROJECT_SOURCE_DIR}/tests/list_groups.cmake\")
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()
