// Layouts are remembered as attributes of their datatypes: a handle may be reused after it is freed, an attribute not.
#include "datatypes/layout_cache.hpp"

#include <rondo/error.hpp>

#include "datatypes/mpi_check.hpp"

#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <new>

namespace rondo {
namespace {

using SharedLayout = std::shared_ptr<const Layout>;
using SharedType = std::shared_ptr<const KnownType>;

SharedLayout layout_in(const SharedType& known) { return {known, &known->layout}; }

/// The attribute.
struct Remembered {
  Remembered(SharedType of, bool is_committed) : known(std::move(of)), committed(is_committed) {}
  Remembered(const Remembered& other) : Remembered(other.known, other.committed) {}

  SharedType known;
  std::atomic<bool> committed;  ///< known to be; a committed type stays committed
};

// A duplicate is the same data, so it shares the layout.
int copy_remembered(MPI_Datatype, int, void*, void* from, void* to, int* flag) {
  auto* copy = new (std::nothrow) Remembered(*static_cast<Remembered*>(from));
  if (copy == nullptr) return MPI_ERR_NO_MEM;
  *static_cast<void**>(to) = copy;
  *flag = 1;
  return MPI_SUCCESS;
}

int delete_remembered(MPI_Datatype, int, void* remembered, void*) {
  delete static_cast<Remembered*>(remembered);
  return MPI_SUCCESS;
}

int layout_keyval() {
  static const int keyval = [] {
    int created = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Type_create_keyval(copy_remembered, delete_remembered, &created, nullptr), "MPI_Type_create_keyval");
    return created;
  }();
  return keyval;
}

Remembered* remembered_on(MPI_Datatype type) {
  void* found = nullptr;
  int flag = 0;
  check_mpi(MPI_Type_get_attr(type, layout_keyval(), static_cast<void*>(&found), &flag), "MPI_Type_get_attr");
  return flag != 0 ? static_cast<Remembered*>(found) : nullptr;
}

Remembered* remember(MPI_Datatype type, Layout layout) {
  auto remembered = std::make_unique<Remembered>(std::make_shared<const KnownType>(std::move(layout)), false);
  check_mpi(MPI_Type_set_attr(type, layout_keyval(), remembered.get()), "MPI_Type_set_attr");
  return remembered.release();  // the datatype's from here on
}

Remembered& remembered_or_flattened(MPI_Datatype type) {
  if (Remembered* remembered = remembered_on(type)) return *remembered;
  static std::mutex mutex;  // two threads may see one datatype for the first time at once
  Layout layout = flatten(type);
  const std::scoped_lock lock(mutex);
  Remembered* remembered = remembered_on(type);
  return *(remembered != nullptr ? remembered : remember(type, std::move(layout)));
}

/// Layouts of the predefined datatypes without holes, by handle.
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
                                    MPI_2INT}) {
      if (type == MPI_DATATYPE_NULL) continue;  // an MPI built without C++
      MPI_Count size = 0;
      MPI_Count lower_bound = 0;
      MPI_Count extent = 0;
      check_mpi(MPI_Type_size_x(type, &size), "MPI_Type_size_x");
      check_mpi(MPI_Type_get_extent_x(type, &lower_bound, &extent), "MPI_Type_get_extent_x");
      if (size <= 0 || lower_bound != 0 || extent != size) continue;
      std::size_t slot = slot_of(type);
      while (slots_[slot].known != nullptr && slots_[slot].type != type) slot = (slot + 1) % slots_.size();
      slots_[slot] = {type, std::make_shared<const KnownType>(Layout::contiguous(size))};
    }
  }

  [[nodiscard]] const SharedType* find(MPI_Datatype type) const {
    for (std::size_t slot = slot_of(type); slots_[slot].known != nullptr; slot = (slot + 1) % slots_.size()) {
      if (slots_[slot].type == type) return &slots_[slot].known;
    }
    return nullptr;
  }

 private:
  struct Slot {
    MPI_Datatype type;
    SharedType known;
  };
  static std::size_t slot_of(MPI_Datatype type) {
    // Handles are addresses, some hundreds of bytes apart, or small numbers: all of their bits are stirred.
    return std::hash<MPI_Datatype>{}(type)*0x9E37'79B9'7F4A'7C15U >> 56U;
  }

  std::array<Slot, 256> slots_{};
};

const SharedType* predefined(MPI_Datatype type) {
  static const PredefinedTypes types;
  return types.find(type);
}

CopyProgram program_between(const Layout& from, const Layout& to) {
  CopyProgram program;
  program.append(from, 0, to, 0);
  return program;
}

}  // namespace

KnownType::KnownType(Layout of)
    : layout(std::move(of)),
      pack(program_between(layout, Layout::contiguous(layout.size()))),
      unpack(program_between(Layout::contiguous(layout.size()), layout)) {}

SharedLayout known_layout(MPI_Datatype type) {
  if (const SharedType* known = predefined(type)) return layout_in(*known);
  const Remembered* remembered = remembered_on(type);
  return remembered != nullptr ? layout_in(remembered->known) : nullptr;
}

const KnownType& known_type(MPI_Datatype type) {
  if (const SharedType* known = predefined(type)) return **known;
  return *remembered_or_flattened(type).known;
}

void remember_layout(MPI_Datatype type, Layout layout) { static_cast<void>(remember(type, std::move(layout))); }

SharedLayout layout_of(MPI_Datatype type, MPI_Comm probe) {
  if (const SharedType* known = predefined(type)) return layout_in(*known);
  Remembered* remembered = remembered_on(type);
  // relaxed: it says something of the datatype, which the caller has seen committed, and of nothing else here.
  if (remembered != nullptr && remembered->committed.load(std::memory_order_relaxed))
    return layout_in(remembered->known);
  // MPI has no query for "committed"; a send to nobody checks it, of one element, as MPICH lets empty messages pass.
  // Done once: a committed type stays committed.
  char nothing = 0;
  if (MPI_Send(&nothing, 1, type, MPI_PROC_NULL, 0, probe) != MPI_SUCCESS) {
    throw Error(MPI_ERR_TYPE, "datatype is not committed: call MPI_Type_commit before communicating with it");
  }
  remembered = &remembered_or_flattened(type);
  remembered->committed.store(true, std::memory_order_relaxed);
  return layout_in(remembered->known);
}

}  // namespace rondo
