# upsweep_embed_opencl(<target> <file.cl>...): each file becomes a string that upsweep::opencl::source("reduce/opencl/reduce.cl") finds.
function(upsweep_embed_opencl target)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/opencl_sources.cpp)
  set(names "")
  foreach(file ${ARGN})
    file(RELATIVE_PATH name ${CMAKE_CURRENT_SOURCE_DIR} ${file})
    list(APPEND names ${name})
  endforeach()
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DDIR=${CMAKE_CURRENT_SOURCE_DIR} "-DNAMES=${names}" -P ${PROJECT_SOURCE_DIR}/cmake/WriteOpenCLSources.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/WriteOpenCLSources.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()
