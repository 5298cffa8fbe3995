/// @file
/// Every predefined datatype with every predefined operation and one of the user's, in every form of the dense
/// reductions: the result is that of MPI_Reduce, or the error has the class of MPI_Reduce's.
#ifndef RONDO_TESTS_SUPPORT_EVERY_REDUCTION_HPP
#define RONDO_TESTS_SUPPORT_EVERY_REDUCTION_HPP

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace rondo::internal::every_reduction {

/// A number in an element. `kind`: 'i' an integer, 'f' a floating-point number, 'z' a number that is always 0 here.
struct Part {
  char kind;
  std::size_t size;
  std::size_t offset = 0;

  [[nodiscard]] std::size_t significant_bytes() const { return kind == 'f' && size == 16 ? 10 : size; }
  void set(std::byte* element, int value) const {
    std::byte* const at = element + offset;
    const auto store = [&](auto number) { std::memcpy(at, &number, significant_bytes()); };
    if (kind == 'i') *at = static_cast<std::byte>(value);
    if (kind == 'f' && size == 4) store(static_cast<float>(value));
    if (kind == 'f' && size == 8) store(static_cast<double>(value));
    if (kind == 'f' && size == 16) store(static_cast<long double>(value));
  }
};

struct Type {
  const char* name;
  MPI_Datatype type;
  std::vector<Part> parts;
};

/// Returns MPI's own datatypes, those that MPI_Type_create_f90_... returns, and a derived one, `derived`.
inline std::vector<Type> types(MPI_Datatype derived) {
  const auto sized = [](const char* name, MPI_Datatype type, char kind) {
    int size = 0;
    if (type != MPI_DATATYPE_NULL) MPI_Type_size(type, &size);
    return Type{name, type, {{kind, static_cast<std::size_t>(size)}}};
  };
  const auto twice = [](const char* name, MPI_Datatype type, char kind) {
    int size = 0;
    if (type != MPI_DATATYPE_NULL) MPI_Type_size(type, &size);
    const auto half = static_cast<std::size_t>(size / 2);
    return Type{name, type, {{kind, half}, {kind, half, half}}};
  };
  const auto with_int = [](const char* name, MPI_Datatype type, char kind, std::size_t size) {
    return Type{name, type, {{kind, size}, {'i', sizeof(int), size < sizeof(int) ? sizeof(int) : size}}};
  };
  std::array<MPI_Datatype, 3> f90{};
  MPI_Type_create_f90_real(15, 307, &f90[0]);
  MPI_Type_create_f90_integer(9, &f90[1]);
  MPI_Type_create_f90_complex(6, 30, &f90[2]);
#define RONDO_TEST_TYPE(of, kind) sized(#of, of, kind)
  std::vector<Type> all {
    RONDO_TEST_TYPE(MPI_CHAR, 'i'), RONDO_TEST_TYPE(MPI_SIGNED_CHAR, 'i'), RONDO_TEST_TYPE(MPI_UNSIGNED_CHAR, 'i'),
        RONDO_TEST_TYPE(MPI_BYTE, 'i'), RONDO_TEST_TYPE(MPI_WCHAR, 'i'), RONDO_TEST_TYPE(MPI_SHORT, 'i'),
        RONDO_TEST_TYPE(MPI_UNSIGNED_SHORT, 'i'), RONDO_TEST_TYPE(MPI_INT, 'i'), RONDO_TEST_TYPE(MPI_UNSIGNED, 'i'),
        RONDO_TEST_TYPE(MPI_LONG, 'i'), RONDO_TEST_TYPE(MPI_UNSIGNED_LONG, 'i'), RONDO_TEST_TYPE(MPI_LONG_LONG, 'i'),
        RONDO_TEST_TYPE(MPI_UNSIGNED_LONG_LONG, 'i'), RONDO_TEST_TYPE(MPI_INT8_T, 'i'),
        RONDO_TEST_TYPE(MPI_INT16_T, 'i'), RONDO_TEST_TYPE(MPI_INT32_T, 'i'), RONDO_TEST_TYPE(MPI_INT64_T, 'i'),
        RONDO_TEST_TYPE(MPI_UINT8_T, 'i'), RONDO_TEST_TYPE(MPI_UINT16_T, 'i'), RONDO_TEST_TYPE(MPI_UINT32_T, 'i'),
        RONDO_TEST_TYPE(MPI_UINT64_T, 'i'), RONDO_TEST_TYPE(MPI_AINT, 'i'), RONDO_TEST_TYPE(MPI_OFFSET, 'i'),
        RONDO_TEST_TYPE(MPI_COUNT, 'i'), RONDO_TEST_TYPE(MPI_FLOAT, 'f'), RONDO_TEST_TYPE(MPI_DOUBLE, 'f'),
        RONDO_TEST_TYPE(MPI_LONG_DOUBLE, 'f'), RONDO_TEST_TYPE(MPI_C_BOOL, 'i'), RONDO_TEST_TYPE(MPI_CXX_BOOL, 'i'),
        RONDO_TEST_TYPE(MPI_PACKED, 'i'), RONDO_TEST_TYPE(MPI_CHARACTER, 'i'), RONDO_TEST_TYPE(MPI_LOGICAL, 'i'),
        RONDO_TEST_TYPE(MPI_INTEGER, 'i'), RONDO_TEST_TYPE(MPI_INTEGER1, 'i'), RONDO_TEST_TYPE(MPI_INTEGER2, 'i'),
        RONDO_TEST_TYPE(MPI_INTEGER4, 'i'), RONDO_TEST_TYPE(MPI_INTEGER8, 'i'), RONDO_TEST_TYPE(MPI_REAL, 'f'),
        RONDO_TEST_TYPE(MPI_DOUBLE_PRECISION, 'f'), RONDO_TEST_TYPE(MPI_REAL4, 'f'), RONDO_TEST_TYPE(MPI_REAL8, 'f'),
#if defined(MPI_REAL16)
        RONDO_TEST_TYPE(MPI_REAL16, 'z'),
#endif
        sized("MPI_Type_create_f90_real", f90[0], 'f'), sized("MPI_Type_create_f90_integer", f90[1], 'i'),
        twice("MPI_Type_create_f90_complex", f90[2], 'f'), twice("MPI_C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX, 'f'),
        twice("MPI_C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX, 'f'),
        twice("MPI_C_LONG_DOUBLE_COMPLEX", MPI_C_LONG_DOUBLE_COMPLEX, 'f'),
        twice("MPI_CXX_FLOAT_COMPLEX", MPI_CXX_FLOAT_COMPLEX, 'f'),
        twice("MPI_CXX_DOUBLE_COMPLEX", MPI_CXX_DOUBLE_COMPLEX, 'f'),
        twice("MPI_CXX_LONG_DOUBLE_COMPLEX", MPI_CXX_LONG_DOUBLE_COMPLEX, 'f'), twice("MPI_COMPLEX", MPI_COMPLEX, 'f'),
        twice("MPI_DOUBLE_COMPLEX", MPI_DOUBLE_COMPLEX, 'f'), twice("MPI_COMPLEX8", MPI_COMPLEX8, 'f'),
        twice("MPI_COMPLEX16", MPI_COMPLEX16, 'f'), twice("MPI_2REAL", MPI_2REAL, 'f'),
        twice("MPI_2DOUBLE_PRECISION", MPI_2DOUBLE_PRECISION, 'f'), twice("MPI_2INTEGER", MPI_2INTEGER, 'i'),
        twice("MPI_2INT", MPI_2INT, 'i'), with_int("MPI_FLOAT_INT", MPI_FLOAT_INT, 'f', sizeof(float)),
        with_int("MPI_DOUBLE_INT", MPI_DOUBLE_INT, 'f', sizeof(double)),
        with_int("MPI_LONG_DOUBLE_INT", MPI_LONG_DOUBLE_INT, 'f', sizeof(long double)),
        with_int("MPI_LONG_INT", MPI_LONG_INT, 'i', sizeof(long)),
        with_int("MPI_SHORT_INT", MPI_SHORT_INT, 'i', sizeof(short)), twice("a derived datatype", derived, 'i'),
  };
#undef RONDO_TEST_TYPE
  std::erase_if(all, [](const Type& type) { return type.type == MPI_DATATYPE_NULL; });
  return all;
}

/// The datatype that the user's operation was given last.
inline MPI_Datatype given_type = MPI_DATATYPE_NULL;

/// Bitwise exclusive or of all that lies in the elements, holes between them included. Not what lies behind the data of
/// the last element: Open MPI's own reductions have no room for it.
inline void combine_bytes(void* from, void* into, int* length, MPI_Datatype* type) {
  given_type = *type;
  MPI_Aint begin = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_begin = 0;
  MPI_Aint true_extent = 0;
  MPI_Type_get_extent(*type, &begin, &extent);
  MPI_Type_get_true_extent(*type, &true_begin, &true_extent);
  const auto* const source = static_cast<const std::byte*>(from);
  auto* const target = static_cast<std::byte*>(into);
  const MPI_Aint end = *length == 0 ? 0 : (*length - 1) * extent + true_begin + true_extent;
  for (MPI_Aint i = 0; i < end; ++i) target[i] ^= source[i];
}

struct Op {
  const char* name;
  MPI_Op op;
};
/// Returns MPI's operations, and `own`.
inline std::vector<Op> operations(MPI_Op own) {
  return {{"MPI_MAX", MPI_MAX},         {"MPI_MIN", MPI_MIN},       {"MPI_SUM", MPI_SUM},
          {"MPI_PROD", MPI_PROD},       {"MPI_LAND", MPI_LAND},     {"MPI_LOR", MPI_LOR},
          {"MPI_LXOR", MPI_LXOR},       {"MPI_BAND", MPI_BAND},     {"MPI_BOR", MPI_BOR},
          {"MPI_BXOR", MPI_BXOR},       {"MPI_MINLOC", MPI_MINLOC}, {"MPI_MAXLOC", MPI_MAXLOC},
          {"MPI_REPLACE", MPI_REPLACE}, {"MPI_NO_OP", MPI_NO_OP},   {"an operation of the user's", own}};
}

/// Whether MPICH 4.0 ends the program or combines nothing, though it says that it takes the operation.
inline bool is_wrong_in_mpi([[maybe_unused]] const Type& type, [[maybe_unused]] MPI_Op op) {
#if defined(OPEN_MPI)
  return false;
#else
  return (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR) && type.parts.size() == 1 && type.parts[0].kind != 'i';
#endif
}

/// One reduction in one form. `counts`: of a vector's elements on each rank. Returns MPI's code, of the first function
/// that fails.
struct Form {
  const char* name;
  bool scatters;
  std::function<int(const void* send, void* recv, const int* counts, MPI_Datatype type, MPI_Op op)> reduce;
};

/// The functions under test: MPI's, or the library's with the same arguments. Those of a reduce-scatter may be null.
template <typename Request>
struct Functions {
  decltype(&MPI_Allreduce) allreduce;
  decltype(&MPI_Reduce_scatter_block) reduce_scatter_block;
  decltype(&MPI_Reduce_scatter) reduce_scatter;
  template <typename Count>
  using Nonblocking = int (*)(const void*, void*, Count, MPI_Datatype, MPI_Op, MPI_Comm, Request*);
  Nonblocking<int> iallreduce;
  Nonblocking<int> ireduce_scatter_block;
  Nonblocking<const int*> ireduce_scatter;
  template <typename Count>
  using Persistent = int (*)(const void*, void*, Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, Request*);
  Persistent<int> allreduce_init;
  Persistent<int> reduce_scatter_block_init;
  Persistent<const int*> reduce_scatter_init;
  int (*wait)(Request*, MPI_Status*);
  int (*start)(Request*);
  int (*free)(Request*);
};

/// Returns all reductions in all forms on a communicator.
template <typename Request>
std::vector<Form> forms(const Functions<Request>& f, MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  const auto blocking = [=](auto function, auto count_of) {
    return [=](const void* send, void* recv, const int* counts, MPI_Datatype type, MPI_Op op) {
      return function(send, recv, count_of(counts), type, op, comm);
    };
  };
  const auto nonblocking = [=](auto function, auto count_of) {
    return [=](const void* send, void* recv, const int* counts, MPI_Datatype type, MPI_Op op) {
      Request request{};
      const int code = function(send, recv, count_of(counts), type, op, comm, &request);
      return code != MPI_SUCCESS ? code : f.wait(&request, MPI_STATUS_IGNORE);
    };
  };
  const auto persistent = [=](auto function, auto count_of) {
    return [=](const void* send, void* recv, const int* counts, MPI_Datatype type, MPI_Op op) {
      Request request{};
      int code = function(send, recv, count_of(counts), type, op, comm, MPI_INFO_NULL, &request);
      if (code != MPI_SUCCESS) return code;
      for (int i = 0; i < 2 && code == MPI_SUCCESS; ++i) {
        code = f.start(&request);
        if (code == MPI_SUCCESS) code = f.wait(&request, MPI_STATUS_IGNORE);
      }
      f.free(&request);
      return code;
    };
  };
  const auto together = [=](const int* counts) { return *counts * size; };
  const auto first = [](const int* counts) { return *counts; };
  const auto each = [](const int* counts) { return counts; };
  std::vector<Form> all{{"allreduce", false, blocking(f.allreduce, together)},
                        {"iallreduce", false, nonblocking(f.iallreduce, together)},
                        {"allreduce_init", false, persistent(f.allreduce_init, together)}};
  if (f.reduce_scatter == nullptr) return all;
  all.insert(all.end(), {{"reduce_scatter_block", true, blocking(f.reduce_scatter_block, first)},
                         {"ireduce_scatter_block", true, nonblocking(f.ireduce_scatter_block, first)},
                         {"reduce_scatter_block_init", true, persistent(f.reduce_scatter_block_init, first)},
                         {"reduce_scatter", true, blocking(f.reduce_scatter, each)},
                         {"ireduce_scatter", true, nonblocking(f.ireduce_scatter, each)},
                         {"reduce_scatter_init", true, persistent(f.reduce_scatter_init, each)}});
  return all;
}

inline int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

/// Runs all `forms` on all pairs on a communicator that returns errors, and calls wrong(text) for each result and each
/// error class that is not MPI_Reduce's.
inline void run(MPI_Comm comm, const std::vector<Form>& forms, const std::function<void(const std::string&)>& wrong) {
  constexpr int kCount = 3;
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Datatype derived = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &derived);
  MPI_Type_commit(&derived);
  MPI_Op own = MPI_OP_NULL;
  MPI_Op_create(combine_bytes, 1, &own);
  const int all = kCount * size;
  const std::vector<int> counts(static_cast<std::size_t>(size), kCount);
  for (const Type& type : types(derived)) {
    MPI_Aint begin = 0;
    MPI_Aint extent = 0;
    MPI_Type_get_extent(type.type, &begin, &extent);
    const auto step = static_cast<std::size_t>(extent);
    std::vector<std::byte> send(step * static_cast<std::size_t>(all));
    for (int i = 0; i < all; ++i) {
      for (const Part& part : type.parts) part.set(send.data() + static_cast<std::size_t>(i) * step, (rank + i) % 2);
    }
    for (const Op& op : operations(own)) {
      if (is_wrong_in_mpi(type, op.op)) continue;
      std::vector<std::byte> expected(send.size());
      const int right = class_of(MPI_Reduce(send.data(), expected.data(), all, type.type, op.op, 0, comm));
      MPI_Bcast(expected.data(), static_cast<int>(expected.size()), MPI_BYTE, 0, comm);
      for (const Form& form : forms) {
        std::vector<std::byte> recv(send.size());
        given_type = type.type;
        const int code = class_of(form.reduce(send.data(), recv.data(), counts.data(), type.type, op.op));
        const std::string what = std::string(form.name) + " of " + type.name + " with " + op.name;
        if (code != right)
          wrong(what + ": error class " + std::to_string(code) + ", MPI_Reduce has " + std::to_string(right));
        if (code != MPI_SUCCESS || right != MPI_SUCCESS) continue;
        if (given_type != type.type) wrong(what + ": the operation is given another datatype");
        const int first = form.scatters ? rank * kCount : 0;
        for (int i = 0; i < (form.scatters ? kCount : all); ++i) {
          const std::byte* const is = recv.data() + static_cast<std::size_t>(i) * step;
          const std::byte* const must_be = expected.data() + static_cast<std::size_t>(first + i) * step;
          for (const Part& part : type.parts) {
            if (std::memcmp(is + part.offset, must_be + part.offset, part.significant_bytes()) != 0)
              wrong(what + ": another result in element " + std::to_string(i));
          }
        }
      }
    }
  }
  MPI_Op_free(&own);
  MPI_Type_free(&derived);
}

}  // namespace rondo::internal::every_reduction

#endif
