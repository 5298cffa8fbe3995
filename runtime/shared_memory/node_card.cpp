#include "runtime/shared_memory/node_card.hpp"

#include "runtime/base/mix.hpp"
#include "runtime/base/node.hpp"
#include "runtime/base/world.hpp"
#include "runtime/shared_memory/descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace rondo::internal {
namespace {

std::uint64_t hash_of_text(std::string_view text) noexcept { return mix_text(text.size(), text); }

/// Returns a hash of the boot ID, or nothing if it cannot be read: an empty one would be the same on all nodes.
std::optional<std::uint64_t> boot_id() noexcept {
  const Descriptor file(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::array<char, 64> text{};
  const ssize_t length = ::read(file.get(), text.data(), text.size());
  if (length <= 0) return std::nullopt;
  return hash_of_text({text.data(), static_cast<std::size_t>(length)});
}

std::optional<std::uint64_t> pid_namespace() noexcept {
  struct stat found {};
  if (::stat("/proc/self/ns/pid", &found) != 0) return std::nullopt;
  return found.st_ino;
}

/// Returns a number for a cache with this name; 0 if there is no name.
std::uint16_t number_of_name(const char* name) noexcept {
  if (name == nullptr || *name == '\0') return 0;
  return static_cast<std::uint16_t>(1 + hash_of_text(name) % (kSeveralCaches - 1));
}

}  // namespace

NodeCard read_node(const char* node_name) noexcept {
  NodeCard card;
  if (node_name != nullptr && *node_name != '\0') card.node_name = hash_of_text(node_name);
  const std::optional<std::uint64_t> boot = boot_id();
  const std::optional<std::uint64_t> pids = pid_namespace();
  card.boot_id = boot.value_or(0);
  card.pid_namespace = pids.value_or(0);
  if (!boot)
    card.fault = CardFault::boot_id;
  else if (!pids)
    card.fault = CardFault::pid_namespace;
  return card;
}

NodeCard own_node_card(SharedMemory use) {
  static const NodeCard node = read_node(std::getenv("RONDO_NODE"));
  static const std::uint16_t named_cache = number_of_name(std::getenv("RONDO_SHARED_CACHE"));
  static const std::uint16_t cache = named_cache != 0 ? named_cache : own_last_level_cache();
  NodeCard card = node;
  if (named_cache != 0 || ranks_per_core() <= 1) card.cache = cache;
  card.pid = ::getpid();
  card.user = ::geteuid();
  card.rank = world_rank();
  card.use = use;
  return card;
}

Sharing sharing(const NodeCard& a, const NodeCard& b) noexcept {
  const auto either = [&](auto value, auto NodeCard::*part) { return a.*part == value || b.*part == value; };
  const auto differ = [&](auto NodeCard::*part) { return a.*part != b.*part; };
  if (either(SharedMemory::off, &NodeCard::use)) return Sharing::off;
  // Parity of the ranks, because their sum could overflow.
  if (either(SharedMemory::odd, &NodeCard::use) && ((a.rank ^ b.rank) & 1) == 0) return Sharing::odd_pair;
  if (either(CardFault::boot_id, &NodeCard::fault)) return Sharing::no_boot_id;
  if (either(CardFault::pid_namespace, &NodeCard::fault)) return Sharing::no_pid_namespace;
  if (differ(&NodeCard::boot_id)) return Sharing::other_node;
  if (differ(&NodeCard::node_name)) return Sharing::other_node_name;
  if (differ(&NodeCard::pid_namespace)) return Sharing::other_pid_namespace;
  if (differ(&NodeCard::user)) return Sharing::other_user;
  return Sharing::possible;
}

std::uint64_t cache_number(const NodeCard& card) noexcept {
  return card.cache == kSeveralCaches ? kSeveralCaches + static_cast<std::uint64_t>(card.rank) : card.cache;
}

bool share_cache(const NodeCard& a, const NodeCard& b) noexcept {
  return a.cache == 0 || b.cache == 0 || cache_number(a) == cache_number(b);
}

const char* reason(Sharing found) noexcept {
  switch (found) {
    case Sharing::possible:
      return "shared memory is possible";
    case Sharing::off:
      return "RONDO_SHM is off";
    case Sharing::odd_pair:
      return "RONDO_SHM is odd, and the sum of the ranks is even";
    case Sharing::no_boot_id:
      return "/proc/sys/kernel/random/boot_id cannot be read";
    case Sharing::no_pid_namespace:
      return "/proc/self/ns/pid cannot be read";
    case Sharing::other_node:
      return "on different nodes";
    case Sharing::other_node_name:
      return "RONDO_NODE is different";
    case Sharing::other_pid_namespace:
      return "in different PID namespaces: containers of their own";
    case Sharing::other_user:
      return "of different users";
  }
  return "";
}

}  // namespace rondo::internal
