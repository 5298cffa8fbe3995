/// @file
/// Blocks of a library's collective as an algorithm of the user's own asks for them.
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

/// Where the blocks of a problem lie on one rank. Refers to what the caller has.
struct OfferedShapes {
  std::span<const BlockShape> sent;
  std::span<const BlockShape> received;
};

/// Names blocks, or parts of them, as they are asked for.
class OfferedBlocks {
 public:
  /// Which part of which block.
  struct Piece {
    Space side;  ///< send: of what is sent, wherever that lies; recv: of what is received
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
  /// Throws Error, MPI_ERR_ARG.
  [[nodiscard]] BlockId at(const Piece& piece);
  /// All that were asked for.
  [[nodiscard]] const Named& named() const noexcept { return named_; }
  /// Before any is asked for, of an operation in place: `asked` are going to be. What is sent, unless it stays on the
  /// rank, is copied to scratch memory first, as what arrives may overwrite it whenever it comes.
  void copy_what_is_sent(const Named& asked);
  /// Has operands be those of the result.
  void set_reduction();

  /// Has the algorithm write the schedule.
  void lower(const OfferedAlgorithm& algorithm);

 private:
  /// Where a piece lies in its buffer.
  struct Place {
    std::int64_t offset;
    const Layout* layout;  ///< which the builder keeps
    std::int64_t count;    ///< of elements, in reductions
  };
  [[nodiscard]] const BlockShape& shape_of(const Piece& piece) const;
  [[nodiscard]] Place place_of(const Piece& piece);
  /// In place, whether it is where it is to be received.
  [[nodiscard]] bool stays(const Piece& sent) const noexcept;
  /// What is received, with what lies there from the start.
  [[nodiscard]] BlockId filled(const Piece& received);
  [[nodiscard]] bool reduces() const noexcept { return problem_.op != MPI_OP_NULL; }

  const DenseProblem& problem_;
  OfferedShapes shapes_;
  OwnBuilder& builder_;
  Named named_;
  std::set<Piece> filled_;  ///< of what is received: holds something from the start
};

/// Of part `part` of `parts` of so many. Throws Error, MPI_ERR_ARG, where there is no such part.
[[nodiscard]] std::int64_t elements_of_part(std::int64_t elements, int part, int parts);

}  // namespace rondo::internal

#endif
