/// @file
/// Codes with which a receive may end, though they are no errors to MPI.
#ifndef RONDO_RUNTIME_SCHEDULE_RECEIVE_CODES_HPP
#define RONDO_RUNTIME_SCHEDULE_RECEIVE_CODES_HPP

namespace rondo::internal {

inline constexpr int kPartnerFailed = -1;  ///< an empty message came, which stands in after a failure
inline constexpr int kShortMessage = -2;   ///< fewer bytes came than the receive expects

}  // namespace rondo::internal

#endif
