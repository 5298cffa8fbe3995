// Random programs, as no test writer would write them: operations of all kinds and forms on several communicators, with
// datatypes, algorithms and settings drawn by chance, many in flight, and completed on each rank in an order and by
// calls of its own. What ranks must do alike is drawn from one seed, what they may do differently from another on each
// rank. Every int of every buffer is compared, those between and around the blocks as well.
// RONDO_TEST_SEED=N replays one program; RONDO_TEST_SCALE multiplies their number (tests/run.sh long).
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/bad_input.hpp"
#include "tests/support/cases/random/random_exchange.hpp"
#include "tests/support/cases/simulation.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rondo::internal::random_exchange::chaos_test {
namespace {

/// A program of one thread on each rank.
class Program {
 public:
  /// `alone`: no other thread runs one, and it may make communicators.
  Program(std::uint64_t seed, bool alone)
      : common_(seed), own_(seed * 1000003 + static_cast<std::uint64_t>(world_rank()) + 1), alone_(alone) {
    const int grids = 1 + common_.draw(2);
    for (int i = 0; i < grids; ++i) add_grid();
    add_dense();
  }

  void run() {
    for (int step = 0; step < 40; ++step) {
      const int kind = common_.draw(12);
      if (kind < 3) {
        draw_exchange()->run();
      } else if (kind < 7) {
        in_flight_.push_back(draw_exchange());
        in_flight_.back()->begin();
      } else if (kind < 9) {
        persistent_.push_back(draw_exchange());
        persistent_.back()->init();
      } else if (kind < 11) {
        start_some();
      } else {
        replace_something();
      }
      dawdle();
    }
    complete(all_active());
    in_flight_.clear();
    persistent_.clear();
  }

 private:
  using Flights = std::vector<Exchange*>;

  [[nodiscard]] ProgressMode draw_mode() {
    const std::vector<ProgressMode> modes{ProgressMode::automatic, ProgressMode::inlined, ProgressMode::async,
                                          ProgressMode::workers};
    return own_.among(modes);
  }
  void add_grid() {
    const int d = 1 + common_.draw(3);
    std::vector<int> sizes(static_cast<std::size_t>(d), 0);
    MPI_Dims_create(world_size(), d, sizes.data());
    std::vector<int> periods;
    for (int k = 0; k < d; ++k) periods.push_back(common_.one_in(4) ? 0 : 1);
    Neighborhood odd(d);
    for (int i = common_.draw(6); i > 0; --i) {
      std::vector<int> offset;
      for (int k = 0; k < d; ++k) offset.push_back(common_.draw(7) - 3);
      odd.add(offset);
    }
    const std::vector<Neighborhood> all{moore(d, 1), von_neumann(d, 1), d < 3 ? box(d, 4, -1) : moore(d, 1), odd};
    Options options;
    options.algorithm =
        algorithm_from(common_.among(std::vector<std::string>{"", "", "direct", "combining", "logarithmic"}));
    options.schedule = ordering_from(common_.among(std::vector<std::string>{"", "", "phases"}));
    options.messages = message_form_from(common_.among(std::vector<std::string>{"", "staged", "datatype"}));
    options.ports = common_.one_in(3) ? 1 + common_.draw(3) : 0;
    options.progress = draw_mode();
    auto place = std::make_unique<Place>();
    place->grid.emplace(MPI_COMM_WORLD, sizes, periods, common_.among(all), options);
    place->comm = place->grid->native();
    MPI_Comm_set_errhandler(place->comm, MPI_ERRORS_RETURN);
    place->sources = place->grid->sources();
    place->targets = place->grid->targets();
    places_.push_back(std::move(place));
  }
  void add_dense() {
    auto place = std::make_unique<Place>();
    MPI_Comm_dup(MPI_COMM_WORLD, &place->comm);
    MPI_Comm_set_errhandler(place->comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < world_size(); ++i) place->sources.push_back(i);
    place->targets = place->sources;
    if (!alone_ || common_.one_in(2)) {  // otherwise its first call makes what is needed
      MPI_Info info = MPI_INFO_NULL;
      MPI_Info_create(&info);
      if (common_.one_in(2)) MPI_Info_set(info, "rondo_algorithm", common_.one_in(2) ? "bruck" : "randomized");
      MPI_Info_set(info, "rondo_progress", name(draw_mode()));
      expect_success(Rondo_Comm_prepare(place->comm, info), "prepare");
      MPI_Info_free(&info);
    }
    places_.push_back(std::move(place));
  }
  [[nodiscard]] std::unique_ptr<Exchange> draw_exchange() {
    Place& place = *common_.among(places_);
    const int kind = place.dense() ? kCartKinds + common_.draw(kKinds - kCartKinds) : common_.draw(kCartKinds);
    return std::make_unique<Exchange>(place, static_cast<Kind>(kind), serial_++, common_, own_);
  }

  [[nodiscard]] Flights all_active() const {
    Flights active;
    for (const auto* list : {&in_flight_, &persistent_}) {
      for (const auto& one : *list) {
        if (one->active()) active.push_back(one.get());
      }
    }
    return active;
  }
  /// The same ones on all ranks, in an order of each.
  void start_some() {
    Flights some;
    for (const auto& one : persistent_) {
      if (!common_.one_in(3)) some.push_back(one.get());
    }
    Flights active = some;
    std::erase_if(active, [](const Exchange* one) { return !one->active(); });
    complete(active);
    own_.shuffle(some);
    std::vector<Rondo_Request> requests;
    for (Exchange* one : some) {
      one->fill();
      requests.push_back(one->request);
    }
    if (own_.one_in(2)) {
      expect_success(Rondo_Startall(static_cast<int>(requests.size()), requests.data()), "startall");
      for (Exchange* one : some) one->started();
    } else {
      for (Exchange* one : some) {
        expect_success(Rondo_Start(&one->request), one->what("start"));
        one->started();
        if (own_.one_in(4)) make_progress();  // and wait for none, as other ranks have another order
      }
    }
  }
  /// A persistent operation goes, or a communicator comes.
  void replace_something() {
    if (!persistent_.empty() && common_.one_in(2)) {
      const auto index = common_.draw(static_cast<int>(persistent_.size()));
      const auto gone = persistent_.begin() + index;
      if ((*gone)->active()) complete({gone->get()});
      persistent_.erase(gone);
    } else if (alone_ && places_.size() < 6) {
      complete(all_active());  // another rank may wait for one of them, and MPI's functions do not advance them
      if (common_.one_in(2))
        add_grid();
      else
        add_dense();
    }
  }

  /// What a rank may do at any time.
  void dawdle() {
    for (int i = own_.draw(4); i > 0; --i) {
      const Flights active = all_active();
      switch (own_.draw(6)) {
        case 0:
          std::this_thread::sleep_for(std::chrono::microseconds(own_.draw(300)));
          break;
        case 1:
        case 2:
          make_progress();
          break;
        case 3:
          if (!active.empty()) own_.among(active)->look(own_);
          break;
        case 4:
          if (!active.empty()) try_one(*own_.among(active));
          break;
        default:
          if (!active.empty()) complete({own_.among(active)});
          break;
      }
    }
  }
  static void make_progress() {
    int moved = 0;
    expect_success(Rondo_Progress(&moved), "progress");
  }
  void try_one(Exchange& one) {
    int complete = 0;
    expect_success(Rondo_Test(&one.request, &complete, MPI_STATUS_IGNORE), one.what("test"));
    if (complete != 0) one.complete();
  }

  /// Completes them by some call. All ranks have started them or will without waiting for this.
  void complete(Flights some) {
    own_.shuffle(some);
    while (!some.empty()) {
      const auto count = static_cast<std::size_t>(1 + own_.draw(static_cast<int>(some.size())));
      complete_together({some.end() - static_cast<std::ptrdiff_t>(count), some.end()});
      some.resize(some.size() - count);
    }
  }
  void complete_together(const Flights& some) {
    const int count = static_cast<int>(some.size());
    std::vector<Rondo_Request> requests;
    for (const Exchange* one : some) requests.push_back(one->request);
    const auto give_back = [&] {
      for (std::size_t i = 0; i < some.size(); ++i) some[i]->request = requests[i];
    };
    const auto over = [&](int index) {
      if (index < 0 || index >= count) {
        ADD_FAILURE() << "index " << index << " of " << count << " requests";
        return;
      }
      give_back();
      some[static_cast<std::size_t>(index)]->complete();
    };
    int index = 0;
    int flag = 0;
    switch (own_.draw(7)) {
      case 0:
        expect_success(Rondo_Waitall(count, requests.data(), MPI_STATUSES_IGNORE), "waitall");
        give_back();
        for (Exchange* one : some) one->complete();
        break;
      case 1:
        while (flag == 0) expect_success(Rondo_Testall(count, requests.data(), &flag, MPI_STATUSES_IGNORE), "testall");
        give_back();
        for (Exchange* one : some) one->complete();
        break;
      case 2:
        for (int i = 0; i < count; ++i) {
          expect_success(Rondo_Waitany(count, requests.data(), &index, MPI_STATUS_IGNORE), "waitany");
          over(index);
        }
        break;
      case 3:
        for (int i = 0; i < count;) {
          expect_success(Rondo_Testany(count, requests.data(), &index, &flag, MPI_STATUS_IGNORE), "testany");
          if (flag == 0) continue;
          over(index);
          ++i;
        }
        break;
      case 4:
        for (Exchange* one : some) {
          while (one->active()) {
            one->look(own_);
            try_one(*one);
          }
        }
        break;
      case 5:
        for (Exchange* one : some) wait_by_callback(*one);
        break;
      default:
        for (Exchange* one : some) {
          expect_success(Rondo_Wait(&one->request, MPI_STATUS_IGNORE), one->what("wait"));
          one->complete();
        }
        break;
    }
  }
  void wait_by_callback(Exchange& one) {
    std::atomic<bool> called = false;
    int armed = 0;
    const auto call = [](void* flag) { static_cast<std::atomic<bool>*>(flag)->store(true); };
    expect_success(Rondo_On_complete(one.request, call, &called, &armed), one.what("on complete"));
    while (armed != 0 && !called) make_progress();
    expect_success(Rondo_Wait(&one.request, MPI_STATUS_IGNORE), one.what("wait after a callback"));
    one.complete();
  }

  Random common_;
  Random own_;
  bool alone_;
  int serial_ = 0;
  std::vector<std::unique_ptr<Place>> places_;
  std::vector<std::unique_ptr<Exchange>> in_flight_;
  std::vector<std::unique_ptr<Exchange>> persistent_;
};

bool failed_anywhere() {
  int failed = ::testing::Test::HasFailure() ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return failed != 0;
}

/// Runs `run(seed)` for so many seeds, or for the one that is asked for.
template <typename Run>
void for_each_seed(int count, Run run) {
  std::uint64_t first = 1;
  auto end = first + static_cast<std::uint64_t>(std::max(1.0, count * test_scale()));
  if (const char* one = std::getenv("RONDO_TEST_SEED")) {
    first = std::strtoull(one, nullptr, 10);
    end = first + 1;
  }
  for (std::uint64_t seed = first; seed < end && !failed_anywhere(); ++seed) {
    SCOPED_TRACE("RONDO_TEST_SEED=" + std::to_string(seed));
    run(seed);
  }
}

TEST(Chaos, RandomPrograms) {
  for_each_seed(500, [](std::uint64_t seed) { Program(seed, true).run(); });
}

/// Two at once, each with communicators of its own, where MPI lets several threads call it.
TEST(Chaos, RandomProgramsOfTwoThreads) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level != MPI_THREAD_MULTIPLE) GTEST_SKIP() << "needs MPI_THREAD_MULTIPLE";
  for_each_seed(200, [](std::uint64_t seed) {
    Program one(2 * seed, false);
    Program other(2 * seed + 1, false);
    std::thread thread([&] { other.run(); });
    one.run();
    thread.join();
  });
}

}  // namespace
}  // namespace rondo::internal::random_exchange::chaos_test
