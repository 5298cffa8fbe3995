#include "collectives/agreement/known_sizes_agreement.hpp"

#include <rondo/error.hpp>

#include "collectives/arguments/reduction_operator.hpp"
#include "runtime/base/mix.hpp"

#include <string>

namespace rondo::internal {

KnownSizesHere known_sizes_of(const CheckedCall& checked, const CallShapes& shapes) {
  KnownSizesHere here;
  // All ranks know the send side of a reduction, and the receive side of other collectives. The root of a broadcast
  // receives nothing, so its send side counts.
  for (const BlockShape& block : (checked.call.reduces() || checked.call.at_root ? shapes.send : shapes.recv).blocks) {
    here.hash = mix(here.hash, static_cast<std::uint64_t>(block.layout->size()));
    here.bytes += block.layout->size();
  }
  return here;
}

void agree_on_known_sizes(const Call& call, const KnownSizesHere& here, const Settings& settings,
                          const std::exception_ptr& trouble, MPI_Comm comm) {
  const bool in_place = call.in_place();
  const bool commutative = !trouble && call.reduces() && reduction::is_commutative(call.op);
  Agreement words(trouble, comm);
  const Agreement::Same wanted = words.same(settings.fingerprint());
  const Agreement::Same places = words.same(in_place ? 1 : 0);
  const Agreement::Same sizes = words.same(here.hash);
  const Agreement::Same operators = words.same(commutative ? 1 : 0);
  const Agreement::Same roots = words.same(static_cast<std::uint64_t>(call.root));
  const Agreement::Least fewest = words.least(static_cast<std::uint64_t>(here.bytes));
  const Agreement::Greatest most = words.greatest(static_cast<std::uint64_t>(here.bytes));
  words.reach("comm");
  if (!words.holds(wanted)) {
    throw Error(MPI_ERR_INFO_VALUE,
                "info: all ranks must ask for the same algorithm and other settings, but they did not");
  }
  if (!words.holds(places)) {
    throw Error(MPI_ERR_BUFFER, "sendbuf: must be MPI_IN_PLACE on all ranks or on none, but is on some (here it is" +
                                    std::string(in_place ? "" : " not") + ")");
  }
  if (!words.holds(roots)) {
    throw Error(MPI_ERR_ROOT,
                "root: all ranks must give the same, but they do not (here it is " + std::to_string(call.root) + ")");
  }
  if (!words.holds(sizes)) {
    throw Error(MPI_ERR_COUNT,
                "count: all ranks must give the same counts and types of the same size, but they do "
                "not (here " +
                    std::to_string(here.bytes) + " bytes together, elsewhere from " + std::to_string(words.of(fewest)) +
                    " to " + std::to_string(words.of(most)) + ")");
  }
  if (!words.holds(operators)) {
    throw Error(MPI_ERR_OP, "op: must be commutative on all ranks or on none, but is on some (here it is" +
                                std::string(commutative ? "" : " not") + ")");
  }
}

}  // namespace rondo::internal
