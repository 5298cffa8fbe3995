// The names of Options' enumerators in all settings.
#include <mpi.h>
#include <rondo/error.hpp>
#include <rondo/options.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace rondo {
namespace {

template <typename Choice>
struct Named {
  Choice value;
  const char* name;
};

constexpr std::array kAlgorithms{Named<Algorithm>{Algorithm::automatic, "auto"},
                                 Named<Algorithm>{Algorithm::direct, "direct"},
                                 Named<Algorithm>{Algorithm::coalesced, "coalesced"},
                                 Named<Algorithm>{Algorithm::coalesced_where_it_pays, "coalesced-where-it-pays"},
                                 Named<Algorithm>{Algorithm::combining, "combining"},
                                 Named<Algorithm>{Algorithm::expansions, "expansions"},
                                 Named<Algorithm>{Algorithm::logarithmic, "logarithmic"},
                                 Named<Algorithm>{Algorithm::neighbors, "neighbors"},
                                 Named<Algorithm>{Algorithm::ring, "ring"},
                                 Named<Algorithm>{Algorithm::hops, "hops"},
                                 Named<Algorithm>{Algorithm::joined, "joined"},
                                 Named<Algorithm>{Algorithm::node_aware, "node-aware"},
                                 Named<Algorithm>{Algorithm::pairwise, "pairwise"},
                                 Named<Algorithm>{Algorithm::windowed, "windowed"},
                                 Named<Algorithm>{Algorithm::bruck, "bruck"},
                                 Named<Algorithm>{Algorithm::compact_bruck, "compact-bruck"},
                                 Named<Algorithm>{Algorithm::irregular_bruck, "irregular-bruck"},
                                 Named<Algorithm>{Algorithm::scatter, "scatter"},
                                 Named<Algorithm>{Algorithm::randomized, "randomized"},
                                 Named<Algorithm>{Algorithm::segmented, "segmented"},
                                 Named<Algorithm>{Algorithm::paper, "paper"},
                                 Named<Algorithm>{Algorithm::basic_bruck, "basic-bruck"},
                                 Named<Algorithm>{Algorithm::basic_bruck_ix, "basic-bruck-ix"},
                                 Named<Algorithm>{Algorithm::modified_bruck, "modified-bruck"},
                                 Named<Algorithm>{Algorithm::modified_bruck_ix, "modified-bruck-ix"},
                                 Named<Algorithm>{Algorithm::zero_copy_bruck, "zero-copy-bruck"},
                                 Named<Algorithm>{Algorithm::zero_copy_bruck_blocks, "zero-copy-bruck-blocks"},
                                 Named<Algorithm>{Algorithm::recursive_doubling, "recursive-doubling"},
                                 Named<Algorithm>{Algorithm::halving_doubling, "halving-doubling"},
                                 Named<Algorithm>{Algorithm::recursive_halving, "recursive-halving"},
                                 Named<Algorithm>{Algorithm::circulant, "circulant"},
                                 Named<Algorithm>{Algorithm::tree, "tree"},
                                 Named<Algorithm>{Algorithm::scatter_allgather, "scatter-allgather"},
                                 Named<Algorithm>{Algorithm::chain, "chain"},
                                 Named<Algorithm>{Algorithm::dissemination, "dissemination"}};

constexpr std::array kOrderings{Named<Ordering>{Ordering::dependencies, "dependencies"},
                                Named<Ordering>{Ordering::phases, "phases"}};

constexpr std::array kMessageForms{Named<MessageForm>{MessageForm::automatic, "auto"},
                                   Named<MessageForm>{MessageForm::staged, "staged"},
                                   Named<MessageForm>{MessageForm::datatype, "datatype"}};

constexpr std::array kQueues{Named<Queue>{Queue::window, "window"}, Named<Queue>{Queue::batches, "batches"}};

constexpr std::array kSharedMemory{Named<SharedMemory>{SharedMemory::on, "on"},
                                   Named<SharedMemory>{SharedMemory::off, "off"},
                                   Named<SharedMemory>{SharedMemory::odd, "odd"}};

template <typename Table, typename Choice>
const char* name_in(const Table& table, Choice value) noexcept {
  const auto row = std::ranges::find(table, value, [](const auto& each) { return each.value; });
  return row == table.end() ? "?" : row->name;
}

/// Returns a list: "window or batches".
template <typename Table>
std::string list_names(const Table& table) {
  std::string list;
  for (const auto& row : table)
    list += (list.empty() ? "" : &row == &table.back() ? " or " : ", ") + std::string(row.name);
  return list;
}

template <typename Choice, std::size_t size>
std::optional<Choice> value_in(const std::array<Named<Choice>, size>& table, const char* key, std::string_view text) {
  if (text.empty()) return std::nullopt;
  for (const Named<Choice>& row : table) {
    if (row.name == text) return row.value;
  }
  throw Error(MPI_ERR_INFO_VALUE,
              std::string(key) + ": is \"" + std::string(text) + "\", must be " + list_names(table));
}

}  // namespace

const char* name(Algorithm algorithm) noexcept { return name_in(kAlgorithms, algorithm); }
const char* name(Ordering ordering) noexcept { return name_in(kOrderings, ordering); }
const char* name(MessageForm form) noexcept { return name_in(kMessageForms, form); }
const char* name(Queue queue) noexcept { return name_in(kQueues, queue); }
const char* name(SharedMemory use) noexcept { return name_in(kSharedMemory, use); }

std::optional<Algorithm> algorithm_from(std::string_view text) {
  return value_in(kAlgorithms, "rondo_algorithm", text);
}
std::optional<Ordering> ordering_from(std::string_view text) { return value_in(kOrderings, "rondo_schedule", text); }
std::optional<MessageForm> message_form_from(std::string_view text) {
  return value_in(kMessageForms, "rondo_messages", text);
}
std::optional<Queue> queue_from(std::string_view text) { return value_in(kQueues, "rondo_queue", text); }
std::optional<SharedMemory> shared_memory_from(std::string_view text) {
  return value_in(kSharedMemory, "rondo_shm", text);
}

}  // namespace rondo
