# Install rules, the CMake package (find_package(rondo), target rondo::rondo) and the pkg-config file.
include(CMakePackageConfigHelpers)

set(RONDO_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/rondo)
install(
  TARGETS rondo EXPORT rondo-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT dev)
install(TARGETS rondo_tbb EXPORT rondo-tbb-targets)
install(DIRECTORY include/rondo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(EXPORT rondo-targets NAMESPACE rondo:: DESTINATION ${RONDO_CMAKE_DIR} COMPONENT dev)
install(EXPORT rondo-tbb-targets NAMESPACE rondo:: DESTINATION ${RONDO_CMAKE_DIR} COMPONENT dev)
configure_package_config_file(cmake/rondo-config.cmake.in ${PROJECT_BINARY_DIR}/rondo-config.cmake
                              INSTALL_DESTINATION ${RONDO_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rondo-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rondo-config.cmake ${PROJECT_BINARY_DIR}/rondo-config-version.cmake
        DESTINATION ${RONDO_CMAKE_DIR} COMPONENT dev)

# pkg-config: the prefix is told from where the file lies, so that cmake --install --prefix may choose another.
file(RELATIVE_PATH RONDO_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" RONDO_PC_PREFIX ${RONDO_PC_PREFIX})
# It names the MPI by its module, which differs from one to the other.
include(CheckCXXSymbolExists)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
check_cxx_symbol_exists(OPEN_MPI mpi.h RONDO_MPI_IS_OPENMPI)
unset(CMAKE_REQUIRED_LIBRARIES)
if(RONDO_MPI_IS_OPENMPI)
  set(RONDO_PC_REQUIRES ompi-c)
else()
  set(RONDO_PC_REQUIRES mpich)
endif()
# What the library is made with stays out of users' compilers, though not out of their linkers: those of a static library
# link what it uses, whether they say --static or not, as there is no shared one beside it.
set(RONDO_PC_LIBS "")
if(NOT BUILD_SHARED_LIBS)
  include(RondoLinkFlags)
  rondo_link_flags(flags spdlog::spdlog TBB::tbb stdc++ m)
  list(JOIN flags " " RONDO_PC_LIBS)
endif()
configure_file(cmake/rondo.pc.in ${PROJECT_BINARY_DIR}/rondo.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rondo.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
if(PROJECT_IS_TOP_LEVEL)
  include(RondoDebian)
endif()
