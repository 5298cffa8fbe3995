/// @file
/// check_together(): makes a check on rank 0 for all ranks.
#ifndef RONDO_COLLECTIVES_PROOF_GATHERED_CHECK_HPP
#define RONDO_COLLECTIVES_PROOF_GATHERED_CHECK_HPP

#include <mpi.h>

#include "runtime/base/byte_stream.hpp"

#include <functional>
#include <span>
#include <string_view>

namespace rondo::internal {

/// Gathers on rank 0 of `comm` what `write` writes on all ranks. On rank 0 `judge` gets these data, by rank, and throws
/// if it finds anything wrong. Then all ranks throw this as an Error with `asked_by` before its text. Collective,
/// blocking. All ranks also learn of what `write` throws. Both functions are to be passed by std::ref.
void check_together(const std::function<void(ByteWriter&)>& write,
                    const std::function<void(std::span<const ByteReader>)>& judge, MPI_Comm comm,
                    std::string_view asked_by = "RONDO_CHECK: ");

}  // namespace rondo::internal

#endif
