/// @file
/// InsideFunctions: tells whether a thread is inside a function of a compute task, where it must not wait for messages.
#ifndef RONDO_RUNTIME_FUNCTIONS_INSIDE_FUNCTION_HPP
#define RONDO_RUNTIME_FUNCTIONS_INSIDE_FUNCTION_HPP

#include <cstdint>

namespace rondo::internal {

/// A mark, for a scope, that this thread runs functions of the user, in which it must not wait. Usually the thread
/// holds the progress token, which nobody can take meanwhile.
class InsideFunctions {
 public:
  enum class Token : std::uint8_t { held, free };
  explicit InsideFunctions(Token token = Token::held) noexcept {
    inside_ = true;
    with_token_ = token == Token::held;
  }
  InsideFunctions(const InsideFunctions&) = delete;
  InsideFunctions& operator=(const InsideFunctions&) = delete;
  ~InsideFunctions() { inside_ = with_token_ = false; }

  [[nodiscard]] static bool now() noexcept { return inside_; }
  [[nodiscard]] static bool with_token() noexcept { return with_token_; }

 private:
  static inline constinit thread_local bool inside_ = false;
  static inline constinit thread_local bool with_token_ = false;
};

[[noreturn]] void throw_inside_function();

/// Throws Error (MPI_ERR_OTHER) if this thread is inside a function, because the caller would wait in it forever.
inline void refuse_inside_function() {
  if (InsideFunctions::now()) [[unlikely]]
    throw_inside_function();
}

}  // namespace rondo::internal

#endif
