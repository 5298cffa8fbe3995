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

/// Some bytes that two elements of an array share, if there are any.
std::optional<Overlap> shared_by_elements(const halo::Shape& shape) {
  Layout all;
  shape.without_halo().append(halo::Zone(static_cast<std::size_t>(shape.axes()), halo::kInside), all);
  const PlacedLayout placed{0, &all};
  return find_overlap({&placed, 1});
}

void write_rank(ByteWriter& writer, const Schedule& schedule, const HaloCall& call, const halo::Shape& shape) {
  write_schedule(writer, schedule);
  std::vector<halo::Axis> axes;
  for (int axis = 0; axis < shape.axes(); ++axis) axes.push_back(shape[axis]);
  writer.write_list(std::span<const halo::Axis>(axes));
  writer.write(shape.stencil());
  writer.write(shape.order());
  writer.write_list(shape.strides());
  write_layout(writer, shape.element());
  writer.write(Signature::of(call.element).digest());
  const std::optional<Overlap> shared = shared_by_elements(shape);
  writer.write_list(shared ? std::span(&*shared, 1) : std::span<const Overlap>());
}

struct RemoteRank {
  explicit RemoteRank(ByteReader reader)
      : schedule(read_schedule(reader)),
        axes(reader.read_list<halo::Axis>()),
        stencil(reader.read<Stencil>()),
        order(reader.read<StorageOrder>()),
        strides(reader.read_list<std::int64_t>()),
        element(std::make_shared<const Layout>(read_layout(reader))),
        shape(axes, stencil, order, element, strides),
        signature(reader.read<SignatureDigest>()),
        shared(reader.read_list<Overlap>()) {}

  Schedule schedule;
  std::vector<halo::Axis> axes;
  Stencil stencil;
  StorageOrder order;
  std::vector<std::int64_t> strides;
  std::shared_ptr<const Layout> element;
  halo::Shape shape;
  SignatureDigest signature;
  std::vector<Overlap> shared;  ///< by two elements: one or none
};

void check_elements(std::span<const std::unique_ptr<RemoteRank>> ranks) {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const Overlap& shared : ranks[rank]->shared) {
      throw Error(MPI_ERR_TYPE, "element: two elements of rank " + std::to_string(rank) + " share " +
                                    std::to_string(shared.end - shared.begin) + " bytes at array + " +
                                    std::to_string(shared.begin) + ", must be disjoint");
    }
    if (ranks[rank]->signature.matches(ranks[0]->signature)) continue;
    throw Error(MPI_ERR_TYPE, "element: rank 0 has " + ranks[0]->signature.describe() + ", rank " +
                                  std::to_string(rank) + " has " + ranks[rank]->signature.describe());
  }
}

}  // namespace

void check_halo_at_init(const Schedule& schedule, const HaloCall& call, const halo::Shape& shape, const Grid& grid,
                        MPI_Comm comm) {
  const auto write = [&](ByteWriter& writer) { write_rank(writer, schedule, call, shape); };
  const auto judge = [&](std::span<const ByteReader> readers) {
    std::vector<std::unique_ptr<RemoteRank>> ranks;
    std::vector<const Schedule*> schedules;
    std::vector<const halo::Shape*> shapes;
    for (const ByteReader& reader : readers) {
      ranks.push_back(std::make_unique<RemoteRank>(reader));
      schedules.push_back(&ranks.back()->schedule);
      shapes.push_back(&ranks.back()->shape);
    }
    check_elements(ranks);
    if (const auto finding = check_schedules(schedules, halo_definition(grid, shapes)))
      throw Error(MPI_ERR_INTERN, std::string(name(finding->flaw)) + ": " + finding->story);
  };
  check_together(std::ref(write), std::ref(judge), comm);
}

}  // namespace rondo::internal
