# Debian packages by CPack, with the option UPSWEEP_DEBS: cmake --preset package, cmake --build build-package, cpack.
# A package has a component of cmake/Install.cmake:
#   upsweep            command      the command, manual pages, completion
#   libupsweep-c0.1    runtime      the C interface, a shared library
#   libupsweep-dev     development  the C++ library (an archive), headers, CMake package, pkg-config
#   python3-upsweep    python       the Python package
# The C++ library is an archive because its binary interface is not stable yet; the C interface is.
if(BUILD_SHARED_LIBS)
  message(FATAL_ERROR "UPSWEEP_DEBS: the packages have the C++ library as an archive; set BUILD_SHARED_LIBS=OFF")
endif()
if(NOT UPSWEEP_CONFORMANCE OR NOT UPSWEEP_PYTHON OR NOT UPSWEEP_CLI OR NOT UPSWEEP_C)
  message(FATAL_ERROR "UPSWEEP_DEBS: the packages need UPSWEEP_CONFORMANCE, UPSWEEP_PYTHON, UPSWEEP_CLI and UPSWEEP_C; cmake --preset package sets them")
endif()
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  message(FATAL_ERROR "UPSWEEP_DEBS: set CMAKE_INSTALL_PREFIX=/usr at the first configuration")
endif()

set(so_version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(command_package upsweep)
set(runtime_package libupsweep-c${so_version})
set(development_package libupsweep-dev)
set(python_package python3-upsweep)

# Policy asks every package for a copyright file and a compressed changelog. Its date is that of the release's commit.
set(date "$ENV{SOURCE_DATE_EPOCH}")
if(NOT date)
  execute_process(COMMAND git log -1 --format=%ct WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT date)
  set(date 0)
endif()
execute_process(COMMAND date --utc -R -d @${date} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(CPACK_PACKAGE_CONTACT "Upsweep maintainers <maintainers@upsweep.invalid>" CACHE STRING "the packages' maintainer")
set(debian_changelog ${CMAKE_CURRENT_BINARY_DIR}/deb/changelog.Debian)
file(WRITE ${debian_changelog}
"upsweep (${PROJECT_VERSION}-1) unstable; urgency=medium

  * Packages of version ${PROJECT_VERSION}; its changes are in CHANGELOG.md of the sources.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
execute_process(COMMAND gzip -9nf ${debian_changelog} COMMAND_ERROR_IS_FATAL ANY)
foreach(component command runtime development python)
  install(FILES packaging/deb/copyright ${debian_changelog}.gz DESTINATION share/doc/${${component}_package} COMPONENT ${component})
endforeach()

# Manual pages are compressed, as policy asks. dpkg-deb sorts the files; gzip -n stores no date.
install(CODE "
  file(GLOB pages \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/man/man1/upsweep*.1\")
  if(pages)
    execute_process(COMMAND gzip -9nf \${pages} COMMAND_ERROR_IS_FATAL ANY)
  endif()" COMPONENT command)

# The packages of libraries that the command loads when a file needs them.
set(loaded "")
foreach(library ZSTD TIFF WEBP WEBPDEMUX GIF)
  if(UPSWEEP_${library})
    list(APPEND loaded ${UPSWEEP_${library}})
  endif()
endforeach()
if(TARGET PkgConfig::HDF5)
  get_target_property(hdf5 PkgConfig::HDF5 INTERFACE_LINK_LIBRARIES)
  list(GET hdf5 0 hdf5)
  list(APPEND loaded ${hdf5})
endif()
set(suggested pocl-opencl-icd ffmpeg g++)
foreach(library ${loaded})
  get_filename_component(library ${library} REALPATH)
  string(REGEX REPLACE "^/usr/lib" "/lib" short ${library})
  foreach(name ${library} ${short})
    execute_process(COMMAND dpkg-query -S ${name} OUTPUT_VARIABLE owner RESULT_VARIABLE failed ERROR_QUIET)
    if(failed EQUAL 0 AND owner MATCHES "^([^:]+):")
      list(APPEND suggested ${CMAKE_MATCH_1})
      break()
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES suggested)
list(JOIN suggested ", " suggested)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME upsweep)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL command runtime development python)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SOURCE upsweep)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_OUTPUT_FILE_PREFIX ${CMAKE_BINARY_DIR}/packages)

foreach(component command runtime development python)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${${component}_package})
endforeach()
# CPack indents the lines; an empty line ends a paragraph. The first line is the summary, so the project's is not used.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(about "Upsweep is a library of data-parallel primitives: reduce, scan, sort, select,
histogram, convolution, N-body and others, for multicore CPUs, CUDA GPUs and
OpenCL devices.
")
function(upsweep_describe component section summary contents)
  set(CPACK_DEBIAN_${component}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${component}_DESCRIPTION "${summary}\n${about}\n${contents}" PARENT_SCOPE)
endfunction()
upsweep_describe(COMMAND science "data-parallel primitives on files and pipes"
"This package has the command upsweep, which sorts, selects and sums columns of
tables, filters pictures and runs CUDA kernels on an emulated GPU.")
upsweep_describe(RUNTIME libs "data-parallel primitives, C interface"
"This package has the shared library of the C interface.")
upsweep_describe(DEVELOPMENT libdevel "data-parallel primitives, development files"
"This package has the C++ library with its headers, the header of the C
interface, and files for CMake and pkg-config.")
upsweep_describe(PYTHON python "data-parallel primitives for Python and NumPy"
"This package has the Python package upsweep, with NumPy's names.")

set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "${suggested}")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/deb/shlibs "libupsweep_c ${so_version} ${runtime_package} (>= ${PROJECT_VERSION})\n")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/deb/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/deb/shlibs ${CMAKE_CURRENT_BINARY_DIR}/deb/triggers)
set(needed_to_build libtbb-dev)
if(UPSWEEP_WITH_OPENCL)
  list(APPEND needed_to_build ocl-icd-opencl-dev opencl-c-headers)
endif()
if(UPSWEEP_WITH_FFTW)
  list(APPEND needed_to_build libfftw3-dev pkg-config)
endif()
list(JOIN needed_to_build ", " needed_to_build)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${runtime_package} (= ${PROJECT_VERSION}-1), ${needed_to_build}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "g++, cmake")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/c)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "${runtime_package} (= ${PROJECT_VERSION}-1), python3 (>= 3.11), python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS upsweep)
# Python's compiled files are made at installation, and removed with the package.
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/deb/postinst "#!/bin/sh
set -e
if [ \"$1\" = configure ]; then py3compile -p ${python_package}; fi
")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/deb/prerm "#!/bin/sh
set -e
py3clean -p ${python_package}
")
file(CHMOD ${CMAKE_CURRENT_BINARY_DIR}/deb/postinst ${CMAKE_CURRENT_BINARY_DIR}/deb/prerm
     PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/deb/postinst ${CMAKE_CURRENT_BINARY_DIR}/deb/prerm)
include(CPack)
