# Tests under CTest. All run as root where they must and with more ranks than cores: on a small machine that is normal.

set(RONDO_TEST_ENVIRONMENT
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1)

# rondo_add_mpi_test(name ranks command...): one CTest test that starts the command on that many ranks.
function(rondo_add_mpi_test name ranks)
  add_test(NAME ${name} COMMAND ${MPIEXEC_EXECUTABLE} -np ${ranks} ${ARGN})
  set(processors 2)
  if(ranks EQUAL 1)
    set(processors 1)
  endif()
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${RONDO_TEST_ENVIRONMENT}" PROCESSORS ${processors})
endfunction()

# rondo_test(name ranks...): a GoogleTest program tests/<name>.cpp, run once for each number of ranks. Optimized little:
# compiling would take longer than what it saves.
function(rondo_test name)
  add_executable(test_${name} ${name}.cpp)
  target_link_libraries(test_${name} PRIVATE test_main test_support GTest::gtest spdlog::spdlog)
  target_compile_options(test_${name} PRIVATE $<IF:$<CONFIG:Debug>,-O0,-O1>)
  rondo_warnings(test_${name})
  foreach(ranks IN LISTS ARGN)
    rondo_add_mpi_test(${name}_${ranks} ${ranks} $<TARGET_FILE:test_${name}>)
  endforeach()
endfunction()
