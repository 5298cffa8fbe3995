# The warnings that all of Rondo's own code is clean under.
# MPI 4.1 deprecates MPI_Type_size_x and its like, for functions that MPI 3 does not have.
function(rondo_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wno-deprecated-declarations)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC bug 105651: false alarms from string concatenation, with precompiled headers of more kinds
    target_compile_options(${target} PRIVATE -Wno-restrict)
    if(RONDO_UNITY_BUILD)
      target_compile_options(${target} PRIVATE -Wno-stringop-overflow -Wno-array-bounds)
    endif()
  endif()
  if(RONDO_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
