/// @file
/// What a receive may end with that is no error to MPI.
#ifndef RONDO_RUNTIME_SCHEDULE_RECEIVE_CODES_HPP
#define RONDO_RUNTIME_SCHEDULE_RECEIVE_CODES_HPP

namespace rondo::internal {

inline constexpr int kPartnerFailed = -1;  ///< nothing came: what stands for a message after a failure
inline constexpr int kShortMessage = -2;   ///< fewer bytes came than the receive expects

}  // namespace rondo::internal

#endif
