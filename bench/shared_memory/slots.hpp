/// @file
/// Memory that all ranks have mapped, and where in it the slots of their messages lie.
#ifndef RONDO_BENCH_SHARED_MEMORY_SLOTS_HPP
#define RONDO_BENCH_SHARED_MEMORY_SLOTS_HPP

#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace bench {

using SharedWord = std::atomic<std::uint64_t>;

/// One piece of memory, all zero, for all ranks of MPI_COMM_WORLD, which must be on one node.
class SharedMemory {
 public:
  /// Collective. All ranks must be done with it, as after a barrier, before rank 0 destroys it.
  explicit SharedMemory(std::size_t bytes) : bytes_(bytes) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::array<int, 2> card{};
    if (rank == 0) {
      file_ = checked(memfd_create("rondo bench", MFD_CLOEXEC), "memfd_create");
      checked(ftruncate(file_, static_cast<off_t>(bytes)), "ftruncate");
      card = {getpid(), file_};
    }
    MPI_Bcast(card.data(), 2, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank != 0) {
      const std::string path = "/proc/" + std::to_string(card[0]) + "/fd/" + std::to_string(card[1]);
      file_ = checked(open(path.c_str(), O_RDWR | O_CLOEXEC), "open");
    }
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    checked(memory == MAP_FAILED ? -1 : 0, "mmap");
    memory_ = static_cast<char*>(memory);
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() {
    munmap(memory_, bytes_);
    close(file_);
  }

  [[nodiscard]] char* data(std::size_t place) const { return memory_ + place; }
  [[nodiscard]] SharedWord* word(std::size_t place) const { return reinterpret_cast<SharedWord*>(memory_ + place); }

 private:
  static int checked(int result, const char* call) {
    if (result < 0) throw std::system_error(errno, std::generic_category(), call);
    return result;
  }

  std::size_t bytes_;
  int file_ = -1;
  char* memory_ = nullptr;
};

/// What lies beside what.
enum class Layout : std::uint8_t {
  lines,        ///< whole cache lines for each message, the flag its last word: as runtime/shared_memory/slot.hpp
  line_pairs,   ///< the same with pairs of lines, which processors fetch together
  packed,       ///< messages of one sender at multiples of 16 bytes, each with its flag
  flags_apart,  ///< whole cache lines for the data, and one array for the flags of all messages
};

/// The two slots of one message, in bytes from the beginning of the memory.
struct Slots {
  std::array<std::size_t, 2> data;
  std::array<std::size_t, 2> flag;
  std::size_t consumed;  ///< the word in which the receiver says how far it has come
};

struct Incoming {
  int source;
  std::size_t bytes;
};

/// Upper bound of what the slots of a receiver take, for all layouts.
[[nodiscard]] constexpr std::size_t slots_size(std::size_t messages, std::size_t bytes_of_all) {
  return 2 * bytes_of_all + messages * 1024;
}

/// Slots for the messages of a receiver, in the order of the messages, from `begin` on. No two senders write to one
/// line, but for flags_apart.
[[nodiscard]] inline std::vector<Slots> lay_out(std::span<const Incoming> messages, Layout layout, std::size_t begin) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kWord = sizeof(SharedWord);
  const auto up = [](std::size_t place, std::size_t to) { return (place + to - 1) / to * to; };
  std::vector<int> senders;
  for (const Incoming& message : messages) {
    if (std::find(senders.begin(), senders.end(), message.source) == senders.end()) senders.push_back(message.source);
  }
  std::vector<Slots> slots(messages.size());
  std::size_t at = up(begin, 2 * kLine);
  const auto for_each_of = [&](int sender, const auto& place) {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (messages[i].source == sender) place(slots[i], messages[i].bytes);
    }
    at = up(at, 2 * kLine);
  };
  const std::size_t step = layout == Layout::packed ? 16 : layout == Layout::line_pairs ? 2 * kLine : kLine;
  for (const std::size_t half : {0U, 1U}) {
    for (const int sender : senders) {
      for_each_of(sender, [&](Slots& slot, std::size_t bytes) {
        slot.data[half] = at;
        at = up(at + bytes + (layout == Layout::flags_apart ? 0 : kWord), step);
        slot.flag[half] = at - kWord;
      });
    }
    if (layout != Layout::flags_apart) continue;
    for (Slots& slot : slots) {
      slot.flag[half] = at;
      at += kWord;
    }
    at = up(at, 2 * kLine);
  }
  for (const int sender : senders) {
    for_each_of(sender, [&](Slots& slot, std::size_t) {
      slot.consumed = at;
      at += kWord;
    });
  }
  return slots;
}

}  // namespace bench

#endif
