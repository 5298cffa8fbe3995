#include "runtime/schedule/computation.hpp"

#include <mpi.h>
#include <rondo/error.hpp>

#include <string>

namespace rondo {

void ComputeBlocks::refuse_number(const char* function, std::size_t i, std::uint32_t count) {
  throw Error(MPI_ERR_ARG, std::string(function) + ": block " + std::to_string(i) + ", must be in [0, " +
                               std::to_string(count) + ")");
}

void ComputeBlocks::refuse_elements(const char* function, std::size_t i, const internal::ComputedBlock& block,
                                    std::size_t size, std::size_t alignment) {
  const std::string text = std::string(function) + ": block " + std::to_string(i);
  if (block.layout != internal::ComputedBlock::kContiguous)
    throw Error(MPI_ERR_ARG, text + " has gaps, must lie in one piece, or be asked for by its address");
  const std::string bytes = std::to_string(block.bytes);
  if (static_cast<std::size_t>(block.bytes) % size != 0)
    throw Error(MPI_ERR_ARG, text + " has " + bytes + " bytes, must have whole elements of " + std::to_string(size));
  throw Error(MPI_ERR_ARG, text + " is not aligned, must lie at a multiple of " + std::to_string(alignment) + " bytes");
}

}  // namespace rondo
