// Random programs, as no test writer would write them: operations of all kinds and forms on several communicators, with
// datatypes, algorithms and settings drawn by chance, many in flight, and completed on each rank in an order and by
// calls of its own. What ranks must do alike is drawn from one seed, what they may do differently from another on each
// rank. Every int of every buffer is compared, those between and around the blocks as well.
// RONDO_TEST_SEED=N replays one program; RONDO_TEST_SCALE multiplies their number (tests/run.sh long).
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "collectives/dense_alltoall/algorithms.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/cases/simulation.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rondo::internal::chaos_test {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : numbers_(seed) {}
  /// From 0 on, below `end`.
  int draw(int end) { return static_cast<int>(numbers_() % static_cast<std::uint64_t>(end)); }
  bool one_in(int many) { return draw(many) == 0; }
  template <typename T>
  const T& among(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(draw(static_cast<int>(all.size())))];
  }
  template <typename T>
  void shuffle(std::vector<T>& all) {
    std::ranges::shuffle(all, numbers_);
  }

 private:
  std::mt19937_64 numbers_;
};

void expect_success(int code, const std::string& what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, RONDO_MAX_ERROR_STRING> text{};
  int length = 0;
  Rondo_Error_string(code, text.data(), &length);
  ADD_FAILURE() << what << ": " << text.data();
}

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
  dense_in_place
};
constexpr int kCartKinds = 8;
constexpr int kKinds = 12;
constexpr std::array kNames{"alltoall", "alltoallv",      "alltoallw", "allgather", "allgatherv", "allgatherw",
                            "reduce",   "scatter_reduce", "dense",     "dense_v",   "dense_w",    "dense, in place"};
enum class Form { blocking, nonblocking, persistent };

/// Where operations go: the neighbors of a grid, or all ranks.
struct Place {
  std::optional<CartComm> grid;
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> sources;
  std::vector<int> targets;
  int rank = world_rank();

  Place() = default;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() {
    if (!grid && comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
  [[nodiscard]] bool dense() const { return !grid; }
};

/// Two ints of an array: how they lie in it, and how far apart such items are.
struct Item {
  std::array<int, 2> at;
  int extent;

  [[nodiscard]] MPI_Datatype type() const {
    MPI_Datatype ints = MPI_DATATYPE_NULL;
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_create_indexed_block(2, 1, at.data(), MPI_INT, &ints);
    MPI_Type_create_resized(ints, 0, extent * static_cast<MPI_Aint>(sizeof(int)), &made);
    MPI_Type_commit(&made);
    MPI_Type_free(&ints);
    return made;
  }
};
const std::vector<Item> kItems{{{0, 1}, 2}, {{0, 1}, 2}, {{0, 2}, 4}, {{1, 0}, 2}, {{2, 0}, 5}};

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
    set_blocks(own);
    const bool regular = kind == Kind::alltoall || kind == Kind::allgather || kind == Kind::reduce ||
                         kind == Kind::dense || kind == Kind::dense_in_place;
    send_.lay_out(regular, own);
    recv_.lay_out(regular, own);
    const std::vector<std::string> cart{"auto", "auto", "direct", "combining", "logarithmic"};
    std::vector<std::string> dense{"auto"};
    for (const dense::Algorithm& row : dense::registry().algorithms) dense.emplace_back(row.name);
    algorithm_ = common.among(place.dense() ? dense : cart);
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
    expected_ = recv_.memory;
    bool first = true;
    for (std::size_t i = 0; i < place_.sources.size(); ++i) {
      const int source = place_.sources[i];
      if (source == MPI_PROC_NULL) continue;
      const int block = gathers() || kind_ == Kind::reduce ? 0 : place_.dense() ? place_.rank : static_cast<int>(i);
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
    const int blocks = reduces() ? 1 : static_cast<int>(recv_.blocks.size());
    if (blocks == 0) return;
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
    return kind_ == Kind::allgather || kind_ == Kind::allgatherv || kind_ == Kind::allgatherw;
  }
  [[nodiscard]] bool reduces() const { return kind_ == Kind::reduce || kind_ == Kind::scatter_reduce; }
  [[nodiscard]] bool in_place() const { return kind_ == Kind::dense_in_place; }
  [[nodiscard]] bool irregular() const {
    return kind_ == Kind::alltoallv || kind_ == Kind::alltoallw || kind_ == Kind::allgatherv ||
           kind_ == Kind::allgatherw || kind_ == Kind::dense_v || kind_ == Kind::dense_w;
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
    const Item plain = kItems.front();
    Item sent = own.among(kItems);
    Item received = own.among(kItems);
    if (kind_ == Kind::reduce) sent = plain;
    const std::size_t targets = gathers() || kind_ == Kind::reduce ? 1 : place_.targets.size();
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
    }
    return MPI_ERR_INTERN;
  }
  /// Of the one block of a side.
  static int* block_of(Side& side) { return side.memory.data() + side.blocks[0].first; }

  Place& place_;
  Kind kind_;
  int serial_;
  int largest_;
  int start_ = 0;
  bool active_ = false;
  std::string algorithm_;
  Side send_;
  Side recv_;
  std::vector<int> sent_before_;
  std::vector<int> expected_;
};

/// A program of one thread on each rank.
class Program {
 public:
  /// `alone`: no other thread runs one, and it may make communicators.
  Program(std::uint64_t seed, bool alone)
      : common_(seed), own_(seed * 1000003 + static_cast<std::uint64_t>(world_rank()) + 1), alone_(alone) {
    const int grids = 1 + common_.draw(2);
    for (int i = 0; i < grids; ++i) add_grid();
    add_dense();
  }

  void run() {
    for (int step = 0; step < 40; ++step) {
      const int kind = common_.draw(12);
      if (kind < 3) {
        draw_exchange()->run();
      } else if (kind < 7) {
        in_flight_.push_back(draw_exchange());
        in_flight_.back()->begin();
      } else if (kind < 9) {
        persistent_.push_back(draw_exchange());
        persistent_.back()->init();
      } else if (kind < 11) {
        start_some();
      } else {
        replace_something();
      }
      dawdle();
    }
    complete(all_active());
    in_flight_.clear();
    persistent_.clear();
  }

 private:
  using Flights = std::vector<Exchange*>;

  [[nodiscard]] ProgressMode draw_mode() {
    const std::vector<ProgressMode> modes{ProgressMode::automatic, ProgressMode::inlined, ProgressMode::async,
                                          ProgressMode::workers};
    return own_.among(modes);
  }
  void add_grid() {
    const int d = 1 + common_.draw(3);
    std::vector<int> sizes(static_cast<std::size_t>(d), 0);
    MPI_Dims_create(world_size(), d, sizes.data());
    std::vector<int> periods;
    for (int k = 0; k < d; ++k) periods.push_back(common_.one_in(4) ? 0 : 1);
    Neighborhood odd(d);
    for (int i = common_.draw(6); i > 0; --i) {
      std::vector<int> offset;
      for (int k = 0; k < d; ++k) offset.push_back(common_.draw(7) - 3);
      odd.add(offset);
    }
    const std::vector<Neighborhood> all{moore(d, 1), von_neumann(d, 1), d < 3 ? box(d, 4, -1) : moore(d, 1), odd};
    Options options;
    options.algorithm = common_.among(std::vector<std::string>{"", "", "direct", "combining", "logarithmic"});
    options.schedule = common_.among(std::vector<std::string>{"", "", "phases"});
    options.messages = common_.among(std::vector<std::string>{"", "staged", "datatype"});
    options.ports = common_.one_in(3) ? 1 + common_.draw(3) : 0;
    options.progress = draw_mode();
    auto place = std::make_unique<Place>();
    place->grid.emplace(MPI_COMM_WORLD, sizes, periods, common_.among(all), options);
    place->comm = place->grid->native();
    MPI_Comm_set_errhandler(place->comm, MPI_ERRORS_RETURN);
    place->sources = place->grid->sources();
    place->targets = place->grid->targets();
    places_.push_back(std::move(place));
  }
  void add_dense() {
    auto place = std::make_unique<Place>();
    MPI_Comm_dup(MPI_COMM_WORLD, &place->comm);
    MPI_Comm_set_errhandler(place->comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < world_size(); ++i) place->sources.push_back(i);
    place->targets = place->sources;
    if (!alone_ || common_.one_in(2)) {  // otherwise its first call makes what is needed
      MPI_Info info = MPI_INFO_NULL;
      MPI_Info_create(&info);
      if (common_.one_in(2)) MPI_Info_set(info, "rondo_algorithm", common_.one_in(2) ? "bruck" : "randomized");
      MPI_Info_set(info, "rondo_progress", name(draw_mode()));
      expect_success(Rondo_Comm_prepare(place->comm, info), "prepare");
      MPI_Info_free(&info);
    }
    places_.push_back(std::move(place));
  }
  [[nodiscard]] std::unique_ptr<Exchange> draw_exchange() {
    Place& place = *common_.among(places_);
    const int kind = place.dense() ? kCartKinds + common_.draw(kKinds - kCartKinds) : common_.draw(kCartKinds);
    return std::make_unique<Exchange>(place, static_cast<Kind>(kind), serial_++, common_, own_);
  }

  [[nodiscard]] Flights all_active() const {
    Flights active;
    for (const auto* list : {&in_flight_, &persistent_}) {
      for (const auto& one : *list) {
        if (one->active()) active.push_back(one.get());
      }
    }
    return active;
  }
  /// The same ones on all ranks, in an order of each.
  void start_some() {
    Flights some;
    for (const auto& one : persistent_) {
      if (!common_.one_in(3)) some.push_back(one.get());
    }
    Flights active = some;
    std::erase_if(active, [](const Exchange* one) { return !one->active(); });
    complete(active);
    own_.shuffle(some);
    std::vector<Rondo_Request> requests;
    for (Exchange* one : some) {
      one->fill();
      requests.push_back(one->request);
    }
    if (own_.one_in(2)) {
      expect_success(Rondo_Startall(static_cast<int>(requests.size()), requests.data()), "startall");
      for (Exchange* one : some) one->started();
    } else {
      for (Exchange* one : some) {
        expect_success(Rondo_Start(&one->request), one->what("start"));
        one->started();
        if (own_.one_in(4)) make_progress();  // and wait for none, as other ranks have another order
      }
    }
  }
  /// A persistent operation goes, or a communicator comes.
  void replace_something() {
    if (!persistent_.empty() && common_.one_in(2)) {
      const auto index = common_.draw(static_cast<int>(persistent_.size()));
      const auto gone = persistent_.begin() + index;
      if ((*gone)->active()) complete({gone->get()});
      persistent_.erase(gone);
    } else if (alone_ && places_.size() < 6) {
      complete(all_active());  // another rank may wait for one of them, and MPI's functions do not advance them
      if (common_.one_in(2))
        add_grid();
      else
        add_dense();
    }
  }

  /// What a rank may do at any time.
  void dawdle() {
    for (int i = own_.draw(4); i > 0; --i) {
      const Flights active = all_active();
      switch (own_.draw(6)) {
        case 0:
          std::this_thread::sleep_for(std::chrono::microseconds(own_.draw(300)));
          break;
        case 1:
        case 2:
          make_progress();
          break;
        case 3:
          if (!active.empty()) own_.among(active)->look(own_);
          break;
        case 4:
          if (!active.empty()) try_one(*own_.among(active));
          break;
        default:
          if (!active.empty()) complete({own_.among(active)});
          break;
      }
    }
  }
  static void make_progress() {
    int moved = 0;
    expect_success(Rondo_Progress(&moved), "progress");
  }
  void try_one(Exchange& one) {
    int complete = 0;
    expect_success(Rondo_Test(&one.request, &complete, MPI_STATUS_IGNORE), one.what("test"));
    if (complete != 0) one.complete();
  }

  /// Completes them by some call. All ranks have started them or will without waiting for this.
  void complete(Flights some) {
    own_.shuffle(some);
    while (!some.empty()) {
      const auto count = static_cast<std::size_t>(1 + own_.draw(static_cast<int>(some.size())));
      complete_together({some.end() - static_cast<std::ptrdiff_t>(count), some.end()});
      some.resize(some.size() - count);
    }
  }
  void complete_together(const Flights& some) {
    const int count = static_cast<int>(some.size());
    std::vector<Rondo_Request> requests;
    for (const Exchange* one : some) requests.push_back(one->request);
    const auto give_back = [&] {
      for (std::size_t i = 0; i < some.size(); ++i) some[i]->request = requests[i];
    };
    const auto over = [&](int index) {
      if (index < 0 || index >= count) {
        ADD_FAILURE() << "index " << index << " of " << count << " requests";
        return;
      }
      give_back();
      some[static_cast<std::size_t>(index)]->complete();
    };
    int index = 0;
    int flag = 0;
    switch (own_.draw(7)) {
      case 0:
        expect_success(Rondo_Waitall(count, requests.data(), MPI_STATUSES_IGNORE), "waitall");
        give_back();
        for (Exchange* one : some) one->complete();
        break;
      case 1:
        while (flag == 0) expect_success(Rondo_Testall(count, requests.data(), &flag, MPI_STATUSES_IGNORE), "testall");
        give_back();
        for (Exchange* one : some) one->complete();
        break;
      case 2:
        for (int i = 0; i < count; ++i) {
          expect_success(Rondo_Waitany(count, requests.data(), &index, MPI_STATUS_IGNORE), "waitany");
          over(index);
        }
        break;
      case 3:
        for (int i = 0; i < count;) {
          expect_success(Rondo_Testany(count, requests.data(), &index, &flag, MPI_STATUS_IGNORE), "testany");
          if (flag == 0) continue;
          over(index);
          ++i;
        }
        break;
      case 4:
        for (Exchange* one : some) {
          while (one->active()) {
            one->look(own_);
            try_one(*one);
          }
        }
        break;
      case 5:
        for (Exchange* one : some) wait_by_callback(*one);
        break;
      default:
        for (Exchange* one : some) {
          expect_success(Rondo_Wait(&one->request, MPI_STATUS_IGNORE), one->what("wait"));
          one->complete();
        }
        break;
    }
  }
  void wait_by_callback(Exchange& one) {
    std::atomic<bool> called = false;
    int armed = 0;
    const auto call = [](void* flag) { static_cast<std::atomic<bool>*>(flag)->store(true); };
    expect_success(Rondo_On_complete(one.request, call, &called, &armed), one.what("on complete"));
    while (armed != 0 && !called) make_progress();
    expect_success(Rondo_Wait(&one.request, MPI_STATUS_IGNORE), one.what("wait after a callback"));
    one.complete();
  }

  Random common_;
  Random own_;
  bool alone_;
  int serial_ = 0;
  std::vector<std::unique_ptr<Place>> places_;
  std::vector<std::unique_ptr<Exchange>> in_flight_;
  std::vector<std::unique_ptr<Exchange>> persistent_;
};

bool failed_anywhere() {
  int failed = ::testing::Test::HasFailure() ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return failed != 0;
}

/// Runs `run(seed)` for so many seeds, or for the one that is asked for.
template <typename Run>
void for_each_seed(int count, Run run) {
  std::uint64_t first = 1;
  auto end = first + static_cast<std::uint64_t>(std::max(1.0, count * test_scale()));
  if (const char* one = std::getenv("RONDO_TEST_SEED")) {
    first = std::strtoull(one, nullptr, 10);
    end = first + 1;
  }
  for (std::uint64_t seed = first; seed < end && !failed_anywhere(); ++seed) {
    SCOPED_TRACE("RONDO_TEST_SEED=" + std::to_string(seed));
    run(seed);
  }
}

TEST(Chaos, RandomPrograms) {
  for_each_seed(500, [](std::uint64_t seed) { Program(seed, true).run(); });
}

/// Two at once, each with communicators of its own, where MPI lets several threads call it.
TEST(Chaos, RandomProgramsOfTwoThreads) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level != MPI_THREAD_MULTIPLE) GTEST_SKIP() << "needs MPI_THREAD_MULTIPLE";
  for_each_seed(200, [](std::uint64_t seed) {
    Program one(2 * seed, false);
    Program other(2 * seed + 1, false);
    std::thread thread([&] { other.run(); });
    one.run();
    thread.join();
  });
}

}  // namespace
}  // namespace rondo::internal::chaos_test
