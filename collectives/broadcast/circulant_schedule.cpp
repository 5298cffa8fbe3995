// Träff, "Round-optimal n-Block Broadcast Schedules in Logarithmic Time", arXiv 2312.11236: receive schedules by the
// depth-first search of section 2.3. A send schedule is, by the second of the four conditions of section 2, what each
// of the q ranks that this rank sends to receives in that round.
#include "collectives/broadcast/circulant_schedule.hpp"

#include "collectives/topology/circulant_graph.hpp"

#include <cstddef>
#include <span>

namespace rondo::internal::broadcast {
namespace {

/// A list of the skips that may still be the first on a path, descending. Any skip can be taken from it.
class SkipList {
 public:
  static constexpr int kEnd = -1;

  explicit SkipList(int q) : links_(static_cast<std::size_t>(q) + 2) {
    for (int e = kEnd; e <= q; ++e) links(e) = {e - 1, e + 1};
    links(kEnd).next = q;
    links(q).previous = kEnd;
  }
  /// Returns the skip after e. Skip q comes after kEnd.
  [[nodiscard]] int next(int e) const { return links_[static_cast<std::size_t>(e + 1)].next; }
  void take(int e) {
    const Links taken = links(e);
    links(taken.previous).next = taken.next;
    links(taken.next).previous = taken.previous;
  }

 private:
  struct Links {
    int next = kEnd;
    int previous = kEnd;
  };
  [[nodiscard]] Links& links(int e) { return links_[static_cast<std::size_t>(e + 1)]; }

  std::vector<Links> links_;
};

/// Returns the last skip on the path from the root to rank r that takes the largest skips first; q for the root itself.
/// The part with that number is the first part that comes to r; it comes along that path.
int base_part(std::span<const int> skips, int r) {
  int at = 0;
  for (std::size_t k = skips.size() - 1; k-- > 0;) {
    if (at + skips[k] == r) return static_cast<int>(k);
    if (at + skips[k] < r) at += skips[k];
  }
  return static_cast<int>(skips.size()) - 1;
}

/// Finds for each round k an intermediate rank that has its part early enough to have passed it on to rank r, through
/// the rank at r - skips[k]. Takes the rank closest to r of all that are far enough away, and for each round another
/// part. Ranks are counted from p on, so that paths from before the root do not wrap.
class ReceiveSearch {
 public:
  ReceiveSearch(std::span<const int> skips, int r)
      : skips_(skips),
        q_(static_cast<int>(skips.size()) - 1),
        target_(skips.back() + r),
        last_(2 * skips.back()),
        base_(base_part(skips, r)),
        open_(q_) {
    open_.take(base_);
    search(0, open_.next(SkipList::kEnd), 0);
  }

  [[nodiscard]] std::vector<int> parts() const {
    std::vector<int> parts;
    for (const int found : found_) parts.push_back(found == q_ ? base_ : found - q_);
    return parts;
  }

 private:
  [[nodiscard]] int skip(int e) const { return skips_[static_cast<std::size_t>(e)]; }

  /// Continues the search from rank `at` by open skips from `e` on, the largest first, for rounds from `k` on. Returns
  /// the first round that has no part yet.
  int search(int at, int e, int k) {
    for (; e != SkipList::kEnd && k < q_; e = open_.next(e)) {
      const int there = at + skip(e);
      if (there > target_ - skip(k) || there >= last_) continue;
      if (there <= target_ - skip(k + 1)) k = search(there, e, k);
      if (k >= q_ || at > target_ - skip(k + 1)) return k;
      last_ = there;
      found_.push_back(e);
      ++k;
      open_.take(e);
    }
    return k;
  }

  std::span<const int> skips_;
  int q_;
  int target_;
  int last_;  ///< the rank that was found for the round before; later ones are further away from r
  int base_;
  SkipList open_;
  std::vector<int> found_;  ///< by round: the last skip to the rank found; q if that is the root
};

}  // namespace

CirculantSchedule circulant_schedule(int p, int r) {
  CirculantSchedule schedule{circulant_skips(p), {}, {}};
  if (p == 1) return schedule;
  schedule.receive = ReceiveSearch(schedule.skips, r).parts();
  for (std::size_t k = 0; k + 1 < schedule.skips.size(); ++k) {
    const int to = (r + schedule.skips[k]) % p;
    schedule.send.push_back(to == 0 ? static_cast<int>(k) : ReceiveSearch(schedule.skips, to).parts()[k]);
  }
  return schedule;
}

}  // namespace rondo::internal::broadcast
