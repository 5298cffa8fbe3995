/// @file
/// The halo exchange with Rondo, in its three forms.
#ifndef RONDO_EXAMPLES_STENCIL_RONDO_EXCHANGE_HPP
#define RONDO_EXAMPLES_STENCIL_RONDO_EXCHANGE_HPP

#include "arguments.hpp"
#include "domain.hpp"
#include "exchange.hpp"

#include <rondo/rondo.hpp>

#include <memory>

namespace stencil {

/// Collective over the torus. Both arguments must outlive the exchange.
[[nodiscard]] std::unique_ptr<Exchange> rondo_exchange(Mode mode, Domain& domain, rondo::CartComm& torus);

}  // namespace stencil

#endif
