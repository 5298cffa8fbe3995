/// @file
/// How the halo of a tile gets filled: at once, or beside the computation.
#ifndef RONDO_EXAMPLES_STENCIL_EXCHANGE_HPP
#define RONDO_EXAMPLES_STENCIL_EXCHANGE_HPP

#include <memory>
#include <utility>

namespace stencil {

/// Fills the halo of tile 0 or 1 of a domain. Collective, in the same order on all ranks.
class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  /// From here to finish() the border of the tile may not be written, and its halo not be touched.
  virtual void start(int which) = 0;
  virtual void finish(int which) = 0;
  /// Whether start() does all of it.
  [[nodiscard]] virtual bool blocks() const { return false; }
};

/// Another exchange with nothing beside it, to see what there is to gain.
class AtOnce final : public Exchange {
 public:
  explicit AtOnce(std::unique_ptr<Exchange> inner) : inner_(std::move(inner)) {}
  void start(int which) override {
    inner_->start(which);
    inner_->finish(which);
  }
  void finish(int /*which*/) override {}
  [[nodiscard]] bool blocks() const override { return true; }

 private:
  std::unique_ptr<Exchange> inner_;
};

}  // namespace stencil

#endif
