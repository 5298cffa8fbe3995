/// @file
/// Which sanitizer a test is built with: GCC and clang say it differently.
#ifndef RONDO_TESTS_SUPPORT_SANITIZERS_HPP
#define RONDO_TESTS_SUPPORT_SANITIZERS_HPP

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1  // NOLINT(bugprone-reserved-identifier): GCC's name
#endif
#endif

namespace rondo::internal::test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif

}  // namespace rondo::internal::test

#endif
