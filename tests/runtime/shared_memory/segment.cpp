#include "runtime/shared_memory/segment.hpp"

#include "runtime/shared_memory/slot.hpp"

#include <gtest/gtest.h>

#include "tests/support/child_process.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace rondo::internal::segment_test {
namespace {

using test::ChildProcess;
using test::Held;
using test::held;

/// A word behind the header.
SharedWord& word_of(std::span<std::byte> memory, std::size_t number = 0) {
  return reinterpret_cast<SharedWord*>(memory.data() + kSegmentHeader)[number];
}

/// Ends where the child does before it has set it.
bool child_sets(ChildProcess& child, const SharedWord& word, std::uint64_t value) {
  while (word.load() != value) {
    if (child.ended()) return word.load() == value;
    ::sched_yield();
  }
  return true;
}

std::string refusal_of(const SegmentCard& card, pid_t pid = ::getpid()) {
  const Attempt<MappedSegment> opened = MappedSegment::open(pid, card);
  return opened ? "mapped" : opened.refusal().text();
}

TEST(Segment, HasWholePagesOfZerosBehindItsNonce) {
  for (const std::size_t asked : {std::size_t{0}, std::size_t{1}, page_size(), page_size() + 1, std::size_t{300000}}) {
    const Attempt<Segment> made = Segment::make(asked);
    ASSERT_TRUE(made) << made.refusal().text();
    const std::span<std::byte> memory = made->memory();
    EXPECT_EQ(memory.size() % page_size(), 0U);
    EXPECT_GE(memory.size(), std::max(asked, kSegmentHeader));
    EXPECT_LT(memory.size(), asked + page_size() + 1);
    EXPECT_EQ(made->card().size, memory.size());
    EXPECT_EQ(std::memcmp(memory.data(), made->card().nonce.data(), sizeof(Nonce)), 0);
    EXPECT_TRUE(std::ranges::all_of(memory.subspan(sizeof(Nonce)), [](std::byte one) { return one == std::byte{}; }));
  }
}

TEST(Segment, HasANonceOfItsOwn) {
  const Attempt<Segment> one = Segment::make(1);
  const Attempt<Segment> other = Segment::make(1);
  ASSERT_TRUE(one && other);
  EXPECT_NE(one->card().nonce, other->card().nonce);
  EXPECT_NE(one->card().nonce, Nonce{});
}

TEST(Segment, KeepsItsSizeAndMemoryAndIsItsUsersOnly) {
  const Attempt<Segment> made = Segment::make(100000);
  ASSERT_TRUE(made);
  const int file = made->card().descriptor;
  const auto size = static_cast<off_t>(made->memory().size());
  EXPECT_EQ(::ftruncate(file, size - 1), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(::ftruncate(file, size + 1), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(::fcntl(file, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), -1) << "a partner could not write any more";
  EXPECT_EQ(::fcntl(file, F_GETFD), FD_CLOEXEC);
  struct stat found {};
  ASSERT_EQ(::fstat(file, &found), 0);
  EXPECT_EQ(found.st_mode & 07777U, 0600U);
  EXPECT_GE(found.st_blocks * 512, size) << "all of its memory is there";
}

TEST(Segment, AChildSeesWhatItsParentWritesAndTheOtherWayRound) {
  const Attempt<Segment> made = Segment::make(100000);
  ASSERT_TRUE(made);
  SharedWord& first = word_of(made->memory());
  SharedWord& last = word_of(made->memory(), 10000);
  first = 1;
  const SegmentCard card = made->card();
  ChildProcess child([card, parent = ::getpid()] {
    const Attempt<MappedSegment> opened = MappedSegment::open(parent, card);
    if (!opened) return 1;
    SharedWord& childs_first = word_of(opened->memory());
    SharedWord& childs_last = word_of(opened->memory(), 10000);
    if (childs_first != 1) return 2;
    childs_last = 2;
    while (childs_first != 3) {
      if (::getppid() != parent) return 3;
      ::sched_yield();
    }
    childs_last = 4;
    return 0;
  });
  EXPECT_TRUE(child_sets(child, last, 2));
  first = 3;
  EXPECT_TRUE(child_sets(child, last, 4));
  EXPECT_EQ(child.wait(), 0);
}

TEST(Segment, IsNotMappedInAChild) {
  const Attempt<Segment> made = Segment::make(100000);
  ASSERT_TRUE(made);
  const Attempt<MappedSegment> opened = MappedSegment::open(::getpid(), made->card());
  ASSERT_TRUE(opened) << opened.refusal().text();
  EXPECT_EQ(held().mappings, 2);
  ChildProcess child([] { return held().mappings; });
  EXPECT_EQ(child.wait(), 0);
}

/// What ends there at exit() reads, writes and unmaps it as before.
TEST(Segment, AChildHasZerosOfItsOwnInItsPlace) {
  Attempt<Segment> made = Segment::make(100000);
  ASSERT_TRUE(made);
  Attempt<MappedSegment> opened = MappedSegment::open(::getpid(), made->card());
  ASSERT_TRUE(opened) << opened.refusal().text();
  EXPECT_TRUE(Segment::make(1)) << "and is gone again";
  word_of(made->memory()) = 7;
  ChildProcess child([&] {
    for (const std::span<std::byte> memory : {made->memory(), opened->memory()}) {
      if (word_of(memory) != 0 || word_of(memory, 10000) != 0) return 1;
      word_of(memory) = 9;
      word_of(memory, 10000) = 9;
    }
    ChildProcess grandchild([&] { return word_of(made->memory()) == 9 && word_of(opened->memory()) == 9 ? 0 : 1; });
    if (grandchild.wait() != 0) return 3;
    std::byte* const place = made->memory().data();
    {
      const Segment ends = std::move(*made);
      const MappedSegment ends_too = std::move(*opened);
    }
    unsigned char is_mapped = 0;
    return ::mincore(place, page_size(), &is_mapped) == 0 ? 2 : 0;
  });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(word_of(made->memory()), 7U);
  EXPECT_EQ(word_of(opened->memory()), 7U);
}

TEST(Segment, LeavesNothingOpenOrMapped) {
  const Held before = held();
  {
    Attempt<Segment> made = Segment::make(100000);
    ASSERT_TRUE(made);
    EXPECT_EQ(held(), (Held{before.descriptors + 1, before.mappings + 1}));
    Attempt<MappedSegment> opened = MappedSegment::open(::getpid(), made->card());
    ASSERT_TRUE(opened) << opened.refusal().text();
    EXPECT_EQ(held(), (Held{before.descriptors + 1, before.mappings + 2})) << "a partner's descriptor is not kept";
    Segment moved = std::move(*made);
    MappedSegment moved_too = std::move(*opened);
    word_of(moved.memory()) = 5;
    EXPECT_EQ(word_of(moved_too.memory()), 5U);
    EXPECT_EQ(held(), (Held{before.descriptors + 1, before.mappings + 2}));
  }
  EXPECT_EQ(held(), before);
}

TEST(Segment, IsRefusedWhereItIsNotWhatTheCardSays) {
  const Attempt<Segment> made = Segment::make(100000);
  ASSERT_TRUE(made);
  const Held before = held();
  const auto with = [&](auto change) {
    SegmentCard card = made->card();
    change(card);
    return refusal_of(card);
  };
  EXPECT_EQ(with([](SegmentCard&) {}), "mapped");
  constexpr const char* kNumber = "the partner's segment does not hold the number that was said";
  EXPECT_EQ(with([](SegmentCard& card) { ++card.nonce[0]; }), kNumber);
  EXPECT_EQ(with([](SegmentCard& card) { card.nonce[1] ^= std::uint64_t{1} << 63U; }), kNumber);
  constexpr const char* kSize = "the partner's segment does not have the size that was said";
  EXPECT_EQ(with([](SegmentCard& card) { card.size += page_size(); }), kSize);
  EXPECT_EQ(with([](SegmentCard& card) { card.size -= page_size(); }), kSize);
  EXPECT_EQ(with([](SegmentCard& card) { card.size = ~std::uint64_t{}; }), kSize);
  EXPECT_EQ(with([](SegmentCard& card) { card.size = 0; }), kSize);
  EXPECT_EQ(with([](SegmentCard& card) { card.descriptor = 1 << 20; }),
            "opening the partner's segment: No such file or directory");
  EXPECT_EQ(with([](SegmentCard& card) { card.descriptor = -1; }),
            "opening the partner's segment: No such file or directory");
  EXPECT_EQ(refusal_of(made->card(), 0), "opening the partner's segment: No such file or directory");
  EXPECT_EQ(held(), before);
}

TEST(Segment, IsRefusedWhereItsDescriptorIsClosedOrSomethingElse) {
  SegmentCard card;
  {
    const Attempt<Segment> made = Segment::make(100000);
    ASSERT_TRUE(made);
    card = made->card();
  }
  EXPECT_EQ(refusal_of(card), "opening the partner's segment: No such file or directory");
  constexpr const char* kOther = "the partner's descriptor is not that of its segment any more";
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  card.descriptor = ends[0];
  EXPECT_EQ(refusal_of(card), kOther);
  ::close(ends[0]);
  card.descriptor = ends[1];
  EXPECT_EQ(refusal_of(card), kOther) << "nor does it wait for a reader";
  ::close(ends[1]);
  const Descriptor device(::open("/dev/null", O_RDWR));
  card.descriptor = device.get();
  EXPECT_EQ(refusal_of(card), kOther);
  const Descriptor directory(::open("/", O_RDONLY | O_DIRECTORY));
  card.descriptor = directory.get();
  EXPECT_EQ(refusal_of(card), "opening the partner's segment: Is a directory");
}

TEST(Segment, IsRefusedWhereItIsNotSealed) {
  const Held before = held();
  for (const int seals : {0, F_SEAL_SHRINK, F_SEAL_SHRINK | F_SEAL_GROW, F_SEAL_GROW | F_SEAL_SEAL}) {
    const Descriptor file(::memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_EQ(::ftruncate(file.get(), static_cast<off_t>(page_size())), 0);
    ASSERT_EQ(::fcntl(file.get(), F_ADD_SEALS, seals), 0);
    EXPECT_EQ(refusal_of({.size = page_size(), .descriptor = file.get()}),
              "the partner's segment is not sealed: its size could change");
  }
  EXPECT_EQ(held(), before);
}

TEST(Segment, CannotBeOpenedByAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  constexpr int kNotAllowed = 77;
  const Attempt<Segment> made = Segment::make(100000);
  ASSERT_TRUE(made);
  const SegmentCard card = made->card();
  ChildProcess child([card, parent = ::getpid()] {
    constexpr unsigned kNobody = 65534;
    if (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) return kNotAllowed;
    const Attempt<MappedSegment> opened = MappedSegment::open(parent, card);
    if (opened) return 1;
    if (std::strcmp(opened.refusal().what, "opening the partner's segment") != 0) return 2;
    if (opened.refusal().error != EACCES) return 3;
    // Nor by the descriptor that it has inherited: the file is not this user's.
    const std::string inherited = "/proc/self/fd/" + std::to_string(card.descriptor);
    return ::open(inherited.c_str(), O_RDONLY) < 0 && errno == EACCES ? 0 : 4;
  });
  const int code = child.wait();
  if (code == kNotAllowed) GTEST_SKIP() << "this root may not become another user";
  EXPECT_EQ(code, 0);
}

/// "0:25" of all mounted file systems.
std::string mounted_devices() {
  std::ifstream mounts("/proc/self/mountinfo");
  std::string devices;
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string id;
    std::string parent;
    std::string device;
    words >> id >> parent >> device;
    devices += " " + device + " ";
  }
  return devices;
}

TEST(Segment, NothingIsLeftOfAKilledProcess) {
  const Attempt<Segment> news = Segment::make(page_size());
  ASSERT_TRUE(news);
  const SegmentCard of_news = news->card();
  constexpr std::size_t kPlace = 2 * kSegmentHeader;  // where the child's card is put
  ChildProcess child([of_news, parent = ::getpid()] {
    const Attempt<MappedSegment> told = MappedSegment::open(parent, of_news);
    const Attempt<Segment> made = Segment::make(std::size_t{4} << 20U);
    if (!told || !made) return 1;
    word_of(made->memory()) = 77;
    const SegmentCard own = made->card();
    std::memcpy(told->memory().data() + kPlace, &own, sizeof own);
    word_of(told->memory()) = 1;
    while (::getppid() == parent) ::sched_yield();
    return 2;
  });
  ASSERT_TRUE(child_sets(child, word_of(news->memory()), 1));
  SegmentCard of_child;
  std::memcpy(&of_child, news->memory().data() + kPlace, sizeof of_child);
  const Held before = held();
  {
    const std::filesystem::path file =
        "/proc/" + std::to_string(child.pid()) + "/fd/" + std::to_string(of_child.descriptor);
    struct stat found {};
    ASSERT_EQ(::stat(file.c_str(), &found), 0);
    EXPECT_EQ(found.st_nlink, 0U) << "no directory has it";
    const std::string device = std::to_string(major(found.st_dev)) + ":" + std::to_string(minor(found.st_dev));
    ASSERT_NE(mounted_devices(), "");
    EXPECT_EQ(mounted_devices().find(" " + device + " "), std::string::npos) << "nor could one, being mounted nowhere";
    const Attempt<MappedSegment> opened = MappedSegment::open(child.pid(), of_child);
    ASSERT_TRUE(opened) << opened.refusal().text();
    child.kill();
    EXPECT_FALSE(std::filesystem::exists(file));
    EXPECT_EQ(refusal_of(of_child, child.pid()), "opening the partner's segment: No such file or directory");
    EXPECT_EQ(word_of(opened->memory()), 77U) << "who has mapped it can go on";
  }
  EXPECT_EQ(held(), before);
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    EXPECT_EQ(entry.path().string().find("rondo"), std::string::npos) << entry.path();
}

TEST(Segment, IsRefusedNotKilledWhereFilesMustBeSmall) {
  ChildProcess child([] {
    const rlimit small{.rlim_cur = 65536, .rlim_max = 65536};
    if (::setrlimit(RLIMIT_FSIZE, &small) != 0) return 1;
    if (!Segment::make(65536)) return 2;
    const Attempt<Segment> made = Segment::make(65537);
    return !made && made.refusal().text() == "fallocate (ulimit -f): File too large" ? 0 : 3;
  });
  EXPECT_EQ(child.wait(), 0);
}

TEST(Segment, IsRefusedWhereNoDescriptorIsLeft) {
  ChildProcess child([] {
    const Attempt<Segment> first = Segment::make(1);
    if (!first) return 1;
    const auto number = static_cast<rlim_t>(first->card().descriptor) + 1;
    const rlimit none_left{.rlim_cur = number, .rlim_max = number};
    if (::setrlimit(RLIMIT_NOFILE, &none_left) != 0) return 2;
    const Attempt<Segment> made = Segment::make(1);
    if (made || made.refusal().text() != "memfd_create: Too many open files") return 3;
    return refusal_of(first->card()) == "opening the partner's segment: Too many open files" ? 0 : 4;
  });
  EXPECT_EQ(child.wait(), 0);
}

TEST(Segment, IsRefusedWhereNoFileCanBeThatLarge) {
  const Held before = held();
  for (const std::size_t bytes : {~std::size_t{}, ~std::size_t{} / 2}) {
    const Attempt<Segment> made = Segment::make(bytes);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.refusal().text(), "fallocate: File too large");
  }
  EXPECT_EQ(held(), before);
}

}  // namespace
}  // namespace rondo::internal::segment_test
