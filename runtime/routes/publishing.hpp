/// @file
/// Data that several messages have in common: packed once, into memory of their sender, where all receivers read them.
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

/// Bytes of data that are published. Measured, with allgathers: shorter ones are packed so fast that a further line
/// between the cores costs as much.
inline constexpr std::int64_t kShortestPublished = 256;

/// Where a rank tells a partner which messages to it lie where. Part of an Offer.
struct PublishedOffer {
  SegmentCard segment;    ///< of the table, and of all data that it names
  std::uint64_t table;    ///< offset in it
  std::uint64_t entries;  ///< 0: there is no table
};
static_assert(std::is_trivially_copyable_v<PublishedOffer>);

/// The sender's end: one region, with two buffers for all data that several messages have in common, used by turns as
/// slots are, and a table for each partner that receives some. Nobody counts who has read them: each partner's own
/// messages must tell (SlotSender). All functions are called by one thread at a time, with the memory of the process
/// locked where a SegmentSpace is given.
class Publisher {
 public:
  /// A message with such data.
  struct Reader {
    std::size_t partner;  ///< by place among all of them
    std::size_t message;  ///< by place in the planned direction
  };
  /// Data of `bytes` bytes, before offer(). Throws std::bad_alloc.
  void add(std::int64_t bytes, std::vector<Reader> readers);
  /// Takes the region, if there is anything to be told; `partners`: how many there are. Throws std::bad_alloc, and has
  /// done nothing then.
  [[nodiscard]] std::optional<Refusal> offer(SegmentSpace& space, std::size_t partners);
  /// What one of them is told.
  [[nodiscard]] PublishedOffer offer_to(std::size_t partner) const noexcept;
  /// It has answered that it reads, and so will close its end.
  void read_by(std::size_t partner) noexcept;
  /// When all have answered: what nobody reads is free at once.
  void settle(SegmentSpace& space) noexcept;
  /// The last access; only once.
  void close(SegmentSpace& space) noexcept;

  /// From settle() on, visit(reader, data) for each message to a partner that reads.
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
    std::uint64_t offset = 0;  ///< in the region
    bool is_read = false;
  };

  std::vector<Block> blocks_;  ///< channels lead to their data
  std::vector<Table> tables_;  ///< by partner; none where there is no region
  Region region_{};
  SegmentCard segment_{};
  std::vector<const SharedWord*> closed_;  ///< in the tables of those that read
};

/// A receiver's end.
class PublishedTable {
 public:
  /// Maps what a partner offers and looks whether it is right for the messages that are received from it. Throws
  /// std::bad_alloc, and reads nothing then.
  [[nodiscard]] std::optional<Refusal> answer(const NodeCard& owner, const PublishedOffer& offer,
                                              std::span<const PlannedMessage> receives, PartnerSegments& partners);
  /// Whether it has the table, and so will close it.
  [[nodiscard]] bool reads() const noexcept { return closed_ != nullptr; }
  struct Place {
    std::size_t message;  ///< by place in the planned direction
    std::array<const std::byte*, 2> data;
  };
  [[nodiscard]] std::span<const Place> places() const noexcept { return places_; }
  /// The last access.
  void close() noexcept;

 private:
  std::vector<Place> places_;
  SharedWord* closed_ = nullptr;
};

}  // namespace rondo::internal

#endif
