/// @file
/// Packing scattered data into memory that another core has read.
#ifndef RONDO_DATATYPES_COPYING_PACKING_HPP
#define RONDO_DATATYPES_COPYING_PACKING_HPP

#include "datatypes/copying/copy_run.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo::internal {

/// Whether a program packs: its pieces fill the target from the first byte on, one after the other. Costs what the
/// program's description does.
[[nodiscard]] bool packs(std::span<const CopyRun> program);

/// Runs a program that packs() so many bytes, where another process has read the target since it was written. Pieces
/// that are written there one by one wait for their cache lines; a long copy does not. So the data are first packed
/// into memory of this core, some at a time.
void pack_for_another_core(std::span<const CopyRun> program, const std::byte* source, std::byte* target,
                           std::int64_t bytes);

}  // namespace rondo::internal

#endif
