/// @file
/// KnownDenseFamily: the family of dense collectives in which each rank is given all sizes.
#ifndef RONDO_COLLECTIVES_OPERATIONS_KNOWN_DENSE_HPP
#define RONDO_COLLECTIVES_OPERATIONS_KNOWN_DENSE_HPP

#include "collectives/agreement/known_sizes_agreement.hpp"
#include "collectives/calls/family.hpp"
#include "collectives/communicators/dense_context.hpp"

#include <memory>

namespace rondo::internal {

/// The family of all dense collectives except the alltoalls. By definition the ranks give the same sizes, so that
/// blocking and nonblocking calls agree on nothing, and yet all ranks choose alike. An `_init` call checks whether the
/// sizes agree.
class KnownDenseFamily final : public CollectiveFamily {
 public:
  explicit KnownDenseFamily(DenseContext& context) : context_(context) {}

  [[nodiscard]] CallState& calls() override { return context_.calls(); }
  [[nodiscard]] BlockPattern pattern() override { return context_.pattern(); }

  [[nodiscard]] bool asks(const Settings& settings) const override { return !settings.assert_uniform; }
  void note(const CheckedCall& checked, const CallShapes& shapes, const Settings& settings) override;
  void wait_for_earlier_calls() override { context_.wait_for_numbers(); }
  void ask(const Call& call, const Settings& settings, const std::exception_ptr& trouble) override {
    agree_on_known_sizes(call, here_, settings, trouble, context_.calls().on()->comm());
  }
  void take_as_known(const CheckedCall& /*checked*/, const CallShapes& /*shapes*/,
                     const Settings& /*settings*/) override {}

  [[nodiscard]] std::uint32_t most_tags() const override { return most_tags_; }
  void append_key(const Settings& /*settings*/, std::vector<std::int64_t>& /*key*/) const override {}
  [[nodiscard]] Chosen choose(const CheckedCall& checked, const CallShapes& shapes, const Settings& settings) override;
  [[nodiscard]] std::unique_ptr<CollectiveFamily> make_another() const override {
    // Null if the user offers algorithms, because each of them may accept or refuse every single size.
    return context_.offers() != nullptr ? nullptr : std::make_unique<KnownDenseFamily>(context_);
  }
  /// Returns whether calls may try several algorithms: false for inexact reductions, because each algorithm combines in
  /// another order, and results would change.
  [[nodiscard]] bool may_learn(const Call& call) const override;
  [[nodiscard]] ArrivalsOfAll arrivals(const Call& call) const override;

 private:
  DenseContext& context_;
  KnownSizesHere here_;
  std::uint32_t most_tags_ = 0;
};

}  // namespace rondo::internal

#endif
