# `cmake --install` puts the library, its headers, the command and a package that find_package(upsweep) finds under one prefix.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(libraries upsweep upsweep_samples)
if(UPSWEEP_CONFORMANCE)
  list(APPEND libraries upsweep_textbook upsweep_conformance)
endif()
install(TARGETS ${libraries} EXPORT upsweep ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS upsweep_probe RUNTIME DESTINATION lib/upsweep)  # the library looks there (upsweep/driver_probe.hpp)
install(DIRECTORY upsweep/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/upsweep
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh"
        PATTERN "textbook" EXCLUDE)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/upsweep)
install(EXPORT upsweep NAMESPACE upsweep:: DESTINATION ${package_dir} FILE upsweepTargets.cmake)

# Programs that link a static library also link its private dependencies, so the package searches for FFTW if this
# build uses it.
set(UPSWEEP_FFTW_PACKAGE OFF)
if(TARGET PkgConfig::FFTW AND NOT BUILD_SHARED_LIBS)
  set(UPSWEEP_FFTW_PACKAGE ON)
endif()
configure_package_config_file(cmake/upsweepConfig.cmake.in upsweepConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(upsweepConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/upsweepConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/upsweepConfigVersion.cmake
        DESTINATION ${package_dir})
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
