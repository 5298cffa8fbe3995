// Any program in the builder's words, the same on all ranks of a ring: either the builder refuses it, or the schedules
// that it makes do what the program does line by line, under every order of completions.
#include <rondo/error.hpp>

#include "runtime/check/combination.hpp"
#include "runtime/check/symbolic_memory.hpp"
#include "runtime/schedule/schedule_builder.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/support/cases/byte_op.hpp"
#include "tests/support/cases/collective_case.hpp"
#include "tests/support/cases/simulation.hpp"

#include <deque>
#include <utility>
#include <vector>

namespace rondo::internal {
namespace {

constexpr std::int64_t kBufferBytes = 64;
/// Contributions to one byte; reducing a block into another and back doubles them each time.
constexpr std::int64_t kMostTerms = 1000;

/// What the program says, carried out line by line on all ranks at once.
class Reference {
 public:
  explicit Reference(int ranks) : spaces_(static_cast<std::size_t>(ranks)) {}

  struct Place {
    Space space;
    std::int64_t offset;  ///< of a scratch block, any that no other has
    const Layout* layout;
  };
  /// One message from each rank to the next `shift` further: all are read before any is written.
  void exchange(int shift, const std::vector<Place>& from, const std::vector<Place>& to) {
    const auto p = spaces_.size();
    std::vector<SymbolicRow> rows(p);
    for (std::size_t rank = 0; rank < p; ++rank) {
      for (const Place& place : from) read(static_cast<std::int32_t>(rank), place, rows[rank]);
    }
    for (std::size_t rank = 0; rank < p; ++rank) write(rows[rank], (rank + static_cast<std::size_t>(shift)) % p, to);
  }
  /// One block into another on each rank.
  void reduce(const Place& from, const Place& into) {
    for (std::size_t rank = 0; rank < spaces_.size(); ++rank) {
      SymbolicRow added;
      SymbolicRow held;
      read(static_cast<std::int32_t>(rank), from, added);
      read(static_cast<std::int32_t>(rank), into, held);
      SymbolicRowReader one(added);
      SymbolicRowReader other(held);
      SymbolicRow sum;
      for (std::int64_t left = from.layout->size(); left > 0;) {
        const std::int64_t step = std::min(one.ahead(), other.ahead());
        sum.append(combined_.combine(one.take(step), other.take(step)));
        left -= step;
      }
      write(sum, rank, {into});
    }
  }
  /// What the receive buffers end as. False: there is too much of it.
  [[nodiscard]] bool append_definition(CollectiveCase& made) const {
    for (std::size_t rank = 0; rank < spaces_.size(); ++rank) {
      for (const auto& [begin, written] : spaces_[rank].recv.written()) {
        Combination line{static_cast<std::int32_t>(rank), begin, written.end - begin, {}};
        std::int64_t times = 0;
        for (const Term& term : combined_.terms(written.origin)) {
          times += term.times;
          if (times > kMostTerms) return false;
          for (std::int64_t i = 0; i < term.times; ++i) line.sources.push_back({term.rank, term.offset});
        }
        made.combinations.push_back(std::move(line));
      }
    }
    return true;
  }

 private:
  struct Spaces {
    SymbolicMemory recv;
    SymbolicMemory scratch;
  };

  void read(std::int32_t rank, const Place& place, SymbolicRow& row) {
    const Spaces& own = spaces_[static_cast<std::size_t>(rank)];
    place.layout->for_each_piece(
        [&](std::int64_t begin, std::int64_t length) {
          if (place.space == Space::send)
            row.append({rank, begin, length});
          else
            (place.space == Space::recv ? own.recv : own.scratch).read(begin, begin + length, row);
        },
        place.offset);
  }
  void write(const SymbolicRow& row, std::size_t rank, const std::vector<Place>& to) {
    SymbolicRowReader carried(row);
    for (const Place& place : to) {
      SymbolicMemory& memory = place.space == Space::recv ? spaces_[rank].recv : spaces_[rank].scratch;
      place.layout->for_each_piece(
          [&](std::int64_t begin, std::int64_t left) {
            while (left > 0) {
              const SymbolicBytes piece = carried.take(left);
              memory.write(begin, piece, 0);
              begin += piece.bytes;
              left -= piece.bytes;
            }
          },
          place.offset);
    }
  }

  std::vector<Spaces> spaces_;
  Combinations combined_;
};

struct Block {
  Reference::Place place;
  bool operand;  ///< of the reduction, wherever it lies
};

/// Four bytes in a row or in two pieces, as an operand is.
std::shared_ptr<const Reduction> draw_reduction(FuzzInput& input) {
  const int holes = input.draw(0, 1);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 2, 2 + holes, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  auto reduction = std::make_shared<const Reduction>(byte_sum().op, type, 1, flatten(type));
  MPI_Type_free(&type);
  return reduction;
}

/// Blocks that do not overlap within a space: the builder's promise is about blocks, not bytes.
std::vector<Block> draw_blocks(FuzzInput& input, const Layout& operand, std::deque<Layout>& layouts) {
  std::vector<Block> blocks;
  std::array<std::int64_t, kSpaces> ends{};
  for (int count = input.draw(1, 12); count > 0; --count) {
    const auto space = static_cast<Space>(input.draw(0, 2));
    const bool is_operand = input.draw(0, 2) == 0;
    Layout layout;
    const int bytes = is_operand ? 0 : input.draw(0, 2) * 4;
    if (is_operand) {
      layout = operand;
    } else if (space == Space::scratch || bytes == 0 || input.draw(0, 1) == 0) {
      layout = Layout::contiguous(bytes);
    } else {
      layout.append({0, bytes / 2, 2, bytes});
    }
    std::int64_t& end = ends[static_cast<std::size_t>(space)];
    layouts.push_back(layout);
    blocks.push_back({{space, end, &layouts.back()}, is_operand});
    end += std::max(layout.true_end(), std::int64_t{1}) + input.draw(0, 2);
  }
  return blocks;
}

/// One line of a program.
struct Line {
  enum class Kind { phase, exchange, copy, reduce } kind;
  int shift;
  std::vector<std::size_t> from;
  std::vector<std::size_t> to;
};

std::vector<Line> draw_program(FuzzInput& input, int ranks, std::size_t blocks) {
  std::vector<Line> lines;
  while (!input.empty() && lines.size() < 30) {
    Line line{static_cast<Line::Kind>(input.draw(0, 3)), input.draw(0, ranks - 1), {}, {}};
    if (line.kind != Line::Kind::phase) {
      for (int count = input.draw(0, 3); count > 0; --count) {
        line.from.push_back(static_cast<std::size_t>(input.draw(0, static_cast<int>(blocks) - 1)));
        line.to.push_back(static_cast<std::size_t>(input.draw(0, static_cast<int>(blocks) - 1)));
      }
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Copies every send block to a receive block of its own at the end, as the checker refuses reads of bytes that are in
/// no block of the definition.
void append_sinks(std::vector<Block>& blocks, std::vector<Line>& lines) {
  const std::size_t drawn = blocks.size();
  for (std::size_t i = 0; i < drawn; ++i) {
    if (blocks[i].place.space != Space::send || blocks[i].place.layout->size() == 0) continue;
    const auto sink = static_cast<std::int64_t>(kBufferBytes * 4 + 32 * i);
    lines.push_back({Line::Kind::copy, 0, {i}, {blocks.size()}});
    blocks.push_back({{Space::recv, sink, blocks[i].place.layout}, blocks[i].operand});
  }
}

/// Whether a block occurs on both sides of a line, or twice in `to`: what the line means then is nobody's promise.
bool is_ambiguous(const Line& line) {
  if (line.kind == Line::Kind::reduce) return false;  // pair after pair
  for (std::size_t i = 0; i < line.to.size(); ++i) {
    if (std::ranges::find(line.from, line.to[i]) != line.from.end()) return true;
    if (std::ranges::count(line.to, line.to[i]) > 1) return true;
  }
  return false;
}

/// Whether what one rank sends is as long as what the next receives: the builder sees one rank only.
bool fits(const Line& line, const std::vector<Block>& blocks) {
  if (line.kind != Line::Kind::exchange) return true;
  std::int64_t difference = 0;
  for (const std::size_t i : line.from) difference += blocks[i].place.layout->size();
  for (const std::size_t i : line.to) difference -= blocks[i].place.layout->size();
  return difference == 0;
}

/// How a program is built.
struct Manner {
  Ordering ordering;
  MessageForm form;
  std::uint32_t window;   ///< 0: none
  std::uint32_t batches;  ///< 0: none
  std::shared_ptr<const Reduction> reduction;
};

Schedule build(int rank, int ranks, const std::vector<Block>& blocks, const std::vector<Line>& lines,
               const Manner& manner) {
  ScheduleBuilder builder(manner.ordering, manner.form);
  builder.set_reduction(manner.reduction);
  if (manner.window > 0) builder.set_window(manner.window);
  if (manner.batches > 0) builder.set_batches(manner.batches);
  std::vector<BlockId> ids;
  for (const Block& block : blocks) {
    if (block.place.space != Space::scratch)
      ids.push_back(builder.block(block.place.space, block.place.offset, *block.place.layout));
    else
      ids.push_back(block.operand ? builder.operand() : builder.transit(block.place.layout->size()));
  }
  const auto ids_of = [&](const std::vector<std::size_t>& list) {
    std::vector<BlockId> chosen;
    for (const std::size_t i : list) chosen.push_back(ids[i]);
    return chosen;
  };
  std::uint32_t tag = 0;
  for (const Line& line : lines) {
    switch (line.kind) {
      case Line::Kind::phase:
        builder.begin_phase();
        break;
      case Line::Kind::exchange:
        if (line.from.empty() && manner.batches > 0)
          builder.end_batch();
        else if (line.from.empty())
          builder.begin_exchange();  // one that is empty, of which only the window hears
        else
          builder.exchange((rank + line.shift) % ranks, (rank + ranks - line.shift) % ranks, tag++, ids_of(line.from),
                           ids_of(line.to));
        break;
      case Line::Kind::copy:
        builder.copy(ids_of(line.from), ids_of(line.to));
        break;
      case Line::Kind::reduce:
        builder.reduce(ids_of(line.from), ids_of(line.to));
        break;
    }
  }
  return std::move(builder).build();
}

void try_program(const std::uint8_t* data, std::size_t size) {
  FuzzInput input(data, size);
  const int ranks = input.draw(1, 3);
  const auto ordering = static_cast<Ordering>(input.draw(0, 1));
  const auto form = static_cast<MessageForm>(input.draw(0, 2));
  const auto limit = static_cast<std::uint32_t>(input.draw(0, 6));
  const Manner manner{ordering, form, limit > 3 ? 0 : limit, limit > 3 ? limit - 3 : 0, draw_reduction(input)};
  std::deque<Layout> layouts;
  std::vector<Block> blocks = draw_blocks(input, manner.reduction->layout(), layouts);
  std::vector<Line> lines = draw_program(input, ranks, blocks.size());
  std::erase_if(lines, [&](const Line& line) { return is_ambiguous(line) || !fits(line, blocks); });
  append_sinks(blocks, lines);

  CollectiveCase made{
      .name = "fuzzed", .schedules = {}, .definition = {}, .send_bytes = {}, .recv_bytes = {}, .op = &byte_sum()};
  try {
    for (int rank = 0; rank < ranks; ++rank)
      made.schedules.push_back(std::make_shared<const Schedule>(build(rank, ranks, blocks, lines, manner)));
  } catch (const Error&) {
    return;  // refused, on every rank alike: the program is the same
  }
  Reference reference(ranks);
  for (const Line& line : lines) {
    if (line.kind == Line::Kind::phase) continue;
    std::vector<Reference::Place> from;
    std::vector<Reference::Place> to;
    for (const std::size_t i : line.from) from.push_back(blocks[i].place);
    for (const std::size_t i : line.to) to.push_back(blocks[i].place);
    if (line.kind == Line::Kind::exchange) {
      reference.exchange(line.shift, from, to);
    } else {
      for (std::size_t i = 0; i < from.size(); ++i) {
        if (line.kind == Line::Kind::reduce)
          reference.reduce(from[i], to[i]);
        else
          reference.exchange(0, {from[i]}, {to[i]});
      }
    }
  }
  if (!reference.append_definition(made)) return;
  made.send_bytes.assign(static_cast<std::size_t>(ranks), kBufferBytes * 16);
  made.recv_bytes.assign(static_cast<std::size_t>(ranks), kBufferBytes * 16);
  const std::string finding = checked(made);
  require_that(finding.empty(), finding);
  const std::string wrong = simulate({&made, 1}, size, 2);
  require_that(wrong.empty(), wrong);
}

}  // namespace
}  // namespace rondo::internal

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  MPI_Init(argc, argv);  // messages of several pieces get a datatype
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rondo::internal::try_program(data, size);
  return 0;
}
