#include "collectives/comm_context.hpp"

#include <rondo/error.hpp>

#include "datatypes/mpi_check.hpp"
#include "runtime/error_report.hpp"

#include <string>
#include <utility>

namespace rondo {

/// What the attribute holds.
using Attribute = std::shared_ptr<CommContext>;

int CommContext::copy_attribute(MPI_Comm, int, void*, void* from, void* to, int* flag) {
  CommContext& original = **static_cast<Attribute*>(from);
  // MPI_Comm_dup is collective and blocking, and so is this: the copy gets a private communicator of its own, which all
  // ranks must go and make, whatever they are short of.
  std::shared_ptr<PrivateComm> own;
  std::unique_ptr<Attribute> copy;
  int code = MPI_SUCCESS;
  try {
    own = std::make_shared<PrivateComm>();
    auto on = std::make_shared<GridContext>(own, original.grid(), original.on()->ranks_per_core());
    auto context = std::make_shared<CommContext>(std::move(on), original.neighborhood(), original.settings());
    context->graph_order_ = original.graph_order_;
    copy = std::make_unique<Attribute>(std::move(context));
  } catch (const std::bad_alloc&) {
    code = MPI_ERR_NO_MEM;
  }
  try {
    PrivateComm for_nobody;
    (own == nullptr ? for_nobody : *own).duplicate(original.tags().comm()->get());
  } catch (const Error& error) {
    remember_error(error.error_class(), error.what());
    return error.error_class();
  }
  if (code != MPI_SUCCESS) return code;
  *static_cast<void**>(to) = copy.release();
  *flag = 1;
  return MPI_SUCCESS;
}

int CommContext::delete_attribute(MPI_Comm, int, void* context, void*) {
  delete static_cast<Attribute*>(context);
  return MPI_SUCCESS;
}

const GraphOrder& CommContext::graph_order() const {
  if (!graph_order_)
    throw Error(MPI_ERR_TOPOLOGY, "comm: its neighborhood is not from a graph, by Rondo_Neighborhood_from_graph");
  return *graph_order_;
}

const std::shared_ptr<const CanonicalReduction>& CommContext::canonical_reduction(ReductionKind kind) {
  auto& known = canonical_reductions_[static_cast<std::size_t>(kind)];
  if (known == nullptr)
    known = std::make_shared<const CanonicalReduction>(rondo::canonical_reduction(grid(), neighborhood_, kind));
  return known;
}

int CommContext::keyval() {
  static const int keyval = [] {
    int created = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Comm_create_keyval(copy_attribute, delete_attribute, &created, nullptr), "MPI_Comm_create_keyval");
    return created;
  }();
  return keyval;
}

const std::shared_ptr<CommContext>* CommContext::find(MPI_Comm comm) {
  void* context = nullptr;
  int flag = 0;
  check_mpi(MPI_Comm_get_attr(comm, keyval(), static_cast<void*>(&context), &flag), "comm");
  return flag == 0 ? nullptr : static_cast<Attribute*>(context);
}

const std::shared_ptr<CommContext>& CommContext::shared(MPI_Comm comm) {
  constexpr const char* kMaker = ", must be made by Rondo_Cart_neighborhood_create or Rondo_Iso_neighborhood_create";
  if (comm == MPI_COMM_NULL) throw Error(MPI_ERR_COMM, std::string("comm: is MPI_COMM_NULL") + kMaker);
  const Attribute* found = find(comm);
  if (found == nullptr) throw Error(MPI_ERR_TOPOLOGY, std::string("comm: has no neighborhood") + kMaker);
  return *found;
}

void CommContext::attach(MPI_Comm comm, std::shared_ptr<CommContext> context) {
  auto attribute = std::make_unique<Attribute>(std::move(context));
  check_mpi(MPI_Comm_set_attr(comm, keyval(), attribute.get()), "MPI_Comm_set_attr");
  static_cast<void>(attribute.release());  // MPI's now
}

}  // namespace rondo
