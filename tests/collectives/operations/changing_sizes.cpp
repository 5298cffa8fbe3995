// Calls one after the other whose blocks have a size that no call had before, or one of long ago, in both forms that
// remember calls; some ranks tell their blocks by a datatype of their own. Against the definition.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/bad_input.hpp"
#include "tests/support/test_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::changing_sizes_test {
namespace {

enum class Kind : std::uint8_t { bcast, allgather, alltoall, allreduce, reduce_scatter };
constexpr int kKinds = 5;

/// What all ranks know alike of a call.
struct Shape {
  Kind kind;
  int count;  ///< of a block
  int root;
  bool in_place;
  bool nonblocking;
  bool derived;  ///< on some ranks
  int number;    ///< of the call
};

Shape draw(std::mt19937& random, int number) {
  const auto below = [&](unsigned end) { return static_cast<int>(random() % end); };
  // As often from each octave: up to 64 KiB.
  const double octave = std::uniform_real_distribution(0.0, 14.0)(random);
  Shape shape{static_cast<Kind>(below(kKinds)),
              static_cast<int>(std::exp2(octave)),
              below(static_cast<unsigned>(world_size())),
              below(4) == 0,
              below(3) == 0,
              below(3) == 0,
              number};
  if (below(8) == 0) shape.count = 17;
  if (shape.kind == Kind::alltoall || shape.kind == Kind::reduce_scatter) shape.count = std::min(shape.count, 4096);
  if (shape.kind == Kind::bcast) shape.in_place = false;
  return shape;
}

/// Element k of the block that `from` has for `to`.
int content(const Shape& shape, int from, int to, int k) { return shape.number * 77 + from * 1009 + to * 31 + k; }

/// One call on this rank.
class Exchange {
 public:
  explicit Exchange(const Shape& shape) : shape_(shape) {
    const auto p = static_cast<std::size_t>(world_size());
    const auto m = static_cast<std::size_t>(shape.count);
    const bool sends_all = shape.kind == Kind::alltoall || shape.kind == Kind::reduce_scatter;
    const bool receives_all = shape.kind == Kind::alltoall || shape.kind == Kind::allgather;
    send_.resize(sends_all ? p * m : m);
    recv_.assign(receives_all || (shape.in_place && sends_all) ? p * m : m, -1);
    std::vector<int>& filled = shape.in_place || shape.kind == Kind::bcast ? recv_ : send_;
    const bool is_own_part = shape.kind == Kind::allgather && shape.in_place;
    for (std::size_t to = 0; to < (sends_all ? p : 1); ++to) {
      const std::size_t begin = is_own_part ? static_cast<std::size_t>(world_rank()) * m : to * m;
      for (int k = 0; k < shape.count; ++k) {
        const bool sends = shape.kind != Kind::bcast || world_rank() == shape.root;
        if (sends) filled[begin + static_cast<std::size_t>(k)] = content(shape, world_rank(), static_cast<int>(to), k);
      }
    }
    const bool moves = shape.kind != Kind::allreduce && shape.kind != Kind::reduce_scatter;
    if (moves && shape.derived && (world_rank() + shape.number) % 2 == 0) {
      MPI_Type_contiguous(shape.count, MPI_INT, &type_);
      MPI_Type_commit(&type_);
      count_ = 1;
    } else {
      count_ = shape.count;
    }
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() {
    if (type_ != MPI_INT) MPI_Type_free(&type_);
  }

  void begin(MPI_Comm comm) {
    const void* const send = shape_.in_place ? MPI_IN_PLACE : send_.data();
    void* const recv = recv_.data();
    Rondo_Request* const request = shape_.nonblocking ? &request_ : nullptr;
    ASSERT_EQ(call(comm, send, recv, request), MPI_SUCCESS);
  }
  void end() {
    if (shape_.nonblocking) {
      ASSERT_EQ(Rondo_Wait(&request_, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    const int p = world_size();
    for (int block = 0; block < (shape_.kind == Kind::allgather || shape_.kind == Kind::alltoall ? p : 1); ++block) {
      for (int k = 0; k < shape_.count; ++k)
        ASSERT_EQ(recv_[static_cast<std::size_t>(block * shape_.count + k)], expected(block, k)) << told(block, k);
    }
  }

 private:
  int call(MPI_Comm comm, const void* send, void* recv, Rondo_Request* request) {
    switch (shape_.kind) {
      case Kind::bcast:
        return request != nullptr ? Rondo_Ibcast(recv, count_, type_, shape_.root, comm, request)
                                  : Rondo_Bcast(recv, count_, type_, shape_.root, comm);
      case Kind::allgather:
        return request != nullptr ? Rondo_Iallgather(send, count_, type_, recv, count_, type_, comm, request)
                                  : Rondo_Allgather(send, count_, type_, recv, count_, type_, comm);
      case Kind::alltoall:
        return request != nullptr ? Rondo_Ialltoall(send, count_, type_, recv, count_, type_, comm, request)
                                  : Rondo_Alltoall(send, count_, type_, recv, count_, type_, comm);
      case Kind::allreduce:
        return request != nullptr ? Rondo_Iallreduce(send, recv, count_, type_, MPI_SUM, comm, request)
                                  : Rondo_Allreduce(send, recv, count_, type_, MPI_SUM, comm);
      case Kind::reduce_scatter:
        break;
    }
    return request != nullptr ? Rondo_Ireduce_scatter_block(send, recv, count_, type_, MPI_SUM, comm, request)
                              : Rondo_Reduce_scatter_block(send, recv, count_, type_, MPI_SUM, comm);
  }
  [[nodiscard]] int expected(int block, int k) const {
    switch (shape_.kind) {
      case Kind::bcast:
        return content(shape_, shape_.root, 0, k);
      case Kind::allgather:
        return content(shape_, block, 0, k);
      case Kind::alltoall:
        return content(shape_, block, world_rank(), k);
      default:
        break;
    }
    int sum = 0;
    for (int from = 0; from < world_size(); ++from)
      sum += content(shape_, from, shape_.kind == Kind::allreduce ? 0 : world_rank(), k);
    return sum;
  }
  [[nodiscard]] std::string told(int block, int k) const {
    return "call " + std::to_string(shape_.number) + ", kind " + std::to_string(static_cast<int>(shape_.kind)) +
           ", count " + std::to_string(shape_.count) + (shape_.in_place ? ", in place" : "") +
           (shape_.nonblocking ? ", nonblocking" : "") + (shape_.derived ? ", with derived datatypes" : "") +
           ", block " + std::to_string(block) + ", element " + std::to_string(k) + " on rank " +
           std::to_string(world_rank());
  }

  Shape shape_;
  std::vector<int> send_;
  std::vector<int> recv_;
  MPI_Datatype type_ = MPI_INT;
  int count_ = 0;
  Rondo_Request request_ = RONDO_REQUEST_NULL;
};

/// Up to three nonblocking calls are in flight at a time, and end in the order in which they began, or another.
void make_calls(MPI_Comm comm, unsigned seed, int calls) {
  std::mt19937 random(seed);
  std::vector<std::unique_ptr<Exchange>> in_flight;
  for (int number = 0; number < calls; ++number) {
    const Shape shape = draw(random, number);
    auto exchange = std::make_unique<Exchange>(shape);
    ASSERT_NO_FATAL_FAILURE(exchange->begin(comm));
    in_flight.push_back(std::move(exchange));
    if (!shape.nonblocking) {
      ASSERT_NO_FATAL_FAILURE(in_flight.back()->end());
      in_flight.pop_back();
    } else if (in_flight.size() > 3) {
      const auto ended = in_flight.begin() + static_cast<std::ptrdiff_t>(random() % in_flight.size());
      ASSERT_NO_FATAL_FAILURE((*ended)->end());
      in_flight.erase(ended);
    }
  }
  for (const std::unique_ptr<Exchange>& each : in_flight) ASSERT_NO_FATAL_FAILURE(each->end());
}

TEST(ChangingSizes, AreRight) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    make_calls(comm, seed, static_cast<int>(scaled(400)));
    MPI_Comm_free(&comm);
  }
}

/// An alltoallv or allgatherv whose blocks have other sizes in each call, none among them, and other places; on some
/// ranks with a datatype of their own.
class Irregular {
 public:
  Irregular(int number, int most, bool gathers, bool derived)
      : number_(number), most_(most), gathers_(gathers), type_(MPI_INT) {
    const auto p = static_cast<std::size_t>(world_size());
    for (std::size_t i = 0; i < p; ++i) {
      const int rank = static_cast<int>(i);
      sent_.push_back(count(world_rank(), rank));
      received_.push_back(count(rank, world_rank()));
      send_places_.push_back(static_cast<int>(send_.size()));
      recv_places_.push_back(static_cast<int>(recv_.size()));
      for (int k = 0; k < sent_.back() && !(gathers && i > 0); ++k) send_.push_back(content(world_rank(), rank, k));
      send_.resize(send_.size() + (repeats(number) ? 1 : static_cast<std::size_t>(number % 3)));
      recv_.resize(recv_.size() + static_cast<std::size_t>(received_.back()) + 1, -1);
    }
    if (derived && (world_rank() + number) % 2 == 0) {
      MPI_Type_dup(MPI_INT, &type_);
    }
  }
  Irregular(const Irregular&) = delete;
  Irregular& operator=(const Irregular&) = delete;
  ~Irregular() {
    if (type_ != MPI_INT) MPI_Type_free(&type_);
  }

  /// Returns whether a call is one of several in a row that are alike.
  [[nodiscard]] static bool repeats(int number) { return number % 40 >= 25; }

  void begin(MPI_Comm comm, bool nonblocking) {
    if (gathers_) {
      ASSERT_EQ(nonblocking ? Rondo_Iallgatherv(send_.data(), sent_[0], type_, recv_.data(), received_.data(),
                                                recv_places_.data(), type_, comm, &request_)
                            : Rondo_Allgatherv(send_.data(), sent_[0], type_, recv_.data(), received_.data(),
                                               recv_places_.data(), type_, comm),
                MPI_SUCCESS);
      return;
    }
    const int code = nonblocking
                         ? Rondo_Ialltoallv(send_.data(), sent_.data(), send_places_.data(), type_, recv_.data(),
                                            received_.data(), recv_places_.data(), type_, comm, &request_)
                         : Rondo_Alltoallv(send_.data(), sent_.data(), send_places_.data(), type_, recv_.data(),
                                           received_.data(), recv_places_.data(), type_, comm);
    ASSERT_EQ(code, MPI_SUCCESS);
  }
  void end() {
    if (request_ != RONDO_REQUEST_NULL && number_ % 3 == 0) expect_that_blocks_arrive();
    ASSERT_EQ(Rondo_Wait(&request_, MPI_STATUS_IGNORE), MPI_SUCCESS);
    std::vector<int> expected(recv_.size(), -1);
    for (int from = 0; from < world_size(); ++from) {
      for (int k = 0; k < received_[static_cast<std::size_t>(from)]; ++k)
        expected[static_cast<std::size_t>(recv_places_[static_cast<std::size_t>(from)] + k)] =
            content(from, world_rank(), k);
    }
    ASSERT_EQ(recv_, expected) << "call " << number_ << " of up to " << most_ << " ints on rank " << world_rank();
  }

 private:
  /// Asks for each block until it has arrived, and looks at it then.
  void expect_that_blocks_arrive() {
    for (int from = world_size(); from-- > 0;) {
      int arrived = 0;
      while (arrived == 0) ASSERT_EQ(Rondo_Arrived(request_, from, &arrived), MPI_SUCCESS);
      const auto block = static_cast<std::size_t>(from);
      for (int k = 0; k < received_[block]; ++k)
        ASSERT_EQ(recv_[static_cast<std::size_t>(recv_places_[block] + k)], content(from, world_rank(), k))
            << "call " << number_ << ", block " << from << " on rank " << world_rank();
    }
  }
  [[nodiscard]] int count(int from, int to) const {
    const int number = repeats(number_) ? 0 : number_;
    return (from * 5 + (gathers_ ? 0 : to * 3) + number) % 4 * (number == 0 ? 60 : most_) / 3;
  }
  [[nodiscard]] int content(int from, int to, int k) const {
    return number_ * 77 + from * 1009 + (gathers_ ? 0 : to * 31) + k;
  }

  int number_;
  int most_;
  bool gathers_;
  MPI_Datatype type_;
  std::vector<int> send_;
  std::vector<int> recv_;
  std::vector<int> sent_;
  std::vector<int> received_;
  std::vector<int> send_places_;
  std::vector<int> recv_places_;
  Rondo_Request request_ = RONDO_REQUEST_NULL;
};

/// Ends the last call that began if it blocks, and otherwise any one, if there are four in flight.
template <typename InFlight>
void end_one(InFlight& in_flight, bool nonblocking, std::mt19937& random) {
  if (nonblocking && in_flight.size() < 4) return;
  const auto ended = nonblocking ? in_flight.begin() + static_cast<std::ptrdiff_t>(random() % in_flight.size())
                                 : std::prev(in_flight.end());
  ASSERT_NO_FATAL_FAILURE((*ended)->end());
  in_flight.erase(ended);
}

TEST(ChangingSizes, OfBlocksAreRight) {
  std::mt19937 random(7);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  std::vector<std::unique_ptr<Irregular>> in_flight;
  for (int number = 0; number < static_cast<int>(scaled(600)); ++number) {
    const int most = static_cast<int>(std::exp2(std::uniform_real_distribution(0.0, 14.0)(random)));
    const bool repeats = Irregular::repeats(number);
    const bool gathers = repeats ? number / 40 % 2 == 1 : random() % 2 == 0;
    in_flight.push_back(std::make_unique<Irregular>(number, most, gathers, !repeats && random() % 4 == 0));
    const bool nonblocking = repeats ? number / 80 % 2 == 1 : random() % 2 == 0;
    ASSERT_NO_FATAL_FAILURE(in_flight.back()->begin(comm, nonblocking));
    ASSERT_NO_FATAL_FAILURE(end_one(in_flight, nonblocking, random));
  }
  for (const std::unique_ptr<Irregular>& each : in_flight) ASSERT_NO_FATAL_FAILURE(each->end());
  MPI_Comm_free(&comm);
}

/// A reduce-scatter whose blocks have sizes that differ little, much, or by blocks without elements.
class ReduceScatter {
 public:
  explicit ReduceScatter(int number, int most) : number_(number) {
    for (int i = 0; i < world_size(); ++i) {
      const int differs = (i * 7 + number) % 5;
      counts_.push_back(number % 11 == 0   ? most * differs / 4
                        : number % 11 == 1 ? most + (differs == 0 ? 10 * most : 0)
                                           : most + differs);
      for (int k = 0; k < counts_.back(); ++k) send_.push_back(content(world_rank(), i, k));
    }
    recv_.assign(static_cast<std::size_t>(own()) + 1, -1);
  }
  void begin(MPI_Comm comm, bool nonblocking) {
    ASSERT_EQ(nonblocking
                  ? Rondo_Ireduce_scatter(send_.data(), recv_.data(), counts_.data(), MPI_INT, MPI_SUM, comm, &request_)
                  : Rondo_Reduce_scatter(send_.data(), recv_.data(), counts_.data(), MPI_INT, op(), comm),
              MPI_SUCCESS);
  }
  void end() {
    const bool sums = request_ != RONDO_REQUEST_NULL || op() == MPI_SUM;
    ASSERT_EQ(Rondo_Wait(&request_, MPI_STATUS_IGNORE), MPI_SUCCESS);
    std::vector<int> expected(recv_.size(), -1);
    for (int k = 0; k < own(); ++k) {
      int sum = 0;
      for (int from = 0; from < world_size(); ++from) sum += content(from, world_rank(), k);
      expected[static_cast<std::size_t>(k)] = sums ? sum : content(world_size() - 1, world_rank(), k);
    }
    ASSERT_EQ(recv_, expected) << "call " << number_ << " on rank " << world_rank();
  }

 private:
  [[nodiscard]] int own() const { return counts_[static_cast<std::size_t>(world_rank())]; }
  /// Two operations in turn; the greatest element is that of the last rank.
  [[nodiscard]] MPI_Op op() const { return number_ % 2 == 0 ? MPI_SUM : MPI_MAX; }
  [[nodiscard]] int content(int from, int to, int k) const { return number_ * 77 + from * 1009 + to * 31 + k; }

  int number_;
  std::vector<int> counts_;
  std::vector<int> send_;
  std::vector<int> recv_;
  Rondo_Request request_ = RONDO_REQUEST_NULL;
};

TEST(ChangingSizes, OfReducedBlocksAreRight) {
  std::mt19937 random(11);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  std::vector<std::unique_ptr<ReduceScatter>> in_flight;
  for (int number = 0; number < static_cast<int>(scaled(600)); ++number) {
    const int most = static_cast<int>(std::exp2(std::uniform_real_distribution(0.0, 12.0)(random)));
    const bool nonblocking = random() % 2 == 0;
    in_flight.push_back(std::make_unique<ReduceScatter>(number, most));
    ASSERT_NO_FATAL_FAILURE(in_flight.back()->begin(comm, nonblocking));
    ASSERT_NO_FATAL_FAILURE(end_one(in_flight, nonblocking, random));
  }
  for (const std::unique_ptr<ReduceScatter>& each : in_flight) ASSERT_NO_FATAL_FAILURE(each->end());
  MPI_Comm_free(&comm);
}

std::string algorithm_of(Rondo_Request request) {
  char name[RONDO_MAX_ALGORITHM_NAME] = "";
  int length = 0;
  EXPECT_EQ(Rondo_Request_get_algorithm(request, name, &length), MPI_SUCCESS);
  return name;
}

/// Whether a rank tells its blocks by a datatype of its own, nobody else can know.
TEST(ChangingSizes, HaveAlgorithmsWhateverTheDatatypes) {
  std::vector<int> buffer(1U << 14U);
  ASSERT_EQ(Rondo_Bcast(buffer.data(), 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);  // so that all is known of ranks
  for (int count = 1; count <= 1 << 14; count += 1 + count / 32) {
    MPI_Datatype block = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(count, MPI_INT, &block);
    MPI_Type_commit(&block);
    Rondo_Request of_elements = RONDO_REQUEST_NULL;
    Rondo_Request of_block = RONDO_REQUEST_NULL;
    ASSERT_EQ(Rondo_Ibcast(buffer.data(), count, MPI_INT, 0, MPI_COMM_WORLD, &of_elements), MPI_SUCCESS);
    const std::string expected = algorithm_of(of_elements);
    ASSERT_EQ(Rondo_Wait(&of_elements, MPI_STATUS_IGNORE), MPI_SUCCESS);
    ASSERT_EQ(Rondo_Ibcast(buffer.data(), 1, block, 0, MPI_COMM_WORLD, &of_block), MPI_SUCCESS);
    EXPECT_EQ(algorithm_of(of_block), expected) << count;
    ASSERT_EQ(Rondo_Wait(&of_block, MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPI_Type_free(&block);
  }
}

/// Trees of another radix are the best for longer blocks, also within a class of sizes.
TEST(ChangingSizes, RunOnePlanOnAllRanks) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Info tree = MPI_INFO_NULL;
  MPI_Info_create(&tree);
  MPI_Info_set(tree, "rondo_algorithm", "tree");
  ASSERT_EQ(Rondo_Comm_prepare(comm, tree), MPI_SUCCESS);
  MPI_Info_free(&tree);
  for (int count = 64; count <= 8192; count += 1 + count / 64) {
    std::vector<int> buffer(static_cast<std::size_t>(count), world_rank() == 0 ? count : 0);
    MPI_Datatype block = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(count, MPI_INT, &block);
    MPI_Type_commit(&block);
    const bool has_own_type = world_rank() % 2 == 1;
    ASSERT_EQ(Rondo_Bcast(buffer.data(), has_own_type ? 1 : count, has_own_type ? block : MPI_INT, 0, comm),
              MPI_SUCCESS);
    EXPECT_EQ(std::ranges::count(buffer, count), count);
    MPI_Type_free(&block);
  }
  MPI_Comm_free(&comm);
}

/// What can be wrong with a call of a kind that was made before, in another size.
TEST(ChangingSizes, AreCheckedAsEver) {
  const auto p = static_cast<std::size_t>(world_size());
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  std::vector<int> send(p * 64);
  std::vector<int> recv(p * 64);
  const auto alltoall = [&](const void* from, int sent, void* to, int received) {
    const int code = Rondo_Alltoall(from, sent, MPI_INT, to, received, MPI_INT, comm);
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    return error_class;
  };
  ASSERT_EQ(alltoall(send.data(), 16, recv.data(), 16), MPI_SUCCESS);
  EXPECT_EQ(alltoall(nullptr, 15, recv.data(), 15), MPI_ERR_BUFFER);
  EXPECT_EQ(alltoall(send.data(), 15, nullptr, 15), MPI_ERR_BUFFER);
  EXPECT_EQ(alltoall(send.data(), 15, send.data() + p * 15 - 1, 15), MPI_ERR_BUFFER);
  EXPECT_EQ(alltoall(send.data() + p * 15 - 1, 15, send.data(), 15), MPI_ERR_BUFFER);
  EXPECT_EQ(alltoall(send.data(), 15, MPI_IN_PLACE, 15), MPI_ERR_BUFFER);
  EXPECT_EQ(alltoall(send.data(), -1, recv.data(), -1), MPI_ERR_COUNT);
  EXPECT_EQ(alltoall(send.data(), 14, recv.data(), 15), MPI_ERR_TRUNCATE);
  EXPECT_EQ(alltoall(send.data(), 0, recv.data(), 0), MPI_SUCCESS);
  EXPECT_EQ(Rondo_Allgather(send.data(), 0, MPI_DATATYPE_NULL, recv.data(), 0, MPI_DATATYPE_NULL, comm), MPI_SUCCESS);
  EXPECT_EQ(alltoall(send.data(), 15, send.data() + p * 15, 15), MPI_SUCCESS);
  Comm ours(comm);
  ours.allreduce(std::span(send).first(16), std::span(recv).first(16), MPI_SUM);
  EXPECT_THROW(ours.allreduce(std::span(send).first(15), std::span(recv).first(14), MPI_SUM), Error);
  MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace rondo::internal::changing_sizes_test
