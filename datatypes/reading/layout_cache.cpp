// Layouts are remembered as attributes of their datatypes, because a handle may be reused after it is freed, but an
// attribute is not. Asking MPI for an attribute takes as long as packing a short block, so a table by handle is asked
// first, from which a datatype disappears when its attribute is deleted.
#include "datatypes/reading/layout_cache.hpp"

#include <rondo/error.hpp>

#include "datatypes/reading/mpi_check.hpp"

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <span>
#include <utility>

namespace rondo::internal {
namespace {

using SharedLayout = std::shared_ptr<const Layout>;
using SharedType = std::shared_ptr<const KnownType>;

SharedLayout layout_in(const SharedType& known) { return {known, &known->layout}; }

/// Returns a number that is the same for equal layouts.
std::size_t hash_of(std::span<const Layout::Item> items, std::int64_t extent) {
  constexpr std::size_t kFactor = 1'000'003;
  auto hash = static_cast<std::size_t>(extent);
  for (const auto& [run, body] : items) {
    for (const std::int64_t number : {run.offset, run.length, run.count, run.stride, run.growth})
      hash = hash * kFactor + static_cast<std::size_t>(number);
    if (body != nullptr) hash = hash * kFactor + hash_of(body->items(), 0);
  }
  return hash;
}

/// The layouts of all datatypes that are remembered. Datatypes that lie alike share one, because applications make the
/// same datatype many times, even for each call, and a schedule is found by its layouts' addresses. Any thread may
/// call.
class SharedLayouts {
 public:
  /// Returns the type with this layout; makes it if there is none. Throws std::bad_alloc.
  [[nodiscard]] SharedType find_or_make(Layout layout) {
    const std::size_t hash = hash_of(layout.items(), layout.extent());
    std::shared_ptr<Listed> made;  // before the lock, which the destructors of layouts within it may need
    const std::scoped_lock lock(mutex_);
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto found = first; found != last; ++found) {
      if (found->second.type->layout != layout) continue;
      if (SharedType known = found->second.held.lock()) return known;
    }
    made = std::make_shared<Listed>(std::move(layout));
    SharedType type(made, &made->type);
    made->place = by_hash_.emplace(hash, Entry{&made->type, type});
    made->of = this;
    return type;
  }

 private:
  struct Entry {
    const KnownType* type;
    std::weak_ptr<const KnownType> held;
  };
  using ByHash = std::multimap<std::size_t, Entry>;
  /// A type that takes itself off the list when nobody holds it any more.
  struct Listed {
    explicit Listed(Layout layout) : type(std::move(layout)) {}
    Listed(const Listed&) = delete;
    Listed& operator=(const Listed&) = delete;
    ~Listed() {
      if (of == nullptr) return;
      const std::scoped_lock lock(of->mutex_);
      of->by_hash_.erase(place);
    }

    const KnownType type;
    SharedLayouts* of = nullptr;  ///< null: not on the list yet
    ByHash::iterator place;
  };

  std::mutex mutex_;
  ByHash by_hash_;
};

/// The program of the last copy from a datatype to the places of another one.
struct RememberedCopy {
  std::weak_ptr<const KnownType> target;
  std::int64_t source_count;
  std::int64_t target_count;
  CopyProgram program;
};

/// The attribute of a datatype: all that is remembered about it. Records are reused but never freed, so that a thread
/// that finds another datatype's record in the table can still read whose record it is.
struct Record {
  std::atomic<MPI_Datatype> type = MPI_DATATYPE_NULL;  ///< the datatype, once it was looked up; null: none
  SharedType known;
  std::atomic<bool> committed = false;  ///< whether the datatype is known to be committed; it stays committed
  std::mutex copy_mutex;
  std::shared_ptr<const RememberedCopy> copy;
  Record* next_unused = nullptr;
};

class Records {
 public:
  /// Returns all records. They are never destroyed, because datatypes may be freed after static objects are.
  static Records& all() {
    static auto* records = new Records;
    return *records;
  }

  [[nodiscard]] Record* take(Layout layout, bool committed) {
    return take(layouts_.find_or_make(std::move(layout)), committed);
  }
  [[nodiscard]] Record* take(SharedType known, bool committed) {
    const std::scoped_lock lock(mutex_);
    Record* record = unused_;
    if (record == nullptr)
      record = &memory_.emplace_back();
    else
      unused_ = record->next_unused;
    record->known = std::move(known);
    record->committed = committed;
    return record;
  }
  void give_back(Record* record) noexcept {
    record->type = MPI_DATATYPE_NULL;
    record->known.reset();
    record->copy.reset();
    const std::scoped_lock lock(mutex_);
    record->next_unused = unused_;
    unused_ = record;
  }

  /// Returns the record of `type` if it was looked up recently, otherwise nullptr. The caller guarantees that the
  /// datatype is alive, so a record that names it is and stays its record.
  [[nodiscard]] Record* recent(MPI_Datatype type) const noexcept {
    // acquire: the record's contents become visible with its address.
    Record* record = recent_[slot_of(type)].load(std::memory_order_acquire);
    return record != nullptr && record->type.load(std::memory_order_acquire) == type ? record : nullptr;
  }
  Record* note(MPI_Datatype type, Record* record) noexcept {
    record->type.store(type, std::memory_order_release);
    recent_[slot_of(type)].store(record, std::memory_order_release);
    return record;
  }

 private:
  static std::size_t slot_of(MPI_Datatype type) noexcept {
    // Handles are addresses, some hundreds of bytes apart, or small numbers: the hash mixes all of their bits.
    return std::hash<MPI_Datatype>{}(type)*0x9E37'79B9'7F4A'7C15U >> 55U;
  }

  std::array<std::atomic<Record*>, 512> recent_{};
  SharedLayouts layouts_;
  std::mutex mutex_;  ///< guards the members below
  std::deque<Record> memory_;
  Record* unused_ = nullptr;
};

// Copies the attribute to a duplicate, which has the same data and so shares the layout.
int copy_record(MPI_Datatype, int, void*, void* from, void* to, int* flag) {
  const Record& original = *static_cast<Record*>(from);
  try {
    *static_cast<void**>(to) = Records::all().take(original.known, original.committed);
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  }
  *flag = 1;
  return MPI_SUCCESS;
}

int delete_record(MPI_Datatype, int, void* record, void*) {
  Records::all().give_back(static_cast<Record*>(record));
  return MPI_SUCCESS;
}

int layout_keyval() {
  static const int keyval = [] {
    int created = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Type_create_keyval(copy_record, delete_record, &created, nullptr), "MPI_Type_create_keyval");
    return created;
  }();
  return keyval;
}

/// The predefined datatypes without holes, which are always known.
class PredefinedTypes {
 public:
  PredefinedTypes() {
    for (const MPI_Datatype type : {MPI_CHAR,
                                    MPI_SIGNED_CHAR,
                                    MPI_UNSIGNED_CHAR,
                                    MPI_BYTE,
                                    MPI_WCHAR,
                                    MPI_SHORT,
                                    MPI_UNSIGNED_SHORT,
                                    MPI_INT,
                                    MPI_UNSIGNED,
                                    MPI_LONG,
                                    MPI_UNSIGNED_LONG,
                                    MPI_LONG_LONG,
                                    MPI_UNSIGNED_LONG_LONG,
                                    MPI_FLOAT,
                                    MPI_DOUBLE,
                                    MPI_LONG_DOUBLE,
                                    MPI_INT8_T,
                                    MPI_INT16_T,
                                    MPI_INT32_T,
                                    MPI_INT64_T,
                                    MPI_UINT8_T,
                                    MPI_UINT16_T,
                                    MPI_UINT32_T,
                                    MPI_UINT64_T,
                                    MPI_C_BOOL,
                                    MPI_C_FLOAT_COMPLEX,
                                    MPI_C_DOUBLE_COMPLEX,
                                    MPI_C_LONG_DOUBLE_COMPLEX,
                                    MPI_AINT,
                                    MPI_OFFSET,
                                    MPI_COUNT,
                                    MPI_CXX_BOOL,
                                    MPI_CXX_FLOAT_COMPLEX,
                                    MPI_CXX_DOUBLE_COMPLEX,
                                    MPI_PACKED,
                                    MPI_2INT,
                                    MPI_CHARACTER,
                                    MPI_LOGICAL,
                                    MPI_INTEGER,
                                    MPI_INTEGER4,
                                    MPI_INTEGER8,
                                    MPI_REAL,
                                    MPI_REAL4,
                                    MPI_REAL8,
                                    MPI_DOUBLE_PRECISION,
                                    MPI_COMPLEX,
                                    MPI_COMPLEX8,
                                    MPI_COMPLEX16,
                                    MPI_DOUBLE_COMPLEX}) {
      if (type == MPI_DATATYPE_NULL) continue;  // MPI was built without C++ or Fortran
      MPI_Count size = 0;
      MPI_Count lower_bound = 0;
      MPI_Count extent = 0;
      check_mpi(MPI_Type_size_x(type, &size), "MPI_Type_size_x");
      check_mpi(MPI_Type_get_extent_x(type, &lower_bound, &extent), "MPI_Type_get_extent_x");
      if (size <= 0 || lower_bound != 0 || extent != size) continue;
      known_.push_back({type, Records::all().take(Layout::contiguous(size), true)});
    }
    std::ranges::sort(known_, {}, &Entry::type);
  }
  [[nodiscard]] Record* find(MPI_Datatype type) const {
    const auto found = std::ranges::lower_bound(known_, type, {}, &Entry::type);
    return found == known_.end() || found->type != type ? nullptr : found->record;
  }

 private:
  struct Entry {
    MPI_Datatype type;
    Record* record;
  };
  std::vector<Entry> known_;  ///< sorted by type
};

const PredefinedTypes& predefined_types() {
  static const PredefinedTypes predefined;
  return predefined;
}

/// Returns the record of a datatype, or nullptr if nothing is remembered about it.
Record* find_record(MPI_Datatype type) {
  if (Record* record = Records::all().recent(type)) return record;
  Record* record = predefined_types().find(type);
  if (record == nullptr) {
    void* found = nullptr;
    int flag = 0;
    check_mpi(MPI_Type_get_attr(type, layout_keyval(), static_cast<void*>(&found), &flag), "MPI_Type_get_attr");
    if (flag == 0) return nullptr;
    record = static_cast<Record*>(found);
  }
  return Records::all().note(type, record);
}

Record& remember(MPI_Datatype type, Layout layout) {
  Record* record = Records::all().take(std::move(layout), false);
  const int code = MPI_Type_set_attr(type, layout_keyval(), record);
  if (code != MPI_SUCCESS) Records::all().give_back(record);
  check_mpi(code, "MPI_Type_set_attr");
  return *record;
}

/// Returns the record of a datatype that had none a moment ago.
Record& make_record(MPI_Datatype type) {
  static std::mutex mutex;  // two threads may see one datatype for the first time at once
  Layout layout = flatten(type);
  const std::scoped_lock lock(mutex);
  Record* record = find_record(type);
  return record != nullptr ? *record : remember(type, std::move(layout));
}

Record& record_of(MPI_Datatype type) {
  Record* record = find_record(type);
  return record != nullptr ? *record : make_record(type);
}

/// Returns the record of a datatype, or nullptr if the datatype is not committed.
[[gnu::hot]] Record* committed_record(MPI_Datatype type, MPI_Comm probe) {
  Record* record = find_record(type);
  // relaxed: the flag concerns only the datatype, which the caller has seen committed, and orders no other data.
  if (record != nullptr && record->committed.load(std::memory_order_relaxed)) return record;
  // MPI has no query for "committed"; a send to MPI_PROC_NULL checks it, with one element, because MPICH does not check
  // empty messages. The check is made once: a committed type stays committed.
  char nothing = 0;
  if (MPI_Send(&nothing, 1, type, MPI_PROC_NULL, 0, probe) != MPI_SUCCESS) return nullptr;
  if (record == nullptr) record = &make_record(type);
  record->committed.store(true, std::memory_order_relaxed);
  return record;
}

CopyProgram program_between(const Layout& from, const Layout& to) {
  CopyProgram program;
  program.append(from, 0, to, 0);
  program.finish();
  return program;
}

}  // namespace

template <typename Compile>
const CopyProgram& KnownType::once(Compiled& compiled, Compile compile) const {
  // acquire, and release below: a thread that sees `ready` also sees the program.
  if (compiled.ready.load(std::memory_order_acquire)) return compiled.program;
  const std::scoped_lock lock(mutex_);
  if (!compiled.ready.load(std::memory_order_relaxed)) {  // relaxed: the lock orders this read
    compiled.program = compile();
    compiled.ready.store(true, std::memory_order_release);
  }
  return compiled.program;
}

const CopyProgram& KnownType::pack() const {
  return once(pack_, [&] { return program_between(layout, Layout::contiguous(layout.size())); });
}

const CopyProgram& KnownType::unpack() const {
  return once(unpack_, [&] { return program_between(Layout::contiguous(layout.size()), layout); });
}

SharedLayout known_layout(MPI_Datatype type) {
  const Record* record = find_record(type);
  return record != nullptr ? layout_in(record->known) : nullptr;
}

[[gnu::hot]] const Layout* committed_layout(MPI_Datatype type, MPI_Comm probe) {
  try {
    const Record* const record = committed_record(type, probe);
    return record != nullptr ? &record->known->layout : nullptr;
  } catch (const Error&) {
    return nullptr;  // the handle is no datatype any more
  }
}

bool is_always_known(MPI_Datatype type) { return predefined_types().find(type) != nullptr; }

const KnownType& known_type(MPI_Datatype type) { return *record_of(type).known; }

std::shared_ptr<const CopyProgram> copy_between(MPI_Datatype source_type, std::int64_t source_count,
                                                MPI_Datatype target_type, std::int64_t target_count) {
  Record& source = record_of(source_type);
  const SharedType& target = record_of(target_type).known;
  std::shared_ptr<const RememberedCopy> copy;
  {
    const std::scoped_lock lock(source.copy_mutex);
    copy = source.copy;
  }
  // Comparing owners: a weak pointer's owner cannot be mistaken for an object that is later allocated at the same
  // address.
  const bool same = copy != nullptr && !copy->target.owner_before(target) && !target.owner_before(copy->target) &&
                    copy->source_count == source_count && copy->target_count == target_count;
  if (!same) {
    copy = std::make_shared<const RememberedCopy>(RememberedCopy{
        target, source_count, target_count,
        program_between(source.known->layout.repeated(source_count), target->layout.repeated(target_count))});
    const std::scoped_lock lock(source.copy_mutex);
    source.copy = copy;
  }
  return {copy, &copy->program};
}

void remember_layout(MPI_Datatype type, Layout layout) { static_cast<void>(remember(type, std::move(layout))); }

SharedLayout layout_of(MPI_Datatype type, MPI_Comm probe) {
  const Record* const record = committed_record(type, probe);
  if (record == nullptr)
    throw Error(MPI_ERR_TYPE, "datatype is not committed: call MPI_Type_commit before communicating with it");
  return layout_in(record->known);
}

}  // namespace rondo::internal
