#include "collectives/arguments/reduction_operator.hpp"

#include <rondo/error.hpp>

#include "collectives/blocks/handle_word.hpp"
#include "collectives/blocks/left_to_mpi.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "datatypes/reading/this_mpi.hpp"
#include "datatypes/reading/type_contents.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

namespace rondo::internal::reduction {
namespace {

/// Returns whether a datatype is known to be an integer, or MPI_BYTE. An MPI without Fortran has null handles for
/// Fortran's types.
bool is_integer(MPI_Datatype type) {
  const std::array integers{MPI_INT,      MPI_LONG,          MPI_SHORT,         MPI_UNSIGNED_SHORT,
                            MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_LONG_LONG,     MPI_UNSIGNED_LONG_LONG,
                            MPI_CHAR,     MPI_SIGNED_CHAR,   MPI_UNSIGNED_CHAR, MPI_INT8_T,
                            MPI_INT16_T,  MPI_INT32_T,       MPI_INT64_T,       MPI_UINT8_T,
                            MPI_UINT16_T, MPI_UINT32_T,      MPI_UINT64_T,      MPI_AINT,
                            MPI_OFFSET,   MPI_COUNT,         MPI_BYTE,          MPI_INTEGER};
  return std::ranges::find(integers, type) != integers.end();
}

struct NamedOp {
  MPI_Op op;
  const char* name;
};

/// Returns MPI's predefined operations.
auto predefined_ops() {
  return std::array{
      NamedOp{MPI_MAX, "MPI_MAX"},         NamedOp{MPI_MIN, "MPI_MIN"},       NamedOp{MPI_SUM, "MPI_SUM"},
      NamedOp{MPI_PROD, "MPI_PROD"},       NamedOp{MPI_LAND, "MPI_LAND"},     NamedOp{MPI_LOR, "MPI_LOR"},
      NamedOp{MPI_LXOR, "MPI_LXOR"},       NamedOp{MPI_BAND, "MPI_BAND"},     NamedOp{MPI_BOR, "MPI_BOR"},
      NamedOp{MPI_BXOR, "MPI_BXOR"},       NamedOp{MPI_MINLOC, "MPI_MINLOC"}, NamedOp{MPI_MAXLOC, "MPI_MAXLOC"},
      NamedOp{MPI_REPLACE, "MPI_REPLACE"}, NamedOp{MPI_NO_OP, "MPI_NO_OP"},
  };
}

std::string name_of(MPI_Datatype type) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  check_mpi(MPI_Type_get_name(type, name.data(), &length), "datatype");
  return length == 0 ? "a derived datatype" : std::string(name.data(), static_cast<std::size_t>(length));
}

/// A cache of pairs of a predefined operation and a predefined datatype that MPI accepts. Neither can be freed, so a
/// pair stays right. A pair may be missing, because a new pair replaces the one in its slot. Thread-safe.
class TakenPairs {
 public:
  /// Returns the word of a pair. `op`: place of the operation in predefined_ops().
  [[nodiscard]] static std::uint64_t word_of(std::ptrdiff_t op, MPI_Datatype type) noexcept {
    return static_cast<std::uint64_t>(handle_word(type)) << 4U | static_cast<std::uint64_t>(op);
  }
  // relaxed: the word itself is all the data
  [[nodiscard]] bool contains(std::uint64_t word) const noexcept {
    return slots_[slot(word)].load(std::memory_order_relaxed) == word;
  }
  void add(std::uint64_t word) noexcept { slots_[slot(word)].store(word, std::memory_order_relaxed); }

 private:
  static constexpr int kSlotBits = 8;
  [[nodiscard]] static std::size_t slot(std::uint64_t word) noexcept {
    constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15U;
    return static_cast<std::size_t>(word * kGoldenRatio >> (64 - kSlotBits));
  }
  std::array<std::atomic<std::uint64_t>, std::size_t{1} << kSlotBits> slots_{};
};

/// Returns whether a logical operation would combine floating-point numbers in an MPI that wrongly accepts the two:
/// MPICH 4.0 accepts both, but ends the program or does nothing when it combines operands.
bool is_wrong_in_mpi(MPI_Op op, MPI_Datatype type) {
  if (this_mpi().kind == MpiKind::open_mpi) return false;
  const std::array ops{MPI_LAND, MPI_LOR, MPI_LXOR};
  const std::array types{MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION,
                         MPI_REAL4, MPI_REAL8,  MPI_REAL16};
  if (std::ranges::find(ops, op) == ops.end()) return false;
  return std::ranges::find(types, type) != types.end() || combiner_of(type, "datatype") == MPI_COMBINER_F90_REAL;
}

/// Asks MPI whether a predefined operation takes a datatype, which MPI checks before the count. Returns MPI's code.
/// Thread-safe.
int ask_mpi(MPI_Op op, MPI_Datatype type, MPI_Comm probe) {
  static std::mutex mutex;  // one collective at a time on a communicator
  const std::scoped_lock lock(mutex);
  std::array<std::byte, 2> buffers{};  // MPICH refuses equal buffers
  return MPI_Allreduce(&buffers[0], &buffers[1], 0, type, op, probe);
}

/// Throws LeftToMpi if MPI refuses a predefined operation on a datatype.
void check_pair(const NamedOp& op, std::ptrdiff_t place, MPI_Datatype type, MPI_Comm probe) {
  static TakenPairs taken;
  const std::uint64_t word = TakenPairs::word_of(place, type);
  if (taken.contains(word)) return;
  const int code = is_wrong_in_mpi(op.op, type) ? MPI_ERR_OP : ask_mpi(op.op, type, probe);
  if (code == MPI_SUCCESS) {
    if (is_predefined(combiner_of(type, "datatype"))) taken.add(word);
    return;
  }
  int error_class = MPI_ERR_OP;
  MPI_Error_class(code, &error_class);
  throw LeftToMpi(error_class, std::string("op: is ") + op.name + ", which does not take " + name_of(type) +
                                   " (derived datatypes need an operation made by MPI_Op_create)");
}

/// Checks the count, the datatype, and whether a predefined operation takes the datatype. Returns whether `op` is one
/// of MPI's own operations, all of which are commutative. `op` must not be MPI_OP_NULL. Throws Error and LeftToMpi.
bool check_op(MPI_Op op, std::int64_t count, MPI_Datatype datatype, MPI_Comm probe) {
  if (count < 0) throw Error(MPI_ERR_COUNT, "count: is " + std::to_string(count) + ", must be at least 0");
  if (datatype == MPI_DATATYPE_NULL)
    throw LeftToMpi(MPI_ERR_TYPE, "datatype: is MPI_DATATYPE_NULL, must be a committed datatype");
  const auto ops = predefined_ops();
  const auto* const predefined = std::ranges::find(ops, op, &NamedOp::op);
  if (predefined == ops.end()) return false;
  check_pair(*predefined, predefined - ops.begin(), datatype, probe);
  return true;
}

}  // namespace

void check_arguments_in_order(MPI_Op op, std::int64_t count, MPI_Datatype datatype, MPI_Comm probe) {
  if (op == MPI_OP_NULL) throw Error(MPI_ERR_OP, "op: is MPI_OP_NULL, must be an operation");
  static_cast<void>(check_op(op, count, datatype, probe));
}

void check_arguments(MPI_Op op, std::int64_t count, MPI_Datatype datatype, MPI_Comm probe) {
  if (op == MPI_OP_NULL) throw Error(MPI_ERR_OP, "op: is MPI_OP_NULL, must be a commutative operation");
  if (check_op(op, count, datatype, probe)) return;
  if (!is_commutative(op)) throw Error(MPI_ERR_OP, "op: is not commutative, must be a commutative operation");
}

bool is_commutative(MPI_Op op) {
  int commutative = 0;
  check_mpi(MPI_Op_commutative(op, &commutative), "op");
  return commutative != 0;
}

bool is_predefined_op(MPI_Op op) {
  const auto ops = predefined_ops();
  return std::ranges::find(ops, op, &NamedOp::op) != ops.end();
}

bool is_exact(MPI_Op op, MPI_Datatype type) { return is_predefined_op(op) && is_integer(type); }

}  // namespace rondo::internal::reduction
