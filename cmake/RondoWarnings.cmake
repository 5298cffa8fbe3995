# The warnings that all of Rondo's own code is clean under.
function(rondo_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict) # GCC bug 105651: false alarms from string concatenation
  endif()
  if(RONDO_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
