// Bad arguments of a halo exchange: each is refused on all ranks, with MPI's error class and a text that names it,
// also when only one rank gave it, and when each is good and they do not fit.
#include "collectives/arguments/halo_call.hpp"

#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace rondo::internal::halo_call_test {
namespace {

/// Arguments of Rondo_Halo_init, good at first.
struct Arguments {
  void* array = nullptr;
  int ndims = 2;
  std::vector<int> sizes{6, 7};
  std::vector<MPI_Aint> strides;
  std::vector<int> low{1, 1};
  std::vector<int> high{1, 2};
  int order = MPI_ORDER_C;
  MPI_Datatype element = MPI_INT;
  int stencil = RONDO_STENCIL_BOX;
  const char* algorithm = "auto";
};

class HaloArguments : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    std::vector<int> sizes{ranks_, 1};
    grid_.emplace(MPI_COMM_WORLD, sizes, std::vector<int>{1, 0}, Neighborhood(2));
    MPI_Comm_set_errhandler(grid_->native(), MPI_ERRORS_RETURN);
  }
  /// Whatever was refused, the communicator still works.
  void TearDown() override {
    EXPECT_EQ(init({}), MPI_SUCCESS);
    EXPECT_EQ(Rondo_Start(&request_), MPI_SUCCESS);
    EXPECT_EQ(Rondo_Wait(&request_, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(Rondo_Request_free(&request_), MPI_SUCCESS);
  }

  int init(const std::function<void(Arguments&)>& change) {
    Arguments with;
    with.array = memory_.data();
    if (change) change(with);
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "rondo_algorithm", with.algorithm);
    const auto list = [](const auto& values) { return values.empty() ? nullptr : values.data(); };
    const int code =
        Rondo_Halo_init(with.array, with.ndims, list(with.sizes), list(with.strides), list(with.low), list(with.high),
                        with.order, with.element, with.stencil, grid_->native(), info, &request_);
    MPI_Info_free(&info);
    return code;
  }

  static std::string text_of(int code) {
    std::array<char, RONDO_MAX_ERROR_STRING> text{};
    int length = 0;
    Rondo_Error_string(code, text.data(), &length);
    return text.data();
  }

  /// On all ranks at once, and on the last one only, where the others hear of it.
  void expect_refused(const std::function<void(Arguments&)>& change, int error_class, const std::string& words,
                      int line) {
    int code = init(change);
    EXPECT_EQ(code, error_class) << "line " << line;
    EXPECT_NE(text_of(code).find("Rondo_Halo_init: " + words), std::string::npos)
        << "line " << line << ": " << text_of(code);
    EXPECT_EQ(request_, RONDO_REQUEST_NULL);
    if (ranks_ == 1) return;
    const bool last = rank_ == ranks_ - 1;
    code = init(last ? change : std::function<void(Arguments&)>{});
    EXPECT_EQ(code, last ? error_class : MPI_ERR_ARG) << "line " << line;
    const std::string expected = last ? words : "rank " + std::to_string(ranks_ - 1) + " of cartcomm was given a bad";
    EXPECT_NE(text_of(code).find(expected), std::string::npos) << "line " << line << ": " << text_of(code);
  }

  /// Good on every rank, but not together.
  void expect_disagreement(const std::function<void(Arguments&)>& change, int error_class, const std::string& words,
                           int line) {
    if (ranks_ == 1) return;
    const int code = init(rank_ == 1 ? change : std::function<void(Arguments&)>{});
    EXPECT_EQ(code, error_class) << "line " << line;
    EXPECT_NE(text_of(code).find("Rondo_Halo_init: " + words), std::string::npos)
        << "line " << line << ": " << text_of(code);
  }

  int rank_ = 0;
  int ranks_ = 0;
  std::optional<CartComm> grid_;
  std::vector<int> memory_ = std::vector<int>(1000);
  Rondo_Request request_ = RONDO_REQUEST_NULL;
};

TEST_F(HaloArguments, Dimensions) {
  expect_refused([](Arguments& it) { it.ndims = 1; }, MPI_ERR_DIMS, "ndims: is 1, must be at least 2", __LINE__);
  expect_refused([](Arguments& it) { it.ndims = -3; }, MPI_ERR_DIMS, "ndims: is -3", __LINE__);
}

TEST_F(HaloArguments, Lists) {
  expect_refused([](Arguments& it) { it.sizes.clear(); }, MPI_ERR_ARG, "sizes: is null", __LINE__);
  expect_refused([](Arguments& it) { it.low.clear(); }, MPI_ERR_ARG, "depth_low: is null", __LINE__);
  expect_refused([](Arguments& it) { it.high.clear(); }, MPI_ERR_ARG, "depth_high: is null", __LINE__);
}

TEST_F(HaloArguments, SizesAndDepths) {
  expect_refused([](Arguments& it) { it.low[1] = -1; }, MPI_ERR_ARG, "depth_low[1]: is -1, must be at least 0",
                 __LINE__);
  expect_refused([](Arguments& it) { it.high[0] = -2; }, MPI_ERR_ARG, "depth_high[0]: is -2, must be at least 0",
                 __LINE__);
  expect_refused([](Arguments& it) { it.sizes[0] = 1; }, MPI_ERR_ARG, "sizes[0]: is 1, must be at least 2", __LINE__);
  expect_refused([](Arguments& it) { it.sizes[1] = -1; }, MPI_ERR_ARG, "sizes[1]: is -1, must be at least 3", __LINE__);
  const auto third = [](int low, int high) {
    return [=](Arguments& it) {
      it.ndims = 3;
      it.sizes.push_back(4);
      it.low.push_back(low);
      it.high.push_back(high);
    };
  };
  expect_refused(third(1, 0), MPI_ERR_ARG, "depth_low[2]: is 1, must be 0", __LINE__);
  expect_refused(third(0, 2), MPI_ERR_ARG, "depth_high[2]: is 2, must be 0", __LINE__);
}

TEST_F(HaloArguments, Strides) {
  const auto strides = [](MPI_Aint first, MPI_Aint second) {
    return [=](Arguments& it) { it.strides = {first, second}; };
  };
  expect_refused(strides(6, 1), MPI_ERR_ARG, "strides[0]: is 6, must be at least 7", __LINE__);
  expect_refused(strides(1, 5), MPI_ERR_ARG, "strides[1]: is 5, must be at least 6", __LINE__);
  expect_refused(strides(12, 2), MPI_ERR_ARG, "strides[0]: is 12, must be at least 13", __LINE__);
  expect_refused(strides(3, 3), MPI_ERR_ARG, "strides[1]: is 3, must be at least 16", __LINE__);
  expect_refused(strides(7, 0), MPI_ERR_ARG, "strides[1]: is 0, must be at least 1", __LINE__);
  expect_refused(strides(-7, 1), MPI_ERR_ARG, "strides[0]: is -7, must be at least 1", __LINE__);
  expect_refused(strides(MPI_Aint{1} << 61, 1), MPI_ERR_ARG, "strides: the array reaches over more bytes", __LINE__);
  expect_refused(strides(MPI_Aint{1} << 60, 1), MPI_ERR_ARG, "strides: the array reaches over more bytes", __LINE__);
  for (const auto& good : {strides(7, 1), strides(13, 2), strides(1, 6), strides(20, 3)}) {
    EXPECT_EQ(init(good), MPI_SUCCESS);
    EXPECT_EQ(Rondo_Request_free(&request_), MPI_SUCCESS);
  }
  // Each rank may have its own.
  EXPECT_EQ(init(rank_ % 2 == 0 ? strides(9, 1) : strides(1, 8)), MPI_SUCCESS);
  EXPECT_EQ(Rondo_Request_free(&request_), MPI_SUCCESS);
}

/// Along the first dimension there are neighbors, along the second nobody, who takes nothing.
TEST_F(HaloArguments, DepthsBeyondTheNeighbor) {
  expect_refused(
      [](Arguments& it) {
        it.low[0] = 3;
        it.high[0] = 1;
      },
      MPI_ERR_ARG, "depth_low[0]: is 3, must be at most 2", __LINE__);
  expect_refused([](Arguments& it) { it.high[0] = 3; }, MPI_ERR_ARG, "depth_high[0]: is 3, must be at most 2",
                 __LINE__);
  EXPECT_EQ(init([](Arguments& it) { it.high[1] = 6; }), MPI_SUCCESS);
  EXPECT_EQ(Rondo_Request_free(&request_), MPI_SUCCESS);
}

/// At the edge of a mesh nobody takes from what is inside on the one side, and on the other a neighbor does.
TEST_F(HaloArguments, DepthsBeyondTheNeighborOnOneSide) {
  grid_.emplace(MPI_COMM_WORLD, std::vector<int>{ranks_, 1}, std::vector<int>{0, 0}, Neighborhood(2));
  MPI_Comm_set_errhandler(grid_->native(), MPI_ERRORS_RETURN);
  for (const bool low : {true, false}) {
    const int code = init([&](Arguments& it) {
      it.low[0] = low ? 3 : 1;
      it.high[0] = low ? 1 : 3;
    });
    if (ranks_ == 1) {
      EXPECT_EQ(code, MPI_SUCCESS);
      EXPECT_EQ(Rondo_Request_free(&request_), MPI_SUCCESS);
      continue;
    }
    const bool somebody_asks = low ? rank_ < ranks_ - 1 : rank_ > 0;
    const std::string words = std::string(low ? "depth_low" : "depth_high") + "[0]: is 3, must be at most 2";
    EXPECT_EQ(code, MPI_ERR_ARG);
    EXPECT_NE(text_of(code).find(somebody_asks ? words : "of cartcomm was given a bad"), std::string::npos)
        << text_of(code);
  }
}

TEST_F(HaloArguments, OrderStencilElementAndArray) {
  expect_refused([](Arguments& it) { it.order = -7; }, MPI_ERR_ARG, "order: is -7, must be MPI_ORDER_C", __LINE__);
  expect_refused([](Arguments& it) { it.stencil = 2; }, MPI_ERR_ARG, "stencil: is 2, must be RONDO_STENCIL_BOX",
                 __LINE__);
  expect_refused([](Arguments& it) { it.element = MPI_DATATYPE_NULL; }, MPI_ERR_TYPE, "element: is MPI_DATATYPE_NULL",
                 __LINE__);
  expect_refused([](Arguments& it) { it.array = nullptr; }, MPI_ERR_BUFFER, "array: is null", __LINE__);
  expect_refused([](Arguments& it) { it.algorithm = "magic"; }, MPI_ERR_INFO_VALUE, "rondo_algorithm: is \"magic\"",
                 __LINE__);
}

TEST_F(HaloArguments, ElementsThatAreNotCommitted) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  const int code = init([&](Arguments& it) { it.element = pair; });
  EXPECT_EQ(code, MPI_ERR_TYPE) << text_of(code);
  MPI_Type_free(&pair);
}

TEST_F(HaloArguments, TooManyHalos) {
  std::vector<int> sizes(11, 1);
  sizes[0] = ranks_;
  CartComm grid(MPI_COMM_WORLD, sizes, Neighborhood(11));
  std::vector<char> array(177147);
  try {
    static_cast<void>(halo_init(grid, HaloArray::of<char>(array, std::vector<int>(11, 3), 1)));
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_DIMS);
    EXPECT_NE(std::string(error.what()).find("11 dimensions have a halo, must be at most 10"), std::string::npos);
  }
}

TEST_F(HaloArguments, Disagreement) {
  expect_disagreement(
      [](Arguments& it) {
        it.ndims = 3;
        it.sizes.push_back(1);
        it.low.push_back(0);
        it.high.push_back(0);
      },
      MPI_ERR_ARG, "ndims: all ranks must give the same", __LINE__);
  expect_disagreement([](Arguments& it) { it.low[1] = 0; }, MPI_ERR_ARG, "depth_low, depth_high: all ranks", __LINE__);
  // Along the first dimension elements inside may differ, and do then: only the depths tell.
  expect_disagreement([](Arguments& it) { it.low[0] = 0; }, MPI_ERR_ARG, "depth_low, depth_high: all ranks", __LINE__);
  expect_disagreement([](Arguments& it) { it.high[0] = 0; }, MPI_ERR_ARG, "depth_low, depth_high: all ranks", __LINE__);
  expect_disagreement([](Arguments& it) { it.stencil = RONDO_STENCIL_STAR; }, MPI_ERR_ARG, "stencil: all ranks",
                      __LINE__);
  expect_disagreement([](Arguments& it) { it.order = MPI_ORDER_FORTRAN; }, MPI_ERR_ARG, "order: all ranks", __LINE__);
  expect_disagreement([](Arguments& it) { it.element = MPI_DOUBLE; }, MPI_ERR_TYPE, "element: all ranks must give",
                      __LINE__);
  expect_disagreement([](Arguments& it) { it.algorithm = "joined"; }, MPI_ERR_INFO_VALUE, "info: all ranks", __LINE__);
  // Ranks differ along the first dimension, where sizes may differ; along the second they must not.
  expect_disagreement(
      [](Arguments& it) { it.sizes[1] = 8; }, MPI_ERR_TRUNCATE,
      "sizes[1]: ranks with coordinate 0 in this dimension must have the same number of interior elements, "
      "but have from 4 to 5",
      __LINE__);
  EXPECT_EQ(init([&](Arguments& it) { it.sizes[0] = 6 + rank_; }), MPI_SUCCESS);
  EXPECT_EQ(Rondo_Request_free(&request_), MPI_SUCCESS);
}

TEST_F(HaloArguments, ARequestThatIsMissing) {
  const std::array sizes{4, 4};
  const std::array depths{1, 1};
  const int code = Rondo_Halo_init(memory_.data(), 2, sizes.data(), nullptr, depths.data(), depths.data(), MPI_ORDER_C,
                                   MPI_INT, RONDO_STENCIL_BOX, grid_->native(), MPI_INFO_NULL, nullptr);
  EXPECT_EQ(code, MPI_ERR_ARG);
  EXPECT_NE(text_of(code).find("request: is null"), std::string::npos) << text_of(code);
}

/// A rank hears of its own arguments only, also after a call that was right and is remembered.
TEST_F(HaloArguments, OfBlockingAndNonblockingCalls) {
  for (const bool blocking : {true, false}) {
    const std::string name = blocking ? "Rondo_Halo_exchange: " : "Rondo_Ihalo_exchange: ";
    const auto call = [&](const std::function<void(Arguments&)>& change) {
      Arguments with;
      with.array = memory_.data();
      if (change) change(with);
      const auto list = [](const auto& values) { return values.empty() ? nullptr : values.data(); };
      if (blocking) {
        return Rondo_Halo_exchange(with.array, with.ndims, list(with.sizes), list(with.strides), list(with.low),
                                   list(with.high), with.order, with.element, with.stencil, grid_->native());
      }
      const int code =
          Rondo_Ihalo_exchange(with.array, with.ndims, list(with.sizes), list(with.strides), list(with.low),
                               list(with.high), with.order, with.element, with.stencil, grid_->native(), &request_);
      return code == MPI_SUCCESS ? Rondo_Wait(&request_, MPI_STATUS_IGNORE) : code;
    };
    const auto expect = [&](const std::function<void(Arguments&)>& change, int error_class, const std::string& words) {
      const int code = call(change);
      EXPECT_EQ(code, error_class) << words;
      EXPECT_NE(text_of(code).find(name + words), std::string::npos) << text_of(code);
      EXPECT_EQ(request_, RONDO_REQUEST_NULL);
    };
    for (int repetition = 0; repetition < 3; ++repetition) ASSERT_EQ(call({}), MPI_SUCCESS);
    expect([](Arguments& it) { it.ndims = 1; }, MPI_ERR_DIMS, "ndims: is 1, must be at least 2");
    expect([](Arguments& it) { it.ndims = -3; }, MPI_ERR_DIMS, "ndims: is -3");
    expect([](Arguments& it) { it.sizes.clear(); }, MPI_ERR_ARG, "sizes: is null");
    expect([](Arguments& it) { it.low.clear(); }, MPI_ERR_ARG, "depth_low: is null");
    expect([](Arguments& it) { it.high.clear(); }, MPI_ERR_ARG, "depth_high: is null");
    expect([](Arguments& it) { it.low[1] = -1; }, MPI_ERR_ARG, "depth_low[1]: is -1");
    expect([](Arguments& it) { it.high[0] = 3; }, MPI_ERR_ARG, "depth_high[0]: is 3, must be at most 2");
    expect([](Arguments& it) { it.order = -7; }, MPI_ERR_ARG, "order: is -7");
    expect([](Arguments& it) { it.stencil = 2; }, MPI_ERR_ARG, "stencil: is 2");
    expect([](Arguments& it) { it.element = MPI_DATATYPE_NULL; }, MPI_ERR_TYPE, "element: is MPI_DATATYPE_NULL");
    expect([](Arguments& it) { it.array = nullptr; }, MPI_ERR_BUFFER, "array: is null");
    EXPECT_EQ(call({}), MPI_SUCCESS);
  }
  const std::array sizes{4, 4};
  const std::array depths{1, 1};
  const int code = Rondo_Ihalo_exchange(memory_.data(), 2, sizes.data(), nullptr, depths.data(), depths.data(),
                                        MPI_ORDER_C, MPI_INT, RONDO_STENCIL_BOX, grid_->native(), nullptr);
  EXPECT_EQ(code, MPI_ERR_ARG);
  EXPECT_NE(text_of(code).find("request: is null"), std::string::npos) << text_of(code);
}

TEST_F(HaloArguments, ACommunicatorWithoutANeighborhood) {
  MPI_Comm plain = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &plain);
  MPI_Comm_set_errhandler(plain, MPI_ERRORS_RETURN);
  const std::array sizes{4, 4};
  const std::array depths{1, 1};
  const int code = Rondo_Halo_init(memory_.data(), 2, sizes.data(), nullptr, depths.data(), depths.data(), MPI_ORDER_C,
                                   MPI_INT, RONDO_STENCIL_BOX, plain, MPI_INFO_NULL, &request_);
  EXPECT_EQ(code, MPI_ERR_TOPOLOGY);
  MPI_Comm_free(&plain);
}

/// Where ranks do not fit each other, those hear of it that get too little or too much.
TEST_F(HaloArguments, ACallThatDoesNotFitTheNeighbors) {
  if (ranks_ != 2) return;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // on which MPICH tells of it
  const std::array sizes{4, 5 + rank_};
  const std::array depths{1, 1};
  const int code = Rondo_Halo_exchange(memory_.data(), 2, sizes.data(), nullptr, depths.data(), depths.data(),
                                       MPI_ORDER_C, MPI_INT, RONDO_STENCIL_STAR, grid_->native());
  EXPECT_EQ(code, rank_ == 0 ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT) << text_of(code);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/// What is wrong with one of several names its number.
TEST_F(HaloArguments, OfOneOfSeveralArrays) {
  const std::array depths{1, 1};
  const std::array sizes{4, 5};
  const auto refused = [&](const std::function<void(std::vector<Rondo_Halo_array>&)>& change, int error_class,
                           const std::string& words, int narrays = 2) {
    std::vector<Rondo_Halo_array> arrays(
        2, {memory_.data(), 2, sizes.data(), nullptr, depths.data(), depths.data(), MPI_ORDER_C, MPI_INT});
    arrays[1].array = memory_.data() + 20;
    if (change) change(arrays);
    for (const bool blocking : {true, false}) {
      const int code = blocking ? Rondo_Halos_exchange(narrays, arrays.data(), RONDO_STENCIL_BOX, grid_->native())
                                : Rondo_Halos_init(narrays, arrays.data(), RONDO_STENCIL_BOX, grid_->native(),
                                                   MPI_INFO_NULL, &request_);
      EXPECT_EQ(code, error_class) << words;
      EXPECT_NE(text_of(code).find(words), std::string::npos) << text_of(code);
      if (request_ != RONDO_REQUEST_NULL) Rondo_Request_free(&request_);
    }
  };
  using List = std::vector<Rondo_Halo_array>;
  const std::array<MPI_Aint, 2> between{10, 2};
  refused({}, MPI_SUCCESS, "");
  refused([](List& it) { it[1].ndims = 1; }, MPI_ERR_DIMS, ": arrays[1].ndims: is 1, must be at least 2");
  refused([](List& it) { it[1].order = 77; }, MPI_ERR_ARG, ": arrays[1].order: is 77");
  refused([](List& it) { it[0].depth_low = nullptr; }, MPI_ERR_ARG, ": arrays[0].depth_low: is null");
  refused([](List& it) { it[1].array = nullptr; }, MPI_ERR_BUFFER, ": arrays[1].array: is null");
  refused([](List& it) { it[1].array = it[0].array; }, MPI_ERR_BUFFER, ": arrays[1].array: shares ");
  refused([&](List& it) { it[1].array = memory_.data() + 19; }, MPI_ERR_BUFFER,
          ": arrays[1].array: shares 4 bytes with that of arrays[0], must share none");
  refused(
      [&](List& it) {
        it[1].array = memory_.data() + 1;
        it[0].strides = it[1].strides = between.data();
      },
      MPI_SUCCESS, "");
  refused({}, MPI_ERR_ARG, ": narrays: is 0, must be at least 1", 0);
  int code = Rondo_Halos_exchange(1, nullptr, RONDO_STENCIL_BOX, grid_->native());
  EXPECT_EQ(code, MPI_ERR_ARG);
  EXPECT_NE(text_of(code).find("arrays: is null"), std::string::npos) << text_of(code);
  try {
    halo_exchange(*grid_, std::span<const HaloArray>());
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("arrays: there are none"), std::string::npos) << error.what();
  }
  if (ranks_ == 1) return;
  const std::array rows{4, 5 + (rank_ == 1 ? 1 : 0)};
  std::vector<Rondo_Halo_array> arrays(
      2, {memory_.data(), 2, sizes.data(), nullptr, depths.data(), depths.data(), MPI_ORDER_C, MPI_INT});
  arrays[1].array = memory_.data() + 20;
  arrays[1].sizes = rows.data();
  code = Rondo_Halos_init(2, arrays.data(), RONDO_STENCIL_BOX, grid_->native(), MPI_INFO_NULL, &request_);
  EXPECT_EQ(code, MPI_ERR_TRUNCATE);
  EXPECT_NE(text_of(code).find("arrays[1].sizes[1]: ranks with coordinate 0"), std::string::npos) << text_of(code);
  code =
      Rondo_Halos_init(rank_ == 0 ? 1 : 2, arrays.data(), RONDO_STENCIL_BOX, grid_->native(), MPI_INFO_NULL, &request_);
  EXPECT_EQ(code, MPI_ERR_ARG);
  EXPECT_NE(text_of(code).find("arrays: all ranks must give equally many"), std::string::npos) << text_of(code);
}

TEST_F(HaloArguments, InCpp) {
  std::vector<int> values(42);
  const auto refused = [&](const HaloArray& array) -> std::string {
    try {
      static_cast<void>(halo_init(*grid_, array));
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(refused(HaloArray::of<int>(values, {6, 7}, 1)), "");
  EXPECT_NE(refused(HaloArray::of<int>(values, {6, 8}, 1))
                .find("halo_init: array: has 42 elements, must have 48, the product of its sizes"),
            std::string::npos);
  EXPECT_NE(refused(HaloArray::of<int>(values, {6, 7}, {{1, 1}})).find("depths: has length 1, must have length 2"),
            std::string::npos);
  const HaloArray narrow = HaloArray::of<int>(values, {6, 5}, 1);
  EXPECT_EQ(refused(narrow.strided({7, 1})), "");  // the last row ends two before the buffer
  EXPECT_EQ(refused(narrow.strided({1, 8})), "");
  EXPECT_NE(refused(narrow.strided({8, 1}))
                .find("halo_init: array: has 42 elements, must have at least 45, as its sizes and strides say"),
            std::string::npos);
  EXPECT_NE(refused(narrow.strided({7})).find("strides: has length 1, must have length 2"), std::string::npos);
}

}  // namespace
}  // namespace rondo::internal::halo_call_test
