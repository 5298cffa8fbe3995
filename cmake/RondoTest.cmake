# Tests under CTest. All run as root where they must and with more ranks than cores: on a small machine that is normal.

# What the scripts export for ranks.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/mpi-environment.sh)
file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/mpi-environment.sh exports REGEX "^export ")
string(REGEX MATCHALL "[A-Za-z_]+=[^ ;]+" RONDO_TEST_ENVIRONMENT "${exports}")
set(RONDO_TEST_PML "ob1" CACHE STRING "Open MPI's messaging layer under the tests; empty: let it look, which takes 0.2 s a test")
if(RONDO_TEST_PML)
  list(APPEND RONDO_TEST_ENVIRONMENT OMPI_MCA_pml=${RONDO_TEST_PML})
endif()

# Tests stand in for mmap and madvise, whose code Open MPI 6 overwrites to learn of memory that is given back.
list(APPEND RONDO_TEST_ENVIRONMENT OMPI_MCA_memory=^patcher)

# Where nothing else is tested, ranks share a cache, whatever machine this is.
list(APPEND RONDO_TEST_ENVIRONMENT RONDO_SHARED_CACHE=all)

# A guard against hangs only: after so many seconds a test is ended and named, and the others go on. Ten times what the
# longest test takes at full scale on two cores. `ctest --timeout` takes another limit, as tests/run.sh long does.
set(RONDO_TEST_TIMEOUT 3000)
file(WRITE ${PROJECT_BINARY_DIR}/DartConfiguration.tcl "TimeOut: ${RONDO_TEST_TIMEOUT}\n")  # read by every ctest

# rondo_add_mpi_test(name ranks command...): one CTest test that starts the command on that many ranks.
function(rondo_add_mpi_test name ranks)
  add_test(NAME ${name} COMMAND ${MPIEXEC_EXECUTABLE} -np ${ranks} ${ARGN})
  set(processors ${ranks})
  if(processors GREATER 3)
    set(processors 3)
  endif()
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${RONDO_TEST_ENVIRONMENT}" PROCESSORS ${processors})
endfunction()

# rondo_leave_to_night(tests...): tests/run.sh all, which CI runs, does without them: what they alone can find is little.
function(rondo_leave_to_night)
  set_property(TEST ${ARGN} APPEND PROPERTY LABELS night)
endfunction()

# rondo_share_ranks(test number numbers...): leaves all but so many of the tests test_NUMBERS to the night, other ones for
# each MPI, and under Open MPI with a sanitizer others than without: together they run on most of the numbers of ranks.
function(rondo_share_ranks test number)
  list(GET ARGN -1 most)
  set(best ${most} 2 3 4 1)
  if(RONDO_MPI STREQUAL "mpich")
    set(best 2 4 5 3 1)
  elseif(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    set(best 4 1 5 2 3)
    if(test MATCHES "^collectives/(binding|learning)/")  # hundreds of calls, and the data are those of other rooms
      set(best 2 1)
    endif()
  endif()
  set(kept "")
  foreach(ranks IN LISTS best)
    list(LENGTH kept so_far)
    if(so_far LESS number AND ranks IN_LIST ARGN AND NOT ranks IN_LIST kept)
      list(APPEND kept ${ranks})
    endif()
  endforeach()
  foreach(ranks IN LISTS ARGN)
    if(NOT ranks IN_LIST kept)
      rondo_leave_to_night(${test}_${ranks})
    endif()
  endforeach()
endfunction()

# Clang takes a third of GCC's time for tests, and half for examples: they may have it where the library is GCC's.
set(RONDO_TEST_COMPILER "" CACHE STRING "C++ compiler of tests and examples; empty: the library's")

# Tests are optimized little, and where no long ones are among them not at all: compiling would take longer than what it
# saves. In tests nobody looks for what fuzzers have reached.
set(RONDO_TEST_OPTIONS -O1)
if(CMAKE_BUILD_TYPE STREQUAL "Debug" OR RONDO_MPI STREQUAL "mpich" OR RONDO_TEST_COMPILER)
  set(RONDO_TEST_OPTIONS -O0)
endif()
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize-coverage=([^ ]+)")
  list(APPEND RONDO_TEST_OPTIONS -fno-sanitize-coverage=${CMAKE_MATCH_1})
endif()
# Which line of a test it was, is no matter to a sanitizer's report: the library's lines are in it.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=address")
  list(APPEND RONDO_TEST_OPTIONS -g0)
endif()
# oneTBB 2021.8 casts a task of its flow graph to what it is not yet: no error of ours, and no other flag names only that.
list(APPEND RONDO_TEST_OPTIONS -fno-sanitize=vptr)

# Where lld is, it links tests: in half the time.
find_program(RONDO_LLD ld.lld)

# A GoogleTest program.
function(rondo_test_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE test_main test_nodes test_support GTest::gtest TBB::tbb)
  target_compile_options(${name} PRIVATE ${RONDO_TEST_OPTIONS})
  if(RONDO_LLD)
    target_link_options(${name} PRIVATE -fuse-ld=lld)
  endif()
  if(RONDO_UNITY_BUILD)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    target_precompile_headers(${name} REUSE_FROM test_headers)
  endif()
  rondo_warnings(${name})
endfunction()

# rondo_test_room(ROOM [RANKS FILE:RANKS...] [ONCE FILES...] [PLANS FILES...] [ALONE FILES...] [PROGRAMS FILES...]): one
# program of the files tests/ROOM/*.cpp, and of each a CTest test ROOM/FILE_RANKS for every number of ranks.
#   RANKS     numbers of ranks, where they are not 1 alone: "requests:1,2,4"
#   ONCE      files without a call of MPI, which are the same under every MPI and tested once
#   PLANS     the same, of what computes schedules, and of whole families of them: left out without RONDO_TEST_PLANS
#   ALONE     files that put something in the place of MPI's functions or of operator new: programs of their own
#   PROGRAMS  files not taken here: with a main function, or a second one of a program ALONE
function(rondo_test_room room)
  cmake_parse_arguments(PARSE_ARGV 1 given "" "" "RANKS;ONCE;PLANS;ALONE;PROGRAMS")
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/${room} ${CMAKE_CURRENT_SOURCE_DIR}/${room}/*.cpp)
  list(TRANSFORM files REPLACE "\\.cpp$" "")
  foreach(name IN LISTS given_ONCE given_PLANS given_ALONE given_PROGRAMS)
    if(NOT name IN_LIST files)
      message(FATAL_ERROR "tests/${room}/${name}.cpp: is named in CMakeLists.txt, and there is no such file")
    endif()
  endforeach()
  list(REMOVE_ITEM files "" ${given_PROGRAMS})
  if(RONDO_MPI STREQUAL "mpich")
    list(REMOVE_ITEM files "" ${given_ONCE})
  endif()
  if(NOT RONDO_TEST_PLANS OR RONDO_MPI STREQUAL "mpich")
    list(REMOVE_ITEM files "" ${given_PLANS})
  endif()
  string(REPLACE "/" "_" of_room ${room})
  set(together ${files})
  list(REMOVE_ITEM together "" ${given_ALONE})
  if(together)
    set(sources ${together})
    list(TRANSFORM sources PREPEND ${room}/)
    list(TRANSFORM sources APPEND .cpp)
    rondo_test_program(test_${of_room} ${sources})
  endif()
  set(kept 2)  # numbers of ranks, where only the messages of another MPI or a sanitizer differ 1
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize" OR RONDO_MPI STREQUAL "mpich")
    set(kept 1)
  endif()
  foreach(file IN LISTS files)
    set(program test_${of_room})
    if(file IN_LIST given_ALONE)
      set(program test_${of_room}_${file})
      rondo_test_program(${program} ${room}/${file}.cpp)
    endif()
    set(ranks 1)
    foreach(entry IN LISTS given_RANKS)
      if(entry MATCHES "^${file}:(.*)$")
        string(REPLACE "," ";" ranks ${CMAKE_MATCH_1})
      endif()
    endforeach()
    foreach(number IN LISTS ranks)
      rondo_add_mpi_test(${room}/${file}_${number} ${number} $<TARGET_FILE:${program}> --file=${file})
    endforeach()
    rondo_share_ranks(${room}/${file} ${kept} ${ranks})
    if(file IN_LIST given_ONCE OR file IN_LIST given_PLANS)
      # They make and free millions of small things: a fifth of their time with glibc's default of 7 kept for each size.
      set_property(TEST ${room}/${file}_1 APPEND PROPERTY ENVIRONMENT GLIBC_TUNABLES=glibc.malloc.tcache_count=2000)
    endif()
  endforeach()
endfunction()
