/// @file
/// Whether a thread is inside a function of a compute task, where it must not wait for messages.
#ifndef RONDO_RUNTIME_FUNCTIONS_INSIDE_FUNCTION_HPP
#define RONDO_RUNTIME_FUNCTIONS_INSIDE_FUNCTION_HPP

namespace rondo::internal {

/// For a scope: this thread, which drives messages, runs functions, mostly while it holds the progress token.
class InsideFunctions {
 public:
  InsideFunctions() noexcept { inside_ = true; }
  InsideFunctions(const InsideFunctions&) = delete;
  InsideFunctions& operator=(const InsideFunctions&) = delete;
  ~InsideFunctions() { inside_ = false; }

  [[nodiscard]] static bool now() noexcept { return inside_; }

 private:
  static inline constinit thread_local bool inside_ = false;
};

[[noreturn]] void throw_inside_function();

/// Throws Error, MPI_ERR_OTHER, inside a function: what calls this would wait there for ever.
inline void refuse_inside_function() {
  if (InsideFunctions::now()) [[unlikely]]
    throw_inside_function();
}

}  // namespace rondo::internal

#endif
