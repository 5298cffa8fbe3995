/// @file
/// Messages over MPI.
#ifndef RONDO_RUNTIME_MPI_TRANSPORT_HPP
#define RONDO_RUNTIME_MPI_TRANSPORT_HPP

#include "runtime/transport.hpp"

#include <vector>

namespace rondo {

/// Keeps all MPI requests in flight in one array, so that one MPI_Testsome looks at all of them. Messages are posted by
/// MPI_Isend and MPI_Irecv: measured, a persistent request costs more to start than a plain one to make, except around
/// 512 B in Open MPI, where it gains less than a tenth.
class MpiTransport final : public Transport {
 public:
  void reserve(std::size_t messages) override;
  void release(std::size_t messages) noexcept override;
  int send(const Message& message, Execution& execution, TaskId task) override;
  int receive(const Message& message, Execution& execution, TaskId task) override;
  std::span<const Completion> poll() override;
  void cancel(Execution& execution) override;
  std::size_t in_flight() const override { return requests_.size(); }

 private:
  struct Owner {
    Execution* execution;
    TaskId task;
    bool is_receive;
  };
  int keep(MPI_Request request, const Owner& owner);
  void close_hole(std::size_t slot);

  std::size_t reserved_ = 0;
  std::vector<MPI_Request> requests_;
  std::vector<Owner> owners_;          ///< parallel to requests_
  std::vector<Completion> abandoned_;  ///< sends given up by cancel(), to be reported by the next poll()
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<Completion> completions_;
};

}  // namespace rondo

#endif
