#include "collectives/own/own_schedule.hpp"

#include <rondo/error.hpp>

#include "datatypes/layout/overlap.hpp"

#include <iterator>

namespace rondo::internal {
namespace {

void check_own_buffer(const char* argument, const OwnBuffer& buffer, const ByteRange& range) {
  if (range.begin == range.end) return;
  if (buffer.address == nullptr) {
    throw Error(MPI_ERR_BUFFER,
                std::string(argument) + ": is null, must point to " + std::to_string(range.end) + " bytes");
  }
  if (buffer.bytes == -1) return;
  if (range.begin < 0) {
    throw Error(MPI_ERR_BUFFER, std::string(argument) + ": its first block begins " + std::to_string(-range.begin) +
                                    " bytes before it, must begin in it");
  }
  if (buffer.bytes < range.end) {
    throw Error(MPI_ERR_BUFFER, std::string(argument) + ": has " + std::to_string(buffer.bytes) +
                                    " bytes, must have at least " + std::to_string(range.end));
  }
}

std::intptr_t address_of(const OwnBuffer& buffer) { return reinterpret_cast<std::intptr_t>(buffer.address); }

void check_apart(const OwnSchedule& schedule, const OwnBuffer& send, const OwnBuffer& recv) {
  const std::intptr_t distance = address_of(send) - address_of(recv);
  if (schedule.send.begin + distance >= schedule.recv.end || schedule.recv.begin >= schedule.send.end + distance)
    return;
  std::vector<PlacedLayout> sent = schedule.blocks->sent;
  for (PlacedLayout& block : sent) block.offset += distance;
  const auto overlap = find_overlap(sent, schedule.blocks->received);
  if (!overlap) return;
  throw Error(MPI_ERR_BUFFER, "send and recv: " + std::to_string(overlap->end - overlap->begin) + " bytes at recv + " +
                                  std::to_string(overlap->begin) +
                                  " are both sent and received, must be disjoint (or the schedule in place)");
}

}  // namespace

UserBlocks user_blocks_of(const std::shared_ptr<const OwnBlocks>& blocks) {
  const auto block_of = [](const PlacedLayout& block) { return UserBlock{block.offset, *block.layout}; };
  UserBlocks told{static_cast<int>(std::ssize(blocks->received)), static_cast<int>(std::ssize(blocks->sent))};
  told.received_block = [blocks, block_of](int i) { return block_of(blocks->received[static_cast<std::size_t>(i)]); };
  told.sent_block = [blocks, block_of](int i) { return block_of(blocks->sent[static_cast<std::size_t>(i)]); };
  return told;
}

void check_own_buffers(const OwnSchedule& schedule, const OwnBuffer& send, const OwnBuffer& recv) {
  const bool asked_in_place = send.address == MPI_IN_PLACE;
  if (schedule.schedule->in_place() != asked_in_place) {
    throw Error(MPI_ERR_BUFFER, asked_in_place ? "send: is in_place, but the lowering does not set_in_place()"
                                               : "send: must be in_place, as the lowering says by set_in_place()");
  }
  check_own_buffer("recv", recv, schedule.recv);
  if (asked_in_place) return;
  check_own_buffer("send", send, schedule.send);
  check_apart(schedule, send, recv);
}

}  // namespace rondo::internal
