/// @file
/// Makes one clear error if the C++ interface is compiled as an older C++; included before anything else.
#ifndef RONDO_CPP20_HPP
#define RONDO_CPP20_HPP

#if __cplusplus < 202002L
#error "Rondo's C++ interface needs C++20: compile with -std=c++20 (the C interface, rondo/rondo.h, needs C99)"
#endif

#endif
