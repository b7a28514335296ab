# `cmake --install` installs the library, its headers, the command, a package for find_package(upsweep) and files for
# pkg-config under one prefix. The components are those of Debian's packages: command, runtime, development, python.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(libraries upsweep upsweep_samples)
if(UPSWEEP_CONFORMANCE)
  list(APPEND libraries upsweep_textbook upsweep_conformance)
endif()
install(TARGETS ${libraries} EXPORT upsweep
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
install(TARGETS upsweep_probe RUNTIME DESTINATION lib/upsweep COMPONENT runtime)  # the library looks there (upsweep/driver_probe.hpp)
install(DIRECTORY upsweep/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/upsweep COMPONENT development
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh"
        PATTERN "textbook" EXCLUDE)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/upsweep)
install(EXPORT upsweep NAMESPACE upsweep:: DESTINATION ${package_dir} FILE upsweepTargets.cmake COMPONENT development)

# Programs that link a static library also link its private dependencies, so the package searches for FFTW if this
# build uses it.
set(UPSWEEP_FFTW_PACKAGE OFF)
if(TARGET PkgConfig::FFTW AND NOT BUILD_SHARED_LIBS)
  set(UPSWEEP_FFTW_PACKAGE ON)
endif()
configure_package_config_file(cmake/upsweepConfig.cmake.in upsweepConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(upsweepConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/upsweepConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/upsweepConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT development)

# pkg-config: upsweep for C++, upsweep_c for the C interface. A program that links the archive links all that it needs.
set(pc_requires tbb)
set(pc_libraries "-lupsweep -lpthread")
if(UPSWEEP_WITH_FFTW AND NOT BUILD_SHARED_LIBS)
  string(APPEND pc_requires ", fftw3, fftw3f")
endif()
if(UPSWEEP_WITH_OPENCL)
  string(APPEND pc_libraries " -lOpenCL")
endif()
if(UPSWEEP_WITH_CUDA AND NOT BUILD_SHARED_LIBS)
  get_target_property(cudart CUDA::cudart_static IMPORTED_LOCATION)
  string(APPEND pc_libraries " ${cudart} -ldl -lrt")
endif()
configure_file(cmake/upsweep.pc.in upsweep.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/upsweep.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
if(UPSWEEP_C AND UPSWEEP_CONFORMANCE)
  configure_file(cmake/upsweep_c.pc.in upsweep_c.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/upsweep_c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endif()
if(NOT UPSWEEP_DEBS)  # Debian's packages have their licence in a file named copyright
  install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
endif()
