# Install rules, the CMake package (find_package(rondo), target rondo::rondo) and the pkg-config file.
include(CMakePackageConfigHelpers)

install(TARGETS rondo EXPORT rondo-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION
                                                   ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/rondo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT rondo-targets NAMESPACE rondo:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rondo)
configure_package_config_file(cmake/rondo-config.cmake.in ${PROJECT_BINARY_DIR}/rondo-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rondo)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rondo-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rondo-config.cmake ${PROJECT_BINARY_DIR}/rondo-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rondo)

# pkg-config names the MPI by its module, which differs from one to the other.
if(MPI_CXX_LIBRARIES MATCHES "mpich")
  set(RONDO_MPI_MODULE mpich)
else()
  set(RONDO_MPI_MODULE ompi-c)
endif()
configure_file(cmake/rondo.pc.in ${PROJECT_BINARY_DIR}/rondo.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rondo.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
