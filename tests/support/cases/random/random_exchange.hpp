/// @file
/// Calls drawn by chance, with their buffers and with what must be in them afterwards.
#ifndef RONDO_TESTS_SUPPORT_CASES_RANDOM_EXCHANGE_HPP
#define RONDO_TESTS_SUPPORT_CASES_RANDOM_EXCHANGE_HPP

#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "collectives/barrier/algorithms.hpp"
#include "collectives/broadcast/algorithms.hpp"
#include "collectives/dense_allgather/algorithms.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/dense_reduction/algorithms.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/cases/random/drawing.hpp"
#include "tests/support/cases/random/own_schedule.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rondo::internal::random_exchange {

enum class Kind {
  alltoall,
  alltoallv,
  alltoallw,
  allgather,
  allgatherv,
  allgatherw,
  reduce,
  scatter_reduce,
  dense,
  dense_v,
  dense_w,
  dense_in_place,
  allreduce,
  reduce_scatter,
  gather_all,
  gather_all_v,
  broadcast,
  barrier,
  own
};
constexpr int kCartKinds = 8;
constexpr int kKinds = 19;
constexpr std::array kNames{
    "alltoall",  "alltoallv",      "alltoallw",       "allgather",        "allgatherv", "allgatherw",
    "reduce",    "scatter_reduce", "dense",           "dense_v",          "dense_w",    "dense, in place",
    "allreduce", "reduce_scatter", "dense allgather", "dense allgatherv", "broadcast",  "barrier",
    "own"};

/// Where operations go: the neighbors of a grid, or all ranks.
struct Place {
  std::optional<CartComm> grid;
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> sources;
  std::vector<int> targets;
  std::vector<std::unique_ptr<OwnSchedule>> schedules;  ///< of collectives of one's own, which all that run them share
  int rank = world_rank();

  Place() = default;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() {
    if (!grid && comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
  [[nodiscard]] bool dense() const { return !grid; }
  [[nodiscard]] const OwnSchedule& draw_schedule(int items, Random& common, Random& own) {
    if (schedules.empty() || common.one_in(3))
      schedules.push_back(std::make_unique<OwnSchedule>(comm, items, common, own));
    return *common.among(schedules);
  }
};

struct Block {
  int first;
  int items;
  Item item;
  [[nodiscard]] int ints() const { return 2 * items; }
  [[nodiscard]] std::size_t place(int k) const {
    return static_cast<std::size_t>(first + k / 2 * item.extent + item.at[static_cast<std::size_t>(k % 2)]);
  }
};

/// A buffer with its blocks, and the arguments that say where they are.
struct Side {
  static constexpr int kMargin = 6;  // ints before the first block and after the last
  std::vector<Block> blocks;
  std::vector<int> memory;
  std::vector<int> counts, displacements;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;

  void append(int items, const Item& item) { blocks.push_back({0, items, item}); }
  /// `in_order`: without gaps, as calls with one count have them; others in any order with gaps between them.
  void lay_out(bool in_order, Random& own) {
    std::vector<Block*> order;
    for (Block& block : blocks) order.push_back(&block);
    if (!in_order) own.shuffle(order);
    int end = 0;
    for (Block* block : order) {
      if (!in_order) end = (end / block->item.extent + 1 + own.draw(2)) * block->item.extent;  // v counts in extents
      block->first = kMargin + end;
      end += block->items * block->item.extent;
    }
    memory.resize(static_cast<std::size_t>(end + 2 * kMargin));
    for (const Block& block : blocks) {
      counts.push_back(block.items);
      displacements.push_back((block.first - kMargin) / block.item.extent);
      addresses.push_back(static_cast<MPI_Aint>(sizeof(int)) * (block.first - kMargin));
      types.push_back(block.item.type());
    }
    if (blocks.empty()) {  // a count and a type are looked at all the same
      counts.push_back(1);
      displacements.push_back(0);
      addresses.push_back(0);
      types.push_back(kItems.front().type());
    }
  }
  [[nodiscard]] int* buffer() { return memory.data() + kMargin; }
  [[nodiscard]] std::vector<int> byte_displacements() const { return {addresses.begin(), addresses.end()}; }
  void free_types() {
    for (MPI_Datatype& type : types) MPI_Type_free(&type);
    types.clear();
  }
};

/// One operation with its buffers, and a request where it has one.
class Exchange {
 public:
  Exchange(Place& place, Kind kind, int serial, Random& common, Random& own)
      : place_(place), kind_(kind), serial_(serial), largest_(draw_size(common)) {
    if (kind == Kind::own) {
      schedule_ = &place.draw_schedule(largest_, common, own);
      largest_ = schedule_->items();
    }
    set_blocks(own);
    const bool regular = kind == Kind::alltoall || kind == Kind::allgather || kind == Kind::reduce ||
                         kind == Kind::dense || kind == Kind::dense_in_place || kind == Kind::allreduce ||
                         kind == Kind::reduce_scatter || kind == Kind::gather_all || kind == Kind::broadcast ||
                         kind == Kind::own;
    send_.lay_out(regular, own);
    recv_.lay_out(regular, own);
    const std::vector<std::string> cart{"auto", "auto", "direct", "combining", "logarithmic"};
    std::vector<std::string> dense{"auto"};
    for (const dense::Algorithm& row : dense::registry().algorithms) dense.emplace_back(row.name);
    const auto take_instead = [&](const auto& registry) {
      dense.resize(1);
      for (const auto& row : registry.algorithms) dense.emplace_back(row.name);
    };
    if (reduces()) take_instead(dense_reduction::registry());
    if (gathers()) take_instead(dense_allgather::registry());
    if (kind == Kind::broadcast) take_instead(broadcast::registry());
    if (kind == Kind::barrier) take_instead(barrier::registry());
    algorithm_ = common.among(place.dense() ? dense : cart);
    if (kind == Kind::own) algorithm_ = schedule_->name();
    large_counts_ = own.one_in(2);
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() {
    if (request != RONDO_REQUEST_NULL) expect_success(Rondo_Request_free(&request), what("free"));
  }

  [[nodiscard]] bool active() const { return active_; }

  void run() {
    fill();
    expect_success(call(Form::blocking), what("blocking"));
    send_.free_types();
    recv_.free_types();
    active_ = true;
    complete();
  }
  void begin() {
    fill();
    expect_success(call(Form::nonblocking), what("nonblocking"));
    send_.free_types();
    recv_.free_types();
    active_ = true;
  }
  void init() {
    expect_success(call(Form::persistent), what("init"));
    send_.free_types();
    recv_.free_types();
  }
  /// Before it is started.
  void fill() {
    ++start_;
    sent_before_.clear();
    untouched(send_.memory, -1);
    untouched(recv_.memory, -2);
    Side& from = in_place() ? recv_ : send_;
    for (std::size_t i = 0; i < from.blocks.size(); ++i) put(from, i, place_.rank, static_cast<int>(i), from.memory);
    sent_before_ = send_.memory;
    if (kind_ == Kind::broadcast && at_root()) put(recv_, 0, root(), 0, recv_.memory);
    expected_ = recv_.memory;
    if (kind_ == Kind::broadcast) put(recv_, 0, root(), 0, expected_);
    if (kind_ == Kind::broadcast || kind_ == Kind::barrier) return;
    if (shifts()) {
      put(recv_, 0, schedule_->source(), 0, expected_);
      return;
    }
    bool first = true;
    for (std::size_t i = 0; i < place_.sources.size(); ++i) {
      const int source = place_.sources[i];
      if (source == MPI_PROC_NULL) continue;
      const int block = sends_one() ? 0 : place_.dense() ? place_.rank : static_cast<int>(i);
      if (!reduces()) {
        put(recv_, i, source, block, expected_);
        continue;
      }
      for (int k = 0; k < recv_.blocks[0].ints(); ++k) {
        int& sum = expected_[recv_.blocks[0].place(k)];
        sum = (first ? 0 : sum) + content(source, block, k);
      }
      first = false;
    }
  }
  void started() { active_ = true; }

  /// After it was completed.
  void complete() {
    active_ = false;
    EXPECT_EQ(recv_.memory, expected_) << what("received");
    EXPECT_EQ(send_.memory, sent_before_) << what("sent");
  }
  /// Looks at one block while the operation may be under way.
  void look(Random& own) {
    int blocks = reduces() ? 1 : static_cast<int>(recv_.blocks.size());
    if (kind_ == Kind::own && largest_ == 0) blocks = 0;  // only those with bytes have a number
    if (blocks == 0 || (kind_ == Kind::broadcast && at_root())) return;
    const int i = own.draw(blocks);
    int arrived = 0;
    expect_success(Rondo_Arrived(request, i, &arrived), what("arrived"));
    if (arrived == 0) return;
    const Block& block = recv_.blocks[static_cast<std::size_t>(i)];
    for (int k = 0; k < block.ints(); ++k)
      ASSERT_EQ(recv_.memory[block.place(k)], expected_[block.place(k)]) << what("arrived") << ", block " << i;
  }
  [[nodiscard]] std::string what(const char* doing) const {
    return std::string(kNames[static_cast<std::size_t>(kind_)]) + " number " + std::to_string(serial_) + ", start " +
           std::to_string(start_) + ", " + algorithm_ + ", " + doing;
  }

  Rondo_Request request = RONDO_REQUEST_NULL;

 private:
  [[nodiscard]] bool gathers() const {
    return kind_ == Kind::allgather || kind_ == Kind::allgatherv || kind_ == Kind::allgatherw ||
           kind_ == Kind::gather_all || kind_ == Kind::gather_all_v;
  }
  [[nodiscard]] int root() const { return serial_ % world_size(); }
  [[nodiscard]] bool at_root() const { return place_.rank == root(); }
  [[nodiscard]] bool reduces() const {
    return kind_ == Kind::reduce || kind_ == Kind::scatter_reduce || kind_ == Kind::allreduce ||
           kind_ == Kind::reduce_scatter || (kind_ == Kind::own && schedule_->sums());
  }
  [[nodiscard]] bool shifts() const { return kind_ == Kind::own && !schedule_->sums(); }
  [[nodiscard]] bool sends_one() const {
    return gathers() || kind_ == Kind::reduce || kind_ == Kind::allreduce || kind_ == Kind::own;
  }
  [[nodiscard]] bool in_place() const {
    return kind_ == Kind::dense_in_place || (kind_ == Kind::own && schedule_->in_place());
  }
  [[nodiscard]] bool irregular() const {
    return kind_ == Kind::alltoallv || kind_ == Kind::alltoallw || kind_ == Kind::allgatherv ||
           kind_ == Kind::allgatherw || kind_ == Kind::dense_v || kind_ == Kind::dense_w || kind_ == Kind::gather_all_v;
  }
  [[nodiscard]] bool of_types() const {
    return kind_ == Kind::alltoallw || kind_ == Kind::allgatherw || kind_ == Kind::dense_w ||
           kind_ == Kind::scatter_reduce;
  }
  static int draw_size(Random& common) {
    switch (common.draw(8)) {
      case 0:
        return 0;
      case 1:
        return 40 + common.draw(100);
      case 2:
        return common.one_in(3) ? 9000 : 700;  // beyond what MPI sends at once
      default:
        return 1 + common.draw(5);
    }
  }
  /// Items of block `block` that `rank` sends.
  [[nodiscard]] int items(int rank, int block) const {
    return irregular() ? largest_ * ((2 * rank + block + serial_) % 3) / 2 : largest_;
  }
  [[nodiscard]] int content(int rank, int block, int k) const {
    const std::uint32_t mixed =
        ((static_cast<std::uint32_t>(serial_) * 131U + static_cast<std::uint32_t>(start_)) * 61U +
         static_cast<std::uint32_t>(rank)) *
            67U +
        static_cast<std::uint32_t>(block);
    return static_cast<int>((mixed * 4099U + static_cast<std::uint32_t>(k)) % 1000003U);
  }
  void put(const Side& side, std::size_t i, int rank, int block, std::vector<int>& into) const {
    for (int k = 0; k < side.blocks[i].ints(); ++k) into[side.blocks[i].place(k)] = content(rank, block, k);
  }
  static void untouched(std::vector<int>& memory, int first) {
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = first - 2 * static_cast<int>(i);
  }

  void set_blocks(Random& own) {
    if (kind_ == Kind::barrier) return;
    if (kind_ == Kind::broadcast) {  // of the one buffer that each has
      recv_.append(largest_, own.among(kItems));
      return;
    }
    if (shifts()) {
      send_.append(largest_, schedule_->sent());
      recv_.append(largest_, schedule_->received());
      return;
    }
    const Item plain = kItems.front();
    Item sent = own.among(kItems);
    Item received = own.among(kItems);
    if (reduces() && !of_types()) sent = plain;
    const std::size_t targets = sends_one() ? 1 : place_.targets.size();
    for (std::size_t i = 0; i < targets; ++i) {
      if (of_types()) sent = own.among(kItems);
      send_.append(items(place_.rank, static_cast<int>(i)), sent);
    }
    if (reduces()) {
      recv_.append(largest_, plain);
      return;
    }
    for (std::size_t i = 0; i < place_.sources.size(); ++i) {
      if (of_types()) received = own.among(kItems);
      const int source = place_.sources[i] == MPI_PROC_NULL ? 0 : place_.sources[i];
      recv_.append(items(source, gathers() ? 0 : place_.dense() ? place_.rank : static_cast<int>(i)), received);
    }
  }

  template <typename Blocking, typename Nonblocking, typename Init, typename... Arguments>
  int call_as(Form form, Blocking blocking, Nonblocking nonblocking, Init persistent, Arguments... arguments) {
    if (form == Form::blocking) return blocking(arguments..., place_.comm);
    if (form == Form::nonblocking) return nonblocking(arguments..., place_.comm, &request);
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "rondo_algorithm", algorithm_.c_str());
    const int code = persistent(arguments..., place_.comm, info, &request);
    MPI_Info_free(&info);
    return code;
  }
  int call(Form form) {
    if (kind_ == Kind::own)
      return schedule_->call(form, in_place() ? MPI_IN_PLACE : block_of(send_), block_of(recv_), &request);
    return large_counts_ ? call_with_large_counts(form) : call_with_ints(form);
  }
  int call_with_ints(Form form) {
    Side& s = send_;
    Side& r = recv_;
    const std::vector<int> s_bytes = s.byte_displacements();
    const std::vector<int> r_bytes = r.byte_displacements();
    const void* const from = s.buffer();
    switch (kind_) {
      case Kind::alltoall:
        return call_as(form, Rondo_Cart_alltoall, Rondo_Icart_alltoall, Rondo_Cart_alltoall_init, from, s.counts[0],
                       s.types[0], r.buffer(), r.counts[0], r.types[0]);
      case Kind::alltoallv:
        return call_as(form, Rondo_Cart_alltoallv, Rondo_Icart_alltoallv, Rondo_Cart_alltoallv_init, from,
                       s.counts.data(), s.displacements.data(), s.types[0], r.buffer(), r.counts.data(),
                       r.displacements.data(), r.types[0]);
      case Kind::alltoallw:
        return call_as(form, Rondo_Cart_alltoallw, Rondo_Icart_alltoallw, Rondo_Cart_alltoallw_init, from,
                       s.counts.data(), s.addresses.data(), s.types.data(), r.buffer(), r.counts.data(),
                       r.addresses.data(), r.types.data());
      case Kind::allgather:
        return call_as(form, Rondo_Cart_allgather, Rondo_Icart_allgather, Rondo_Cart_allgather_init, from, s.counts[0],
                       s.types[0], r.buffer(), r.counts[0], r.types[0]);
      case Kind::allgatherv:
        return call_as(form, Rondo_Cart_allgatherv, Rondo_Icart_allgatherv, Rondo_Cart_allgatherv_init, block_of(s),
                       s.counts[0], s.types[0], r.buffer(), r.counts.data(), r.displacements.data(), r.types[0]);
      case Kind::allgatherw:
        return call_as(form, Rondo_Cart_allgatherw, Rondo_Icart_allgatherw, Rondo_Cart_allgatherw_init, block_of(s),
                       s.counts[0], s.types[0], r.buffer(), r.counts.data(), r.addresses.data(), r.types.data());
      case Kind::reduce:
        return call_as(form, Rondo_Cart_reduce, Rondo_Icart_reduce, Rondo_Cart_reduce_init, from, block_of(r),
                       2 * largest_, MPI_INT, MPI_SUM);
      case Kind::scatter_reduce:
        return call_as(form, Rondo_Cart_scatter_reduce, Rondo_Icart_scatter_reduce, Rondo_Cart_scatter_reduce_init,
                       from, s.counts.data(), s.addresses.data(), s.types.data(), block_of(r), 2 * largest_, MPI_INT,
                       MPI_SUM);
      case Kind::dense:
      case Kind::dense_in_place:
        return call_as(form, Rondo_Alltoall, Rondo_Ialltoall, Rondo_Alltoall_init, in_place() ? MPI_IN_PLACE : from,
                       s.counts[0], s.types[0], r.buffer(), r.counts[0], r.types[0]);
      case Kind::dense_v:
        return call_as(form, Rondo_Alltoallv, Rondo_Ialltoallv, Rondo_Alltoallv_init, from, s.counts.data(),
                       s.displacements.data(), s.types[0], r.buffer(), r.counts.data(), r.displacements.data(),
                       r.types[0]);
      case Kind::dense_w:
        return call_as(form, Rondo_Alltoallw, Rondo_Ialltoallw, Rondo_Alltoallw_init, from, s.counts.data(),
                       s_bytes.data(), s.types.data(), r.buffer(), r.counts.data(), r_bytes.data(), r.types.data());
      case Kind::allreduce:
        return call_as(form, Rondo_Allreduce, Rondo_Iallreduce, Rondo_Allreduce_init, from, block_of(r), 2 * largest_,
                       MPI_INT, MPI_SUM);
      case Kind::reduce_scatter:
        return call_as(form, Rondo_Reduce_scatter_block, Rondo_Ireduce_scatter_block, Rondo_Reduce_scatter_block_init,
                       from, block_of(r), 2 * largest_, MPI_INT, MPI_SUM);
      case Kind::gather_all:
        return call_as(form, Rondo_Allgather, Rondo_Iallgather, Rondo_Allgather_init, from, s.counts[0], s.types[0],
                       r.buffer(), r.counts[0], r.types[0]);
      case Kind::gather_all_v:
        return call_as(form, Rondo_Allgatherv, Rondo_Iallgatherv, Rondo_Allgatherv_init, block_of(s), s.counts[0],
                       s.types[0], r.buffer(), r.counts.data(), r.displacements.data(), r.types[0]);
      case Kind::broadcast:
        return call_as(form, Rondo_Bcast, Rondo_Ibcast, Rondo_Bcast_init, r.buffer(), r.counts[0], r.types[0], root());
      case Kind::barrier:
        return call_as(form, Rondo_Barrier, Rondo_Ibarrier, Rondo_Barrier_init);
      case Kind::own:
        break;
    }
    return MPI_ERR_INTERN;
  }
  /// The same by the functions with the suffix _c.
  int call_with_large_counts(Form form) {
    Side& s = send_;
    Side& r = recv_;
    const std::vector<MPI_Count> s_counts(s.counts.begin(), s.counts.end());
    const std::vector<MPI_Count> r_counts(r.counts.begin(), r.counts.end());
    const std::vector<MPI_Aint> s_places(s.displacements.begin(), s.displacements.end());
    const std::vector<MPI_Aint> r_places(r.displacements.begin(), r.displacements.end());
    const void* const from = s.buffer();
    switch (kind_) {
      case Kind::alltoall:
        return call_as(form, Rondo_Cart_alltoall_c, Rondo_Icart_alltoall_c, Rondo_Cart_alltoall_init_c, from,
                       s_counts[0], s.types[0], r.buffer(), r_counts[0], r.types[0]);
      case Kind::alltoallv:
        return call_as(form, Rondo_Cart_alltoallv_c, Rondo_Icart_alltoallv_c, Rondo_Cart_alltoallv_init_c, from,
                       s_counts.data(), s_places.data(), s.types[0], r.buffer(), r_counts.data(), r_places.data(),
                       r.types[0]);
      case Kind::alltoallw:
        return call_as(form, Rondo_Cart_alltoallw_c, Rondo_Icart_alltoallw_c, Rondo_Cart_alltoallw_init_c, from,
                       s_counts.data(), s.addresses.data(), s.types.data(), r.buffer(), r_counts.data(),
                       r.addresses.data(), r.types.data());
      case Kind::allgather:
        return call_as(form, Rondo_Cart_allgather_c, Rondo_Icart_allgather_c, Rondo_Cart_allgather_init_c, from,
                       s_counts[0], s.types[0], r.buffer(), r_counts[0], r.types[0]);
      case Kind::allgatherv:
        return call_as(form, Rondo_Cart_allgatherv_c, Rondo_Icart_allgatherv_c, Rondo_Cart_allgatherv_init_c,
                       block_of(s), s_counts[0], s.types[0], r.buffer(), r_counts.data(), r_places.data(), r.types[0]);
      case Kind::allgatherw:
        return call_as(form, Rondo_Cart_allgatherw_c, Rondo_Icart_allgatherw_c, Rondo_Cart_allgatherw_init_c,
                       block_of(s), s_counts[0], s.types[0], r.buffer(), r_counts.data(), r.addresses.data(),
                       r.types.data());
      case Kind::reduce:
        return call_as(form, Rondo_Cart_reduce_c, Rondo_Icart_reduce_c, Rondo_Cart_reduce_init_c, from, block_of(r),
                       MPI_Count{2} * largest_, MPI_INT, MPI_SUM);
      case Kind::scatter_reduce:
        return call_as(form, Rondo_Cart_scatter_reduce_c, Rondo_Icart_scatter_reduce_c,
                       Rondo_Cart_scatter_reduce_init_c, from, s_counts.data(), s.addresses.data(), s.types.data(),
                       block_of(r), MPI_Count{2} * largest_, MPI_INT, MPI_SUM);
      case Kind::dense:
      case Kind::dense_in_place:
        return call_as(form, Rondo_Alltoall_c, Rondo_Ialltoall_c, Rondo_Alltoall_init_c,
                       in_place() ? MPI_IN_PLACE : from, s_counts[0], s.types[0], r.buffer(), r_counts[0], r.types[0]);
      case Kind::dense_v:
        return call_as(form, Rondo_Alltoallv_c, Rondo_Ialltoallv_c, Rondo_Alltoallv_init_c, from, s_counts.data(),
                       s_places.data(), s.types[0], r.buffer(), r_counts.data(), r_places.data(), r.types[0]);
      case Kind::dense_w:
        return call_as(form, Rondo_Alltoallw_c, Rondo_Ialltoallw_c, Rondo_Alltoallw_init_c, from, s_counts.data(),
                       s.addresses.data(), s.types.data(), r.buffer(), r_counts.data(), r.addresses.data(),
                       r.types.data());
      case Kind::allreduce:
        return call_as(form, Rondo_Allreduce_c, Rondo_Iallreduce_c, Rondo_Allreduce_init_c, from, block_of(r),
                       MPI_Count{2} * largest_, MPI_INT, MPI_SUM);
      case Kind::reduce_scatter:
        return call_as(form, Rondo_Reduce_scatter_block_c, Rondo_Ireduce_scatter_block_c,
                       Rondo_Reduce_scatter_block_init_c, from, block_of(r), MPI_Count{2} * largest_, MPI_INT, MPI_SUM);
      case Kind::gather_all:
        return call_as(form, Rondo_Allgather_c, Rondo_Iallgather_c, Rondo_Allgather_init_c, from, s_counts[0],
                       s.types[0], r.buffer(), r_counts[0], r.types[0]);
      case Kind::gather_all_v:
        return call_as(form, Rondo_Allgatherv_c, Rondo_Iallgatherv_c, Rondo_Allgatherv_init_c, block_of(s), s_counts[0],
                       s.types[0], r.buffer(), r_counts.data(), r_places.data(), r.types[0]);
      case Kind::broadcast:
        return call_as(form, Rondo_Bcast_c, Rondo_Ibcast_c, Rondo_Bcast_init_c, r.buffer(), r_counts[0], r.types[0],
                       root());
      case Kind::barrier:
        return call_as(form, Rondo_Barrier, Rondo_Ibarrier, Rondo_Barrier_init);
      case Kind::own:
        break;
    }
    return MPI_ERR_INTERN;
  }
  /// Of the one block of a side.
  static int* block_of(Side& side) { return side.memory.data() + side.blocks[0].first; }

  Place& place_;
  Kind kind_;
  int serial_;
  int largest_;
  const OwnSchedule* schedule_ = nullptr;  ///< of Kind::own
  int start_ = 0;
  bool active_ = false;
  bool large_counts_ = false;  ///< on this rank
  std::string algorithm_;
  Side send_;
  Side recv_;
  std::vector<int> sent_before_;
  std::vector<int> expected_;
};

}  // namespace rondo::internal::random_exchange

#endif
