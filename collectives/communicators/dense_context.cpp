#include "collectives/communicators/dense_context.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/attribute_key.hpp"
#include "collectives/comm_state/creation.hpp"
#include "collectives/comm_state/pending_collective.hpp"
#include "collectives/communicators/cart_neighborhood.hpp"
#include "collectives/communicators/lane_making.hpp"
#include "collectives/communicators/neighborhood_context.hpp"
#include "collectives/tuning/tuning_file.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "datatypes/reading/mpi_running.hpp"
#include "datatypes/reading/this_mpi.hpp"
#include "runtime/base/at_finalize.hpp"
#include "runtime/base/given_up.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/node.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/operation/operation.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

namespace rondo::internal {
namespace {

/// Returns whether a communicator is needed until its duplicate is made. Open MPI 4.1 uses a communicator, freed or
/// not, until a duplicate that was begun is there. MPICH keeps it until then, and then deletes its attributes in
/// whatever call makes progress, where no wait is possible.
bool duplicates_need_originals() noexcept { return this_mpi().kind == MpiKind::open_mpi; }

/// Whether the key of contexts is in use: from the first context on, until MPI_Finalize.
std::atomic<bool> there_is_a_key = false;

std::string with_load(double ranks_per_core) {
  std::string text = std::to_string(ranks_per_core);
  return text.substr(0, text.find('.') + 2) + " ranks per core";
}

CostModel built_in(double ranks_per_core) {
  return {built_in_dense_costs(ranks_per_core), measured_form_costs(ranks_per_core),
          "built in, " + with_load(ranks_per_core)};
}

/// Returns the costs of messages if nothing was measured.
ByMedium<CostModel> all_built_in(double ranks_per_core, bool one_cache) {
  return {built_in(ranks_per_core), CostModel::through_slots(ranks_per_core, one_cache),
          CostModel::through_lanes(ranks_per_core, one_cache)};
}

/// Returns the file with the entries for a communicator, at most one of each medium, which rank 0 has and sends to the
/// others as text. Collective.
TuningFile tuning_of_rank_0(const std::optional<TuningFile>& tuning, int ranks, double load, MPI_Comm comm) {
  std::string text;
  const std::exception_ptr trouble = trouble_in([&] {
    if (!tuning) return;
    TuningFile sent{tuning->mpi, tuning->machine, {}};
    for (const Medium medium : kMedia) {
      if (const TuningEntry* nearest = nearest_entry(*tuning, medium, ranks, load)) sent.entries.push_back(*nearest);
    }
    text = print_tuning(sent);
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

/// Logs once that a file was measured elsewhere, which changes what is best and nothing else.
void say_once_where_measured(const TuningFile& tuning, const std::string& path) {
  static OnceLog said;
  const std::string here = machine_name();
  if (tuning.machine == here || !said.first(path)) return;
  // Nodes of a cluster differ in their names only, and tuning one of them is enough.
  const auto level = cores_of(tuning.machine) == cores_of(here) ? LogLevel::info : LogLevel::warning;
  log(level, "rondo_tuning: ", path, " was measured on ", tuning.machine, ", but this is ", here,
      "; it is used anyway (bench/run.sh tune)");
}

Settings environment() {
  Settings settings;
  settings.take_assertions(MPI_INFO_NULL);
  settings.take_environment();
  return settings;
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  return size;
}

}  // namespace

/// The object that the attribute holds.
struct DenseContext::Attribute {
  explicit Attribute(std::shared_ptr<DenseContext> of) : context(std::move(of)) {}
  Attribute(const Attribute&) = delete;
  Attribute& operator=(const Attribute&) = delete;
  ~Attribute() {
    const CallState& calls = context->calls();
    const bool in_use = context.use_count() > 1 || calls.on().use_count() > 1;
    // If the wait fails, the operation meets the error later.
    if (duplicates_need_originals() && in_use && context->begun_ && !calls.on()->own()->made())
      static_cast<void>(trouble_in([&] { context->wait_for_comm(Patience::endless); }));
  }
  std::shared_ptr<DenseContext> context;

  static const AttributeKey<Attribute>& key() {
    static const AttributeKey<Attribute> key = [] {
      // MPI_COMM_WORLD is never freed: its context, which frees a communicator, must go before MPI does.
      at_finalize(AtFinalize::free_communicators, [] {
        there_is_a_key.store(false, std::memory_order_relaxed);  // relaxed: no other thread is in Rondo now
        DenseContext::Attribute::key().detach(MPI_COMM_WORLD);
      });
      return AttributeKey<Attribute>();
    }();
    return key;
  }
};

DenseContext::DenseContext(MPI_Comm comm)
    : calls_(std::make_shared<CommState>(std::make_shared<PrivateComm>(), rank_in(comm), size_of(comm), 1.0),
             environment()) {
  calls_.on()->set_costs(1.0, false, true, all_built_in(1.0, true));
  to_self_ = {static_cast<std::size_t>(rank()), static_cast<std::size_t>(rank())};
}

BlockPattern DenseContext::pattern() const noexcept {
  return {
      .targets = size(), .sources = size(), .to_self = {&to_self_, 1}, .may_be_in_place = true, .keeps_order = true};
}

const std::shared_ptr<DenseContext>* DenseContext::find(MPI_Comm comm) {
  // relaxed: a thread that does not see the key yet finds or makes it in of()
  if (!there_is_a_key.load(std::memory_order_relaxed) || comm == MPI_COMM_NULL) return nullptr;
  const Attribute* found = Attribute::key().find(comm);
  return found == nullptr ? nullptr : &found->context;
}

std::shared_ptr<DenseContext> DenseContext::of(MPI_Comm comm) {
  if (const auto* found = find(comm)) return *found;  // the communicator was checked before
  check_intracommunicator(comm, "comm", "alltoall");
  watch_for_finalize();
  if (const Attribute* found = Attribute::key().find(comm)) return found->context;
  there_is_a_key.store(true, std::memory_order_relaxed);  // relaxed: see find()
  return Attribute::key().attach(comm, std::make_unique<Attribute>(std::make_shared<DenseContext>(comm))).context;
}

std::shared_ptr<DenseContext> DenseContext::find_ready(MPI_Comm comm) {
  const auto* found = find(comm);
  return found == nullptr || !(*found)->agreed_ ? nullptr : *found;
}

std::shared_ptr<DenseContext> DenseContext::make_ready_now(MPI_Comm comm, const char* function) {
  const Making making(function);
  std::shared_ptr<DenseContext> context;
  const std::exception_ptr trouble = trouble_in([&] { context = of(comm); });
  make_ready(context.get(), comm, nullptr, {}, trouble);
  return context;
}

void DenseContext::prepare(MPI_Comm comm, const Asked& asked) {
  const Making making("Rondo_Comm_prepare");
  std::shared_ptr<DenseContext> context;
  std::optional<Settings> anew;
  const std::exception_ptr trouble = trouble_in([&] {
    context = of(comm);
    anew.emplace(environment());
  });
  make_ready(context.get(), comm, anew ? &*anew : nullptr, asked, trouble);
}

std::shared_ptr<DenseContext> DenseContext::separate(MPI_Comm comm, const Asked& asked, std::exception_ptr trouble) {
  const Making making("Comm");
  std::shared_ptr<DenseContext> context;
  const std::exception_ptr here = trouble_in([&] {
    check_intracommunicator(comm, "comm", "Comm");
    watch_for_finalize();
    context = std::make_shared<DenseContext>(comm);
  });
  make_ready(context.get(), comm, nullptr, asked, here ? here : trouble);
  return context;
}

/// Makes a context ready. `base`: settings to begin with; null: the context's. `trouble`: why this rank cannot go on.
void DenseContext::make_ready(DenseContext* context, MPI_Comm comm, const Settings* base, const Asked& asked,
                              const std::exception_ptr& trouble) {
  if (context == nullptr) {
    int inter = 1;
    // With such an argument there are no other ranks to inform.
    if (!mpi_runs() || comm == MPI_COMM_NULL || MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter != 0)
      std::rethrow_exception(trouble);
  }
  Settings settings;
  std::optional<TuningFile> tuning;  // rank 0's, so that all have the same
  // Made beforehand for what is so on most machines: the load of this rank is that of all, and they share a cache.
  std::optional<ByMedium<CostModel>> costs;
  std::exception_ptr here = trouble;
  if (!here) {
    here = trouble_in([&] {
      costs.emplace(all_built_in(Creation::load_here(), true));
      settings = base == nullptr ? context->settings() : *base;
      settings.take(asked, comm);
      if (settings.tuning.empty() || context->rank() != 0) return;
      tuning = read_tuning(settings.tuning);
      say_once_where_measured(*tuning, settings.tuning);
    });
  }
  // While a duplicate is under way, nothing else may use the user's communicator. If there is a finished duplicate, the
  // ranks agree over it.
  wait_for_duplicate_of(comm);
  MPI_Comm talk = comm;
  if (context != nullptr && context->calls_.on()->own()->made()) {
    const std::scoped_lock lock(context->calls_.mutex());
    context->wait_for_numbers();
    talk = context->calls_.on()->comm();
  }
  SpareComms::Offer spare;
  if (!here && !context->begun_) here = trouble_in([&] { spare = SpareComms::of_process().offer(comm); });
  std::vector<std::int64_t> nodes;
  if (!here) here = trouble_in([&] { nodes.resize(static_cast<std::size_t>(context->size())); });
  Creation creation(settings.fingerprint(), settings.shm, here, talk, std::move(spare));
  LaneMaking lanes(creation.words, settings.shm, std::move(nodes));
  creation.reach();
  if (!creation.asked_alike()) {
    throw Error(MPI_ERR_INFO_VALUE,
                "info: all ranks of comm must ask for the same settings (info keys and environment), but they did not");
  }
  CommState& state = *context->calls_.on();
  if (!context->begun_) {
    creation.make(*state.own(), comm);
    context->begun_ = true;
  }
  creation.align_traces(*state.own());
  const double load = creation.ranks_per_core();
  ByMedium<MeasuredTimes> times;
  if (!settings.tuning.empty() || !creation.same_load_everywhere() || !creation.shares_cache()) {
    std::optional<TuningFile> received;
    if (!settings.tuning.empty()) received = tuning_of_rank_0(tuning, state.size(), load, state.comm());
    agree_that_all_is_well(trouble_in([&] {
                             costs = all_built_in(load, creation.shares_cache());
                             if (!received) return;
                             for (TuningEntry& measured : received->entries) {
                               CostModel& model = (*costs)[measured.through];
                               model = {measured.costs, model.form_costs(),
                                        settings.tuning + ", measured on " + received->machine + ", through " +
                                            std::string(name_of(measured.through)) + ", with " +
                                            std::to_string(measured.ranks) + " ranks, " +
                                            with_load(measured.ranks_per_core)};
                               model.set_measured();
                               if (measured.ranks == state.size()) times[measured.through] = std::move(measured.times);
                             }
                           }),
                           state.comm());
  }
  const bool wants_lanes = lanes.is_wanted(creation.words);
  if (wants_lanes) {
    lanes.find(state.comm(), creation.on_one_node());
    agree_that_all_is_well(trouble_in([&] { lanes.prepare(state.comm()); }), state.comm());
  }
  context->calls_.set_settings(std::move(settings));
  context->calls_.on()->set_costs(load, creation.on_one_node(), creation.shares_cache(), std::move(*costs));
  context->times_ = std::move(times);
  state.forget_lanes();
  if (wants_lanes) lanes.connect(state, creation.words);
  context->agreed_ = true;
}

void DenseContext::wait_for_comm(Patience patience) { wait_for_duplicate(*calls_.on()->own(), patience); }

void DenseContext::wait_for_numbers() {
  const auto all_begun = [&] {
    const Engine::TokenScope turn(Engine::process());
    return begun_numbers_ == numbers_;
  };
  // The engine gives up operations that wait for other ranks.
  wait_until(std::ref(all_begun), calls_.on()->own()->original(), Patience::endless);
}

void DenseContext::wait_for_duplicate_of(MPI_Comm comm) {
  // find() makes no key, which may fail on one rank alone: without a key no duplicate was begun.
  const auto* found = find(comm);
  if (found != nullptr && (*found)->begun_ && !(*found)->calls_.on()->own()->made())
    (*found)->wait_for_comm(Patience::ends);
}

void DenseContext::begin(MPI_Comm comm) {
  if (begun_) return;
  refuse_given_up(comm);
  Engine::process();  // made now, because nothing may fail while ranks wait for the duplicate
  const NeighborhoodContext::NotCopied no_neighborhood;
  calls_.on()->own()->begin_duplicate(comm);
  begun_ = true;
}

}  // namespace rondo::internal
