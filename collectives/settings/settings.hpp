/// @file
/// Settings: the settings that a user asks for by info keys, environment variables and options.
#ifndef RONDO_COLLECTIVES_SETTINGS_SETTINGS_HPP
#define RONDO_COLLECTIVES_SETTINGS_SETTINGS_HPP

#include <mpi.h>
#include <rondo/options.hpp>

#include "collectives/dense_alltoall/options.hpp"
#include "runtime/engine/progress_mode.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace rondo {
struct Options;
struct DenseOptions;
}  // namespace rondo

namespace rondo::internal {

struct Settings;

/// The settings that a call asks for, on top of those of its communicator: by an info, by options, or all at once.
struct Asked {
  MPI_Info info = MPI_INFO_NULL;
  const Options* options = nullptr;
  const Settings* instead = nullptr;  ///< all settings, in place of the communicator's
};

/// The source of the seed of random orders. All ranks get the same seed without a message.
enum class Seed : std::uint8_t {
  size,   ///< the number of ranks, as in the paper
  calls,  ///< the number of the call on its communicator
  given
};

/// The settings of a communicator or of one operation. A new object holds the defaults. take_environment() and take()
/// replace the defaults by what the environment, an MPI_Info or the options give.
struct Settings {
  std::string algorithm = "auto";     ///< for kinds without a separate algorithm; see algorithm_of()
  std::string algorithms_of_kinds{};  ///< see AskedAlgorithms
  Ordering ordering = Ordering::dependencies;
  MessageForm messages = MessageForm::automatic;
  int ports = 0;  ///< exchanges that the direct algorithm has in flight at once; 0: all
  // Settings of dense alltoalls.
  Queue queue = Queue::window;
  int radix = 0;
  std::int64_t segment = dense::Options().segment;
  Seed seed = Seed::size;
  std::uint64_t given_seed = 0;
  double regular_ratio = dense::Options().regular_ratio;
  std::string tuning;                               ///< a file of measured costs; empty: the built-in ones
  ProgressMode progress = ProgressMode::automatic;  ///< may differ between ranks
  /// Not a setting: whether this is a persistent operation whose messages go through shared memory if they stay on a
  /// node, as all ranks assume.
  bool through_slots = false;
  bool through_mpi = false;  ///< not a setting: a persistent operation whose messages do not, as all ranks know
  bool assert_isomorphic = false;
  bool assert_uniform = false;
  bool check = false;       ///< RONDO_CHECK
  int learn = 0;            ///< starts of each candidate before persistent operations decide between them; 0: never
  int learn_again = 12000;  ///< starts between comparisons of the two fastest after that; 0: never
  SharedMemory shm = SharedMemory::on;  ///< both ends of a message decide by what both want

  /// Takes the assertions of the environment and of `info`, and ignores wrong values. Assertions decide whether other
  /// ranks can be told of errors, so this comes before anything else that may fail.
  void take_assertions(MPI_Info info) noexcept;
  /// Takes the assertions of `base`, and those that are asked for on top of them.
  void take_assertions(const Settings& base, const Asked& asked) noexcept;
  /// take_environment() takes the settings of the environment, take() those of the keys of `info` (which may be
  /// MPI_INFO_NULL) or of `options`. Throw Error (MPI_ERR_INFO_VALUE) for a value that is not allowed; assertions,
  /// which decide whether other ranks can be told of that, have been taken before. Rank 0 of `comm` warns of unknown
  /// keys.
  void take_environment();
  void take(MPI_Info info, MPI_Comm comm);
  void take(const Options& options);
  void take(const Asked& asked, MPI_Comm comm);

  /// Returns the name of the algorithm that is asked for a kind of collective: see algorithm_names.hpp.
  [[nodiscard]] std::string_view algorithm_of(std::string_view kind) const noexcept;
  /// Makes calls of any kind use the algorithm, or the plan, of this name.
  void force(std::string plan) noexcept;

  /// Returns a hash of the settings on which ranks must agree: ranks whose hashes differ have different settings.
  [[nodiscard]] std::uint64_t fingerprint() const;

 private:
  void take_given_assertions(MPI_Info info) noexcept;
  void take(const DenseOptions& options);
  void set(const std::string& key, const std::string& value);
  void set_dense(const std::string& key, const std::string& value);
};

}  // namespace rondo::internal

#endif
