#include "collectives/operations/deferred_dense.hpp"

#include "collectives/binding/make_operation.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/operations/dense_problem.hpp"
#include "datatypes/reading/mpi_check.hpp"

#include <utility>
#include <vector>

namespace rondo::internal {

DeferredDense::DeferredDense(const Call& call, const Settings& settings, std::shared_ptr<DenseContext> context,
                             std::shared_ptr<const CallShapes> blocks, int first_tag)
    : name_(call.name),
      in_place_(call.in_place()),
      send_(call.send_buffer()),
      recv_(call.recv_buffer()),
      context_(std::move(context)),
      settings_(settings),
      costs_(context_->calls().costs(settings)),
      times_(context_->times(settings)),
      fewest_near_(context_->calls().on()->fewest_near()),
      blocks_(std::move(blocks)),
      first_tag_(first_tag),
      seed_(seed_of(*context_, settings_)),
      number_(0),
      agreement_(call, sizes_here(*blocks_), settings_, nullptr, MPI_COMM_NULL) {
  number_ = context_->take_number();  // last, because nothing may fail once the number is taken
}

DeferredDense::~DeferredDense() {
  if (step_ == Step::communicator) context_->give_number_back();
}

bool DeferredDense::advance(Operation& operation) {
  switch (step_) {
    case Step::communicator:
      if (!context_->may_begin(number_)) return false;
      try {
        if (!context_->look_for_comm()) return false;
      } catch (...) {
        take_place();  // so that later operations do not wait for this one
        throw;
      }
      take_place();
      request_ = agreement_.words.begin(context_->calls().on()->comm());
      [[fallthrough]];
    case Step::agreement: {
      int complete = 0;
      check_mpi(MPI_Test(&request_, &complete, MPI_STATUS_IGNORE), "MPI_Test");
      if (complete == 0) return false;
      agreement_.words.end("comm");
      sizes_ = agreement_.agreed();
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

void DeferredDense::take_place() noexcept {
  step_ = Step::agreement;
  context_->begin_next();
}

dense::Problem DeferredDense::problem() const {
  return problem_of(*context_, *blocks_, in_place_, settings_, sizes_, seed_, {costs_, times_, fewest_near_, nullptr});
}

void DeferredDense::begin_exchange() {
  const dense::Problem all = problem();
  if (all.regular() || !all.regular_enough()) return;
  const int radix = dense::radix_to_exchange(all, algorithm_of_alltoall(settings_));
  if (radix == 0) return;
  std::vector<std::int64_t> own;
  for (const BlockShape& block : all.send) own.push_back(block.layout->size());
  exchange_.emplace(radix, own, context_->calls().on()->comm(), first_tag_);
}

void DeferredDense::choose(Operation& operation) {
  dense::Problem all = problem();
  if (exchange_) {
    passing_ = std::move(*exchange_).take();
    all.passing = &passing_;
  }
  const std::shared_ptr<const Chosen> chosen =
      logged(name_, context_->calls(),
             dense::choose(all, algorithm_of_alltoall(settings_), settings_.ordering, settings_.messages));
  operation.replace(chosen->schedule, chosen->algorithm);
  operation.explain = [chosen, of = &operation] { return explain(*chosen) + ways_of(*of); };
  operation.execution().bind(send_, recv_);
  operation.execution().set_first_tag(first_tag_ + 1);
}

}  // namespace rondo::internal
