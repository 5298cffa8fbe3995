#include "collectives/halo_agreement.hpp"

#include <rondo/error.hpp>

#include "collectives/agreement.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace rondo {
namespace {

/// Words with their complements: the greatest of both tell whether all ranks gave the same.
class Agreed {
 public:
  void add(std::uint64_t word) {
    words_[count_++] = word;
    words_[count_++] = ~word;
  }
  [[nodiscard]] bool holds(std::size_t i) const { return words_[2 * i] == ~words_[2 * i + 1]; }
  [[nodiscard]] std::span<std::uint64_t> words() { return std::span(words_).first(count_); }

 private:
  std::array<std::uint64_t, 16> words_{};
  std::size_t count_ = 0;
};

void must_agree(bool holds, int error_class, const char* what, const char* rule) {
  if (holds) return;
  throw Error(error_class, std::string(what) + ": " + rule + ", and they did not");
}

}  // namespace

void HaloAgreement::prepare(const Grid& grid, const HaloShape& shape) {
  stencil_ = shape.stencil();
  order_ = shape.order();
  element_ = shape.element().size();
  std::size_t places = 0;
  for (int axis = 0; axis < shape.axes(); ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    const bool distributed = axis < grid.dimensions();
    axes_.push_back(shape[axis]);
    first_.push_back(places);
    own_.push_back(places + (distributed ? static_cast<std::size_t>(grid.coordinates()[k]) : 0));
    places += distributed ? static_cast<std::size_t>(grid.sizes()[k]) : 1;
  }
  first_.push_back(places);
  table_.assign(2 * places, 0);
}

void HaloAgreement::agree(const Settings& settings, const std::exception_ptr& trouble, MPI_Comm comm) {
  std::uint64_t depths = 1;
  std::uint64_t inside = 1;
  for (const HaloAxis& axis : axes_) {
    depths = mix(mix(depths, static_cast<std::uint64_t>(axis.low)), static_cast<std::uint64_t>(axis.high));
    inside = mix(inside, static_cast<std::uint64_t>(axis.inside));
  }
  Agreed agreed;
  // The first is not agreed on: the greatest tells whether there is trouble.
  agreed.add(rank_word(trouble != nullptr, comm));
  agreed.add(settings.fingerprint());
  agreed.add(axes_.size());
  agreed.add(depths);
  agreed.add(static_cast<std::uint64_t>(stencil_));
  agreed.add(static_cast<std::uint64_t>(order_));
  agreed.add(static_cast<std::uint64_t>(element_));
  agreed.add(inside);
  take_greatest(agreed.words(), comm);
  throw_trouble(trouble, agreed.words()[0], "cartcomm");
  must_agree(agreed.holds(1), MPI_ERR_INFO_VALUE, "info",
             "all ranks must ask for the same algorithm, schedule, messages and ports");
  must_agree(agreed.holds(2), MPI_ERR_ARG, "ndims", "all ranks must give the same");
  must_agree(agreed.holds(3), MPI_ERR_ARG, "depth_low, depth_high", "all ranks must give the same");
  must_agree(agreed.holds(4), MPI_ERR_ARG, "stencil", "all ranks must give the same");
  must_agree(agreed.holds(5), MPI_ERR_ARG, "order", "all ranks must give the same");
  must_agree(agreed.holds(6), MPI_ERR_TYPE, "element", "elements of all ranks must have the same number of bytes");
  if (!agreed.holds(7)) agree_by_coordinate(comm);
}

void HaloAgreement::agree_by_coordinate(MPI_Comm comm) {
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    table_[2 * own_[axis]] = static_cast<std::uint64_t>(axes_[axis].inside);
    table_[2 * own_[axis] + 1] = ~static_cast<std::uint64_t>(axes_[axis].inside);
  }
  take_greatest(table_, comm);
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    for (std::size_t place = first_[axis]; place < first_[axis + 1]; ++place) {
      const std::uint64_t most = table_[2 * place];
      const std::uint64_t fewest = ~table_[2 * place + 1];
      if (most != fewest) {
        throw Error(MPI_ERR_TRUNCATE,
                    "sizes[" + std::to_string(axis) + "]: ranks with coordinate " +
                        std::to_string(place - first_[axis]) +
                        " along this dimension must have equally many elements inside, and have from " +
                        std::to_string(fewest) + " to " + std::to_string(most));
      }
      axes_[axis].inside = std::max(axes_[axis].inside, static_cast<std::int64_t>(most));
    }
  }
}

std::unique_ptr<const HaloShape> HaloAgreement::typical() const {
  Layout element = Layout::contiguous(element_);
  element.set_extent(element_);
  return std::make_unique<const HaloShape>(axes_, stencil_, order_, std::make_shared<const Layout>(std::move(element)));
}

}  // namespace rondo
