#include "collectives/offers/offered_blocks.hpp"

#include <rondo/error.hpp>

#include "collectives/blocks/type_probe.hpp"
#include "collectives/own/lowering.hpp"
#include "datatypes/layout/layout_cut.hpp"
#include "datatypes/reading/layout_cache.hpp"
#include "runtime/functions/inside_function.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rondo {
namespace internal {
namespace {

/// Unit of the parts of a block that is no vector: a cache line.
constexpr std::int64_t kLine = 64;

/// A range of bytes or elements, from `begin` to `end`.
struct Span {
  std::int64_t begin;
  std::int64_t end;
};

/// Returns part `part` of `parts` parts of equal length, in whole units; the last ones may be shorter or empty.
Span part_of(std::int64_t length, std::int64_t unit, int part, int parts) {
  const std::int64_t units = (length + unit - 1) / unit;
  const std::int64_t each = (units + parts - 1) / parts * unit;
  return {std::min(length, part * each), std::min(length, (part + 1) * each)};
}

void check_part(int part, int parts) {
  if (parts < 1) throw Error(MPI_ERR_ARG, "parts: is " + std::to_string(parts) + ", must be at least 1");
  if (part < 0 || part >= parts)
    throw Error(MPI_ERR_ARG, "part: is " + std::to_string(part) + ", must be in [0, " + std::to_string(parts) + ")");
}

}  // namespace

const BlockShape& OfferedBlocks::shape_of(const Piece& piece) const {
  const bool sent = piece.side == Space::send;
  const std::span<const BlockShape> shapes = sent ? shapes_.sent : shapes_.received;
  if (piece.block >= 0 && static_cast<std::size_t>(piece.block) < shapes.size())
    return shapes[static_cast<std::size_t>(piece.block)];
  const std::string what = std::string("block: is ") + std::to_string(piece.block) + ", but ";
  throw Error(MPI_ERR_ARG, what + "rank " + std::to_string(rank()) + (sent ? " sends " : " receives ") +
                               (shapes.empty() ? std::string("none")
                                               : std::to_string(shapes.size()) + ": it must be in [0, " +
                                                     std::to_string(shapes.size()) + ")"));
}

OfferedBlocks::Place OfferedBlocks::place_of(const Piece& piece) {
  const BlockShape& shape = shape_of(piece);
  check_part(piece.part, piece.parts);
  const Layout& layout = *shape.layout;
  if (reduces()) {
    const std::shared_ptr<const Layout> element = layout_of(problem_.datatype, type_probe());
    const std::int64_t elements = element->size() == 0 ? 0 : layout.size() / element->size();
    const Span part = part_of(elements, 1, piece.part, piece.parts);
    const std::int64_t count = part.end - part.begin;
    return {shape.offset + part.begin * element->extent(), &builder_.keep(element->repeated(count)), count};
  }
  const Span part = part_of(layout.size(), kLine, piece.part, piece.parts);
  const std::int64_t bytes = part.end - part.begin;
  if (bytes == layout.size()) return {shape.offset, &layout, 0};
  if (layout.is_contiguous() || bytes == 0) {
    const std::int64_t begin = shape.offset + layout.true_begin() + part.begin;
    return {begin, &builder_.keep(Layout::contiguous(bytes)), 0};
  }
  const std::int64_t each = part_of(layout.size(), kLine, 0, piece.parts).end;
  std::vector<Layout> parts = cut(layout, each);
  return {shape.offset, &builder_.keep(std::move(parts[static_cast<std::size_t>(part.begin / each)])), 0};
}

BlockId OfferedBlocks::at(const Piece& piece) {
  if (const auto found = named_.find(piece); found != named_.end()) return found->second;
  const Place place = place_of(piece);
  const BlockId made = reduces() ? builder_.block(piece.side, place.offset, place.count, problem_.datatype)
                                 : builder_.block(piece.side, place.offset, *place.layout);
  named_.emplace(piece, made);
  return made;
}

void OfferedBlocks::set_reduction() {
  if (!reduces()) return;
  const bool scatters = problem_.collective == DenseCollective::reduce_scatter;
  builder_.set_reduction(problem_.counts[scatters ? static_cast<std::size_t>(rank()) : 0], problem_.datatype,
                         problem_.op);
}

bool OfferedBlocks::stays(const Piece& sent) const noexcept {
  return problem_.collective == DenseCollective::allgather ||
         (problem_.collective == DenseCollective::alltoall && sent.block == rank());
}

BlockId OfferedBlocks::filled(const Piece& received) {
  const BlockId block = at(received);
  if (builder_.bytes(block) > 0 && filled_.insert(received).second) builder_.set_filled(block);
  return block;
}

void OfferedBlocks::copy_what_is_sent(const Named& asked) {
  builder_.set_in_place();
  std::vector<BlockId> received;
  for (const auto& [piece, elsewhere] : asked) {
    if (piece.side != Space::recv || problem_.collective == DenseCollective::allgather) continue;
    const BlockId block = filled(piece);
    if (builder_.bytes(block) > 0) received.push_back(block);
  }
  std::vector<BlockId> from;
  std::vector<BlockId> to;
  for (const auto& [piece, elsewhere] : asked) {
    if (piece.side != Space::send) continue;
    if (stays(piece)) {
      named_.emplace(piece, filled({Space::recv, rank(), piece.part, piece.parts}));
      continue;
    }
    const Place place = place_of(piece);
    const std::int64_t bytes = place.layout->size();
    if (reduces()) builder_.set_reduction(place.count, problem_.datatype, problem_.op);
    const BlockId copy = reduces() ? builder_.operand() : builder_.transit(bytes);
    named_.emplace(piece, copy);
    if (bytes == 0) continue;
    from.push_back(builder_.view(place.offset, *place.layout, received));
    to.push_back(copy);
  }
  builder_.copy(from, to);
}

void OfferedBlocks::lower(const OfferedAlgorithm& algorithm) {
  if (!algorithm.lower) throw Error(MPI_ERR_ARG, "algorithm.lower: is empty, must be a function");
  set_reduction();
  const DenseBlocks blocks(*this);
  const auto lower = [&](rondo::ScheduleBuilder& build) {
    const InsideFunctions inside(InsideFunctions::Token::free);
    algorithm.lower(build, problem_, blocks);
  };
  LoweringAccess::run(lower, builder_);
  const auto most = static_cast<std::uint32_t>(algorithm.messages);
  if (builder_.tags() <= most) return;
  throw Error(MPI_ERR_ARG, "messages: rank " + std::to_string(rank()) + " has " + std::to_string(builder_.tags()) +
                               " of them to or from one other rank, must have at most " + std::to_string(most) +
                               ", as was offered");
}

std::int64_t elements_of_part(std::int64_t elements, int part, int parts) {
  check_part(part, parts);
  const Span found = part_of(elements, 1, part, parts);
  return found.end - found.begin;
}

}  // namespace internal

using internal::LoweringAccess;
using internal::Space;

int DenseBlocks::rank() const noexcept { return blocks_.rank(); }

Block DenseBlocks::sent(int block, int part, int parts) const {
  return LoweringAccess::block(blocks_.at({Space::send, block, part, parts}));
}

Block DenseBlocks::received(int block, int part, int parts) const {
  return LoweringAccess::block(blocks_.at({Space::recv, block, part, parts}));
}

}  // namespace rondo
