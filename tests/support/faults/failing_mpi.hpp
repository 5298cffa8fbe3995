/// @file
/// Calls of MPI that return errors when a test wants them to. failing_mpi.cpp puts them in the place of MPI's own, in
/// the whole program.
#ifndef RONDO_TESTS_SUPPORT_FAULTS_FAILING_MPI_HPP
#define RONDO_TESTS_SUPPORT_FAULTS_FAILING_MPI_HPP

#include <array>
#include <optional>
#include <utility>

namespace rondo::internal::mpi_faults {

/// `compute` is no call of MPI's, but a function of the user's own, which asks strikes() itself.
enum class Call { isend, irecv, start, test, testsome, testall, testall_in_part, reduce, compute };
/// Those that move messages and see to them.
inline constexpr std::array kMessageCalls{Call::isend,    Call::irecv,   Call::start,
                                          Call::testsome, Call::testall, Call::testall_in_part};

/// The next fault: the call after so many of its kind that go well.
inline std::optional<std::pair<Call, int>> fault;
inline bool struck = false;
inline bool for_good = false;   ///< it strikes again and again
inline bool held_back = false;  ///< what MPI_Test is asked about does not complete
inline int freed_comms = 0;
inline int under_way = 0;  ///< messages that MPI was given and of which it has not said that they are complete

/// Whether this call is the one that fails.
bool strikes(Call call);

}  // namespace rondo::internal::mpi_faults

#endif
