# upsweep_add_groups(<target> [PREFIX <prefix>] [TIMEOUT <seconds>]): ctest runs each GoogleTest suite of the program in one process,
# because the start of a process can take longer than a case. Suites with many cases are split into shards. The program lists its suites
# when ctest starts after a build.
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
