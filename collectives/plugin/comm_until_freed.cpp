#include "collectives/plugin/comm_until_freed.hpp"

#include "collectives/comm_state/attribute_key.hpp"

namespace rondo::internal::plugin {
namespace {

/// The attribute that is deleted with the communicator.
class Owner {
 public:
  explicit Owner(MPI_Comm comm) : comm_(std::make_shared<std::atomic<MPI_Comm>>(comm)) {}
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() { comm_->store(MPI_COMM_NULL); }

  [[nodiscard]] CommUntilFreed comm() const noexcept { return comm_; }

 private:
  std::shared_ptr<std::atomic<MPI_Comm>> comm_;
};

}  // namespace

CommUntilFreed until_freed(MPI_Comm comm) {
  static const AttributeKey<Owner> key;
  if (const Owner* found = key.find(comm)) return found->comm();
  return key.attach(comm, std::make_unique<Owner>(comm)).comm();
}

}  // namespace rondo::internal::plugin
