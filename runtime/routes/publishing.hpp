/// @file
/// Publisher and PublishedTable: data that several messages have in common, packed once, into memory of their sender,
/// from which all receivers read.
#ifndef RONDO_RUNTIME_ROUTES_PUBLISHING_HPP
#define RONDO_RUNTIME_ROUTES_PUBLISHING_HPP

#include "runtime/routes/route.hpp"
#include "runtime/routes/slot_plan.hpp"
#include "runtime/shared_memory/node_card.hpp"
#include "runtime/shared_memory/partner_segments.hpp"
#include "runtime/shared_memory/segment_space.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace rondo::internal {

/// Minimum length, in bytes, of data that are published. Measured with allgathers: shorter data are packed so fast that
/// one more cache line between the cores costs as much.
inline constexpr std::int64_t kShortestPublished = 256;

/// A PublishedOffer tells a partner where the published data of its messages lie. Part of an Offer.
struct PublishedOffer {
  SegmentCard segment;    ///< segment of the table, and of all data that the table names
  std::uint64_t table;    ///< offset in the segment
  std::uint64_t entries;  ///< number of entries in the table; 0: there is no table
};
static_assert(std::is_trivially_copyable_v<PublishedOffer>);

/// The sender's end of published data. One region holds two buffers, used alternately as slots are, for all data that
/// several messages have in common, and a table for each partner that receives some. Nobody counts which partners have
/// read the data: each partner's own messages must tell (SlotSender). One thread at a time calls the functions, with
/// the memory of the process locked for functions that take a SegmentSpace.
class Publisher {
 public:
  /// A message with published data.
  struct Reader {
    std::size_t partner;  ///< place among all partners
    std::size_t message;  ///< place in the planned direction
  };
  /// Adds data of `bytes` bytes. Call before offer(). Throws std::bad_alloc.
  void add(std::int64_t bytes, std::vector<Reader> readers);
  /// Allocates the region, if any data were added. Returns the reason if no region can be had, otherwise nothing.
  /// `partners`: the number of partners. Throws std::bad_alloc; nothing has changed then.
  [[nodiscard]] std::optional<Refusal> offer(SegmentSpace& space, std::size_t partners);
  /// Returns the offer to one partner.
  [[nodiscard]] PublishedOffer offer_to(std::size_t partner) const noexcept;
  /// Records that a partner has answered that it reads, and so will close its end.
  void read_by(std::size_t partner) noexcept;
  /// Frees the region if nobody reads it. Call when all partners have answered.
  void settle(SegmentSpace& space) noexcept;
  /// Ends all access to the region. Call only once.
  void close(SegmentSpace& space) noexcept;

  /// Calls visit(reader, data) for each message to a partner that reads. Call after settle().
  template <typename Visit>
  void for_each_read(Visit visit) noexcept {
    if (tables_.empty()) return;
    for (Block& block : blocks_) {
      for (const Reader& reader : block.readers) {
        if (tables_[reader.partner].is_read) visit(reader, block.data);
      }
    }
  }

 private:
  struct Block {
    std::size_t bytes;
    std::vector<Reader> readers;
    PublishedData data;
  };
  struct Table {
    std::uint64_t entries = 0;
    std::uint64_t offset = 0;  ///< offset in the region
    bool is_read = false;
  };

  std::vector<Block> blocks_;  ///< channels point to the data of these blocks
  std::vector<Table> tables_;  ///< by partner; empty if there is no region
  Region region_{};
  SegmentCard segment_{};
  std::vector<const SharedWord*> closed_;  ///< words in the tables of partners that read
};

/// The receiver's end of the data that one partner publishes.
class PublishedTable {
 public:
  /// Maps a partner's offer and checks that it fits the messages that are received from the partner. Returns the reason
  /// if the table cannot be read, otherwise nothing. Throws std::bad_alloc; the table is not read then.
  [[nodiscard]] std::optional<Refusal> answer(const NodeCard& owner, const PublishedOffer& offer,
                                              std::span<const PlannedMessage> receives, PartnerSegments& partners);
  /// Returns whether this end reads the table, and so will close it.
  [[nodiscard]] bool reads() const noexcept { return closed_ != nullptr; }
  struct Place {
    std::size_t message;  ///< place in the planned direction
    std::array<const std::byte*, 2> data;
  };
  [[nodiscard]] std::span<const Place> places() const noexcept { return places_; }
  /// Ends all access to the partner's memory.
  void close() noexcept;

 private:
  std::vector<Place> places_;
  SharedWord* closed_ = nullptr;
};

}  // namespace rondo::internal

#endif
