#include "collectives/comm_state/tag_space.hpp"

#include <rondo/error.hpp>

#include <string>
#include <utility>

namespace rondo::internal {

TagSpace::TagSpace(std::shared_ptr<const PrivateComm> comm, int highest)
    : comm_(std::move(comm)), persistent_comm_(comm_), half_(highest / 2), highest_(highest), next_persistent_(half_) {}

void TagSpace::check(std::uint32_t tags, int room) const {
  if (tags <= static_cast<std::uint32_t>(room)) return;
  throw Error(MPI_ERR_OTHER, "comm: an operation needs " + std::to_string(tags) + " tags, but this MPI leaves only " +
                                 std::to_string(room) + " for one");
}

int TagSpace::next_nonblocking(std::uint32_t tags) const {
  check(tags, half_);
  return next_nonblocking_ > half_ - static_cast<int>(tags) ? 0 : next_nonblocking_;
}

bool TagSpace::has_room(std::uint32_t most) const {
  return most <= static_cast<std::uint32_t>(highest_ - next_persistent_) || next_persistent_ == half_;
}

void TagSpace::prepare_room(std::uint32_t most) {
  if (!has_room(most) && next_comm_ == nullptr) next_comm_ = std::make_shared<PrivateComm>();
}

void TagSpace::make_room(std::uint32_t most) {
  if (has_room(most)) return;
  next_comm_->duplicate(comm_->get());
  persistent_comm_ = std::move(next_comm_);
  next_persistent_ = half_;
}

TagSpace::TagRange TagSpace::next_persistent(std::uint32_t tags) const {
  check(tags, highest_ - next_persistent_);
  return {persistent_comm_, next_persistent_};
}

}  // namespace rondo::internal
