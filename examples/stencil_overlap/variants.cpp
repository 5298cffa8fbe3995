#include "variants.hpp"

#include "five_point.hpp"
#include "rank_halo.hpp"
#include "step_graph.hpp"
#include "tile_halo.hpp"

#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/task_group.h>
#include <rondo/tbb.hpp>

#include <cstddef>
#include <optional>

namespace stencil {
namespace {

void compute(Domain& domain, int which, const Box& box) {
  update(FivePoint{}, domain.old(which), domain.tile(1 - which), box.row_begin, box.row_end, box.column_begin,
         box.column_end);
}

void compute_interior(Domain& domain, int which, const TileCells& tile) {
  const rondo::trace::Span span("interior");
  for (const Part& part : tile.interior) compute(domain, which, part.cells);
}

class Blocking : public Stepper {
 public:
  Blocking(const Workplace& workplace, rondo::ProgressMode progress)
      : workplace_(workplace), halo_(workplace.torus, workplace.domain, progress) {}

  int step(int which, int) override {
    halo_.of(which).start();
    halo_.of(which).wait();
    oneapi::tbb::parallel_for_each(workplace_.tiles, [&](const TileCells& tile) {
      const rondo::trace::Span span("tile");
      compute(workplace_.domain, which, tile.all);
    });
    return 1;
  }
  [[nodiscard]] rondo::ProgressMode progress() const override { return halo_.progress(); }

 private:
  const Workplace& workplace_;
  RankHalo halo_;
};

/// nonblocking and async, which differ in who makes progress only.
class Overlapping : public Stepper {
 public:
  Overlapping(const Workplace& workplace, rondo::ProgressMode progress)
      : workplace_(workplace),
        halo_(workplace.torus, workplace.domain, progress),
        border_(all_borders(workplace.tiles)) {}

  int step(int which, int) override {
    rondo::Request& halo = halo_.of(which);
    halo.start();
    oneapi::tbb::parallel_for_each(workplace_.tiles,
                                   [&](const TileCells& tile) { compute_interior(workplace_.domain, which, tile); });
    border_.begin_step();
    while (const std::optional<int> block = halo.wait_any_block()) {
      const std::optional<Side> side = halo_.side_of(*block);
      if (!side) continue;
      const rondo::trace::Span span("edge");
      border_.arrived(*side, [&](const Box& box) { compute(workplace_.domain, which, box); });
    }
    halo.wait();
    return 1;
  }
  [[nodiscard]] rondo::ProgressMode progress() const override { return halo_.progress(); }

 private:
  static std::vector<Part> all_borders(const std::vector<TileCells>& tiles) {
    std::vector<Part> parts;
    for (const TileCells& tile : tiles) parts.insert(parts.end(), tile.border.begin(), tile.border.end());
    return parts;
  }

  const Workplace& workplace_;
  RankHalo halo_;
  Border border_;
};

class TileTasks : public Stepper {
 public:
  TileTasks(const Workplace& workplace, rondo::ProgressMode progress)
      : workplace_(workplace), backwards_(workplace.contrary && workplace.torus.rank() % 2 == 1) {
    for (const TileCells& cells : workplace.tiles) {
      tiles_.push_back({cells, Border(cells.border), TileHalo(workplace.torus, workplace.domain, cells, progress)});
    }
  }

  int step(int which, int) override {
    oneapi::tbb::task_group group;
    for (std::size_t k = 0; k < tiles_.size(); ++k) {
      OneTile& tile = tiles_[backwards_ ? tiles_.size() - 1 - k : k];
      group.run([&] { step(tile, which); });
    }
    group.wait();
    return 1;
  }
  [[nodiscard]] rondo::ProgressMode progress() const override { return tiles_.front().halo.of(0).progress(); }

 private:
  struct OneTile {
    const TileCells& cells;
    Border border;
    TileHalo halo;
  };

  void step(OneTile& tile, int which) {
    const bool needs_halo = !tile.halo.sides().empty();
    if (needs_halo) tile.halo.of(which).start();
    compute_interior(workplace_.domain, which, tile.cells);
    if (!needs_halo) return;
    rondo::Request& halo = tile.halo.of(which);
    tile.border.begin_step();
    for (std::size_t i = 0; i < tile.halo.sides().size(); ++i) {
      if (halo.arrived(static_cast<int>(i))) compute_edge(tile, which, tile.halo.sides()[i]);
    }
    rondo::tbb::wait(halo);  // its worker goes on with other tiles
    for (const Side side : tile.halo.sides()) compute_edge(tile, which, side);
  }
  void compute_edge(OneTile& tile, int which, Side side) {
    const rondo::trace::Span span("edge");
    tile.border.arrived(side, [&](const Box& box) { compute(workplace_.domain, which, box); });
  }

  const Workplace& workplace_;
  bool backwards_;
  std::vector<OneTile> tiles_;
};

/// From state 0 only, where a turn begins: two steps lead back there.
class Graph : public Stepper {
 public:
  Graph(const Workplace& workplace, Grain grain, rondo::ProgressMode progress)
      : one_step_(steps_of(workplace, 1, grain, progress)), two_steps_(steps_of(workplace, 2, grain, progress)) {}

  int step(int, int most) override {
    rondo::Request& steps = most == 1 ? one_step_ : two_steps_;
    steps.start();
    steps.wait();
    return most == 1 ? 1 : 2;
  }
  [[nodiscard]] rondo::ProgressMode progress() const override { return two_steps_.progress(); }

 private:
  static rondo::Request steps_of(const Workplace& workplace, int steps, Grain grain, rondo::ProgressMode progress) {
    rondo::Options options;
    options.progress = progress;
    rondo::OwnCollective graph(workplace.torus, "steps of a stencil",
                               step_graph(workplace.torus, workplace.domain, workplace.tiles, steps, grain), options);
    return graph.init(MPI_IN_PLACE, workplace.domain.cells(0).data());
  }

  rondo::Request one_step_;
  rondo::Request two_steps_;
};

}  // namespace

const char* name(Variant variant) {
  switch (variant) {
    case Variant::blocking:
      return "blocking";
    case Variant::nonblocking:
      return "nonblocking";
    case Variant::async:
      return "async";
    case Variant::tasks:
      return "tasks";
    case Variant::async_tasks:
      return "async-tasks";
    case Variant::graph:
      return "graph";
    case Variant::tile_graph:
      return "tile-graph";
  }
  return "";
}

rondo::ProgressMode wanted_progress(Variant variant) {
  return variant == Variant::async || variant == Variant::async_tasks ? rondo::ProgressMode::async
                                                                      : rondo::ProgressMode::inlined;
}

bool by_tile(Variant variant) { return variant == Variant::tasks || variant == Variant::async_tasks; }

std::unique_ptr<Stepper> make_stepper(Variant variant, const Workplace& workplace) {
  const rondo::ProgressMode progress = wanted_progress(variant);
  if (by_tile(variant)) return std::make_unique<TileTasks>(workplace, progress);
  if (variant == Variant::graph) return std::make_unique<Graph>(workplace, Grain::parts, progress);
  if (variant == Variant::tile_graph) return std::make_unique<Graph>(workplace, Grain::tiles, progress);
  if (variant == Variant::blocking) return std::make_unique<Blocking>(workplace, progress);
  return std::make_unique<Overlapping>(workplace, progress);
}

}  // namespace stencil
