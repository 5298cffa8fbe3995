#include "runtime/operation/request_table.hpp"

#include <rondo/error.hpp>

#include "datatypes/reading/mpi_running.hpp"
#include "runtime/base/log.hpp"

#include <new>

namespace rondo::internal {
namespace {

static_assert(sizeof(Rondo_Request) == 8, "a handle holds a slot and a generation of 32 bits each");

std::uint32_t slot_number(Rondo_Request handle) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle));
}

std::uint32_t generation_number(Rondo_Request handle) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle) >> 32);
}

}  // namespace

[[gnu::hot]] RequestTable& RequestTable::process() {
  static RequestTable& table = *new RequestTable;  // never destroyed: see Engine::process()
  return table;
}

Rondo_Request RequestTable::reserve() {
  if (closed()) refuse_without_mpi("request");
  const TokenGuard guard(lock_);
  if (free_.empty()) {
    const std::size_t size = size_.load(std::memory_order_relaxed);  // relaxed: written under the lock only
    if (size / kChunk == kChunks) throw Error(MPI_ERR_NO_MEM, "request: more than a million are in use");
    free_.reserve(size + kChunk);  // so that remove() cannot fail
    chunks_[size / kChunk] = std::make_unique<Slot[]>(kChunk);
    for (std::size_t i = 0; i < kChunk; ++i) free_.push_back(static_cast<std::uint32_t>(size + kChunk - 1 - i));
    size_.store(size + kChunk, std::memory_order_release);  // release: the chunk exists before its slots are valid
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  const Slot& slot = chunks_[number / kChunk][number % kChunk];
  const std::uintptr_t generation = slot.generation.load(std::memory_order_relaxed);  // relaxed: read under the lock
  return reinterpret_cast<Rondo_Request>(generation << 32 | number);
}

void RequestTable::fill(Rondo_Request handle, std::unique_ptr<Operation> operation) noexcept {
  const std::uint32_t number = slot_number(handle);
  chunks_[number / kChunk][number % kChunk].operation = std::move(operation);
}

[[gnu::hot]] RequestTable::Slot& RequestTable::slot_of(Rondo_Request handle) const {
  const std::uint32_t number = slot_number(handle);
  // acquire: see the release in reserve()
  if (handle == RONDO_REQUEST_NULL || number >= size_.load(std::memory_order_acquire)) [[unlikely]]
    refuse(handle);
  Slot& slot = chunks_[number / kChunk][number % kChunk];
  if (slot.generation.load(std::memory_order_acquire) != generation_number(handle)) {
    throw Error(MPI_ERR_REQUEST, "request: was freed");
  }
  return slot;
}

void RequestTable::refuse(Rondo_Request handle) const {
  if (closed()) refuse_without_mpi("request");
  require_mpi("request");
  throw Error(MPI_ERR_REQUEST,
              handle == RONDO_REQUEST_NULL ? "request: is RONDO_REQUEST_NULL" : "request: is not a handle of Rondo's");
}

[[gnu::hot]] std::unique_ptr<Operation>& RequestTable::held(Rondo_Request handle) const {
  Slot& slot = slot_of(handle);
  if (slot.operation == nullptr) throw Error(MPI_ERR_REQUEST, "request: is not a Rondo handle");
  return slot.operation;
}

std::unique_ptr<Operation> RequestTable::remove(Rondo_Request handle) {
  const TokenGuard guard(lock_);
  Slot& slot = slot_of(handle);
  auto operation = std::move(slot.operation);
  // The generation is never 0, which with slot 0 would be the null handle. It is written under the lock only.
  const std::uint32_t next = slot.generation.load(std::memory_order_relaxed) + 1;
  slot.generation.store(next == 0 ? 1 : next, std::memory_order_release);  // release: for the acquire of a late look-up
  free_.push_back(slot_number(handle));
  return operation;
}

std::size_t RequestTable::close(const std::function<void(const Operation&)>& visit) {
  const TokenGuard guard(lock_);
  if (closed()) return 0;
  slots_ = size_.exchange(0);
  closed_.store(true, std::memory_order_relaxed);  // relaxed: nobody calls Rondo during MPI_Finalize
  std::size_t lost = 0;
  for (std::size_t number = 0; number < slots_; ++number) {
    const Operation* operation = chunks_[number / kChunk][number % kChunk].operation.get();
    if (operation == nullptr || !operation->started() || operation->complete()) continue;
    ++lost;
    visit(*operation);
  }
  return lost;
}

void RequestTable::drop(Rondo_Request handle) noexcept {
  const std::uint32_t number = slot_number(handle);
  if (number >= slots_) return;
  Slot& slot = chunks_[number / kChunk][number % kChunk];
  // relaxed: as in close()
  if (slot.generation.load(std::memory_order_relaxed) != generation_number(handle) || slot.operation == nullptr) return;
  if (slot.operation->complete()) {
    slot.operation.reset();
    return;
  }
  static std::atomic<bool> said = false;
  if (said.exchange(true)) return;
  try {
    log(LogLevel::warning, slot.operation->description(),
        ": its request is destroyed after MPI_Finalize, and it was never waited for: what it had to receive is lost");
  } catch (const std::bad_alloc&) {
    // MPI_Finalize has reported the operation, too.
  }
}

}  // namespace rondo::internal
