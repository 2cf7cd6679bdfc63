// search.h - what every search is given besides the problem, and what it answers.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "core/base/clock.h"
#include "core/base/problem.h"

namespace shoal {

// Running out of budget is an answer, not an error.
struct Budget {
  double seconds = 1e18;
  std::int64_t nodes = INT64_MAX;
  double gap = 0;
};

struct Progress {
  Cost cost = kInfinite;
  Cost bound = 0;
  std::int64_t nodes = 0;
  double seconds = 0;
};

struct Options {
  Budget budget;
  int threads = 1;
  std::uint64_t seed = 0;
  Cuts start = {};                                   // a recoding to begin with, if any: cuts per attribute
  std::int64_t climbs = 0;                           // starts of the hill climbing that seeds an exact search
  const std::atomic<bool>* stop = nullptr;           // set by another thread: end with the best so far
  std::function<void(const Progress&)> report = {};  // called from the searching thread
};

struct Outcome {
  bool found = false;   // an admissible recoding is in `cuts`
  bool proved = false;  // the search space is exhausted
  Cost cost = kInfinite;
  Cost bound = 0;  // no admissible recoding costs less
  Count suppressed = 0;
  Cuts cuts;
  std::int64_t nodes = 0;
  int axis = -1;      // the attribute that was solved by dynamic programming, if one was
  std::string proof;  // lines for an independent checker, where a proof is written
};

// The clock and the stop flag of one search.
class Watch {
 public:
  explicit Watch(const Options& options) : options_(options), start_(Clock::now()) {}

  double seconds() const { return Clock::now() - start_; }
  bool stopped() const {
    return (options_.stop && options_.stop->load(std::memory_order_relaxed)) || seconds() > options_.budget.seconds;
  }
  bool close_enough(Cost cost, Cost bound) const {
    return cost < kInfinite && static_cast<double>(cost - bound) <= options_.budget.gap * static_cast<double>(cost);
  }
  void report(Cost cost, Cost bound, std::int64_t nodes) const {
    if (options_.report) options_.report({cost, bound, nodes, seconds()});
  }

 private:
  const Options& options_;
  double start_;
};

}  // namespace shoal
