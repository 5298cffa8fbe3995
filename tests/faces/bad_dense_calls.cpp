// Bad input to dense alltoalls, in all their forms: refused with MPI's error class and a text that names the argument,
// its value and what is allowed. Nobody waits for a rank that made a mistake in an _init call, and the communicator is
// as good as before.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/bad_input.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::bad_dense_calls_test {
namespace {

enum class Shape { regular, v, w };
enum class Form { blocking, nonblocking, init };

/// The arguments of any of the nine functions; for v and w, counts and types are those of the last block, while the
/// others have one MPI_INT each.
struct Arguments {
  const void* send;
  int send_count = 1;
  MPI_Datatype send_type = MPI_INT;
  void* recv;
  int recv_count = 1;
  MPI_Datatype recv_type = MPI_INT;
  MPI_Comm comm;
  MPI_Info info = MPI_INFO_NULL;
  Rondo_Request* request;
};

struct Side {
  Side(int p, int count, MPI_Datatype type)
      : counts(static_cast<std::size_t>(p), 1),
        places(counts.size()),
        bytes(counts.size()),
        types(counts.size(), MPI_INT) {
    counts.back() = count;
    types.back() = type;
    std::iota(places.begin(), places.end(), 0);
    for (std::size_t j = 0; j < bytes.size(); ++j) bytes[j] = static_cast<int>(j * sizeof(int));
  }
  std::vector<int> counts, places, bytes;
  std::vector<MPI_Datatype> types;
};

std::string name_of(Shape shape, Form form) {
  return std::string("Rondo_") + (form == Form::nonblocking ? "Ialltoall" : "Alltoall") +
         (shape == Shape::regular ? ""
          : shape == Shape::v     ? "v"
                                  : "w") +
         (form == Form::init ? "_init" : "");
}

int call(Shape shape, Form form, const Arguments& a) {
  const Side s(world_size(), a.send_count, a.send_type);
  const Side r(world_size(), a.recv_count, a.recv_type);
  // Everything but the last arguments.
  const auto regular = [&](auto function, auto... last) {
    return function(a.send, a.send_count, a.send_type, a.recv, a.recv_count, a.recv_type, a.comm, last...);
  };
  const auto v = [&](auto function, auto... last) {
    return function(a.send, s.counts.data(), s.places.data(), a.send_type, a.recv, r.counts.data(), r.places.data(),
                    a.recv_type, a.comm, last...);
  };
  const auto w = [&](auto function, auto... last) {
    return function(a.send, s.counts.data(), s.bytes.data(), s.types.data(), a.recv, r.counts.data(), r.bytes.data(),
                    r.types.data(), a.comm, last...);
  };
  switch (shape) {
    case Shape::regular:
      return form == Form::blocking      ? regular(Rondo_Alltoall)
             : form == Form::nonblocking ? regular(Rondo_Ialltoall, a.request)
                                         : regular(Rondo_Alltoall_init, a.info, a.request);
    case Shape::v:
      return form == Form::blocking      ? v(Rondo_Alltoallv)
             : form == Form::nonblocking ? v(Rondo_Ialltoallv, a.request)
                                         : v(Rondo_Alltoallv_init, a.info, a.request);
    case Shape::w:
      break;
  }
  return form == Form::blocking      ? w(Rondo_Alltoallw)
         : form == Form::nonblocking ? w(Rondo_Ialltoallw, a.request)
                                     : w(Rondo_Alltoallw_init, a.info, a.request);
}

constexpr std::array kShapes{Shape::regular, Shape::v, Shape::w};
constexpr std::array kForms{Form::blocking, Form::nonblocking, Form::init};

class BadDenseCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    send.assign(static_cast<std::size_t>(p + 1), rank);
    recv.assign(static_cast<std::size_t>(p + 1), -1);
  }
  void TearDown() override {
    expect_good_as_before();
    MPI_Comm_free(&comm);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  }
  void expect_good_as_before() {
    for (const Shape shape : kShapes) {
      for (const Form form : kForms) {
        std::ranges::fill(recv, -1);
        Rondo_Request its = RONDO_REQUEST_NULL;
        Arguments arguments = right();
        arguments.request = &its;
        ASSERT_EQ(call(shape, form, arguments), MPI_SUCCESS) << name_of(shape, form);
        if (form == Form::init) {
          ASSERT_EQ(Rondo_Start(&its), MPI_SUCCESS);
        }
        if (form != Form::blocking) {
          ASSERT_EQ(Rondo_Wait(&its, MPI_STATUS_IGNORE), MPI_SUCCESS);
        }
        if (form == Form::init) {
          ASSERT_EQ(Rondo_Request_free(&its), MPI_SUCCESS);
        }
        for (int j = 0; j < p; ++j) ASSERT_EQ(recv[static_cast<std::size_t>(j)], j) << name_of(shape, form);
      }
    }
  }
  [[nodiscard]] Arguments right() {
    return {.send = send.data(), .recv = recv.data(), .comm = comm, .request = &request};
  }
  /// What an _init call with these arguments on the last rank, and right ones elsewhere, says on all of them.
  void expect_told_to_all(Shape shape, const Arguments& wrong, int error_class, const std::string& words, int line) {
    const int code = call(shape, Form::init, rank == p - 1 ? wrong : right());
    if (rank == p - 1)
      expect_error(code, error_class, {name_of(shape, Form::init).c_str(), words.c_str()}, line);
    else
      expect_error(code, MPI_ERR_ARG, {("rank " + std::to_string(p - 1) + " of comm was given a bad").c_str()}, line);
    EXPECT_EQ(request, RONDO_REQUEST_NULL);
  }

  int rank = world_rank();
  int p = world_size();
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> send;
  std::vector<int> recv;
  Rondo_Request request = RONDO_REQUEST_NULL;
};

/// One wrong argument. v and w have "sendcounts[3]" where a regular call has "sendcount", w "sendtypes[3]" likewise.
struct Mistake {
  std::function<void(Arguments&)> make;
  int error_class;
  std::string argument;
  std::string words;

  [[nodiscard]] std::string text(Shape shape) const {
    const bool per_block =
        (shape != Shape::regular && argument.ends_with("count")) || (shape == Shape::w && argument.ends_with("type"));
    return argument + (per_block ? "s[" + std::to_string(world_size() - 1) + "]" : "") + words;
  }
};

TEST_F(BadDenseCalls, EveryArgumentInEveryForm) {
  MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(1, MPI_INT, &uncommitted);
  const std::string all = std::to_string(p * static_cast<int>(sizeof(int)));
  const std::vector<Mistake> mistakes{
      {[](Arguments& a) { a.send_count = -1; }, MPI_ERR_COUNT, "sendcount", ": is -1, must be at least 0"},
      {[](Arguments& a) { a.recv_count = -2; }, MPI_ERR_COUNT, "recvcount", ": is -2, must be at least 0"},
      {[](Arguments& a) { a.send_type = MPI_DATATYPE_NULL; }, MPI_ERR_TYPE, "sendtype", ": is MPI_DATATYPE_NULL, must"},
      {[](Arguments& a) { a.recv_type = MPI_DATATYPE_NULL; }, MPI_ERR_TYPE, "recvtype", ": is MPI_DATATYPE_NULL, must"},
      {[&](Arguments& a) { a.send_type = uncommitted; }, MPI_ERR_TYPE, "sendtype", ": "},
      {[&](Arguments& a) { a.recv_type = uncommitted; }, MPI_ERR_TYPE, "recvtype", ": "},
      {[](Arguments& a) { a.send = nullptr; }, MPI_ERR_BUFFER, "sendbuf", ": is null, must point to " + all + " bytes"},
      {[](Arguments& a) { a.recv = nullptr; }, MPI_ERR_BUFFER, "recvbuf", ": is null, must point to " + all + " bytes"},
      {[](Arguments& a) { a.recv = MPI_IN_PLACE; }, MPI_ERR_BUFFER, "recvbuf",
       ": is MPI_IN_PLACE, which only the sendbuf"},
      {[](Arguments& a) { a.recv = const_cast<void*>(a.send); }, MPI_ERR_BUFFER, "sendbuf and recvbuf",
       ": 4 bytes at recvbuf + 0 are both sent and received"},
      // In place the receive side says it all.
      {[](Arguments& a) {
         a.send = MPI_IN_PLACE;
         a.recv_count = -2;
       },
       MPI_ERR_COUNT, "recvcount", ": is -2"},
      {[](Arguments& a) {
         a.send = MPI_IN_PLACE;
         a.recv_type = MPI_DATATYPE_NULL;
       },
       MPI_ERR_TYPE, "recvtype", ": is MPI_DATATYPE_NULL"},
      {[](Arguments& a) {
         a.send = MPI_IN_PLACE;
         a.recv = nullptr;
       },
       MPI_ERR_BUFFER, "recvbuf", ": is null"},
      {[](Arguments& a) {
         a.send = MPI_IN_PLACE;
         a.recv = MPI_IN_PLACE;
       },
       MPI_ERR_BUFFER, "recvbuf", ": is MPI_IN_PLACE"}};
  for (const Mistake& mistake : mistakes) {
    for (const Shape shape : kShapes) {
      Arguments wrong = right();
      mistake.make(wrong);
      for (const Form form : kForms) {
        SCOPED_TRACE(name_of(shape, form) + ", " + mistake.text(shape));
        expect_error(call(shape, form, wrong), mistake.error_class,
                     {name_of(shape, form).c_str(), mistake.text(shape).c_str()}, __LINE__);
        EXPECT_EQ(request, RONDO_REQUEST_NULL);
      }
      expect_told_to_all(shape, wrong, mistake.error_class, mistake.text(shape), __LINE__);
    }
  }
  MPI_Type_free(&uncommitted);
}

/// In place nothing but the address is looked at on the send side.
TEST_F(BadDenseCalls, InPlaceOverlooksTheSendSide) {
  for (const Shape shape : kShapes) {
    Arguments in_place = right();
    in_place.send = MPI_IN_PLACE;
    in_place.send_count = -5;
    in_place.send_type = MPI_DATATYPE_NULL;
    EXPECT_EQ(call(shape, Form::blocking, in_place), MPI_SUCCESS);
  }
  std::ranges::fill(recv, rank);
  const Side side(p, 1, MPI_INT);
  EXPECT_EQ(Rondo_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, recv.data(), side.counts.data(),
                            side.places.data(), MPI_INT, comm),
            MPI_SUCCESS);
  for (int j = 0; j < p; ++j) EXPECT_EQ(recv[static_cast<std::size_t>(j)], j);
}

TEST_F(BadDenseCalls, Communicators) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (p > 1) MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &inter);
  if (inter != MPI_COMM_NULL) MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
  for (const Shape shape : kShapes) {
    for (const Form form : kForms) {
      Arguments wrong = right();
      wrong.comm = MPI_COMM_NULL;
      expect_error(call(shape, form, wrong), MPI_ERR_COMM, {"comm: is MPI_COMM_NULL, must be an intra"}, __LINE__);
      if (inter == MPI_COMM_NULL) continue;
      wrong.comm = inter;
      expect_error(call(shape, form, wrong), MPI_ERR_COMM, {"comm: is an intercommunicator, must be"}, __LINE__);
    }
  }
  expect_error(Rondo_Comm_prepare(MPI_COMM_NULL, MPI_INFO_NULL), MPI_ERR_COMM, {"Rondo_Comm_prepare", "MPI_COMM_NULL"},
               __LINE__);
  EXPECT_EQ(class_of([] { return Comm(MPI_COMM_NULL); }), MPI_ERR_COMM);
  if (inter != MPI_COMM_NULL) {
    EXPECT_EQ(class_of([&] { return Comm(inter); }), MPI_ERR_COMM);
    MPI_Comm_free(&inter);
  }
  MPI_Comm_free(&half);
}

TEST_F(BadDenseCalls, MissingArrays) {
  const Side side(p, 1, MPI_INT);
  const int* const counts = side.counts.data();
  const int* const places = side.places.data();
  const int* const bytes = side.bytes.data();
  const MPI_Datatype* const types = side.types.data();
  const std::string entries = ": is null, must have " + std::to_string(p) + " entries";
  struct Arrays {
    const int* send_counts;
    const int* send_places;
    const MPI_Datatype* send_types;
    const int* recv_counts;
    const int* recv_places;
    const MPI_Datatype* recv_types;
    const char* argument;
  };
  const std::array missing_in_v{Arrays{nullptr, places, types, counts, places, types, "sendcounts"},
                                Arrays{counts, nullptr, types, counts, places, types, "send displacements"},
                                Arrays{counts, places, types, nullptr, places, types, "recvcounts"},
                                Arrays{counts, places, types, counts, nullptr, types, "recv displacements"}};
  for (const Arrays& a : missing_in_v) {
    const std::string words = a.argument + entries;
    expect_error(Rondo_Alltoallv(send.data(), a.send_counts, a.send_places, MPI_INT, recv.data(), a.recv_counts,
                                 a.recv_places, MPI_INT, comm),
                 MPI_ERR_ARG, {words.c_str()}, __LINE__);
    expect_error(Rondo_Ialltoallv(send.data(), a.send_counts, a.send_places, MPI_INT, recv.data(), a.recv_counts,
                                  a.recv_places, MPI_INT, comm, &request),
                 MPI_ERR_ARG, {words.c_str()}, __LINE__);
    expect_error(Rondo_Alltoallv_init(send.data(), a.send_counts, a.send_places, MPI_INT, recv.data(), a.recv_counts,
                                      a.recv_places, MPI_INT, comm, MPI_INFO_NULL, &request),
                 MPI_ERR_ARG, {words.c_str()}, __LINE__);
  }
  const std::array missing_in_w{Arrays{nullptr, bytes, types, counts, bytes, types, "sendcounts"},
                                Arrays{counts, nullptr, types, counts, bytes, types, "send displacements"},
                                Arrays{counts, bytes, nullptr, counts, bytes, types, "sendtypes"},
                                Arrays{counts, bytes, types, nullptr, bytes, types, "recvcounts"},
                                Arrays{counts, bytes, types, counts, nullptr, types, "recv displacements"},
                                Arrays{counts, bytes, types, counts, bytes, nullptr, "recvtypes"}};
  for (const Arrays& a : missing_in_w) {
    const std::string words = a.argument + entries;
    expect_error(Rondo_Alltoallw(send.data(), a.send_counts, a.send_places, a.send_types, recv.data(), a.recv_counts,
                                 a.recv_places, a.recv_types, comm),
                 MPI_ERR_ARG, {words.c_str()}, __LINE__);
    expect_error(Rondo_Ialltoallw(send.data(), a.send_counts, a.send_places, a.send_types, recv.data(), a.recv_counts,
                                  a.recv_places, a.recv_types, comm, &request),
                 MPI_ERR_ARG, {words.c_str()}, __LINE__);
    expect_error(Rondo_Alltoallw_init(send.data(), a.send_counts, a.send_places, a.send_types, recv.data(),
                                      a.recv_counts, a.recv_places, a.recv_types, comm, MPI_INFO_NULL, &request),
                 MPI_ERR_ARG, {words.c_str()}, __LINE__);
  }
}

TEST_F(BadDenseCalls, BlocksToSelfOfTwoSizes) {
  const std::string own = "[" + std::to_string(rank) + "]";
  const std::string words =
      "sendcounts" + own + " and recvcounts" + own + ": the process sends itself 4 bytes and receives 8, must be equal";
  Side sent(p, 1, MPI_INT);
  Side received(p, 1, MPI_INT);
  received.counts[static_cast<std::size_t>(rank)] = 2;
  for (std::size_t j = static_cast<std::size_t>(rank) + 1; j < received.places.size(); ++j) {
    ++received.places[j];
    received.bytes[j] += 4;
  }
  const auto v = [&](auto function, auto... last) {
    return function(send.data(), sent.counts.data(), sent.places.data(), MPI_INT, recv.data(), received.counts.data(),
                    received.places.data(), MPI_INT, comm, last...);
  };
  const auto w = [&](auto function, auto... last) {
    return function(send.data(), sent.counts.data(), sent.bytes.data(), sent.types.data(), recv.data(),
                    received.counts.data(), received.bytes.data(), received.types.data(), comm, last...);
  };
  for (const int code :
       {v(Rondo_Alltoallv), v(Rondo_Ialltoallv, &request), v(Rondo_Alltoallv_init, MPI_INFO_NULL, &request),
        w(Rondo_Alltoallw), w(Rondo_Ialltoallw, &request)})
    EXPECT_EQ(code, MPI_ERR_TRUNCATE);
  expect_error(w(Rondo_Alltoallw_init, MPI_INFO_NULL, &request), MPI_ERR_TRUNCATE, {words.c_str()}, __LINE__);
  Arguments wrong = right();
  wrong.recv_count = 2;
  for (const Form form : kForms) {
    expect_error(call(Shape::regular, form, wrong), MPI_ERR_TRUNCATE,
                 {"sendcount and recvcount: a send block has 4 bytes and a receive block has 8, must be equal"},
                 __LINE__);
  }
}

TEST_F(BadDenseCalls, RanksThatDifferInAnInit) {
  if (p == 1) GTEST_SKIP() << "needs two ranks";
  const bool other = rank == 1;
  Arguments arguments = right();
  arguments.send_count = arguments.recv_count = other ? 0 : 1;
  expect_error(call(Shape::regular, Form::init, arguments), MPI_ERR_COUNT,
               {"recvcount: all ranks", other ? "here 0 bytes" : "here 4 bytes", "elsewhere from 0 to 4"}, __LINE__);
  for (const Shape shape : kShapes) {
    arguments = right();
    if (other) arguments.send = MPI_IN_PLACE;
    expect_error(call(shape, Form::init, arguments), MPI_ERR_BUFFER,
                 {"sendbuf: must be MPI_IN_PLACE on all ranks or on none", other ? "here it is)" : "here it is not)"},
                 __LINE__);
  }
  for (const Shape shape : {Shape::v, Shape::w}) {
    for (const int sent : {0, 2}) {
      arguments = right();
      if (rank == 0) arguments.send_count = sent;
      expect_error(call(shape, Form::init, arguments), MPI_ERR_TRUNCATE,
                   {name_of(shape, Form::init).c_str(), ("recv block 0: has 4 bytes on rank " + std::to_string(p - 1) +
                                                         ", but rank 0 sends " + std::to_string(4 * sent))
                                                            .c_str()},
                   __LINE__);
      EXPECT_EQ(request, RONDO_REQUEST_NULL);
    }
  }
  for (const auto& [key, value] : {std::pair{"rondo_algorithm", "direct"},
                                   {"rondo_schedule", "phases"},
                                   {"rondo_messages", "staged"},
                                   {"rondo_ports", "3"},
                                   {"rondo_queue", "batches"},
                                   {"rondo_radix", "3"},
                                   {"rondo_segment", "100"},
                                   {"rondo_seed", "calls"},
                                   {"rondo_regular_ratio", "1.5"},
                                   {"rondo_learn_again", "1000"},
                                   {"rondo_check", "true"}}) {
    arguments = right();
    MPI_Info_create(&arguments.info);
    if (other) MPI_Info_set(arguments.info, key, value);
    expect_error(call(Shape::v, Form::init, arguments), MPI_ERR_INFO_VALUE, {"info: all ranks must ask for the same"},
                 __LINE__);
    expect_error(Rondo_Comm_prepare(comm, arguments.info), MPI_ERR_INFO_VALUE, {"info: all ranks of comm must"},
                 __LINE__);
    MPI_Info_free(&arguments.info);
  }
  Options options;
  options.dense.seed = other ? "5" : "6";
  EXPECT_EQ(class_of([&] { return Comm(comm, options); }), MPI_ERR_INFO_VALUE);
}

/// A value that no key allows, everywhere that settings come from.
TEST_F(BadDenseCalls, Settings) {
  struct Value {
    const char* key;
    const char* value;
    const char* allowed;
  };
  for (const Value& wrong : {Value{"rondo_queue", "later", "must be window or batches"},
                             {"rondo_radix", "1", "must be a number of at least 2, or 0"},
                             {"rondo_radix", "-2", "must be a number of at least 2, or 0"},
                             {"rondo_radix", "2.5", "must be a number of at least 2, or 0"},
                             {"rondo_segment", "0", "must be a number of bytes, at least 1"},
                             {"rondo_segment", "16K", "must be a number of bytes, at least 1"},
                             {"rondo_seed", "dice", "must be size, calls or a number"},
                             {"rondo_seed", "-1", "must be size, calls or a number"},
                             {"rondo_regular_ratio", "0.5", "must be a number, at least 1"},
                             {"rondo_regular_ratio", "nan", "must be a number, at least 1"},
                             {"rondo_regular_ratio", "much", "must be a number, at least 1"},
                             {"rondo_learn_again", "99", "must be auto, off or a number of starts, at least 100"},
                             {"rondo_algorithm", "fastest", "zero-copy-bruck"},
                             {"rondo_ports", "many", "must be a number of exchanges"}}) {
    const std::string is = std::string(wrong.key) + ": is \"" + wrong.value + "\"";
    SCOPED_TRACE(is);
    Arguments arguments = right();
    MPI_Info_create(&arguments.info);
    MPI_Info_set(arguments.info, wrong.key, wrong.value);
    for (const Shape shape : kShapes) {
      expect_error(call(shape, Form::init, arguments), MPI_ERR_INFO_VALUE, {is.c_str(), wrong.allowed}, __LINE__);
      expect_told_to_all(shape, arguments, MPI_ERR_INFO_VALUE, is, __LINE__);
    }
    expect_error(Rondo_Comm_prepare(comm, arguments.info), MPI_ERR_INFO_VALUE, {is.c_str(), wrong.allowed}, __LINE__);
    const int code = Rondo_Comm_prepare(comm, rank == p - 1 ? arguments.info : MPI_INFO_NULL);
    if (rank == p - 1)
      expect_error(code, MPI_ERR_INFO_VALUE, {is.c_str()}, __LINE__);
    else
      expect_error(code, MPI_ERR_ARG, {("rank " + std::to_string(p - 1) + " of comm").c_str()}, __LINE__);
    MPI_Info_free(&arguments.info);
    std::string variable = wrong.key;
    for (char& letter : variable) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    MPI_Comm fresh = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    setenv(variable.c_str(), wrong.value, 1);
    arguments = right();
    arguments.comm = fresh;
    for (const Form form : kForms) {
      expect_error(call(Shape::regular, form, arguments), MPI_ERR_INFO_VALUE,
                   {("environment variable " + variable).c_str(), is.c_str(), wrong.allowed}, __LINE__);
    }
    unsetenv(variable.c_str());
    EXPECT_EQ(call(Shape::regular, Form::blocking, arguments), MPI_SUCCESS) << "nothing was left behind";
    MPI_Comm_free(&fresh);
  }
  Options options;
  for (const auto& set : std::array<void (*)(Options&), 5>{
           [](Options& o) { o.dense.queue = static_cast<Queue>(200); }, [](Options& o) { o.dense.radix = 1; },
           [](Options& o) { o.dense.segment = -1; }, [](Options& o) { o.dense.seed = "dice"; },
           [](Options& o) { o.dense.regular_ratio = 0.5; }}) {
    options = {};
    set(options);
    EXPECT_EQ(class_of([&] { return Comm(comm, options); }), MPI_ERR_INFO_VALUE);
    EXPECT_EQ(class_of([&] { return Comm(comm, rank == p - 1 ? options : Options()); }),
              rank == p - 1 ? MPI_ERR_INFO_VALUE : MPI_ERR_ARG);
  }
  options = {};
  options.reorder = true;
  EXPECT_EQ(class_of([&] { return Comm(comm, options); }), MPI_ERR_ARG);
}

TEST_F(BadDenseCalls, NoRequest) {
  for (const Shape shape : kShapes) {
    Arguments arguments = right();
    arguments.request = nullptr;
    expect_error(call(shape, Form::nonblocking, arguments), MPI_ERR_ARG, {"request: is null"}, __LINE__);
    expect_error(call(shape, Form::init, arguments), MPI_ERR_ARG, {"request: is null"}, __LINE__);
    expect_told_to_all(shape, arguments, MPI_ERR_ARG, "request: is null", __LINE__);
  }
}

/// The first call on a communicator begins to duplicate it, refused or not: all ranks do, and may still go on, or free
/// it at once.
TEST_F(BadDenseCalls, AFirstNonblockingCallThatIsRefused) {
  for (const bool goes_on : {true, false}) {
    MPI_Comm fresh = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    Arguments arguments = right();
    arguments.comm = fresh;
    const bool mistaken = goes_on ? rank == p - 1 : true;
    arguments.recv_count = mistaken ? -1 : 1;
    const int code = call(Shape::regular, Form::nonblocking, arguments);
    if (mistaken) expect_error(code, MPI_ERR_COUNT, {"recvcount: is -1"}, __LINE__);
    if (goes_on) {
      arguments.recv_count = 1;
      if (mistaken) {
        EXPECT_EQ(call(Shape::regular, Form::nonblocking, arguments), MPI_SUCCESS);
      }
      EXPECT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      for (int j = 0; j < p; ++j) EXPECT_EQ(recv[static_cast<std::size_t>(j)], j);
    }
    MPI_Comm_free(&fresh);
  }
}

/// A refused call takes no seed: the random orders of the next one still agree.
TEST_F(BadDenseCalls, RefusedCallsDoNotCount) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "rondo_algorithm", "randomized");
  MPI_Info_set(info, "rondo_seed", "calls");
  ASSERT_EQ(Rondo_Comm_prepare(comm, info), MPI_SUCCESS);
  MPI_Info_free(&info);
  Arguments wrong = right();
  wrong.recv = wrong.recv_count == 1 ? send.data() : nullptr;
  if (rank == 0) expect_error(call(Shape::regular, Form::nonblocking, wrong), MPI_ERR_BUFFER, {"both sent"}, __LINE__);
  expect_told_to_all(Shape::v, wrong, MPI_ERR_BUFFER, "both sent", __LINE__);
}

TEST_F(BadDenseCalls, ExceptionsInCpp) {
  Comm good(comm);
  const std::span<const int> from(send);
  const std::span<int> to(recv);
  const bool mistaken = rank == p - 1;
  const auto told = [&](int error_class) { return mistaken ? error_class : MPI_ERR_ARG; };
  EXPECT_EQ(class_of([&] { good.alltoall(from.first(0), to); }), MPI_ERR_BUFFER);
  EXPECT_EQ(class_of([&] { return good.ialltoall(from, to, p + 2); }), MPI_ERR_BUFFER);
  EXPECT_EQ(class_of([&] { good.alltoall(in_place, to.first(0)); }), MPI_ERR_BUFFER);
  EXPECT_EQ(class_of([&] { good.alltoall(from, to, -1); }), MPI_ERR_COUNT);
  EXPECT_EQ(class_of([&] { return good.alltoall_init(mistaken ? from.first(0) : from, to); }), told(MPI_ERR_BUFFER));
  const Side side(p, 1, MPI_INT);
  const BlockPlaces places{side.counts, side.places};
  const BlockPlaces uneven{side.counts, std::span(side.places).first(0)};
  const std::vector<int> many(static_cast<std::size_t>(p + 1));
  const BlockPlaces more{many, many};
  for (const BlockPlaces& wrong : {uneven, more}) {
    EXPECT_EQ(class_of([&] { good.alltoallv(from, wrong, to, places); }), MPI_ERR_ARG);
    EXPECT_EQ(class_of([&] { return good.ialltoallv(from, places, to, wrong); }), MPI_ERR_ARG);
    EXPECT_EQ(class_of([&] { return good.alltoallv_init(from, places, to, mistaken ? wrong : places); }), MPI_ERR_ARG);
    EXPECT_EQ(class_of([&] { return good.alltoallv_init(in_place, to, mistaken ? wrong : places); }), MPI_ERR_ARG);
  }
  try {
    good.alltoallv(from, more, to, places);
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("must have " + std::to_string(p) + ", one for each neighbor or rank"),
              std::string::npos)
        << error.what();
  }
  std::vector<SendBlock> blocks(static_cast<std::size_t>(p), SendBlock{send.data(), 1, MPI_INT});
  std::vector<RecvBlock> targets;
  for (int& element : std::span(recv).first(static_cast<std::size_t>(p))) targets.push_back({&element, 1, MPI_INT});
  EXPECT_EQ(class_of([&] { good.alltoallw(std::span(blocks).first(0), targets); }), MPI_ERR_ARG);
  EXPECT_EQ(class_of([&] { return good.ialltoallw(in_place, std::span(targets).first(0)); }), MPI_ERR_ARG);
  EXPECT_EQ(
      class_of([&] { return good.alltoallw_init(std::span(blocks).first(mistaken ? 0 : blocks.size()), targets); }),
      MPI_ERR_ARG);
  targets.back().type = mistaken ? MPI_DATATYPE_NULL : MPI_INT;
  EXPECT_EQ(class_of([&] { return good.alltoallw_init(blocks, targets); }), told(MPI_ERR_TYPE));
  Options options;
  if (mistaken) options.dense.queue = static_cast<Queue>(200);
  EXPECT_EQ(class_of([&] { return good.alltoall_init(from, to, 1, options); }), told(MPI_ERR_INFO_VALUE));
  good.alltoall(from, to);
  for (int j = 0; j < p; ++j) EXPECT_EQ(recv[static_cast<std::size_t>(j)], j);
  const Comm other = std::move(good);
  EXPECT_EQ(other.size(), p);
  EXPECT_EQ(class_of([&] { return good.rank(); }), MPI_ERR_COMM);
  EXPECT_EQ(class_of([&] { good.alltoall(from, to); }), MPI_ERR_COMM);
}

}  // namespace
}  // namespace rondo::internal::bad_dense_calls_test
