#include "tests/support/dense/reduction_case.hpp"

#include "collectives/proof/arrivals.hpp"
#include "datatypes/layout/layout.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

namespace rondo::internal::test {
namespace {

using dense_reduction::Kind;

/// Two bytes and one, with one between them and one after them.
MPI_Datatype type_with_holes() {
  static const MPI_Datatype type = [] {
    MPI_Datatype pieces = MPI_DATATYPE_NULL;
    const std::array lengths{2, 1};
    const std::array<MPI_Aint, 2> places{1, 4};
    MPI_Type_create_hindexed(2, lengths.data(), places.data(), MPI_BYTE, &pieces);
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(pieces, 0, 6, &made);
    MPI_Type_commit(&made);
    MPI_Type_free(&pieces);
    return made;
  }();
  return type;
}

/// One rank's buffers, which are alike on all.
struct DenseVectors {
  DenseVectors(const DenseReductionCase& given, const Layout& element) {
    std::int64_t begin = 4;
    for (const std::int64_t count : given.counts) {
      send.push_back({begin, &layouts.emplace_back(element.repeated(count))});
      begin += count * element.extent();
    }
    bytes = begin + 5;
  }
  std::deque<Layout> layouts;
  std::vector<BlockShape> send;
  std::int64_t bytes;
};

std::string describe(const DenseReductionCase& given, const std::string& plan) {
  std::string text = given.kind == Kind::allreduce ? "allreduce, " : "reduce-scatter, ";
  text += plan + describe_building(given.ordering, given.form, given.ports);
  if (given.in_place) text += ", in place";
  if (given.holes) text += ", with holes";
  text += ", p " + std::to_string(given.size) + ", counts";
  for (const std::int64_t count : given.counts) text += " " + std::to_string(count);
  return text + describe_nodes(given.nodes);
}

/// Everything but the schedules.
struct DenseReductionPlans {
  DenseReductionPlans(const DenseReductionCase& given, int rank)
      : type(given.holes ? type_with_holes() : MPI_BYTE),
        element(flatten(type)),
        vectors(given, element),
        nodes(given.nodes) {
    int commutative = 0;
    MPI_Op_commutative(given.op->op, &commutative);
    const BlockShape& own = vectors.send[given.kind == Kind::allreduce ? 0 : static_cast<std::size_t>(rank)];
    problem.emplace(dense_reduction::Problem{
        .rank = rank,
        .size = given.size,
        .kind = given.kind,
        .send = vectors.send,
        .counts = given.counts,
        .recv = {given.kind == Kind::allreduce || !given.in_place ? 4 : vectors.send[0].offset, own.layout},
        .op = {given.op->op, type, &element, commutative != 0},
        .costs = costs,
        .in_place = given.in_place,
        .ports = given.ports,
        .nodes = nodes.have_carriers() ? &nodes : nullptr});
  }
  CostModel costs{1.0};
  MPI_Datatype type;
  Layout element;
  DenseVectors vectors;
  NodeMembers nodes;
  std::optional<dense_reduction::Problem> problem;
};

/// V_0 OP (V_1 OP (... OP V_(p-1))).
std::vector<int> in_order(int p) {
  std::vector<int> postfix{p - 1};
  for (int rank = p - 2; rank >= 0; --rank) {
    postfix.push_back(rank);
    postfix.push_back(CollectiveCase::kCombine);
  }
  return postfix;
}

}  // namespace

CollectiveCase dense_reduction_case(const DenseReductionCase& given, const dense_reduction::Algorithm& row,
                                    std::size_t number) {
  CollectiveCase made{{}, {}, {}, {}, {}};
  std::deque<DenseReductionPlans> ranks;
  std::vector<BlocksOfRank> blocks;
  for (int rank = 0; rank < given.size; ++rank) {
    const dense_reduction::Problem& problem = *ranks.emplace_back(given, rank).problem;
    blocks.push_back({problem.send, {&problem.recv, 1}});
    made.blocks.push_back(user_blocks({&problem.recv, 1}, problem.send));
    made.send_bytes.push_back(given.in_place ? 0 : ranks.back().vectors.bytes);
    made.recv_bytes.push_back(ranks.back().vectors.bytes);
    const dense_reduction::Plan plan = row.plans(problem).at(number);
    if (rank == 0) made.name = describe(given, plan.name);
    ScheduleBuilder builder(given.ordering, given.form);
    plan.build(problem, builder);
    made.schedules.push_back(std::make_shared<const Schedule>(std::move(builder).build()));
  }
  Call call{"reduction", given.kind == Kind::allreduce ? Collective::reduce : Collective::scatter_reduce, {}, {}};
  if (given.in_place) call.send.buffer = MPI_IN_PLACE;
  Definition definition = definition_of(dense_arrivals(given.size, call), blocks);
  made.definition = std::move(definition.placements);
  made.combinations = std::move(definition.combinations);
  made.associations.assign(made.combinations.size(), in_order(given.size));
  made.op = given.op;
  return made;
}

int for_each_dense_reduction(DenseReductionCase given, const std::function<void(const CollectiveCase&)>& visit) {
  int cases = 0;
  for (const dense_reduction::Algorithm& row : dense_reduction::registry().algorithms) {
    const std::size_t plans = row.plans(*DenseReductionPlans(given, 0).problem).size();
    for (std::size_t number = 0; number < plans; ++number) {
      for (const Ordering ordering : {Ordering::dependencies, Ordering::phases}) {
        for (const MessageForm form : {MessageForm::staged, MessageForm::datatype}) {
          given.ordering = ordering;
          given.form = form;
          visit(dense_reduction_case(given, row, number));
          ++cases;
        }
      }
    }
  }
  return cases;
}

}  // namespace rondo::internal::test
