#include "step_graph.hpp"

#include "five_point.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stencil {
namespace {

/// The blocks of one state.
struct State {
  std::vector<rondo::Block> parts;     ///< in the order of the graph's parts
  std::array<rondo::Block, 4> halo{};  ///< by side
};

/// What one function computes.
struct Work {
  Box cells;
  std::vector<std::size_t> parts;  ///< that these cells are
  Sides needs;
};

class StepGraph {
 public:
  StepGraph(Domain& domain, const std::vector<Part>& parts, rondo::ScheduleBuilder& build)
      : domain_(domain), parts_(parts), build_(build), rows_(domain.rows().size), columns_(domain.columns().size) {
    build.set_in_place();
    for (int which = 0; which < 2; ++which) {
      State& state = states_[static_cast<std::size_t>(which)];
      for (const Part& part : parts) state.parts.push_back(block(which, part.cells));
      state.halo = {block(which, {-1, 0, 0, columns_}), block(which, {0, rows_, -1, 0}),
                    block(which, {0, rows_, columns_, columns_ + 1}), block(which, {rows_, rows_ + 1, 0, columns_})};
    }
    for (const rondo::Block part : states_[0].parts) build.set_filled(part);
  }

  /// What lies on `side` goes to `target`, whose other side it is; the halo there comes from `source`.
  void exchange(int which, Side side, int target, Side other, int source) {
    std::vector<rondo::Block> edge;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].needs.has(side)) edge.push_back(state(which).parts[i]);
    }
    build_.exchange(target, source, edge, state(which).halo[static_cast<std::size_t>(other)]);
  }

  void compute(int which, const std::vector<Work>& works) {
    for (const Work& work : works) {
      std::vector<rondo::Block> reads;
      for (std::size_t j = 0; j < parts_.size(); ++j) {
        if (touches(work.cells, parts_[j].cells)) reads.push_back(state(which).parts[j]);
      }
      for (const Side side : {Side::top, Side::left, Side::right, Side::bottom}) {
        if (work.needs.has(side)) reads.push_back(state(which).halo[static_cast<std::size_t>(side)]);
      }
      std::vector<rondo::Block> writes;
      for (const std::size_t part : work.parts) writes.push_back(state(1 - which).parts[part]);
      const auto function = [&domain = domain_, which, cells = work.cells](const rondo::ComputeBlocks&) {
        update(FivePoint{}, domain.old(which), domain.tile(1 - which), cells.row_begin, cells.row_end,
               cells.column_begin, cells.column_end);
      };
      build_.compute(reads, writes, function, work.needs.empty() ? "interior" : "edge");
    }
  }

 private:
  [[nodiscard]] State& state(int which) { return states_[static_cast<std::size_t>(which)]; }
  [[nodiscard]] rondo::Block block(int which, const Box& box) {
    const auto address = [](const double* cell) { return reinterpret_cast<std::intptr_t>(cell); };
    const std::int64_t offset =
        address(&domain_.tile(which).at(box.row_begin, box.column_begin)) - address(domain_.cells(0).data());
    MPI_Datatype rows = MPI_DATATYPE_NULL;
    MPI_Type_vector(box.row_end - box.row_begin, box.column_end - box.column_begin, columns_ + 2, MPI_DOUBLE, &rows);
    MPI_Type_commit(&rows);
    const rondo::Block made = build_.recv_block(offset, 1, rows);
    MPI_Type_free(&rows);
    return made;
  }
  /// Whether a cell of `part` has one of `other` above, below or beside it, or is one.
  [[nodiscard]] static bool touches(const Box& part, const Box& other) {
    const auto meet = [](int begin, int end, int other_begin, int other_end) {
      return begin < other_end && other_begin < end;
    };
    const bool rows = meet(part.row_begin, part.row_end, other.row_begin, other.row_end);
    const bool columns = meet(part.column_begin, part.column_end, other.column_begin, other.column_end);
    const bool next_rows = meet(part.row_begin - 1, part.row_end + 1, other.row_begin, other.row_end);
    const bool next_columns = meet(part.column_begin - 1, part.column_end + 1, other.column_begin, other.column_end);
    return (rows && next_columns) || (columns && next_rows);
  }

  Domain& domain_;
  const std::vector<Part>& parts_;
  rondo::ScheduleBuilder& build_;
  int rows_;
  int columns_;
  std::array<State, 2> states_;
};

/// Each part for itself, or all parts of a tile together.
std::vector<Work> works_of(std::span<const TileCells> tiles, const std::vector<Part>& parts, Grain grain) {
  std::vector<Work> works;
  if (grain == Grain::parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) works.push_back({parts[i].cells, {i}, parts[i].needs});
    return works;
  }
  for (const TileCells& tile : tiles) {
    Work& work = works.emplace_back(Work{tile.all, {}, tile.sides});
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Box& cells = parts[i].cells;
      if (cells.row_begin >= tile.all.row_begin && cells.row_end <= tile.all.row_end &&
          cells.column_begin >= tile.all.column_begin && cells.column_end <= tile.all.column_end)
        work.parts.push_back(i);
    }
  }
  return works;
}

}  // namespace

rondo::Lowering step_graph(const rondo::CartComm& torus, Domain& domain, std::span<const TileCells> tiles, int steps,
                           Grain grain) {
  // Those that others wait for come first.
  std::vector<Part> parts;
  for (const TileCells& tile : tiles) parts.insert(parts.end(), tile.border.begin(), tile.border.end());
  for (const TileCells& tile : tiles) parts.insert(parts.end(), tile.interior.begin(), tile.interior.end());
  const std::array ranks{torus.relative_rank({-1, 0}), torus.relative_rank({0, -1}), torus.relative_rank({0, 1}),
                         torus.relative_rank({1, 0})};
  return
      [&domain, parts, works = works_of(tiles, parts, grain), ranks, steps](rondo::ScheduleBuilder& build, int, int) {
        StepGraph graph(domain, parts, build);
        const auto [above, left, right, below] = ranks;
        for (int step = 0; step < steps; ++step) {
          const int which = step % 2;
          build.begin_phase();
          graph.exchange(which, Side::top, above, Side::bottom, below);
          graph.exchange(which, Side::bottom, below, Side::top, above);
          graph.exchange(which, Side::left, left, Side::right, right);
          graph.exchange(which, Side::right, right, Side::left, left);
          graph.compute(which, works);
        }
      };
}

}  // namespace stencil
