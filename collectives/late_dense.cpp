#include "collectives/late_dense.hpp"

#include "collectives/agreement.hpp"
#include "collectives/persistent_operation.hpp"
#include "datatypes/mpi_check.hpp"

#include <utility>
#include <vector>

namespace rondo {

LateDense::LateDense(const DenseCall& call, std::shared_ptr<DenseContext> context,
                     std::shared_ptr<const DenseShapes> blocks, int first_tag)
    : name_(call.name),
      in_place_(call.in_place()),
      send_(call.send_buffer()),
      recv_(call.recv_buffer()),
      context_(std::move(context)),
      settings_(context_->settings()),
      costs_(context_->costs()),
      blocks_(std::move(blocks)),
      first_tag_(first_tag),
      seed_(seed_of(*context_, settings_)),
      turn_(0),
      words_(call, sizes_here(*blocks_), settings_, 0) {
  turn_ = context_->take_turn();  // last: nothing may fail with it
}

LateDense::~LateDense() {
  if (step_ == Step::communicator) context_->give_turn_back();
}

bool LateDense::advance(Operation& operation) {
  switch (step_) {
    case Step::communicator:
      if (!context_->is_turn_of(turn_)) return false;
      try {
        if (!context_->look_for_comm()) return false;
      } catch (...) {
        take_turn();  // the next ones are not to wait for it
        throw;
      }
      take_turn();
      request_ = begin_greatest(words_.words(), context_->tags().comm()->get());
      [[fallthrough]];
    case Step::agreement: {
      int complete = 0;
      check_mpi(MPI_Test(&request_, &complete, MPI_STATUS_IGNORE), "MPI_Test");
      if (complete == 0) return false;
      end_greatest(words_.words());
      sizes_ = words_.agreed(nullptr);
      begin_exchange();
      step_ = Step::sizes;
      [[fallthrough]];
    }
    case Step::sizes:
      if (exchange_ && !exchange_->advance()) return false;
      choose(operation);
  }
  return true;
}

void LateDense::take_turn() noexcept {
  step_ = Step::agreement;
  context_->begin_next_turn();
}

DenseProblem LateDense::problem() const {
  const DenseProblem of_context = problem_of(*context_, *blocks_, in_place_, settings_, sizes_, seed_);
  return {of_context.rank, of_context.size,    of_context.send,     of_context.recv, of_context.uniform,
          costs_,          of_context.largest, of_context.smallest, in_place_,       of_context.options};
}

void LateDense::begin_exchange() {
  const DenseProblem all = problem();
  if (all.regular() || !all.regular_enough()) return;
  const int radix = radix_to_exchange(all, settings_.algorithm);
  if (radix == 0) return;
  std::vector<std::int64_t> own;
  for (const BlockShape& block : all.send) own.push_back(block.layout->size());
  exchange_.emplace(radix, own, context_->tags().comm()->get(), first_tag_);
}

void LateDense::choose(Operation& operation) {
  DenseProblem all = problem();
  if (exchange_) {
    passing_ = std::move(*exchange_).take();
    all.passing = &passing_;
  }
  const std::shared_ptr<const Chosen> chosen = choose_and_log(name_, *context_, all, settings_);
  operation.replace(chosen->schedule, chosen->algorithm);
  operation.explain = [chosen] { return explain(*chosen); };
  operation.execution().bind(send_, recv_);
  operation.execution().set_ticket(first_tag_ + 1);
}

}  // namespace rondo
