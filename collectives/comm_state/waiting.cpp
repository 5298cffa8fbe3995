#include "collectives/comm_state/waiting.hpp"

#include "runtime/base/text_line.hpp"
#include "runtime/engine/engine.hpp"

#include <mpi.h>

#include <chrono>
#include <string>

namespace rondo::internal {

void wait_until(const std::function<bool()>& done, std::string_view comm, Patience patience) {
  if (done()) return;
  using Clock = std::chrono::steady_clock;
  Engine& engine = Engine::process();
  TextLine what;
  what << Making::current() << " waits for the other ranks of " << comm;
  struct Activity {
    Activity(Engine& of, std::string_view text) : engine(of) { engine.begin_activity(text); }
    ~Activity() { engine.end_activity(); }
    Engine& engine;
  } const activity(engine, what.view());
  const std::chrono::duration<double> timeout(engine.timeout_seconds());
  Clock::time_point moved = timeout.count() > 0 ? Clock::now() : Clock::time_point{};
  Engine::Waiter waiter(engine);
  while (!done()) {
    if (waiter.pass()) {
      moved = Clock::now();
      continue;
    }
    if (timeout.count() <= 0 || Clock::now() - moved < timeout) continue;
    const std::string why = engine.report_timeout();
    if (patience == Patience::ends) throw TimedOut(MPI_ERR_OTHER, why + ": " + std::string(what.view()));
    moved = Clock::now();
  }
}

}  // namespace rondo::internal
