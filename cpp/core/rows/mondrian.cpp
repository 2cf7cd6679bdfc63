#include "core/rows/mondrian.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <numeric>

#include "core/base/parallel.h"
#include "core/rows/mondrian_cut.h"

namespace shoal {
namespace {

// Larger groups are handed to whichever thread is free; a smaller one is cut to the end by one thread.
constexpr std::size_t kShared = 1 << 11;
constexpr std::size_t kTogether = 1 << 13;   // distinct rows of a group that is worth the attention of all threads
constexpr std::int64_t kReported = 1 << 12;  // nodes from one report to the next

class Mondrian {
 public:
  Mondrian(const MondrianProblem& problem, const Options& options)
      : p_(problem), options_(options), watch_(options), rows_(problem) {}

  MondrianOutcome run() {
    MondrianOutcome out;
    MondrianGroup all{0, rows_.size(), 0};
    all.rows = std::accumulate(rows_.counts.begin(), rows_.counts.end(), Count{0});
    out.found = MondrianCutter(p_, rows_, watch_).admitted(all);
    out.group_of.assign(p_.counts.size(), -1);
    if (!out.found) return out;
    open_.push_back(all);
    // A limit on nodes must stop everybody at the same group, so that one thread takes them in turn.
    const int threads = limited() ? 1 : std::max(1, options_.threads);
    if (threads > 1 && p_.choice != MondrianProblem::Choice::width) begin_together(threads);
    parallel(static_cast<std::size_t>(threads), threads, [&](std::size_t, std::size_t) { work(); });
    std::sort(done_.begin(), done_.end(),
              [](const MondrianGroup& x, const MondrianGroup& y) { return x.begin < y.begin; });
    for (const MondrianGroup& group : done_) {
      for (std::size_t at = group.begin; at < group.end; ++at) out.group_of[rows_.index[at]] = out.groups;
      ++out.groups;
    }
    out.nodes = nodes_;
    return out;
  }

 private:
  bool limited() const { return options_.budget.nodes < INT64_MAX; }
  bool spent() const { return nodes_.load(std::memory_order_relaxed) >= options_.budget.nodes || watch_.stopped(); }

  // While there are fewer large groups than threads, all of them look at one group, each at other attributes. (A choice by
  // width takes the first attribute that can be cut, and has nothing to share.)
  void begin_together(int threads) {
    std::deque<MondrianCutter> cutters;
    for (int i = 0; i < threads; ++i) cutters.emplace_back(p_, rows_, watch_);
    while (!open_.empty() && open_.size() < cutters.size() && !spent()) {
      const auto size = [](const MondrianGroup& group) { return group.end - group.begin; };
      const auto largest =
          std::max_element(open_.begin(), open_.end(), [&](const auto& x, const auto& y) { return size(x) < size(y); });
      if (size(*largest) <= kTogether) return;
      const MondrianGroup group = *largest;
      open_.erase(largest);
      const std::vector<MondrianGroup>& sides = cut_together(group, cutters);
      if (!watch_.stopped()) count();
      if (sides.empty()) done_.push_back(group);
      open_.insert(open_.end(), sides.begin(), sides.end());
    }
  }
  // The cut that one cutter would choose.
  const std::vector<MondrianGroup>& cut_together(const MondrianGroup& group, std::deque<MondrianCutter>& cutters) {
    const int threads = static_cast<int>(cutters.size());
    std::vector<std::size_t> candidates(cutters.size());
    parallel(cutters.size(), threads, [&](std::size_t i, std::size_t) { candidates[i] = cutters[i].begin(group); });
    std::vector<std::optional<MondrianCutter::Cut>> found(candidates[0]);
    parallel(found.size(), threads, [&](std::size_t i, std::size_t worker) {
      if (!watch_.stopped()) found[i] = cutters[worker].find_candidate(i);
    });
    const MondrianCutter::Cut* best = nullptr;
    for (const auto& cut : found)
      if (cut && (!best || cut->better(*best))) best = &*cut;
    return best && !watch_.stopped() ? cutters[0].divide(*best) : kNone;
  }

  void work() {
    std::vector<MondrianGroup> done, mine;
    try {
      MondrianCutter cutter(p_, rows_, watch_);
      while (take(mine)) {
        const bool shared = limited() || mine.back().end - mine.back().begin > kShared;
        do {
          const MondrianGroup group = mine.back();
          mine.pop_back();
          const bool stopped = spent();
          const std::vector<MondrianGroup>& sides = stopped ? kNone : cutter.cut(group);
          if (!stopped) count();
          if (sides.empty()) done.push_back(group);
          mine.insert(mine.end(), sides.begin(), sides.end());
        } while (!shared && !mine.empty());
        give(mine);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failed_ = true;
      changed_.notify_all();
      throw;
    }
    const std::lock_guard lock(mutex_);
    done_.insert(done_.end(), done.begin(), done.end());
  }

  // Waits for a group to cut; false when there will be none.
  bool take(std::vector<MondrianGroup>& mine) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ || !open_.empty() || busy_ == 0; });
    if (failed_ || open_.empty()) return false;
    mine.assign(1, open_.front());
    open_.pop_front();
    ++busy_;
    return true;
  }
  void give(const std::vector<MondrianGroup>& sides) {
    const std::lock_guard lock(mutex_);
    open_.insert(open_.end(), sides.begin(), sides.end());
    --busy_;
    changed_.notify_all();
  }
  void count() {
    if (const std::int64_t nodes = ++nodes_; nodes % kReported == 0) watch_.report(kInfinite, kInfinite, nodes);
  }

  static inline const std::vector<MondrianGroup> kNone;
  const MondrianProblem& p_;
  const Options& options_;
  Watch watch_;
  MondrianRows rows_;
  std::atomic<std::int64_t> nodes_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<MondrianGroup> open_;
  int busy_ = 0;
  bool failed_ = false;
  std::vector<MondrianGroup> done_;
};

}  // namespace

MondrianOutcome mondrian(const MondrianProblem& problem, const Options& options) {
  return Mondrian(problem, options).run();
}

}  // namespace shoal
