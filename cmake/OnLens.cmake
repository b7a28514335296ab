# Compiles the library's .cu files for the lens (lens/library). They are rewritten as `upsweep lens` rewrites a user's
# kernels, and compiled by the host compiler, which inserts a call of the lens at each memory access.
set(UPSWEEP_ON_LENS ${CMAKE_BINARY_DIR}/on_lens)

# Headers that a program for the lens includes instead of the toolkit's.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/lens/own/include ${PROJECT_SOURCE_DIR}/lens/own/include/*)
foreach(header ${headers})
  configure_file(${PROJECT_SOURCE_DIR}/lens/own/include/${header} ${UPSWEEP_ON_LENS}/include/${header} COPYONLY)
endforeach()
foreach(header cuda.h cufft.h upsweep_lens/standard.h)
  configure_file(${PROJECT_SOURCE_DIR}/lens/library/include/${header} ${UPSWEEP_ON_LENS}/include/${header} COPYONLY)
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/lens/own/table.hpp ${UPSWEEP_ON_LENS}/include/upsweep_lens/table.hpp COPYONLY)
configure_file(${PROJECT_SOURCE_DIR}/lens/own/table.hpp ${UPSWEEP_ON_LENS}/include/table.hpp COPYONLY)

add_executable(upsweep_rewrite ${PROJECT_SOURCE_DIR}/lens/library/rewrite.cpp)
foreach(part copies rewrite assembly refusals tokens)
  target_sources(upsweep_rewrite PRIVATE ${PROJECT_SOURCE_DIR}/lens/own/${part}.cpp)
endforeach()
target_include_directories(upsweep_rewrite PRIVATE ${PROJECT_SOURCE_DIR})

# upsweep_on_lens(<list> <file>...): sets the list to these files, with rewritten copies in place of .cu files.
function(upsweep_on_lens list)
  set(others "")
  set(from "")
  set(to "")
  foreach(file ${ARGN})
    if(file MATCHES "\\.cu$")
      file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${file})
      list(APPEND from ${file})
      list(APPEND to ${UPSWEEP_ON_LENS}/${list}/${name}.cpp)
    else()
      list(APPEND others ${file})
    endif()
  endforeach()
  file(GLOB_RECURSE included CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/upsweep/*.cuh ${PROJECT_SOURCE_DIR}/upsweep/*.hpp)
  add_custom_command(OUTPUT ${to} COMMAND upsweep_rewrite ${PROJECT_SOURCE_DIR} ${UPSWEEP_ON_LENS}/${list} ${from}
    DEPENDS ${from} ${included} upsweep_rewrite COMMENT "Rewriting .cu files for the lens" VERBATIM)
  # The options of `upsweep lens`: optimisation similar to nvcc's, without passes that turn one access into several or
  # split a vector into parts.
  set_source_files_properties(${to} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON
    INCLUDE_DIRECTORIES ${UPSWEEP_ON_LENS}/include
    COMPILE_OPTIONS "-include;cuda_runtime.h;-D__CUDA_ARCH__=${UPSWEEP_LENS_CAPABILITY}0;-DUPSWEEP_LENS_CAPABILITY=${UPSWEEP_LENS_CAPABILITY};-O1;-g1;-fsanitize=thread;--param=tsan-distinguish-volatile=1;-fno-thread-jumps;-fno-tree-sra;-fno-strict-aliasing;-w")
  set(${list} ${others} ${to} PARENT_SCOPE)
endfunction()

# Compiles those of the given files that call CUDA, and the files of lens/library, with the lens's headers.
function(upsweep_words_of_lens)
  foreach(file ${ARGN})
    set(calls_cuda "")
    if(file MATCHES "\\.cpp$")
      file(STRINGS ${file} calls_cuda REGEX "include .*(cuda/cuda_device\\.hpp|cuda_runtime)" LIMIT_COUNT 1)
    endif()
    if(calls_cuda OR file MATCHES "/cuda/")
      set_property(SOURCE ${file} APPEND PROPERTY INCLUDE_DIRECTORIES ${UPSWEEP_ON_LENS}/include)
      set_property(SOURCE ${file} APPEND PROPERTY COMPILE_DEFINITIONS UPSWEEP_LENS_CAPABILITY=${UPSWEEP_LENS_CAPABILITY})
      set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -include cuda_runtime.h -Wno-unused-parameter -Wno-unused-function)
      set_source_files_properties(${file} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
  set(library ${PROJECT_SOURCE_DIR}/lens/library/gpu.cpp ${PROJECT_SOURCE_DIR}/lens/library/nvrtc_on_lens.cpp)
  set_source_files_properties(${library} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON
    INCLUDE_DIRECTORIES "${UPSWEEP_ON_LENS}/include;${PROJECT_SOURCE_DIR}/lens/own"
    COMPILE_DEFINITIONS "UPSWEEP_LENS_CAPABILITY=${UPSWEEP_LENS_CAPABILITY};UPSWEEP_LENS_WORDS=\"${UPSWEEP_ON_LENS}/include\"")
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/lens/library/nvrtc_on_lens.cpp APPEND PROPERTY COMPILE_DEFINITIONS
    "UPSWEEP_LENS_OBJECT=\"$<TARGET_OBJECTS:upsweep_lens_words>\";UPSWEEP_LENS_SOURCES=${UPSWEEP_LENS_SOURCES}")
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/lens/library/nvrtc_on_lens.cpp APPEND PROPERTY COMPILE_OPTIONS -include cuda_runtime.h)
endfunction()

# Device source compiled at run time: the object that each program is linked with, and a hash of all files that the generated code depends on,
# which is part of the cache key.
add_library(upsweep_lens_words OBJECT ${PROJECT_SOURCE_DIR}/lens/own/words.cpp)
target_include_directories(upsweep_lens_words PRIVATE ${UPSWEEP_ON_LENS}/include)
target_compile_options(upsweep_lens_words PRIVATE -O1)
file(GLOB_RECURSE makes CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lens/own/include/* ${PROJECT_SOURCE_DIR}/lens/library/include/*)
foreach(part rewrite assembly refusals tokens words)
  list(APPEND makes ${PROJECT_SOURCE_DIR}/lens/own/${part}.cpp)
endforeach()
list(APPEND makes ${PROJECT_SOURCE_DIR}/lens/own/table.hpp ${PROJECT_SOURCE_DIR}/lens/library/nvrtc_on_lens.cpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${makes})
set(sums "${CMAKE_CXX_COMPILER_VERSION}")
foreach(file ${makes})
  file(SHA256 ${file} sum)
  string(APPEND sums ${sum})
endforeach()
string(SHA256 sum "${sums}")
string(SUBSTRING ${sum} 0 7 sum)
math(EXPR UPSWEEP_LENS_SOURCES "0x${sum}")
