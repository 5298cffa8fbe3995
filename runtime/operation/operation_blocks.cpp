// The functions of Operation that answer questions about single blocks.
#include <rondo/error.hpp>

#include "runtime/operation/operation.hpp"

#include <mutex>

namespace rondo::internal {
namespace {

void check_block(const std::string& name, const UserBlocks& blocks, BlockSide side, int block) {
  const int count = side == BlockSide::received ? blocks.received : blocks.sent;
  if (block >= 0 && block < count) return;
  const std::string does = side == BlockSide::received ? "receives" : "sends";
  throw Error(MPI_ERR_ARG, name + ": block: is " + std::to_string(block) +
                               (count == 0 ? ", but the operation " + does + " none"
                                           : ", must be in [0, " + std::to_string(count) +
                                                 "), the blocks that the operation " + does));
}

}  // namespace

/// Returns whether the start has begun the execution. Throws the failure of a start that could not.
bool Operation::has_begun() const {
  if (first_start_ == nullptr) return true;
  if (first_start_->is_under_way()) return false;
  if (first_start_->failure) std::rethrow_exception(first_start_->failure);
  return true;
}

/// Returns the watch of this operation's blocks. Call after has_begun(): before, the schedule may not be the one that
/// will run.
BlockWatch& Operation::watch() {
  // acquire: the construction of the watch comes first; see the release below
  if (BlockWatch* watch = watch_.load(std::memory_order_acquire)) return *watch;
  const Engine::TokenScope turn(engine_);  // with the token held nothing completes, and nobody else makes a watch
  if (watch_.load(std::memory_order_relaxed) == nullptr) {
    if (block_watch_ == nullptr) block_watch_ = std::make_unique<BlockWatch>(execution_->schedule(), blocks);
    execution_->watch_blocks(*block_watch_);
    watch_.store(block_watch_.get(), std::memory_order_release);
  }
  return *block_watch_;
}

bool Operation::is_done_with(BlockSide side, int block) {
  if (rotation_ != nullptr) [[unlikely]]
    rotation_->is_waited_for();
  check_block(name_, blocks, side, block);
  bool may_drive = true;
  if (!has_begun()) {
    static_cast<void>(engine_.progress());
    if (!has_begun()) return false;
    may_drive = false;
  }
  if (Operation& other = running(); &other != this) return other.is_done_with(side, block);
  const BlockWatch& counts = watch();
  if (!started_) return true;
  for (;; may_drive = false) {
    const bool over = complete();  // asked before the counts: once the operation is over, all tasks are counted
    if (counts.is_done(side, block)) return true;
    if (over) throw_failure();
    if (!may_drive) return false;
    static_cast<void>(engine_.progress());
  }
}

std::optional<int> Operation::wait_any_block() {
  if (rotation_ != nullptr) [[unlikely]]
    rotation_->is_waited_for();
  if (first_start_ != nullptr) engine_.wait_while(first_start_->under_way);
  static_cast<void>(has_begun());
  if (Operation& other = running(); &other != this) return other.wait_any_block();
  BlockWatch& counts = watch();
  if (!started_) return std::nullopt;
  for (Engine::Waiter waiter(engine_);; waiter.pass()) {
    const bool over = complete();  // asked before the counts, as in is_done_with()
    if (const std::optional<int> block = counts.claim()) return block;
    if (counts.all_claimed()) return std::nullopt;
    if (over) throw_failure();
  }
}

}  // namespace rondo::internal
