// Packing, unpacking and copying datatypes beside MPI_Pack, MPI_Unpack, a MPI_Sendrecv to oneself, and memcpy.
// Figures: never above 1.05x of MPI's; for single doubles at least 3x faster than Open MPI's MPI_Pack; for runs of
// 256 bytes and more at least 0.9 of memcpy's speed. Usage: datatypes CSV [--quick]
#include <mpi.h>
#include <rondo/rondo.h>

#include "harness.hpp"
#include "report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr MPI_Aint kDouble = sizeof(double);
/// Below this many bytes, memcpy is done before any datatype has been looked at.
constexpr MPI_Aint kManyRuns = 16384;

/// A datatype of about the number of bytes that was asked for.
struct Shape {
  const char* name;
  std::function<MPI_Datatype(MPI_Aint bytes)> make;
  bool single_doubles;  ///< must be 3x faster than Open MPI's
  bool long_runs;       ///< must be as fast as memcpy, nearly
  bool wide = false;    ///< a large one would take gigabytes of memory
};

MPI_Datatype column(MPI_Aint bytes, int width) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(static_cast<int>(bytes / kDouble), 1, width, MPI_DOUBLE, &type);
  return type;
}

/// Every other row of `row` bytes.
MPI_Datatype rows(MPI_Aint bytes, int row) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(static_cast<int>(std::max<MPI_Aint>(1, bytes / row)), row, 2 * MPI_Aint{row}, MPI_BYTE,
                          &type);
  return type;
}

/// Part of a box of doubles that has a ghost layer, in C order; 0: all of that dimension's inside, 1: its first layer,
/// in which case the box is thin there, so that large faces fit memory.
MPI_Datatype box(int inside, std::array<int, 3> layers) {
  constexpr int kThin = 8;
  std::array<int, 3> sizes{};
  std::array<int, 3> parts{};
  std::array<int, 3> starts{};
  for (std::size_t k = 0; k < 3; ++k) {
    sizes[k] = layers[k] == 0 ? inside + 2 : kThin;
    parts[k] = layers[k] == 0 ? inside : 1;
    starts[k] = 1;
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(3, sizes.data(), parts.data(), starts.data(), MPI_ORDER_C, MPI_DOUBLE, &type);
  return type;
}

int edge_for(MPI_Aint bytes, int dimensions) {
  return std::max(1, static_cast<int>(std::lround(std::pow(static_cast<double>(bytes / kDouble), 1.0 / dimensions))));
}

/// All 26 blocks that a process sends, as one datatype.
MPI_Datatype halo(MPI_Aint bytes) {
  const int inside = std::max(2, static_cast<int>(std::sqrt(static_cast<double>(bytes / kDouble) / 6)));
  std::vector<MPI_Datatype> blocks;
  for (int offset = 0; offset < 27; ++offset) {
    const std::array<int, 3> at{offset / 9 - 1, offset / 3 % 3 - 1, offset % 3 - 1};
    if (offset == 13) continue;
    std::array<int, 3> sizes{};
    std::array<int, 3> parts{};
    std::array<int, 3> starts{};
    for (std::size_t k = 0; k < 3; ++k) {
      sizes[k] = inside + 2;
      parts[k] = at[k] == 0 ? inside : 1;
      starts[k] = at[k] == 1 ? inside : 1;
    }
    blocks.emplace_back();
    MPI_Type_create_subarray(3, sizes.data(), parts.data(), starts.data(), MPI_ORDER_C, MPI_DOUBLE, &blocks.back());
  }
  const std::vector<int> ones(blocks.size(), 1);
  const std::vector<MPI_Aint> zeros(blocks.size(), 0);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(static_cast<int>(blocks.size()), ones.data(), zeros.data(), blocks.data(), &type);
  for (MPI_Datatype& block : blocks) MPI_Type_free(&block);
  return type;
}

MPI_Datatype triangle(MPI_Aint bytes) {
  const int order = static_cast<int>(std::sqrt(2.0 * static_cast<double>(bytes / kDouble)));
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Rondo_Type_create_triangular(order, order, -1, order, 1, MPI_DOUBLE, &type);
  return type;
}

/// An array of records of a double, an int and three chars, with holes.
MPI_Datatype records(MPI_Aint bytes) {
  const int lengths[] = {1, 1, 3};
  const MPI_Aint places[] = {0, 12, 17};
  const MPI_Datatype members[] = {MPI_DOUBLE, MPI_INT, MPI_CHAR};
  MPI_Datatype record = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(3, lengths, places, members, &record);
  MPI_Datatype spaced = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(record, 0, 24, &spaced);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(std::max<MPI_Aint>(1, bytes / 15)), spaced, &type);
  MPI_Type_free(&record);
  MPI_Type_free(&spaced);
  return type;
}

/// Struct of blocks: pieces of 1 to 7 doubles at places without order.
MPI_Datatype blocks(MPI_Aint bytes) {
  std::vector<int> lengths;
  std::vector<int> places;
  int place = 0;
  for (MPI_Aint sum = 0; sum < bytes; sum += lengths.back() * kDouble) {
    lengths.push_back(1 + static_cast<int>(lengths.size() * 5 % 7));
    places.push_back(place);
    place += lengths.back() + 1 + static_cast<int>(lengths.size() % 3);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), MPI_DOUBLE, &type);
  return type;
}

/// So many doubles each, in no order that repeats, as the nodes of a mesh without structure.
MPI_Datatype scattered(MPI_Aint bytes, int doubles) {
  std::mt19937 numbers(7);
  std::vector<int> places;
  int place = 0;
  for (MPI_Aint sum = 0; sum < bytes; sum += doubles * kDouble) {
    places.push_back(place);
    place += doubles + 1 + static_cast<int>(numbers() % 4);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_indexed_block(static_cast<int>(places.size()), doubles, places.data(), MPI_DOUBLE, &type);
  return type;
}

/// What round 2 of a Bruck alltoall sends: blocks of four elements out of eight (bounded vector).
MPI_Datatype bruck(MPI_Aint bytes, int element) {
  MPI_Datatype elements = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(element, MPI_BYTE, &elements);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const auto processes = static_cast<int>(2 * bytes / element);
  Rondo_Type_create_vector_bounded(std::max(1, processes - 3), 4, 8, elements, &type);
  MPI_Type_free(&elements);
  return type;
}

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<std::byte[], Free>;

/// Page-aligned, as large arrays are, and touched.
Memory allocate(MPI_Aint bytes) {
  constexpr std::size_t kPage = 4096;
  const std::size_t size = (static_cast<std::size_t>(bytes) / kPage + 1) * kPage;
  Memory memory(static_cast<std::byte*>(std::aligned_alloc(kPage, size)));
  for (std::size_t i = 0; i < size; i += 8) {
    const std::uint64_t number = i * 0x9E37'79B9'7F4A'7C15U;
    std::memcpy(memory.get() + i, &number, sizeof number);
  }
  return memory;
}

class Point {
 public:
  Point(const Shape& shape, MPI_Aint bytes) : type_(shape.make(bytes)) {
    MPI_Type_commit(&type_);
    int size = 0;
    MPI_Type_size(type_, &size);
    size_ = size;
    MPI_Aint lower_bound = 0;
    MPI_Type_get_true_extent(type_, &lower_bound, &span_);
    span_ += lower_bound;
    MPI_Type_contiguous(size, MPI_BYTE, &row_);
    MPI_Type_commit(&row_);
    source_ = allocate(span_);
    target_ = allocate(span_);
    packed_ = allocate(size_);
    expected_ = allocate(size_);
    int position = 0;
    MPI_Pack(source_.get(), 1, type_, expected_.get(), size, &position, MPI_COMM_SELF);
  }
  Point(const Point&) = delete;
  Point& operator=(const Point&) = delete;
  ~Point() {
    MPI_Type_free(&type_);
    MPI_Type_free(&row_);
  }

  [[nodiscard]] MPI_Aint bytes() const { return size_; }

  [[nodiscard]] std::vector<bench::Variant> packing() {
    return {make("Rondo pack", true, false,
                 [this] {
                   MPI_Aint position = 0;
                   Rondo_Pack(source_.get(), 1, type_, packed_.get(), size_, &position);
                 }),
            make("MPI_Pack", false, false,
                 [this] {
                   int position = 0;
                   MPI_Pack(source_.get(), 1, type_, packed_.get(), static_cast<int>(size_), &position, MPI_COMM_SELF);
                 }),
            make("memcpy", false, false,
                 [this] { std::memcpy(packed_.get(), expected_.get(), static_cast<std::size_t>(size_)); })};
  }
  [[nodiscard]] std::vector<bench::Variant> unpacking() {
    return {make("Rondo unpack", true, true,
                 [this] {
                   MPI_Aint position = 0;
                   Rondo_Unpack(expected_.get(), size_, &position, target_.get(), 1, type_);
                 }),
            make("MPI_Unpack", false, true,
                 [this] {
                   int position = 0;
                   MPI_Unpack(expected_.get(), static_cast<int>(size_), &position, target_.get(), 1, type_,
                              MPI_COMM_SELF);
                 }),
            make("memcpy ", false, false,
                 [this] { std::memcpy(packed_.get(), expected_.get(), static_cast<std::size_t>(size_)); })};
  }
  [[nodiscard]] std::vector<bench::Variant> copying() {
    return {make("Rondo transpack", true, true,
                 [this] { Rondo_Transpack(source_.get(), 1, type_, target_.get(), 1, type_); }),
            make("MPI_Sendrecv to self", false, true, [this] {
              MPI_Sendrecv(source_.get(), 1, type_, 0, 0, target_.get(), 1, type_, 0, 0, MPI_COMM_SELF,
                           MPI_STATUS_IGNORE);
            })};
  }

 private:
  bench::Variant make(const char* name, bool ours, bool scattered, std::function<void()> once) {
    return {name, ours,
            [once](int times) {
              for (int i = 0; i < times; ++i) once();
            },
            [this, once, scattered] { return is_right(once, scattered); }};
  }
  /// That the data arrives where MPI_Pack finds it.
  bool is_right(const std::function<void()>& once, bool scattered) {
    if (scattered) std::memset(target_.get(), 0xee, static_cast<std::size_t>(span_));
    if (!scattered) std::memset(packed_.get(), 0xee, static_cast<std::size_t>(size_));
    once();
    if (scattered) {
      int position = 0;
      MPI_Pack(target_.get(), 1, type_, packed_.get(), static_cast<int>(size_), &position, MPI_COMM_SELF);
    }
    return std::memcmp(packed_.get(), expected_.get(), static_cast<std::size_t>(size_)) == 0;
  }

  MPI_Datatype type_;
  MPI_Datatype row_ = MPI_DATATYPE_NULL;
  MPI_Aint size_ = 0;
  MPI_Aint span_ = 0;
  Memory source_;
  Memory target_;
  Memory packed_;    ///< what is packed
  Memory expected_;  ///< as MPI_Pack packs it
};

void require(const std::string& what, const bench::Comparison& comparison, double limit, bench::Report& report) {
  report.point(what, comparison);
  const bench::Result& ours = comparison.results[0];
  const bench::Result& rival = comparison.results[1];
  if (ours.seconds.empty()) {
    report.no_figure(what);
    return;
  }
  report.require(what + ", " + ours.name + " / " + rival.name, bench::ratio(ours, rival), limit);
}

void measure(const Shape& shape, MPI_Aint bytes, const bench::Options& options, bench::Report& report) {
  Point point(shape, bytes);
  const std::string what = std::string(shape.name) + ", " + std::to_string(point.bytes()) + " B";
  const bench::Comparison packing = bench::compare(MPI_COMM_WORLD, point.packing(), options);
  require(what + ", pack", packing, 1.05, report);
  const bench::Comparison unpacking = bench::compare(MPI_COMM_WORLD, point.unpacking(), options);
  require(what + ", unpack", unpacking, 1.05, report);
  require(what + ", copy", bench::compare(MPI_COMM_WORLD, point.copying(), options), 1.05, report);
  for (const bench::Comparison* moving : {&packing, &unpacking}) {
    const bench::Result& ours = moving->results[0];
    if (ours.seconds.empty()) continue;
#if defined(OPEN_MPI)
    if (shape.single_doubles && moving == &packing)
      report.require(what + ", MPI_Pack / Rondo pack", bench::ratio(moving->results[1], ours), 3.0, true);
#endif
    if (shape.long_runs && point.bytes() >= kManyRuns)
      report.require(what + ", memcpy / " + ours.name, bench::ratio(moving->results[2], ours), 0.9, true);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bench::Options options;
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) options = {.window_seconds = 0.002, .rounds = 7, .most_rounds = 15};
  }
  const std::vector<Shape> shapes{
      {"column, stride 2", [](MPI_Aint bytes) { return column(bytes, 2); }, true, false},
      {"column, stride 8", [](MPI_Aint bytes) { return column(bytes, 8); }, true, false},
      {"column, stride 64", [](MPI_Aint bytes) { return column(bytes, 64); }, true, false, true},
      {"rows of 256 B", [](MPI_Aint bytes) { return rows(bytes, 256); }, false, true},
      {"rows of 4096 B", [](MPI_Aint bytes) { return rows(bytes, 4096); }, false, true},
      {"cube",
       [](MPI_Aint bytes) {
         return box(edge_for(bytes, 3), {0, 0, 0});
       },
       false, false},
      {"face of single doubles",
       [](MPI_Aint bytes) {
         return box(edge_for(bytes, 2), {0, 0, 1});
       },
       true, false},
      {"face of rows",
       [](MPI_Aint bytes) {
         return box(edge_for(bytes, 2), {0, 1, 0});
       },
       false, false},
      {"27-point halo", halo, false, false, true},
      {"triangle", triangle, false, false},
      {"records", records, false, false},
      {"struct of blocks", blocks, false, false},
      {"scattered doubles", [](MPI_Aint bytes) { return scattered(bytes, 1); }, false, false},
      {"scattered, by four", [](MPI_Aint bytes) { return scattered(bytes, 4); }, false, false},
      {"Bruck round, 8 B", [](MPI_Aint bytes) { return bruck(bytes, 8); }, false, false},
      {"Bruck round, 64 B", [](MPI_Aint bytes) { return bruck(bytes, 64); }, false, true},
  };
  bench::Report report(true, argc > 1 ? argv[1] : "");
  for (const MPI_Aint bytes : {64L, 1024L, 16L << 10, 256L << 10, 4L << 20, 64L << 20}) {
    for (const Shape& shape : shapes) {
      if (bytes < 64L << 20 || !shape.wide) measure(shape, bytes, options, report);
    }
  }
  const bool good = report.summary();
  MPI_Finalize();
  return good ? 0 : 3;
}
