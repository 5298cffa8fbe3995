// The C++ interface: OwnCollective.
#include <rondo/error.hpp>
#include <rondo/schedule.hpp>

#include "collectives/comm_state/agreement.hpp"
#include "collectives/faces/handles/request_making.hpp"
#include "collectives/operations/own_collective.hpp"
#include "collectives/own/lowering.hpp"
#include "datatypes/reading/mpi_running.hpp"

#include <exception>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace rondo {

using internal::OwnCalls;
using internal::OwnComm;

namespace {

std::shared_ptr<OwnCalls> make_calls(const OwnComm& on, std::string_view name, const Lowering& lower,
                                     const Options& options) {
  const auto run = [&lower](internal::OwnBuilder& builder) { internal::lower_own(lower, builder); };
  return OwnCalls::make(on, name, run, {.options = &options});
}

std::shared_ptr<OwnCalls> make_calls(const OwnComm& on, std::string_view name, std::span<const OwnAlgorithm> algorithms,
                                     const Options& options) {
  std::vector<internal::OwnWay> ways;
  const std::exception_ptr trouble = internal::trouble_in([&] {
    for (const OwnAlgorithm& algorithm : algorithms) {
      ways.push_back({algorithm.name,
                      [&algorithm](internal::OwnBuilder& builder) { internal::lower_own(algorithm.lower, builder); },
                      algorithm.predict});
    }
  });
  return OwnCalls::make(on, name, {.number = algorithms.size(), .here = ways, .trouble = trouble},
                        {.options = &options});
}

}  // namespace

OwnCollective::OwnCollective(MPI_Comm comm, std::string_view name, const Lowering& lower, const Options& options)
    : calls_(make_calls(OwnComm::of(comm), name, lower, options)) {}

OwnCollective::OwnCollective(const Comm& comm, std::string_view name, const Lowering& lower, const Options& options)
    : calls_(make_calls(OwnComm::of(comm), name, lower, options)) {}

OwnCollective::OwnCollective(const CartComm& grid, std::string_view name, const Lowering& lower, const Options& options)
    : calls_(make_calls(OwnComm::of(grid), name, lower, options)) {}

OwnCollective::OwnCollective(MPI_Comm comm, std::string_view name, std::span<const OwnAlgorithm> algorithms,
                             const Options& options)
    : calls_(make_calls(OwnComm::of(comm), name, algorithms, options)) {}

OwnCollective::OwnCollective(const Comm& comm, std::string_view name, std::span<const OwnAlgorithm> algorithms,
                             const Options& options)
    : calls_(make_calls(OwnComm::of(comm), name, algorithms, options)) {}

OwnCollective::OwnCollective(const CartComm& grid, std::string_view name, std::span<const OwnAlgorithm> algorithms,
                             const Options& options)
    : calls_(make_calls(OwnComm::of(grid), name, algorithms, options)) {}

OwnCalls& OwnCollective::calls() const {
  internal::require_mpi("OwnCollective");
  if (calls_ == nullptr) throw Error(MPI_ERR_ARG, "OwnCollective: was moved from");
  return *calls_;
}

const std::string& OwnCollective::name() const { return calls().name(); }

void OwnCollective::run(const Bytes& send, const Bytes& recv) {
  calls().run({send.address, send.count}, {recv.address, recv.count});
}

Request OwnCollective::start(const Bytes& send, const Bytes& recv) {
  OwnCalls& calls_here = calls();
  return Request(internal::started_request([&] {
    return calls_here.start({send.address, send.count}, {recv.address, recv.count});
  }));
}

Request OwnCollective::init(const Bytes& send, const Bytes& recv) {
  OwnCalls& calls_here = calls();
  const auto operation = [&](const std::exception_ptr& trouble) {
    return calls_here.init({send.address, send.count}, {recv.address, recv.count}, trouble);
  };
  return Request(internal::persistent_request([] {}, operation));
}

}  // namespace rondo
