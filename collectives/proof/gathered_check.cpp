#include "collectives/proof/gathered_check.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/agreement.hpp"
#include "datatypes/reading/mpi_check.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <new>
#include <numeric>
#include <string_view>
#include <vector>

namespace rondo::internal {
namespace {

/// The message of rank 0 to the others, of a fixed size so that it needs no memory.
class Verdict {
 public:
  explicit Verdict(std::string_view asked_by) noexcept : length_(std::min(asked_by.size(), kLongest / 2)) {
    std::copy_n(asked_by.begin(), length_, text_.begin());
  }
  void refuse(int error_class, std::string_view text) noexcept {
    error_class_ = error_class;
    const auto begin = text_.begin() + static_cast<std::ptrdiff_t>(length_);
    std::copy_n(text.begin(), std::min(text.size(), text_.size() - length_ - 1), begin);
  }
  void throw_if_refused() const {
    if (error_class_ != MPI_SUCCESS) throw Error(error_class_, text_.data());
  }

 private:
  static constexpr std::size_t kLongest = 2000;
  int error_class_ = MPI_SUCCESS;
  std::size_t length_;  ///< length of the prefix of any text
  std::array<char, kLongest> text_{};
};

void find_verdict(Verdict& verdict, const std::function<void(std::span<const ByteReader>)>& judge,
                  std::span<const std::byte> all, std::span<const int> sizes) noexcept {
  try {
    std::vector<ByteReader> ranks;
    for (const int size : sizes) {
      ranks.emplace_back(all.first(static_cast<std::size_t>(size)));
      all = all.subspan(static_cast<std::size_t>(size));
    }
    judge(ranks);
  } catch (const Error& error) {
    verdict.refuse(error.error_class(), error.what());
  } catch (const std::bad_alloc&) {
    verdict.refuse(MPI_ERR_NO_MEM, "out of memory");
  } catch (const std::exception& error) {
    verdict.refuse(MPI_ERR_INTERN, error.what());
  }
}

}  // namespace

void check_together(const std::function<void(ByteWriter&)>& write,
                    const std::function<void(std::span<const ByteReader>)>& judge, MPI_Comm comm,
                    std::string_view asked_by) {
  int rank = 0;
  int ranks = 0;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  const auto p = static_cast<std::size_t>(ranks);
  ByteWriter writer;
  std::vector<int> sizes;
  std::vector<int> places;
  std::vector<std::byte> all;
  // Before the next collective call, all ranks learn of anything that failed on one rank alone.
  agree_that_all_is_well(trouble_in([&] {
                           write(writer);
                           if (writer.bytes().size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) / p)
                             throw Error(MPI_ERR_NO_MEM, "RONDO_CHECK: the schedules are too large to check");
                           sizes.resize(p);
                           places.resize(p);
                         }),
                         comm);
  const int size = static_cast<int>(writer.bytes().size());
  check_mpi(MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, comm), "MPI_Gather");
  agree_that_all_is_well(trouble_in([&] {
                           if (rank != 0) return;
                           std::exclusive_scan(sizes.begin(), sizes.end(), places.begin(), 0);
                           all.resize(static_cast<std::size_t>(places.back() + sizes.back()));
                         }),
                         comm);
  check_mpi(
      MPI_Gatherv(writer.bytes().data(), size, MPI_BYTE, all.data(), sizes.data(), places.data(), MPI_BYTE, 0, comm),
      "MPI_Gatherv");
  Verdict verdict(asked_by);
  if (rank == 0) find_verdict(verdict, judge, all, sizes);
  check_mpi(MPI_Bcast(&verdict, sizeof verdict, MPI_BYTE, 0, comm), "MPI_Bcast");
  verdict.throw_if_refused();
}

}  // namespace rondo::internal
