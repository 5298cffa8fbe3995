/// @file
/// OfferedBlocks: the blocks of a library collective as a user's algorithm asks for them.
#ifndef RONDO_COLLECTIVES_OFFERS_OFFERED_BLOCKS_HPP
#define RONDO_COLLECTIVES_OFFERS_OFFERED_BLOCKS_HPP

#include <rondo/own/offer.hpp>

#include "collectives/blocks/block_shape.hpp"
#include "collectives/own/own_builder.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>

namespace rondo::internal {

/// The places of a problem's blocks on one rank. Refers to the caller's memory.
struct OfferedShapes {
  std::span<const BlockShape> sent;
  std::span<const BlockShape> received;
};

/// The blocks of a problem, or parts of them, each named in the builder when an algorithm first asks for it.
class OfferedBlocks {
 public:
  /// A part of a block.
  struct Piece {
    Space side;  ///< send: of a sent block, wherever it lies; recv: of a received block
    int block;
    int part;
    int parts;
    [[nodiscard]] auto word() const noexcept { return std::tuple(side, block, part, parts); }
    friend bool operator<(const Piece& one, const Piece& other) noexcept { return one.word() < other.word(); }
  };
  using Named = std::map<Piece, BlockId>;

  OfferedBlocks(const DenseProblem& problem, const OfferedShapes& shapes, OwnBuilder& builder)
      : problem_(problem), shapes_(shapes), builder_(builder) {}

  [[nodiscard]] int rank() const noexcept { return builder_.rank(); }
  /// Returns the builder's block of a piece. Throws Error (MPI_ERR_ARG) if there is no such piece.
  [[nodiscard]] BlockId at(const Piece& piece);
  /// Returns all pieces that were asked for, with their blocks.
  [[nodiscard]] const Named& named() const noexcept { return named_; }
  /// Prepares the lowering of an operation in place. Call this before the first at(). `asked`: the pieces that will be
  /// asked for. Sent pieces that do not stay on the rank are copied to scratch memory first, because arriving data may
  /// overwrite them at any time.
  void copy_what_is_sent(const Named& asked);
  /// Sets the builder's reduction to that of the result, if the problem reduces.
  void set_reduction();

  /// Makes the algorithm write its schedule to the builder.
  void lower(const OfferedAlgorithm& algorithm);

 private:
  /// The place of a piece in its buffer.
  struct Place {
    std::int64_t offset;
    const Layout* layout;  ///< the whole block's, or kept by the builder
    std::int64_t count;    ///< number of elements, in reductions
  };
  [[nodiscard]] const BlockShape& shape_of(const Piece& piece) const;
  [[nodiscard]] Place place_of(const Piece& piece);
  /// Returns whether, in place, a sent piece already lies where it is received.
  [[nodiscard]] bool stays(const Piece& sent) const noexcept;
  /// Returns the block of a received piece, which holds data from the start.
  [[nodiscard]] BlockId filled(const Piece& received);
  [[nodiscard]] bool reduces() const noexcept { return problem_.op != MPI_OP_NULL; }

  const DenseProblem& problem_;
  OfferedShapes shapes_;
  OwnBuilder& builder_;
  Named named_;
  std::set<Piece> filled_;  ///< received pieces that hold data from the start
};

/// Returns the number of elements of part `part` of `parts` parts. Throws Error (MPI_ERR_ARG) if there is no such part.
[[nodiscard]] std::int64_t elements_of_part(std::int64_t elements, int part, int parts);

}  // namespace rondo::internal

#endif
