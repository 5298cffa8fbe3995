#include "collectives/tag_space.hpp"

#include <rondo/error.hpp>

#include <string>
#include <utility>

namespace rondo {

TagSpace::TagSpace(std::shared_ptr<const PrivateComm> comm, int highest)
    : comm_(std::move(comm)), persistent_comm_(comm_), half_(highest / 2), highest_(highest), next_persistent_(half_) {}

void TagSpace::check(std::uint32_t tags, int room) const {
  if (tags <= static_cast<std::uint32_t>(room)) return;
  throw Error(MPI_ERR_OTHER, "neighborhood: needs " + std::to_string(tags) + " tags, this MPI leaves " +
                                 std::to_string(room) + " for one operation");
}

TagSpace::Ticket TagSpace::nonblocking(std::uint32_t tags) {
  check(tags, half_);
  const int width = static_cast<int>(tags);
  if (next_nonblocking_ > half_ - width) next_nonblocking_ = 0;
  const int first = next_nonblocking_;
  next_nonblocking_ += width;
  return {comm_, first};
}

void TagSpace::make_room(std::uint32_t most) {
  const auto room = static_cast<std::uint32_t>(highest_ - next_persistent_);
  if (most <= room || next_persistent_ == half_) return;
  persistent_comm_ = std::make_shared<const PrivateComm>(comm_->get());
  next_persistent_ = half_;
}

TagSpace::Ticket TagSpace::next_persistent(std::uint32_t tags) const {
  check(tags, highest_ - next_persistent_);
  return {persistent_comm_, next_persistent_};
}

}  // namespace rondo
