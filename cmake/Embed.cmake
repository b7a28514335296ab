# upsweep_embed(<target> <folder> <header> <namespace> <kind> <name>...): embeds files of the folder, each with its
# name, in the target, as the array `<kind>s` that the header declares. A null name ends the array.
# upsweep_embed(... <kind> TYPE <type> <name>...): the elements have that type, for headers with several such arrays.
function(upsweep_embed target folder header space kind)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${kind}s.cpp)
  set(names ${ARGN})
  set(type ${kind})
  if("${ARGV5}" STREQUAL "TYPE")
    set(type ${ARGV6})
    list(REMOVE_AT names 0 1)
  endif()
  set(files ${names})
  list(TRANSFORM files PREPEND ${folder}/)
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/WriteEmbedded.cmake)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DDIR=${folder} -DHEADER=${header} -DSPACE=${space} -DKIND=${kind} -DTYPE=${type} "-DNAMES=${names}" -P ${script}
    DEPENDS ${files} ${script}
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()
