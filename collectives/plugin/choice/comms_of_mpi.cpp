#include "collectives/plugin/choice/comms_of_mpi.hpp"

#include "collectives/comm_state/attribute_key.hpp"
#include "collectives/plugin/choice/settled_calls.hpp"

#include <exception>
#include <memory>

namespace rondo::internal::plugin {
namespace {

/// An attribute whose deletion makes the plug-in forget the communicator. A duplicate begins anew.
class Remembered {
 public:
  explicit Remembered(MPI_Comm comm) noexcept : comm_(comm) {}
  Remembered(const Remembered&) = delete;
  Remembered& operator=(const Remembered&) = delete;
  ~Remembered() {
    for (auto& of_calls : all_comms_of_mpi)
      for (CommsOfMpi& comms : of_calls) comms.remove(comm_);
    forget_settled(comm_);
  }

 private:
  MPI_Comm comm_;
};

}  // namespace

bool is_forgotten_when_freed(MPI_Comm comm) noexcept {
  try {
    static const AttributeKey<Remembered> key;
    if (key.find(comm) == nullptr) key.attach(comm, std::make_unique<Remembered>(comm));
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

// If this fails, every call on the communicator is checked.

void remember_left(ReplacedCall call, MPI_Comm comm) noexcept {
  if (is_forgotten_when_freed(comm)) comms_of_mpi(call).add(comm);
}

void remember_left(ReplacedCall call, MPI_Comm comm, BlockSize blocks) noexcept {
  if (is_forgotten_when_freed(comm)) comms_of_mpi(call, blocks).add(comm);
}

}  // namespace rondo::internal::plugin
