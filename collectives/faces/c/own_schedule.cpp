// The C interface: user-defined collectives.
#include <rondo/own/schedule.h>

#include "collectives/communicators/cart_neighborhood.hpp"
#include "collectives/faces/c/errors.hpp"
#include "collectives/faces/handles/request_making.hpp"
#include "collectives/operations/own_collective.hpp"
#include "collectives/own/own_builder.hpp"
#include "datatypes/reading/mpi_check.hpp"

#include <array>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

using namespace rondo;
using namespace rondo::internal;

/// A schedule under construction: its steps, which are repeated when all ranks commit it.
struct Rondo_Schedule_handle {
  using Step = std::function<void(OwnBuilder&)>;

  MPI_Comm comm;
  std::string name;
  std::optional<OwnBuilder> trial{};  ///< reports errors at once
  std::vector<Step> steps{};
  std::exception_ptr broken{};  ///< the first error
  std::shared_ptr<OwnCalls> calls{};
};

namespace {

using OwnProgram = Rondo_Schedule_handle;

/// The schedules that were not freed.
class Programs {
 public:
  [[nodiscard]] static Programs& all() {
    static auto& programs = *new Programs;  // never destroyed, as nothing uses schedules after MPI_Finalize
    return programs;
  }
  [[nodiscard]] OwnProgram* add(std::shared_ptr<OwnProgram> program) {
    const std::scoped_lock lock(mutex_);
    OwnProgram* const handle = program.get();
    programs_.emplace(handle, std::move(program));
    return handle;
  }
  /// Returns the schedule of a handle. Throws Error (MPI_ERR_ARG) if there is none.
  [[nodiscard]] std::shared_ptr<OwnProgram> find(const OwnProgram* handle) {
    const std::scoped_lock lock(mutex_);
    const auto found = programs_.find(handle);
    if (found != programs_.end()) return found->second;
    throw Error(MPI_ERR_ARG, handle == nullptr ? "schedule: is RONDO_SCHEDULE_NULL"
                                               : "schedule: was freed, or is not a handle of Rondo's");
  }
  void remove(const OwnProgram* handle) {
    const std::scoped_lock lock(mutex_);
    programs_.erase(handle);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const OwnProgram*, std::shared_ptr<OwnProgram>> programs_;
};

/// Returns the communicator whose error handler is called; MPI_COMM_NULL for a wrong handle.
MPI_Comm comm_of(const OwnProgram* handle) {
  try {
    return Programs::all().find(handle)->comm;
  } catch (const Error&) {
    return MPI_COMM_NULL;
  }
}

OwnProgram& under_construction(const std::shared_ptr<OwnProgram>& program) {
  if (program->calls != nullptr) throw Error(MPI_ERR_ARG, "schedule: is committed, and cannot be changed any more");
  return *program;
}

OwnCalls& committed(const std::shared_ptr<OwnProgram>& program) {
  if (program->calls == nullptr) throw Error(MPI_ERR_ARG, "schedule: is not committed: see Rondo_Schedule_commit");
  return *program->calls;
}

/// Runs a function of the C interface that builds: calls `say` with the schedule.
template <typename Say>
int build(Rondo_Schedule schedule, const char* function, const Say& say) {
  return guarded(comm_of(schedule), function, [&] {
    const std::shared_ptr<OwnProgram> program = Programs::all().find(schedule);
    OwnProgram& built = under_construction(program);
    try {
      say(built);
    } catch (...) {
      if (!built.broken) built.broken = std::current_exception();
      throw;
    }
  });
}

/// Runs a function of the C interface that adds a step, which is tried at once.
template <typename Step>
int add(Rondo_Schedule schedule, const char* function, const Step& step) {
  return build(schedule, function, [&](OwnProgram& built) {
    step(*built.trial);
    built.steps.emplace_back(step);
  });
}

/// Runs a function of the C interface that adds a block, whose number is the same on every builder.
template <typename Make>
int add_block(Rondo_Schedule schedule, const char* function, int* block, const Make& make) {
  return build(schedule, function, [&](OwnProgram& built) {
    require(block, "block");
    const BlockId made = make(*built.trial);
    built.steps.emplace_back([make](OwnBuilder& builder) { static_cast<void>(make(builder)); });
    *block = static_cast<int>(made.index);
  });
}

std::vector<BlockId> blocks_from(int count, const int numbers[], const char* argument) {
  if (count < 0) throw Error(MPI_ERR_ARG, "count: is " + std::to_string(count) + ", must be at least 0");
  if (count > 0) require(numbers, argument);
  std::vector<BlockId> blocks;
  for (int i = 0; i < count; ++i) blocks.push_back({static_cast<std::uint32_t>(numbers[i])});
  return blocks;
}

/// Runs a function of the C interface that adds a step with blocks, in two lists or in one.
template <typename Step>
int add_with_blocks(Rondo_Schedule schedule, const char* function, int count, const int one[], const char* name_of_one,
                    int other_count, const int other[], const char* name_of_other, const Step& step) {
  return build(schedule, function, [&](OwnProgram& built) {
    const std::vector<BlockId> ones = blocks_from(count, one, name_of_one);
    const std::vector<BlockId> others = blocks_from(other_count, other, name_of_other);
    step(*built.trial, ones, others);
    built.steps.emplace_back([=](OwnBuilder& builder) { step(builder, ones, others); });
  });
}

using List = std::span<const BlockId>;

/// Throws Error with the text that MPI has for the code that a C function returned.
void throw_what_it_returned(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
  throw Error(MPI_ERR_OTHER, "it returned " + std::to_string(code) + (length == 0 ? "" : ", ") +
                                 std::string(text.data(), static_cast<std::size_t>(length)));
}

Rondo_Blocks as_handle(const ComputeBlocks& blocks) { return reinterpret_cast<Rondo_Blocks>(&blocks); }
const ComputeBlocks& blocks_of(Rondo_Blocks handle) { return *reinterpret_cast<const ComputeBlocks*>(handle); }

}  // namespace

int Rondo_Schedule_create(MPI_Comm comm, const char* name, Rondo_Schedule* schedule) {
  return guarded(comm, "Rondo_Schedule_create", [&] {
    require(schedule, "schedule");
    *schedule = RONDO_SCHEDULE_NULL;
    check_intracommunicator(comm, "comm", "Rondo_Schedule_create");
    require(name, "name");
    int rank = 0;
    int size = 0;
    check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    const std::shared_ptr<OwnProgram> program(new OwnProgram{.comm = comm, .name = name});
    program->trial.emplace(rank, size, Ordering::dependencies, MessageForm::automatic, measured_form_costs());
    *schedule = Programs::all().add(program);
  });
}

int Rondo_Schedule_free(Rondo_Schedule* schedule) {
  return guarded(MPI_COMM_NULL, "Rondo_Schedule_free", [&] {
    require(schedule, "schedule");
    static_cast<void>(Programs::all().find(*schedule));
    Programs::all().remove(*schedule);
    *schedule = RONDO_SCHEDULE_NULL;
  });
}

int Rondo_Schedule_send_block(Rondo_Schedule schedule, MPI_Aint offset, MPI_Count count, MPI_Datatype datatype,
                              int* block) {
  return add_block(schedule, "Rondo_Schedule_send_block", block,
                   [=](OwnBuilder& builder) { return builder.block(Space::send, offset, count, datatype); });
}

int Rondo_Schedule_recv_block(Rondo_Schedule schedule, MPI_Aint offset, MPI_Count count, MPI_Datatype datatype,
                              int* block) {
  return add_block(schedule, "Rondo_Schedule_recv_block", block,
                   [=](OwnBuilder& builder) { return builder.block(Space::recv, offset, count, datatype); });
}

int Rondo_Schedule_transit(Rondo_Schedule schedule, MPI_Count bytes, int* block) {
  return add_block(schedule, "Rondo_Schedule_transit", block,
                   [=](OwnBuilder& builder) { return builder.transit(bytes); });
}

int Rondo_Schedule_set_in_place(Rondo_Schedule schedule) {
  return add(schedule, "Rondo_Schedule_set_in_place", [](OwnBuilder& builder) { builder.set_in_place(); });
}

int Rondo_Schedule_set_filled(Rondo_Schedule schedule, int block) {
  return add(schedule, "Rondo_Schedule_set_filled",
             [=](OwnBuilder& builder) { builder.set_filled({static_cast<std::uint32_t>(block)}); });
}

int Rondo_Schedule_set_reduction(Rondo_Schedule schedule, MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
  return add(schedule, "Rondo_Schedule_set_reduction",
             [=](OwnBuilder& builder) { builder.set_reduction(count, datatype, op); });
}

int Rondo_Schedule_operand(Rondo_Schedule schedule, int* block) {
  return add_block(schedule, "Rondo_Schedule_operand", block, [](OwnBuilder& builder) { return builder.operand(); });
}

int Rondo_Schedule_reduce(Rondo_Schedule schedule, int count, const int from[], const int into[]) {
  return add_with_blocks(schedule, "Rondo_Schedule_reduce", count, from, "from", count, into, "into",
                         [](OwnBuilder& builder, List one, List other) { builder.reduce(one, other); });
}

int Rondo_Schedule_copy(Rondo_Schedule schedule, int count, const int from[], const int to[]) {
  return add_with_blocks(schedule, "Rondo_Schedule_copy", count, from, "from", count, to, "to",
                         [](OwnBuilder& builder, List one, List other) { builder.copy(one, other); });
}

const void* Rondo_Blocks_read(Rondo_Blocks blocks, int i) {
  const auto number = static_cast<std::size_t>(i);
  return i < 0 || number >= blocks_of(blocks).reads() ? nullptr : blocks_of(blocks).read_address(number);
}

void* Rondo_Blocks_write(Rondo_Blocks blocks, int i) {
  const auto number = static_cast<std::size_t>(i);
  return i < 0 || number >= blocks_of(blocks).writes() ? nullptr : blocks_of(blocks).write_address(number);
}

int Rondo_Schedule_compute(Rondo_Schedule schedule, int readcount, const int reads[], int writecount,
                           const int writes[], Rondo_Function function, void* argument, const char* name,
                           int on_worker) {
  const auto add = [=](const std::string& kept) {
    return add_with_blocks(schedule, "Rondo_Schedule_compute", readcount, reads, "reads", writecount, writes, "writes",
                           [=](OwnBuilder& builder, List read, List written) {
                             if (function == nullptr) throw Error(MPI_ERR_ARG, "function: is null");
                             const ComputeFunction run = [=](const ComputeBlocks& blocks) {
                               const int code = function(as_handle(blocks), argument);
                               if (code != MPI_SUCCESS) throw_what_it_returned(code);
                             };
                             builder.compute(read, written, run,
                                             {.name = kept, .where = on_worker != 0 ? Where::worker : Where::driver});
                           });
  };
  return add(name == nullptr ? "function" : name);
}

int Rondo_Schedule_send(Rondo_Schedule schedule, int target, int count, const int blocks[]) {
  return add_with_blocks(schedule, "Rondo_Schedule_send", count, blocks, "blocks", 0, nullptr, "",
                         [=](OwnBuilder& builder, List outgoing, List) { builder.send(target, outgoing); });
}

int Rondo_Schedule_receive(Rondo_Schedule schedule, int source, int count, const int blocks[]) {
  return add_with_blocks(schedule, "Rondo_Schedule_receive", count, blocks, "blocks", 0, nullptr, "",
                         [=](OwnBuilder& builder, List incoming, List) { builder.receive(source, incoming); });
}

int Rondo_Schedule_exchange(Rondo_Schedule schedule, int target, int outcount, const int outgoing[], int source,
                            int incount, const int incoming[]) {
  return add_with_blocks(
      schedule, "Rondo_Schedule_exchange", outcount, outgoing, "outgoing", incount, incoming, "incoming",
      [=](OwnBuilder& builder, List sent, List received) { builder.exchange(target, source, sent, received); });
}

int Rondo_Schedule_begin_phase(Rondo_Schedule schedule) {
  return add(schedule, "Rondo_Schedule_begin_phase", [](OwnBuilder& builder) { builder.begin_phase(); });
}

int Rondo_Schedule_set_window(Rondo_Schedule schedule, int exchanges) {
  return add(schedule, "Rondo_Schedule_set_window", [=](OwnBuilder& builder) { builder.set_window(exchanges); });
}

int Rondo_Schedule_begin_exchange(Rondo_Schedule schedule) {
  return add(schedule, "Rondo_Schedule_begin_exchange", [](OwnBuilder& builder) { builder.begin_exchange(); });
}

int Rondo_Schedule_end_exchange(Rondo_Schedule schedule) {
  return add(schedule, "Rondo_Schedule_end_exchange", [](OwnBuilder& builder) { builder.end_exchange(); });
}

int Rondo_Schedule_commit(Rondo_Schedule schedule, MPI_Info info) {
  return guarded(comm_of(schedule), "Rondo_Schedule_commit", [&] {
    const std::shared_ptr<OwnProgram> program = Programs::all().find(schedule);
    OwnProgram& built = under_construction(program);
    const auto replay = [&built](OwnBuilder& builder) {
      if (built.broken) std::rethrow_exception(built.broken);
      for (const OwnProgram::Step& step : built.steps) step(builder);
    };
    built.calls = OwnCalls::make(OwnComm::of(built.comm), built.name, replay, {.info = info});
    built.steps = {};
    built.trial.reset();
  });
}

int Rondo_Schedule_run(const void* sendbuf, void* recvbuf, Rondo_Schedule schedule) {
  return guarded(comm_of(schedule), "Rondo_Schedule_run", [&] {
    const std::shared_ptr<OwnProgram> program = Programs::all().find(schedule);
    committed(program).run({sendbuf, -1}, {recvbuf, -1});
  });
}

int Rondo_Schedule_start(const void* sendbuf, void* recvbuf, Rondo_Schedule schedule, Rondo_Request* request) {
  return guarded(comm_of(schedule), "Rondo_Schedule_start", [&] {
    require(request, "request");
    *request = RONDO_REQUEST_NULL;
    const std::shared_ptr<OwnProgram> program = Programs::all().find(schedule);
    OwnCalls& calls = committed(program);
    *request = started_request([&] { return calls.start({sendbuf, -1}, {recvbuf, -1}); });
  });
}

int Rondo_Schedule_init(const void* sendbuf, void* recvbuf, Rondo_Schedule schedule, Rondo_Request* request) {
  return guarded(comm_of(schedule), "Rondo_Schedule_init", [&] {
    if (request != nullptr) *request = RONDO_REQUEST_NULL;
    const std::shared_ptr<OwnProgram> program = Programs::all().find(schedule);
    OwnCalls& calls = committed(program);
    const auto check = [&] { require(request, "request"); };
    *request = persistent_request(check, [&](const std::exception_ptr& trouble) {
      return calls.init({sendbuf, -1}, {recvbuf, -1}, trouble);
    });
  });
}
