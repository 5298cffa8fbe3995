/// @file
/// Messages over MPI.
#ifndef RONDO_RUNTIME_MPI_TRANSPORT_HPP
#define RONDO_RUNTIME_MPI_TRANSPORT_HPP

#include "runtime/transport.hpp"

#include <vector>

namespace rondo {

/// Keeps all MPI requests in flight in one array, so that one MPI_Testsome looks at all of them.
class MpiTransport final : public Transport {
 public:
  void reserve(std::size_t messages) override;
  void release(std::size_t messages) noexcept override;
  MPI_Request prepare(const Message& message, MPI_Comm comm) override;
  void discard(MPI_Request prepared) noexcept override;
  Posted post(Execution& execution, std::span<const Message> messages, const MPI_Request* prepared) override;
  std::span<const Completion> poll() override;
  bool wait_all(bool report) override;
  void cancel(Execution& execution) override;
  std::size_t in_flight() const override { return count_; }

 private:
  struct Owner {
    Execution* execution;
    TaskId task;
  };
  void close_hole(std::size_t slot);
  void report(std::vector<Completion>& to, std::size_t slot, int code) const {
    to.push_back({owners_[slot].execution, owners_[slot].task, code});
  }

  std::size_t reserved_ = 0;
  // Arrays as long as what is reserved, of which the first count_ slots are in use: a request is made in its place.
  std::size_t count_ = 0;
  std::vector<MPI_Request> requests_;
  std::vector<Owner> owners_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<Completion> completions_;
  std::vector<Completion> to_report_;  ///< known to be complete, for the next poll()
};

}  // namespace rondo

#endif
