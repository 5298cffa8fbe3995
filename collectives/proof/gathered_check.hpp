/// @file
/// A check that one rank makes for all.
#ifndef RONDO_COLLECTIVES_PROOF_GATHERED_CHECK_HPP
#define RONDO_COLLECTIVES_PROOF_GATHERED_CHECK_HPP

#include <mpi.h>

#include "runtime/base/byte_stream.hpp"

#include <functional>
#include <span>
#include <string_view>

namespace rondo::internal {

/// Gathers what `write` writes on all ranks on rank 0 of `comm`, where `judge` gets it, by rank, and throws what it
/// finds wrong: all ranks throw that then, as Error with `asked_by` before its text. Collective, blocking; what `write`
/// throws is told to all as well. Both to be passed by std::ref.
void check_together(const std::function<void(ByteWriter&)>& write,
                    const std::function<void(std::span<const ByteReader>)>& judge, MPI_Comm comm,
                    std::string_view asked_by = "RONDO_CHECK: ");

}  // namespace rondo::internal

#endif
