#include "collectives/proof/gathered_blocks.hpp"

#include <rondo/error.hpp>

#include "runtime/check/barrier_check.hpp"
#include "runtime/schedule/schedule_stream.hpp"

#include <optional>
#include <string>

namespace rondo::internal {
namespace {

void write_side(ByteWriter& writer, const CallSide& side, const SideShapes& shapes, ExistingBlocks existing) {
  writer.write(shapes.blocks.size());
  for (std::size_t i = 0; i < shapes.blocks.size(); ++i) {
    writer.write(shapes.blocks[i].offset);
    write_layout(writer, *shapes.blocks[i].layout);
    const auto index = static_cast<int>(i);
    const bool exists = existing.empty() || existing[i] != 0;
    writer.write(exists ? Signature::of(side.type(index)).digest().repeated(side.count(index)) : SignatureDigest());
  }
}

}  // namespace

void write_blocks(ByteWriter& writer, const Schedule& schedule, const CheckedCall& checked) {
  const CallShapes shapes(checked);
  write_schedule(writer, schedule);
  write_side(writer, checked.call.sent(), shapes.send, checked.existing_targets());
  write_side(writer, checked.call.recv, shapes.recv, checked.existing_sources());
  const std::optional<Overlap> twice = find_overlap(shapes.recv.blocks);
  writer.write_list(twice ? std::span(&*twice, 1) : std::span<const Overlap>());
}

GatheredBlocks::Side::Side(ByteReader& reader) {
  for (auto left = reader.read<std::size_t>(); left > 0; --left) {
    const auto offset = reader.read<std::int64_t>();
    layouts.push_back(read_layout(reader));
    blocks.push_back({offset, &layouts.back()});
    signatures.push_back(reader.read<SignatureDigest>());
  }
}

GatheredBlocks::Rank::Rank(ByteReader reader)
    : schedule(read_schedule(reader)), send(reader), recv(reader), received_twice(reader.read_list<Overlap>()) {}

GatheredBlocks::GatheredBlocks(std::span<const ByteReader> readers) {
  for (const ByteReader& reader : readers) ranks_.push_back(std::make_unique<Rank>(reader));
}

std::vector<BlocksOfRank> GatheredBlocks::blocks() const {
  std::vector<BlocksOfRank> blocks;
  for (const auto& rank : ranks_) blocks.push_back({rank->send.blocks, rank->recv.blocks});
  return blocks;
}

void GatheredBlocks::check_receives() const {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    for (const auto& [one, other, begin, end] : ranks_[rank]->received_twice) {
      const std::string where = std::to_string(end - begin) + " bytes at recvbuf + " + std::to_string(begin) +
                                " of rank " + std::to_string(rank);
      if (one == other) {
        throw Error(MPI_ERR_BUFFER,
                    "recv block " + std::to_string(one) + ": has " + where + " twice, must have each byte once");
      }
      throw Error(MPI_ERR_BUFFER, "recv blocks " + std::to_string(one) + " and " + std::to_string(other) + ": share " +
                                      where + ", must be disjoint");
    }
  }
}

void GatheredBlocks::check_types(std::span<const Arrival> arrivals) const {
  for (const Arrival& arrival : arrivals) {
    const SignatureDigest& sent = ranks_[static_cast<std::size_t>(arrival.source)]->send.signatures[arrival.sent];
    const SignatureDigest& received =
        ranks_[static_cast<std::size_t>(arrival.target)]->recv.signatures[arrival.received];
    if (sent.matches(received)) continue;
    throw Error(MPI_ERR_TYPE, "block " + std::to_string(arrival.number) + ": rank " + std::to_string(arrival.source) +
                                  " sends " + sent.describe() + ", rank " + std::to_string(arrival.target) +
                                  " receives " + received.describe());
  }
}

void GatheredBlocks::check_schedules(const Definition& definition) const {
  std::vector<const Schedule*> schedules;
  for (const auto& rank : ranks_) schedules.push_back(&rank->schedule);
  if (const auto finding = internal::check_schedules(schedules, definition.placements, definition.combinations))
    throw Error(MPI_ERR_INTERN, std::string(name(finding->flaw)) + ": " + finding->story);
}

void GatheredBlocks::check_barrier() const {
  std::vector<const Schedule*> schedules;
  for (const auto& rank : ranks_) schedules.push_back(&rank->schedule);
  if (const auto finding = check_without_definition(schedules))
    throw Error(MPI_ERR_INTERN, std::string(name(finding->flaw)) + ": " + finding->story);
  const std::string early = find_early_end(schedules);
  if (!early.empty()) throw Error(MPI_ERR_INTERN, "no barrier: " + early);
}

}  // namespace rondo::internal
