// Any datatype that can be nested from MPI's constructors and Rondo's: its layout touches the bytes of its type map in
// their order, and what is copied by it, whole or in parts, ends up where the type map says. The type map is put
// together from MPI's definitions; MPI_Pack of Open MPI 4.1 is no judge, as it takes no notice of the extent of a
// struct with an empty member (two of {3 chars at 29, an empty type at 25} are 7 bytes apart, not 3).
#include <mpi.h>

#include "datatypes/copying/copy_program.hpp"
#include "datatypes/layout/layout.hpp"
#include "datatypes/layout/overlap.hpp"
#include "datatypes/reading/owned_types.hpp"
#include "datatypes/reading/signature.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/support/random_type.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

namespace rondo::internal {
namespace {

constexpr std::int64_t kMostBytes = 1 << 14;

/// Some elements of a drawn type: as Rondo sees them, and as the type map says.
struct Elements {
  Elements(const MappedType& type, std::int64_t count)
      : layout(flatten(type.type).repeated(count)), map(type.repeated(count)) {}

  [[nodiscard]] bool fit() const { return map.size() <= kMostBytes && map.end() - map.begin() <= kMostBytes; }

  Layout layout;
  TypeMap map;
};

/// The memory that elements lie in, of bytes that differ from their neighbors.
class Memory {
 public:
  Memory(const Elements& elements, int seed)
      : begin_(elements.map.begin()), bytes_(static_cast<std::size_t>(elements.map.end() - begin_)) {
    for (std::size_t i = 0; i < bytes_.size(); ++i)
      bytes_[i] = static_cast<std::byte>(i * 7 + i / 251 + static_cast<std::size_t>(seed));
  }

  [[nodiscard]] std::byte& at(std::int64_t place) { return bytes_[static_cast<std::size_t>(place - begin_)]; }
  /// Where offset `begin` of the layout is: programs are made so that they start here.
  [[nodiscard]] std::byte* data() { return bytes_.data(); }
  [[nodiscard]] std::int64_t begin() const { return begin_; }
  friend bool operator==(const Memory&, const Memory&) = default;

 private:
  std::int64_t begin_;
  std::vector<std::byte> bytes_;
};

/// Runs a program as a whole or in a few parts, which may come in any order.
void run(const CopyProgram& program, const std::byte* source, std::byte* target, FuzzInput& input) {
  std::vector<std::int64_t> cuts{0};
  for (int parts = input.draw(0, 3); parts > 0; --parts)
    cuts.push_back(program.bytes() * input.draw(0, 255) / 255 + input.draw(-9, 9));
  if (cuts.size() == 1) {
    run_copies(program.runs(), source, target);
    return;
  }
  cuts.push_back(program.bytes());
  for (std::int64_t& cut : cuts) cut = std::clamp<std::int64_t>(cut, 0, program.bytes());
  std::ranges::sort(cuts);
  for (std::size_t i = cuts.size() - 1; i > 0; --i) run_copies(program.runs(), source, target, cuts[i - 1], cuts[i]);
}

/// Packs from memory and returns the bytes, which must be those of the type map in its order.
std::vector<std::byte> try_pack(const Elements& elements, Memory& memory, FuzzInput& input, const std::string& text) {
  std::vector<std::byte> expected;
  for (const std::int64_t place : elements.map.bytes()) expected.push_back(memory.at(place));
  std::vector<std::byte> packed(expected.size());
  CopyProgram program;
  program.append(elements.layout, -memory.begin(), Layout::contiguous(elements.layout.size()), 0);
  run(program, memory.data(), packed.data(), input);
  require_that(packed == expected, "packed bytes of " + text);

  // A part touches nothing of the others.
  const auto [begin, end] = std::minmax({input.draw(0, 255), input.draw(0, 255)});
  const std::int64_t first = program.bytes() * begin / 255;
  const std::int64_t last = program.bytes() * end / 255;
  constexpr std::byte kSpoiled{0xEE};
  std::vector<std::byte> part(expected.size(), kSpoiled);
  run_copies(program.runs(), memory.data(), part.data(), first, last);
  std::fill(expected.begin(), expected.begin() + first, kSpoiled);
  std::fill(expected.begin() + last, expected.end(), kSpoiled);
  require_that(part == expected, "part of the packed bytes of " + text);
  return packed;
}

/// Puts packed bytes into the places of `elements`, by a program from `source`, which holds them in `layout` at
/// `offset`. Nothing else may be touched.
void try_place(const std::vector<std::byte>& packed, const Layout& layout, std::int64_t offset, const std::byte* source,
               const Elements& elements, FuzzInput& input, const std::string& text) {
  Memory ours(elements, 100);
  Memory expected = ours;
  std::size_t i = 0;
  for (const std::int64_t place : elements.map.bytes()) expected.at(place) = packed[i++];
  CopyProgram program;
  program.append(layout, offset, elements.layout, -ours.begin());
  run(program, source, ours.data(), input);
  require_that(ours == expected, text);
}

void try_signature(const MappedType& drawn, const std::string& text) {
  SignatureDigest digest;
  for (const TypeMap::Element& element : drawn.map.elements()) digest.append(SignatureDigest::of_basic(element.basic));
  const Signature signature = Signature::of(drawn.type);
  require_that(signature.digest() == digest, "signature of " + text);
  require_that(signature.elements() == std::ssize(drawn.map.elements()), "elements of " + text);
  require_that(signature.bytes() == drawn.map.size(), "bytes of the signature of " + text);
  OwnedTypes owned;
  const MPI_Datatype type = owned.keep(signature.make_type());
  const Layout layout = flatten(type);
  require_that(layout == Layout::contiguous(drawn.map.size()), "signature type of " + text);
  require_that(Signature::of(type).digest() == digest, "signature of the signature type of " + text);
}

void try_type(const std::uint8_t* data, std::size_t size) {
  FuzzInput input(data, size);
  OwnedTypes owned;
  TypeDrawer drawer(input, owned);
  const MappedType drawn = drawer.draw(input.draw(0, 3));
  const std::string text = describe(drawn.type);
  const Layout layout = flatten(drawn.type);
  require_that(layout.size() == drawn.map.size(), "size of " + text);
  require_that(layout.extent() == drawn.extent(), "extent of " + text);
  require_that(layout.true_begin() == drawn.map.begin() && layout.true_end() == drawn.map.end(),
               "true bounds of " + text);
  try_signature(drawn, text);

  const Elements two(drawn, 2);  // so that the extent counts
  if (two.map.empty() || !two.fit()) return;
  const bool overlaps = two.map.has_a_byte_twice();
  require_that(find_overlap(std::array{PlacedLayout{0, &two.layout}}).has_value() == overlaps, "overlap of " + text);
  Memory memory(two, 0);
  const std::vector<std::byte> packed = try_pack(two, memory, input, text);
  if (!overlaps)
    try_place(packed, Layout::contiguous(two.layout.size()), 0, packed.data(), two, input, "unpacked bytes of " + text);

  // As many of another type as hold the same number of bytes.
  const MappedType other = drawer.draw(input.draw(0, 2));
  if (other.map.empty()) return;
  const std::int64_t bytes = std::lcm(drawn.map.size(), other.map.size());
  if (bytes > kMostBytes) return;
  const Elements from(drawn, bytes / drawn.map.size());
  const Elements to(other, bytes / other.map.size());
  if (!from.fit() || !to.fit() || to.map.has_a_byte_twice()) return;
  const std::string both = text + " and " + describe(other.type);
  Memory source(from, 1);
  try_place(try_pack(from, source, input, both), from.layout, -source.begin(), source.data(), to, input,
            "bytes copied between " + both);
}

}  // namespace
}  // namespace rondo::internal

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rondo::internal::try_type(data, size);
  return 0;
}
