#include "tests/support/cases/ring_reduction.hpp"

namespace rondo::internal {

std::shared_ptr<const Reduction> byte_reduction(const ByteOp& op, bool holes) {
  if (!holes) return std::make_shared<const Reduction>(op.op, MPI_BYTE, 7, flatten(MPI_BYTE));
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const std::array lengths{2, 1, 4};
  const std::array<MPI_Aint, 3> places{-3, 1, 4};
  MPI_Type_create_hindexed(3, lengths.data(), places.data(), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  auto reduction = std::make_shared<const Reduction>(op.op, type, 1, flatten(type));
  MPI_Type_free(&type);
  return reduction;
}

std::string describe(const RingReduction& given) {
  std::string text = given.way == RingReduction::Way::direct ? "direct" : "doubling";
  text += " reduction of " + std::to_string(given.blocks) + " blocks on a ring of " + std::to_string(given.ranks);
  if (given.holes) text += ", with holes";
  if (given.ordering == Ordering::phases) text += ", phases";
  if (given.form != MessageForm::automatic) text += given.form == MessageForm::staged ? ", staged" : ", datatypes";
  if (given.window > 0) text += ", window " + std::to_string(given.window);
  return text;
}

Schedule build_ring_reduction(const RingReduction& given, int rank, std::int64_t offset,
                              const std::shared_ptr<const Reduction>& reduction) {
  ScheduleBuilder builder(given.ordering, given.form);
  builder.set_reduction(reduction);
  if (given.window > 0) builder.set_window(given.window);
  const BlockId own = builder.block(Space::send, offset, reduction->layout());
  const BlockId result = builder.block(Space::recv, offset, reduction->layout());
  builder.copy({&own, 1}, {&result, 1});
  std::uint32_t tag = 0;
  const bool direct = given.way == RingReduction::Way::direct;
  for (int far = 1; far < given.blocks; far += direct ? 1 : far) {
    builder.begin_phase();
    const BlockId arriving = builder.operand();
    const BlockId& sent = direct ? own : result;
    const int shift = far % given.ranks;
    builder.exchange((rank + shift) % given.ranks, (rank + given.ranks - shift) % given.ranks, tag++, {&sent, 1},
                     {&arriving, 1});
    builder.reduce(arriving, result);
  }
  return std::move(builder).build();
}

CollectiveCase ring_reduction(const RingReduction& given, const ByteOp& op) {
  constexpr std::int64_t kOffset = 5;
  const auto reduction = byte_reduction(op, given.holes);
  CollectiveCase made{
      .name = describe(given), .schedules = {}, .definition = {}, .send_bytes = {}, .recv_bytes = {}, .op = &op};
  for (int rank = 0; rank < given.ranks; ++rank) {
    made.send_bytes.push_back(kOffset + reduction->layout().true_end() + 2);
    made.recv_bytes.push_back(kOffset + reduction->layout().true_end() + 2);
    made.schedules.push_back(std::make_shared<const Schedule>(build_ring_reduction(given, rank, kOffset, reduction)));
    reduction->layout().for_each_piece(
        [&](std::int64_t begin, std::int64_t bytes) {
          Combination line{rank, begin, bytes, {}};
          for (int i = 0; i < given.blocks; ++i)
            line.sources.push_back({(rank + given.blocks * given.ranks - i) % given.ranks, begin});
          made.combinations.push_back(std::move(line));
        },
        kOffset);
  }
  return made;
}

}  // namespace rondo::internal
