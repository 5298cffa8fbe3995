// Making neighborhoods beside making MPI's communicators (EuroMPI 2015, section 7.1).
// Figures: a further neighborhood of 27 on a grid of 16 ranks costs at most a twentieth of
// MPI_Dist_graph_create_adjacent asserted, a third checked. Usage: setup CSV [--quick]
#include "harness.hpp"
#include "report.hpp"

#include <mpi.h>
#include <rondo/rondo.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace {

/// All ways to make one neighborhood. What a window makes is freed after it: only making is timed.
class Setups {
 public:
  Setups(const rondo::Neighborhood& hood, std::vector<int> sizes)
      : hood_(hood),
        sizes_(std::move(sizes)),
        periods_(sizes_.size(), 1),
        first_(MPI_COMM_WORLD, sizes_, hood),
        targets_(first_.targets()),
        sources_(first_.sources()),
        d_(static_cast<int>(sizes_.size())),
        t_(hood.size()) {
    MPI_Info_create(&asserting_);
    MPI_Info_set(asserting_, "rondo_assert_isomorphic", "true");
  }
  Setups(const Setups&) = delete;
  Setups& operator=(const Setups&) = delete;
  ~Setups() { MPI_Info_free(&asserting_); }

  [[nodiscard]] bench::Variant further(bool asserted) {
    rondo::Options options;
    options.assert_isomorphic = asserted;
    return {.name = asserted ? "with_neighborhood, asserted" : "with_neighborhood",
            .ours = true,
            .run =
                [this, options](int times) {
                  for (int i = 0; i < times; ++i) hoods_.push_back(first_.with_neighborhood(hood_, options));
                },
            .verify =
                [this, options] {
                  const rondo::CartComm made = first_.with_neighborhood(hood_, options);
                  return made.targets() == targets_ && made.sources() == sources_;
                },
            .clean_up = [this] { hoods_.clear(); }};
  }

  [[nodiscard]] bench::Variant cart_neighborhood(bool asserted) {
    const MPI_Info info = asserted ? asserting_ : MPI_INFO_NULL;
    return communicators(asserted ? "Cart_neighborhood, asserted" : "Cart_neighborhood_create", true, [this, info] {
      MPI_Comm made = MPI_COMM_NULL;
      Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, d_, sizes_.data(), periods_.data(), t_, hood_.flattened().data(),
                                     MPI_UNWEIGHTED, info, 0, &made);
      return made;
    });
  }

  [[nodiscard]] bench::Variant cart_and_iso() {
    return communicators("MPI_Cart_create, Iso_create", true, [this] {
      MPI_Comm made = MPI_COMM_NULL;
      MPI_Cart_create(MPI_COMM_WORLD, d_, sizes_.data(), periods_.data(), 0, &made);
      Rondo_Iso_neighborhood_create(made, t_, hood_.flattened().data(), &made);
      return made;
    });
  }

  [[nodiscard]] bench::Variant cart() {
    return communicators("MPI_Cart_create", false, [this] {
      MPI_Comm made = MPI_COMM_NULL;
      MPI_Cart_create(MPI_COMM_WORLD, d_, sizes_.data(), periods_.data(), 0, &made);
      return made;
    });
  }

  /// On the grid, as ours; the ranks of the neighbors are given.
  [[nodiscard]] bench::Variant graph_adjacent() {
    return communicators("MPI_Dist_graph_create_adjacent", false, [this] {
      MPI_Comm made = MPI_COMM_NULL;
      MPI_Dist_graph_create_adjacent(first_.native(), t_, sources_.data(), MPI_UNWEIGHTED, t_, targets_.data(),
                                     MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
      return made;
    });
  }

  [[nodiscard]] bench::Variant graph() {
    return communicators("MPI_Dist_graph_create", false, [this] {
      MPI_Comm made = MPI_COMM_NULL;
      const int rank = first_.rank();
      MPI_Dist_graph_create(first_.native(), 1, &rank, &t_, targets_.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
      return made;
    });
  }

 private:
  [[nodiscard]] bench::Variant communicators(const char* name, bool ours, const std::function<MPI_Comm()>& make) {
    const auto free_all = [this] {
      for (MPI_Comm& made : made_) MPI_Comm_free(&made);
      made_.clear();
    };
    return {.name = name,
            .ours = ours,
            .run =
                [this, make](int times) {
                  for (int i = 0; i < times; ++i) made_.push_back(make());
                },
            .verify =
                [this, make, free_all, ours] {
                  made_.push_back(make());
                  const bool right = made_.back() != MPI_COMM_NULL && (!ours || has_neighborhood(made_.back()));
                  free_all();
                  return right;
                },
            .clean_up = free_all};
  }

  [[nodiscard]] bool has_neighborhood(MPI_Comm comm) const {
    std::vector<int> sources(sources_.size()), targets(targets_.size());
    return Rondo_Cart_neighbor_get(comm, t_, sources.data(), nullptr, t_, targets.data(), nullptr) == MPI_SUCCESS &&
           sources == sources_ && targets == targets_;
  }

  rondo::Neighborhood hood_;
  std::vector<int> sizes_;
  std::vector<int> periods_;
  rondo::CartComm first_;
  std::vector<int> targets_;
  std::vector<int> sources_;
  int d_;
  int t_;
  MPI_Info asserting_ = MPI_INFO_NULL;
  std::vector<rondo::CartComm> hoods_;
  std::vector<MPI_Comm> made_;
};

void measure(const rondo::Neighborhood& hood, const char* name, const bench::Options& options, bench::Report& report) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  std::vector<int> sizes(static_cast<std::size_t>(hood.dimensions()), 0);
  MPI_Dims_create(p, hood.dimensions(), sizes.data());
  Setups setups(hood, sizes);
  const std::vector<bench::Variant> variants{
      setups.further(true), setups.further(false), setups.graph_adjacent(),        setups.graph(),
      setups.cart(),        setups.cart_and_iso(), setups.cart_neighborhood(true), setups.cart_neighborhood(false)};
  const bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options);
  const std::string what =
      std::string(name) + ", t=" + std::to_string(hood.size()) + ", " + std::to_string(p) + " ranks";
  report.point(what, comparison);
  if (p != 16 || hood.size() != 27) return;
  const bench::Result& rival = comparison.results[2];
  if (rival.seconds.empty()) {
    report.no_figure(what);
    return;
  }
  report.require(what + ", " + rival.name + " / asserted", bench::ratio(rival, comparison.results[0]), 20.0, true);
  report.require(what + ", " + rival.name + " / checked", bench::ratio(rival, comparison.results[1]), 3.0, true);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_back_to_back(argc, argv, {}, {.window_seconds = 0.003, .rounds = 7, .most_rounds = 15},
                                 [](const bench::Options& options, bench::Report& report) {
                                   measure(rondo::von_neumann(2, 1), "von Neumann", options, report);
                                   measure(rondo::box(3, 3, -1), "box", options, report);
                                   measure(rondo::moore(2, 3), "Moore of radius 3", options, report);
                                   measure(rondo::box(5, 3, -1), "box", options, report);
                                 });
}
