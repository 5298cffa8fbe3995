/// @file
/// What a user asks for: info keys, environment variables, options.
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

/// What a call asks for, in one of these ways, on top of what holds for its communicator.
struct Asked {
  MPI_Info info = MPI_INFO_NULL;
  const Options* options = nullptr;
  const Settings* instead = nullptr;  ///< all of the settings, in place of the communicator's
};

/// Where the seed of random orders comes from; all ranks come to the same without a message.
enum class Seed : std::uint8_t {
  size,   ///< the number of ranks, as in the paper
  calls,  ///< the number of the call on its communicator
  given
};

/// Each field as given; where nothing was given, the environment's, then the default.
struct Settings {
  std::string algorithm = "auto";     ///< of kinds that are not in the next; see algorithm_of()
  std::string algorithms_of_kinds{};  ///< see AskedAlgorithms
  Ordering ordering = Ordering::dependencies;
  MessageForm messages = MessageForm::automatic;
  int ports = 0;  ///< exchanges that the direct algorithm has in flight at once; 0: all
  // Of dense alltoalls.
  Queue queue = Queue::window;
  int radix = 0;
  std::int64_t segment = dense::Options().segment;
  Seed seed = Seed::size;
  std::uint64_t given_seed = 0;
  double regular_ratio = dense::Options().regular_ratio;
  std::string tuning;                               ///< a file of measured costs; empty: those built in
  ProgressMode progress = ProgressMode::automatic;  ///< each rank's own matter
  /// No setting: a persistent operation whose messages all ranks take to go through shared memory where they stay on a
  /// node.
  bool through_slots = false;
  bool through_mpi = false;  ///< one of which they know that they do not
  bool assert_isomorphic = false;
  bool assert_uniform = false;
  bool check = false;  ///< RONDO_CHECK
  int learn = 0;       ///< starts of each candidate before persistent operations decide between them; 0: they do not
  int learn_again = 12000;  ///< starts from one comparison of the two fastest after that to the next; 0: there is none
  SharedMemory shm = SharedMemory::on;  ///< both ends of a message go by what they want together

  /// Takes the assertions of the environment and of `info`, and overlooks what is wrong: they decide whether that can
  /// be told to other ranks, so this comes before anything else that may fail.
  void take_assertions(MPI_Info info) noexcept;
  /// Those of `base` and what is asked on top of it.
  void take_assertions(const Settings& base, const Asked& asked) noexcept;
  /// Takes what the environment says; then what the keys of `info` (which may be MPI_INFO_NULL) or `options` say.
  /// Throws Error, MPI_ERR_INFO_VALUE, for a value that is not allowed; assertions, which decide whether that can be
  /// told to other ranks, have been taken before. Rank 0 of `comm` warns of keys that are unknown.
  void take_environment();
  void take(MPI_Info info, MPI_Comm comm);
  void take(const Options& options);
  void take(const Asked& asked, MPI_Comm comm);

  /// Returns the algorithm that is asked for a kind of collective: see algorithm_names.hpp.
  [[nodiscard]] std::string_view algorithm_of(std::string_view kind) const noexcept;
  /// Takes an algorithm, or a plan, for a call whatever its kind.
  void force(std::string plan) noexcept;

  /// A number that differs when the parts that ranks must agree on differ.
  [[nodiscard]] std::uint64_t fingerprint() const;

 private:
  void take_given_assertions(MPI_Info info) noexcept;
  void take(const DenseOptions& options);
  void set(const std::string& key, const std::string& value);
  void set_dense(const std::string& key, const std::string& value);
};

}  // namespace rondo::internal

#endif
