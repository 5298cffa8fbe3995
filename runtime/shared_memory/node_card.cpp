#include "runtime/shared_memory/node_card.hpp"

#include "runtime/base/mix.hpp"
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
  NodeCard card = node;
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
