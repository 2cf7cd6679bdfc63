// head.h - the head of a node: what each interval of the axis costs under it, and the cheapest partition.
//
// Cost: a sweep over groups x intervals. Under privacy rules pieces are judged on top of that.
// Invariant after solve(): the arrays have one entry per interval of `spans()`, which are all intervals of the axis.
// Formulas and proofs: docs/algorithms/exact.md.
#pragma once

#include <memory>
#include <vector>

#include "core/base/kernels.h"
#include "core/cuts/head_groups.h"
#include "core/cuts/head_judge.h"
#include "core/cuts/node_expander.h"
#include "core/cuts/setting.h"
#include "core/privacy/giving_up.h"

namespace shoal {

template <Metric M>
class Head {
 public:
  explicit Head(const Setting& setting);

  // The head with its best axis partition, if that costs less than `known`.
  Incumbent solve(const CutSet& head, Cost known);

  // Whether no descendant can have few enough groups: each of the head's that is not hopeless is one at least, unless
  // all its rows are suppressed, k of them or more.
  bool too_risky();

  const HeadGroups& groups() const { return groups_; }
  HeadJudge* judge() const { return judge_.get(); }  // null without privacy rules
  Cost loss_of(int group) const;                     // general loss of one of its rows, the axis left out

  const Spans& spans() const { return spans_; }
  const std::vector<Count>& suppressed() const { return suppressed_; }  // rows that every descendant suppresses
  const std::vector<Cost>& closed() const { return closed_; }           // CM: cost of the closed groups

 private:
  using Is = Kind<M>;

  void sweep(Cost known);
  void sweep_group(int group);
  void gather_small(int group);

  // Under privacy rules.
  Count rows_of(const Count* group, int a, int b) const;
  Cost released_cost(const Count* group, int a, int b, Count rows, Cost loss) const;
  Cost suppressing_costs_more(const Count* group, int a, int b, Count rows, Cost loss) const;
  void suppress_hopeless();
  void suppress_hopeless(int group);
  void suppress_empty(int group);
  void mark_live(Cost known, bool all);
  void suppress_refused(Cost known);
  Cost excess_of(const std::vector<std::int32_t>& cuts) const;
  void find_offers(Cost known);
  void add_offers(int group, const std::vector<int>& refused_in, std::vector<std::vector<Offer>>& offers);

  const Setting& s_;
  HeadGroups groups_;
  std::unique_ptr<HeadJudge> judge_;
  Spans spans_;
  std::vector<Count> suppressed_, lost_;  // lost_: refused rows as well; under privacy rules
  std::vector<Cost> exact_, closed_;      // what the head costs; kInfinite where it suppresses too many rows
  std::vector<Cost> viable_, excess_;     // excess of risk: the least of any descendant, and that of the head
  std::vector<char> live_;                // whether the interval can lie on a partition below what is known
  std::vector<int> furthest_;             // per row of intervals the last live one
  Offers offers_;                         // pieces that could be given up
  std::vector<Cost> forward_, backward_;  // per position
  std::vector<Count> small_;              // histogram of the groups below k
  std::vector<Count> n_, m_;              // rows per interval, and those of the most frequent label
};

}  // namespace shoal
