#include "collectives/tag_space.hpp"

#include <rondo/error.hpp>

#include <string>

namespace rondo {

TagSpace::TagSpace(MPI_Comm comm, int highest)
    : comm_(std::make_shared<const PrivateComm>(comm)),
      persistent_comm_(comm_),
      half_(highest / 2),
      highest_(highest),
      next_persistent_(half_) {}

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

TagSpace::Ticket TagSpace::persistent(std::uint32_t tags) {
  check(tags, highest_ - half_);
  const int width = static_cast<int>(tags);
  if (next_persistent_ > highest_ - width) {
    persistent_comm_ = std::make_shared<const PrivateComm>(comm_->get());
    next_persistent_ = half_;
  }
  const int first = next_persistent_;
  next_persistent_ += width;
  return {persistent_comm_, first};
}

}  // namespace rondo
