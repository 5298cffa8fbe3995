#include "collectives/proof/check_halo_at_init.hpp"

#include <rondo/error.hpp>

#include "collectives/proof/gathered_check.hpp"
#include "collectives/proof/halo_definition.hpp"
#include "datatypes/layout/overlap.hpp"
#include "datatypes/reading/signature.hpp"
#include "runtime/check/schedule_checker.hpp"
#include "runtime/schedule/schedule_stream.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal {
namespace {

/// Returns bytes that two elements of an array share, or nothing.
std::optional<Overlap> shared_by_elements(const halo::Shape& shape) {
  Layout all;
  shape.without_halo().append(halo::Zone(static_cast<std::size_t>(shape.axes()), halo::kInside), all);
  const PlacedLayout placed{0, &all};
  return find_overlap({&placed, 1});
}

void write_array(ByteWriter& writer, const halo::PlacedShape& placed, MPI_Datatype element) {
  const halo::Shape& shape = *placed.shape;
  std::vector<halo::Axis> axes;
  for (int axis = 0; axis < shape.axes(); ++axis) axes.push_back(shape[axis]);
  writer.write(placed.offset);
  writer.write_list(std::span<const halo::Axis>(axes));
  writer.write(shape.stencil());
  writer.write(shape.order());
  writer.write_list(shape.strides());
  write_layout(writer, shape.element());
  writer.write(Signature::of(element).digest());
  const std::optional<Overlap> shared = shared_by_elements(shape);
  writer.write_list(shared ? std::span(&*shared, 1) : std::span<const Overlap>());
}

void write_rank(ByteWriter& writer, const Schedule& schedule, const HaloCall& call, const halo::Bundle& arrays) {
  write_schedule(writer, schedule);
  writer.write(call.arrays.size());
  for (std::size_t i = 0; i < call.arrays.size(); ++i) write_array(writer, arrays.arrays()[i], call.arrays[i].element);
}

struct RemoteArray {
  explicit RemoteArray(ByteReader& reader)
      : offset(reader.read<std::int64_t>()),
        shape(read_shape(reader)),
        signature(reader.read<SignatureDigest>()),
        shared(reader.read_list<Overlap>()) {}

  static std::shared_ptr<const halo::Shape> read_shape(ByteReader& reader) {
    const auto axes = reader.read_list<halo::Axis>();
    const auto stencil = reader.read<Stencil>();
    const auto order = reader.read<StorageOrder>();
    const auto strides = reader.read_list<std::int64_t>();
    return std::make_shared<const halo::Shape>(axes, stencil, order,
                                               std::make_shared<const Layout>(read_layout(reader)), strides);
  }

  std::int64_t offset;
  std::shared_ptr<const halo::Shape> shape;
  SignatureDigest signature;
  std::vector<Overlap> shared;  ///< shared by two elements: at most one
};

struct RemoteRank {
  RemoteRank(ByteReader reader, int dimensions)
      : schedule(read_schedule(reader)), arrays(read_arrays(reader)), bundle(dimensions, placed(arrays)) {}

  static std::vector<RemoteArray> read_arrays(ByteReader& reader) {
    std::vector<RemoteArray> arrays;
    for (auto left = reader.read<std::size_t>(); left > 0; --left) arrays.emplace_back(reader);
    return arrays;
  }
  static std::vector<halo::PlacedShape> placed(std::span<const RemoteArray> arrays) {
    std::vector<halo::PlacedShape> made;
    for (const RemoteArray& array : arrays) made.push_back({array.shape, array.offset});
    return made;
  }

  Schedule schedule;
  std::vector<RemoteArray> arrays;
  halo::Bundle bundle;
};

void check_elements(std::span<const std::unique_ptr<RemoteRank>> ranks) {
  const std::vector<RemoteArray>& first = ranks[0]->arrays;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (std::size_t i = 0; i < first.size(); ++i) {
      const RemoteArray& array = ranks[rank]->arrays[i];
      const std::string name = (first.size() == 1 ? "" : "arrays[" + std::to_string(i) + "].") + "element: ";
      for (const Overlap& shared : array.shared) {
        throw Error(MPI_ERR_TYPE, name + "two elements of rank " + std::to_string(rank) + " share " +
                                      std::to_string(shared.end - shared.begin) + " bytes at array + " +
                                      std::to_string(shared.begin) + ", must be disjoint");
      }
      if (array.signature.matches(first[i].signature)) continue;
      throw Error(MPI_ERR_TYPE, name + "rank 0 has " + first[i].signature.describe() + ", rank " +
                                    std::to_string(rank) + " has " + array.signature.describe());
    }
  }
}

}  // namespace

void check_halo_at_init(const Schedule& schedule, const HaloCall& call, const halo::Bundle& arrays, const Grid& grid,
                        MPI_Comm comm) {
  const auto write = [&](ByteWriter& writer) { write_rank(writer, schedule, call, arrays); };
  const auto judge = [&](std::span<const ByteReader> readers) {
    std::vector<std::unique_ptr<RemoteRank>> ranks;
    std::vector<const Schedule*> schedules;
    std::vector<const halo::Bundle*> bundles;
    for (const ByteReader& reader : readers) {
      ranks.push_back(std::make_unique<RemoteRank>(reader, grid.dimensions()));
      schedules.push_back(&ranks.back()->schedule);
      bundles.push_back(&ranks.back()->bundle);
    }
    check_elements(ranks);
    if (const auto finding = check_schedules(schedules, halo_definition(grid, bundles)))
      throw Error(MPI_ERR_INTERN, std::string(name(finding->flaw)) + ": " + finding->story);
  };
  check_together(std::ref(write), std::ref(judge), comm);
}

}  // namespace rondo::internal
