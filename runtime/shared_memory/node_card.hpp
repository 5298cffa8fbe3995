/// @file
/// NodeCard: information with which a rank and a partner find out whether they may share memory. MPI_Comm_split_type is
/// not used: MPIs split by what their launcher or their network knows, which need not match what the kernel lets
/// processes do.
#ifndef RONDO_RUNTIME_SHARED_MEMORY_NODE_CARD_HPP
#define RONDO_RUNTIME_SHARED_MEMORY_NODE_CARD_HPP

#include <rondo/options.hpp>

#include <compare>
#include <cstdint>
#include <type_traits>

namespace rondo::internal {

/// The part of a card that could not be found out.
enum class CardFault : std::uint8_t { none, boot_id, pid_namespace };

/// The identity of a process and of its node. Travels as bytes.
struct NodeCard {
  std::uint64_t boot_id = 0;        ///< a hash that identifies the boot of the kernel
  std::uint64_t pid_namespace = 0;  ///< the namespace in which `pid` means this process
  std::uint64_t node_name = 0;      ///< a hash of RONDO_NODE; 0 if it is not set
  std::int32_t pid = 0;
  std::uint32_t user = 0;  ///< the effective user
  std::int32_t rank = 0;   ///< rank in MPI_COMM_WORLD
  SharedMemory use = SharedMemory::off;
  CardFault fault = CardFault::none;
  /// own_last_level_cache(), or a hash of RONDO_SHARED_CACHE; 0 if it is unknown, or does not matter because ranks
  /// share cores.
  std::uint16_t cache = 0;

  bool operator==(const NodeCard&) const = default;
};
static_assert(std::is_trivially_copyable_v<NodeCard> && std::has_unique_object_representations_v<NodeCard>);

/// Returns the card of this process, while MPI runs. Node and cache are read by the first call: RONDO_NODE,
/// RONDO_SHARED_CACHE, and to which cores the calling thread is bound then.
[[nodiscard]] NodeCard own_node_card(SharedMemory use);
/// Reads, in every call anew, the part of a card that cannot change. `node_name`: RONDO_NODE, or null.
[[nodiscard]] NodeCard read_node(const char* node_name) noexcept;

/// Whether two ranks may share memory, as far as cards tell. Whether one can open the other's segment shows only when
/// it tries.
enum class Sharing : std::uint8_t {
  possible,
  off,
  odd_pair,
  no_boot_id,
  no_pid_namespace,
  other_node,
  other_node_name,
  other_pid_namespace,
  other_user
};

/// Compares the cards of two processes. Returns Sharing::possible if the processes may share memory, otherwise the
/// first reason why not. The result is the same if `a` and `b` change places. A process may share memory with itself.
[[nodiscard]] Sharing sharing(const NodeCard& a, const NodeCard& b) noexcept;
/// Returns a number for the cache of a process, which is equal for two processes of a node whose cores share one. A
/// process on cores with several caches shares its number with no other process.
[[nodiscard]] std::uint64_t cache_number(const NodeCard& card) noexcept;
/// Returns whether the cores of two processes share a cache, as far as the cards tell. The result is the same if `a`
/// and `b` change places.
[[nodiscard]] bool share_cache(const NodeCard& a, const NodeCard& b) noexcept;
/// Returns the reason as text, for the log.
[[nodiscard]] const char* reason(Sharing found) noexcept;

}  // namespace rondo::internal

#endif
