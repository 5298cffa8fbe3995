#include "collectives/dense_context.hpp"

#include <rondo/error.hpp>

#include "collectives/agreement.hpp"
#include "collectives/cart_neighborhood.hpp"
#include "collectives/tuning_file.hpp"
#include "datatypes/mpi_check.hpp"
#include "runtime/engine.hpp"
#include "runtime/log.hpp"
#include "runtime/node.hpp"
#include "runtime/operation.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <utility>

namespace rondo {
namespace {

/// Open MPI 4.1 looks at a communicator until a duplicate that was begun is there, freed or not. MPICH keeps it for so
/// long, and deletes its attributes then, in whatever call makes progress: nothing can be waited for there.
#if defined(OPEN_MPI)
constexpr bool kDuplicatesNeedOriginals = true;
#else
constexpr bool kDuplicatesNeedOriginals = false;
#endif

/// What the attribute holds.
using Attribute = std::shared_ptr<DenseContext>;

std::string with_load(double ranks_per_core) {
  std::string text = std::to_string(ranks_per_core);
  return text.substr(0, text.find('.') + 2) + " ranks on a core";
}

CostModel built_in(double ranks_per_core) {
  return {built_in_dense_costs(ranks_per_core), measured_form_costs(ranks_per_core),
          "built in, " + with_load(ranks_per_core)};
}

/// The file with the one entry for a communicator, which rank 0 has and sends to the others as text. Collective.
TuningFile tuning_of_rank_0(const std::optional<TuningFile>& tuning, int ranks, double load, MPI_Comm comm) {
  std::string text;
  const std::exception_ptr trouble = trouble_in([&] {
    if (tuning) text = print_tuning({tuning->mpi, tuning->machine, {nearest_entry(*tuning, ranks, load)}});
  });
  agree_that_all_is_well(trouble, comm);
  std::uint64_t length = text.size();
  take_from_rank_0(std::as_writable_bytes(std::span(&length, 1)), comm);
  agree_that_all_is_well(trouble_in([&] { text.resize(length); }), comm);
  take_from_rank_0(std::as_writable_bytes(std::span(text)), comm);
  TuningFile received;
  agree_that_all_is_well(trouble_in([&] { received = parse_tuning(text); }), comm);
  return received;
}

/// That a file was measured elsewhere, which changes what is best and nothing else.
void say_once_where_measured(const TuningFile& tuning, const std::string& path, SaidNotes& said) {
  const std::string here = machine_name();
  if (tuning.machine == here || !said.first(path)) return;
  // Nodes of a cluster differ in their names only, and tuning one of them is enough.
  const auto level = cores_of(tuning.machine) == cores_of(here) ? spdlog::level::info : spdlog::level::warn;
  log().log(level, "rondo_tuning: {} was measured on {}, and this is {}: it is used all the same (bench/run.sh tune)",
            path, tuning.machine, here);
}

Settings environment() {
  Settings settings;
  settings.take_assertions(MPI_INFO_NULL);
  settings.take_environment();
  return settings;
}

}  // namespace

int DenseContext::delete_attribute(MPI_Comm, int, void* context, void*) {
  const std::unique_ptr<Attribute> attribute(static_cast<Attribute*>(context));
  DenseContext& its = **attribute;
  const bool in_use = attribute->use_count() > 1;
  // If that fails, the operation hears of it.
  if (kDuplicatesNeedOriginals && in_use && its.begun_ && !its.has_comm())
    static_cast<void>(trouble_in([&] { its.wait_for_comm(); }));
  return MPI_SUCCESS;
}

/// Made by the first context, gone before MPI is.
struct DenseContext::OfProcess {
  OfProcess() {
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &keyval, nullptr),
              "MPI_Comm_create_keyval");
    probe.emplace(MPI_COMM_SELF);
    // MPI_COMM_WORLD is never freed: its context, which frees a communicator, must go before MPI does.
    int at_end = MPI_KEYVAL_INVALID;
    const auto drop = [](MPI_Comm, int, void* its, void*) {
      auto& all = *static_cast<OfProcess*>(its);
      void* context = nullptr;
      int flag = 0;
      if (MPI_Comm_get_attr(MPI_COMM_WORLD, all.keyval, static_cast<void*>(&context), &flag) == MPI_SUCCESS &&
          flag != 0)
        MPI_Comm_delete_attr(MPI_COMM_WORLD, all.keyval);
      all.probe.reset();
      return MPI_SUCCESS;
    };
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop, &at_end, nullptr), "MPI_Comm_create_keyval");
    check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, at_end, this), "MPI_Comm_set_attr");
  }

  int keyval = MPI_KEYVAL_INVALID;  ///< of the attribute that a context is
  std::optional<PrivateComm> probe;
  SaidNotes said;
};

DenseContext::OfProcess& DenseContext::of_process() {
  static OfProcess all;
  return all;
}

MPI_Comm DenseContext::probe() { return of_process().probe->get(); }

DenseContext::DenseContext(MPI_Comm comm) : costs_(built_in(1.0)), own_(std::make_shared<PrivateComm>()) {
  watch_for_finalize();
  check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &size_), "MPI_Comm_size");
  settings_ = environment();
  tags_.emplace(own_);
}

std::shared_ptr<DenseContext> DenseContext::of(MPI_Comm comm) {
  check_intracommunicator(comm, "comm", "alltoall");
  void* found = nullptr;
  int flag = 0;
  check_mpi(MPI_Comm_get_attr(comm, of_process().keyval, static_cast<void*>(&found), &flag), "comm");
  if (flag != 0) return *static_cast<Attribute*>(found);
  auto attribute = std::make_unique<Attribute>(std::make_shared<DenseContext>(comm));
  check_mpi(MPI_Comm_set_attr(comm, of_process().keyval, attribute.get()), "MPI_Comm_set_attr");
  return *attribute.release();  // MPI's now
}

std::shared_ptr<DenseContext> DenseContext::find_ready(MPI_Comm comm) {
  void* found = nullptr;
  int flag = 0;
  check_mpi(MPI_Comm_get_attr(comm, of_process().keyval, static_cast<void*>(&found), &flag), "comm");
  if (flag == 0 || !(*static_cast<Attribute*>(found))->agreed_) return nullptr;
  return *static_cast<Attribute*>(found);
}

std::shared_ptr<DenseContext> DenseContext::ready(MPI_Comm comm) {
  std::shared_ptr<DenseContext> context;
  const std::exception_ptr trouble = trouble_in([&] { context = of(comm); });
  if (context != nullptr && context->agreed_) [[likely]]
    return context;
  make_ready(
      context.get(), comm, [](Settings&) {}, trouble);
  return context;
}

void DenseContext::prepare(MPI_Comm comm, const DenseSteps& steps) {
  std::shared_ptr<DenseContext> context;
  const std::exception_ptr trouble = trouble_in([&] { context = of(comm); });
  const auto anew = [&](Settings& settings) {
    settings = environment();
    steps(settings);
  };
  make_ready(context.get(), comm, std::ref(anew), trouble);
}

std::shared_ptr<DenseContext> DenseContext::separate(MPI_Comm comm, const DenseSteps& steps) {
  std::shared_ptr<DenseContext> context;
  const std::exception_ptr trouble = trouble_in([&] {
    check_intracommunicator(comm, "comm", "Comm");
    context = std::make_shared<DenseContext>(comm);
  });
  make_ready(context.get(), comm, steps, trouble);
  return context;
}

/// `trouble`: why there is no context on this rank.
void DenseContext::make_ready(DenseContext* context, MPI_Comm comm, const DenseSteps& steps,
                              const std::exception_ptr& trouble) {
  if (context == nullptr) {
    int inter = 1;
    // With such an argument there is nobody to talk to.
    if (comm == MPI_COMM_NULL || MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter != 0)
      std::rethrow_exception(trouble);
  }
  Settings settings;
  std::optional<TuningFile> tuning;  // rank 0's, so that all have the same
  std::exception_ptr here = trouble;
  if (!here) {
    here = trouble_in([&] {
      settings = context->settings_;
      steps(settings);
      if (settings.tuning.empty() || context->rank_ != 0) return;
      tuning = read_tuning(settings.tuning);
      say_once_where_measured(*tuning, settings.tuning, of_process().said);
    });
  }
  const std::uint64_t wanted = settings.fingerprint();
  std::array words{rank_word(here != nullptr, comm), wanted, ~wanted,
                   static_cast<std::uint64_t>(rondo::ranks_per_core() * 1000.0), untraced_word()};
  take_greatest(words, comm);
  throw_trouble(here, words[0], "comm");
  if (words[1] != ~words[2]) {
    throw Error(MPI_ERR_INFO_VALUE,
                "info: all ranks of comm must ask for the same settings (info keys and environment), and they did not");
  }
  if (!context->begun_) {
    context->own_->duplicate(comm);
    context->begun_ = true;
  }
  context->wait_for_comm();  // a nonblocking call may have begun it
  align_traces(words[4], context->own_->get());
  {
    const std::scoped_lock lock(context->mutex_);
    context->wait_for_turns();
  }
  const double load = std::max(1.0, static_cast<double>(words[3]) / 1000.0);
  std::optional<TuningFile> received;
  if (!settings.tuning.empty()) received = tuning_of_rank_0(tuning, context->size_, load, context->own_->get());
  CostModel costs(load);
  MeasuredTimes times;
  agree_that_all_is_well(trouble_in([&] {
                           costs = built_in(load);
                           if (!received) return;
                           TuningEntry& measured = received->entries.front();
                           costs = {measured.costs, measured_form_costs(load),
                                    settings.tuning + ", measured on " + received->machine + ", with " +
                                        std::to_string(measured.ranks) + " ranks, " +
                                        with_load(measured.ranks_per_core)};
                           if (measured.ranks == context->size_) times = std::move(measured.times);
                         }),
                         context->own_->get());
  context->settings_ = std::move(settings);
  context->ranks_per_core_ = load;
  context->costs_ = std::move(costs);
  context->times_ = std::move(times);
  context->cache_ = {};  // of schedules that were chosen otherwise
  context->agreed_ = true;
}

void DenseContext::wait_for_comm() {
  const auto is_there = [&] {
    const Engine::Turn turn(Engine::process());
    return look_for_comm();
  };
  wait_until(std::ref(is_there));
}

void DenseContext::wait_for_turns() {
  const auto all_begun = [&] {
    const Engine::Turn turn(Engine::process());
    return begun_turns_ == turns_;
  };
  wait_until(std::ref(all_begun));
}

void DenseContext::begin(MPI_Comm comm) {
  if (begun_) return;
  own_->begin_duplicate(comm);
  begun_ = true;
}

}  // namespace rondo
