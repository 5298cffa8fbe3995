/// @file
/// Rondo: collective communication as task graphs on MPI. This header includes the whole C++ interface. Buffers lie in
/// the host's memory: see rondo.h.
#ifndef RONDO_RONDO_HPP
#define RONDO_RONDO_HPP

#include <rondo/basics/cpp20.hpp>

#include <rondo/rondo.h>
#include <rondo/basics/element_buffer.hpp>
#include <rondo/cart_comm.hpp>
#include <rondo/comm.hpp>
#include <rondo/datatypes.hpp>
#include <rondo/error.hpp>
#include <rondo/halo.hpp>
#include <rondo/memory.hpp>
#include <rondo/neighborhood.hpp>
#include <rondo/options.hpp>
#include <rondo/progress.hpp>
#include <rondo/request.hpp>
#include <rondo/trace.hpp>

#endif
