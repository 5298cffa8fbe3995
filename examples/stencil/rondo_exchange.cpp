#include "rondo_exchange.hpp"

#include <span>
#include <vector>

namespace stencil {
namespace {

/// The blocks of both tiles, one for each neighbor.
struct Blocks {
  explicit Blocks(Domain& domain)
      : out{domain.halo_out(0), domain.halo_out(1)}, in{domain.halo_in(0), domain.halo_in(1)} {}

  std::vector<rondo::SendBlock> out[2];
  std::vector<rondo::RecvBlock> in[2];
};

/// Prepared once, started every step; said as the array that the halo is part of, with nothing about neighbors.
class Persistent final : public Exchange {
 public:
  Persistent(Domain& domain, rondo::CartComm& torus) {
    for (int which = 0; which < 2; ++which) {
      const std::span<double> cells = domain.cells(which);
      const std::vector<int> sizes = {domain.rows().size + 2, domain.columns().size + 2};
      halo_[which] = rondo::halo_init(torus, rondo::HaloArray::of<double>(cells, sizes, 1));
    }
  }
  void start(int which) override { halo_[which].start(); }
  void finish(int which) override { halo_[which].wait(); }

 private:
  rondo::Request halo_[2];
};

/// A new operation every step.
class Nonblocking final : public Exchange {
 public:
  Nonblocking(Domain& domain, rondo::CartComm& torus) : torus_(torus), blocks_(domain) {}
  void start(int which) override { halo_ = torus_.ialltoallw(blocks_.out[which], blocks_.in[which]); }
  void finish(int /*which*/) override { halo_.wait(); }

 private:
  rondo::CartComm& torus_;
  Blocks blocks_;
  rondo::Request halo_;
};

/// Nothing beside it.
class Blocking final : public Exchange {
 public:
  Blocking(Domain& domain, rondo::CartComm& torus) : torus_(torus), blocks_(domain) {}
  void start(int which) override { torus_.alltoallw(blocks_.out[which], blocks_.in[which]); }
  void finish(int /*which*/) override {}
  [[nodiscard]] bool blocks() const override { return true; }

 private:
  rondo::CartComm& torus_;
  Blocks blocks_;
};

}  // namespace

std::unique_ptr<Exchange> rondo_exchange(Mode mode, Domain& domain, rondo::CartComm& torus) {
  switch (mode) {
    case Mode::blocking:
      return std::make_unique<Blocking>(domain, torus);
    case Mode::nonblocking:
      return std::make_unique<Nonblocking>(domain, torus);
    case Mode::overlap:
      break;
  }
  return std::make_unique<Persistent>(domain, torus);
}

}  // namespace stencil
