/// @file
/// Collectives of one's own, drawn by chance.
#ifndef RONDO_TESTS_SUPPORT_CASES_RANDOM_OWN_SCHEDULE_HPP
#define RONDO_TESTS_SUPPORT_CASES_RANDOM_OWN_SCHEDULE_HPP

#include <mpi.h>
#include <rondo/own/schedule.h>

#include "tests/support/cases/random/drawing.hpp"

#include <bit>
#include <string>

namespace rondo::internal::random_exchange {

/// One of all ranks of a communicator: a shift, by some ranks, of items as they lie on either side, or an allreduce of
/// ints, in place or out of it, by recursive doubling or around a ring, where functions add.
class OwnSchedule {
 public:
  OwnSchedule(MPI_Comm comm, int items, Random& common, Random& own)
      : shape_(static_cast<Shape>(common.draw(3))),
        items_(items),
        in_place_(sums() && common.one_in(3)),
        on_worker_(own.one_in(2)),
        sent_(own.among(kItems)),
        received_(own.among(kItems)),
        sent_type_(sent_.type()),
        received_type_(received_.type()) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    steps_ = common.draw(size_);
    done(Rondo_Schedule_create(comm, name(), &schedule_), "create");
    if (shape_ == Shape::shift)
      build_shift();
    else
      build_sums();
    commit(common, own);
    MPI_Type_free(&sent_type_);
    MPI_Type_free(&received_type_);
  }
  OwnSchedule(const OwnSchedule&) = delete;
  OwnSchedule& operator=(const OwnSchedule&) = delete;
  ~OwnSchedule() { done(Rondo_Schedule_free(&schedule_), "free"); }

  [[nodiscard]] const char* name() const {
    static constexpr std::array kNames{"own shift", "own doubling", "own ring"};
    return kNames[static_cast<std::size_t>(shape_)];
  }
  /// Otherwise it shifts.
  [[nodiscard]] bool sums() const { return shape_ != Shape::shift; }
  [[nodiscard]] bool in_place() const { return in_place_; }
  [[nodiscard]] int items() const { return items_; }
  /// How the items of a shift lie on this rank, and whose it receives.
  [[nodiscard]] const Item& sent() const { return sent_; }
  [[nodiscard]] const Item& received() const { return received_; }
  [[nodiscard]] int source() const { return (rank_ + size_ - steps_) % size_; }

  int call(Form form, const void* send, void* recv, Rondo_Request* request) const {
    if (form == Form::blocking) return Rondo_Schedule_run(send, recv, schedule_);
    return (form == Form::nonblocking ? Rondo_Schedule_start : Rondo_Schedule_init)(send, recv, schedule_, request);
  }

 private:
  enum class Shape { shift, doubling, ring };

  void done(int code, const char* what) const { expect_success(code, std::string(name()) + ", " + what); }
  [[nodiscard]] int ints() const { return 2 * items_; }
  [[nodiscard]] int transit() const {
    int block = -1;
    done(Rondo_Schedule_transit(schedule_, ints() * static_cast<MPI_Count>(sizeof(int)), &block), "transit");
    return block;
  }
  void exchange(int target, int outgoing, int source, int incoming) const {
    done(Rondo_Schedule_exchange(schedule_, target, 1, &outgoing, source, 1, &incoming), "exchange");
  }

  void build_shift() const {
    int outgoing = -1;
    int incoming = -1;
    done(Rondo_Schedule_send_block(schedule_, 0, items_, sent_type_, &outgoing), "send_block");
    done(Rondo_Schedule_recv_block(schedule_, 0, items_, received_type_, &incoming), "recv_block");
    exchange((rank_ + steps_) % size_, outgoing, source(), incoming);
  }
  void build_sums() {
    int mine = -1;
    int result = -1;
    if (in_place_) {
      done(Rondo_Schedule_set_in_place(schedule_), "set_in_place");
    } else {
      done(Rondo_Schedule_send_block(schedule_, 0, ints(), MPI_INT, &mine), "send_block");
    }
    done(Rondo_Schedule_recv_block(schedule_, 0, ints(), MPI_INT, &result), "recv_block");
    if (in_place_) {
      mine = result;
      done(Rondo_Schedule_set_filled(schedule_, result), "set_filled");
    }
    if (shape_ == Shape::ring)
      go_around(mine, result);
    else
      double_up(mine, result);
  }
  void go_around(int mine, int result) {
    if (size_ == 1) copy(mine, result);
    int sum = mine;
    for (int step = 1; step < size_; ++step) {
      const int arriving = transit();
      exchange((rank_ + 1) % size_, sum, (rank_ + size_ - 1) % size_, arriving);
      sum = step + 1 < size_ ? transit() : result;
      const std::array reads{mine, arriving};
      done(Rondo_Schedule_compute(schedule_, 2, reads.data(), 1, &sum, add, this, "sum", on_worker_ ? 1 : 0),
           "compute");
    }
  }
  /// Ranks beyond the power of two are guests of those below it.
  void double_up(int mine, int result) const {
    done(Rondo_Schedule_set_reduction(schedule_, ints(), MPI_INT, MPI_SUM), "set_reduction");
    const int hosts = static_cast<int>(std::bit_floor(static_cast<unsigned>(size_)));
    if (rank_ >= hosts) {
      done(Rondo_Schedule_send(schedule_, rank_ - hosts, 1, &mine), "send");
      done(Rondo_Schedule_receive(schedule_, rank_ - hosts, 1, &result), "receive");
      return;
    }
    copy(mine, result);
    const auto operand = [&] {
      int block = -1;
      done(Rondo_Schedule_operand(schedule_, &block), "operand");
      return block;
    };
    const auto reduce = [&](int block) { done(Rondo_Schedule_reduce(schedule_, 1, &block, &result), "reduce"); };
    const bool has_guest = rank_ + hosts < size_;
    if (has_guest) {
      const int of_guest = operand();
      done(Rondo_Schedule_receive(schedule_, rank_ + hosts, 1, &of_guest), "receive");
      reduce(of_guest);
    }
    for (int far = 1; far < hosts; far *= 2) {
      done(Rondo_Schedule_begin_phase(schedule_), "begin_phase");
      const int arriving = operand();
      exchange(rank_ ^ far, result, rank_ ^ far, arriving);
      reduce(arriving);
    }
    if (has_guest) done(Rondo_Schedule_send(schedule_, rank_ + hosts, 1, &result), "send");
  }
  void copy(int mine, int result) const {
    if (!in_place_) done(Rondo_Schedule_copy(schedule_, 1, &mine, &result), "copy");
  }
  static int add(Rondo_Blocks blocks, void* schedule) {
    const auto* one = static_cast<const int*>(Rondo_Blocks_read(blocks, 0));
    const auto* other = static_cast<const int*>(Rondo_Blocks_read(blocks, 1));
    auto* sum = static_cast<int*>(Rondo_Blocks_write(blocks, 0));
    for (int k = 0; k < static_cast<const OwnSchedule*>(schedule)->ints(); ++k) sum[k] = one[k] + other[k];
    return MPI_SUCCESS;
  }
  void commit(Random& common, Random& own) const {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    if (common.one_in(3)) MPI_Info_set(info, "rondo_schedule", "phases");
    if (common.one_in(2)) MPI_Info_set(info, "rondo_messages", common.one_in(2) ? "staged" : "datatype");
    if (own.one_in(2)) MPI_Info_set(info, "rondo_progress", own.one_in(2) ? "workers" : "async");
    done(Rondo_Schedule_commit(schedule_, info), "commit");
    MPI_Info_free(&info);
  }

  Rondo_Schedule schedule_ = RONDO_SCHEDULE_NULL;
  Shape shape_;
  int items_;
  bool in_place_;
  bool on_worker_;
  Item sent_;
  Item received_;
  MPI_Datatype sent_type_;  ///< until it is committed
  MPI_Datatype received_type_;
  int rank_ = 0;
  int size_ = 0;
  int steps_ = 0;  ///< of a shift
};

}  // namespace rondo::internal::random_exchange

#endif
