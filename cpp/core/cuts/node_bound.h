// node_bound.h - the lower bound of a node, interval by interval of the axis.
//
// The head gives a part of it, the allset adds the rest; the bound of the node is the shortest path over the intervals.
// Intervals that cannot lie on a better partition are dropped, and the arrays shrink with them.
// Cost: linear in the intervals that are left. Invariant: no descendant pays less for the rows of an interval than
// `values()` says, and each descendant that costs less than `known` uses intervals of `spans()` only.
// Proofs: docs/algorithms/exact.md.
#pragma once

#include <vector>

#include "core/cuts/head.h"
#include "core/cuts/setting.h"

namespace shoal {

template <Metric M>
class NodeBound {
 public:
  using Delta = typename Kind<M>::Delta;

  NodeBound(const Setting& setting, const Head<M>& head) : s_(setting), head_(head) {}

  // The part that the solved head gives, on all intervals.
  void start();
  // What every descendant costs at least.
  Cost least();
  // What every descendant that makes a move costs at least: `delta` is what the move adds per interval, `rows` are those
  // that it suppresses (under a limit; for DM they are the delta).
  Cost least_with(const Delta* delta, const Count* rows);
  // What descendants cost at least that pay `also` per interval, if not more.
  Cost least_above(const Cost* also);

  // Keeps the intervals that lie on some partition whose bound is below `known` (and, under a limit, on one that
  // suppresses few enough rows). False when none is left.
  bool narrow(Cost known);
  // Adds what descendants cannot release of pieces that privacy rules refuse. False when no interval is left.
  bool give_up(Cost known);
  // Every descendant pays at least so much per interval, whatever leaves the tail.
  void raise(const std::vector<Cost>& floor);
  // General loss: what moves add depends on the allset, so it goes with the bound of this moment.
  void remember() { remembered_ = values_; }

  const Spans& spans() const { return spans_; }
  const std::vector<Cost>& values() const { return values_; }  // per interval; kInfinite where none is better
  std::vector<Cost>& values() { return values_; }

 private:
  using Is = Kind<M>;
  bool find_live(Cost known);
  void keep_live();

  const Setting& s_;
  const Head<M>& head_;
  Spans spans_, narrowed_;
  std::vector<Cost> values_, remembered_;
  std::vector<Cost> floor_;                              // per interval; the larger of it and the value counts
  std::vector<Count> suppressed_;                        // per interval, by every descendant
  std::vector<Count> given_up_;                          // of these the rows of refused pieces, and what the bound
  std::vector<Cost> given_up_cost_;                      // counts for them; empty if there are none
  std::vector<char> live_;                               // per interval
  std::vector<int> furthest_;                            // per row of intervals the last live one
  std::vector<Cost> forward_, backward_, few_, fewest_;  // per position
};

}  // namespace shoal
