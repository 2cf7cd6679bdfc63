// expander.h - one node of the best-first search: the head is solved, the rest bounded, pruned and branched.
//
// `exact` and `subtree` share it. They differ in what a move of the tail does to the bound (`sweep`): cut_expander.cpp
// and part_expander.cpp. Numbers of sections are those of the K-Optimize paper; proofs: docs/algorithms/exact.md.
// Cost: groups x intervals for the head, cells x intervals for the allset, groups x moves x intervals for the tail.
// Invariant: the best of the head and the children together cover every descendant that costs less than `known`.
#pragma once

#include <memory>
#include <vector>

#include "core/cuts/allset.h"
#include "core/cuts/head.h"
#include "core/cuts/moves.h"
#include "core/cuts/node_bound.h"
#include "core/cuts/node_expander.h"
#include "core/cuts/setting.h"
#include "core/cuts/tail.h"

namespace shoal {

template <Metric M>
class Expander : public NodeExpander {
 public:
  // Both outlive the expander.
  Expander(const Projection& projection, const Moves& moves);

  Incumbent solve_head(const CutSet& head, Cost known) override { return head_.solve(head, known); }
  std::optional<Expansion> expand(const Node& node, Cost known, const Watch* watch) override;

 protected:
  using Is = Kind<M>;
  using Delta = typename Is::Delta;

  // Fills in what the moves of `tail_` would do.
  virtual void sweep(const CutSet& head, Cost known) = 0;
  // Raises the bound of a node that would be branched, and takes moves out of the tail. False when the node is pruned.
  virtual bool tighten(const CutSet&, Cost) { return true; }
  // The moves of `tail_` by name.
  const std::vector<int>& open_names();
  void drop(std::size_t index, char reason);

  const Setting s_;
  // What tighten() finds out: per cut of the alphabet what descendants cost that never make its move, if anything is
  // known; and the moves that every better descendant makes.
  std::vector<Cost> out_;
  std::vector<int> needed_;
  const Moves& moves_;
  Head<M> head_;
  NodeBound<M> bound_;
  Allset<M> allset_;
  Tail<Delta> tail_;

 private:
  void open(std::span<const int> moves, const CutSet& head, Cost known);
  bool prune(const CutSet& head, Cost known);
  bool narrow_down(const CutSet& head, Cost known);
  void branch(const CutSet& head, Cost known, std::vector<Node>& children);
  void branch_once(const CutSet& head, std::vector<Node>& children);
  void drop_one(std::size_t index);

  bool stopped() const { return watch_ && watch_->stopped(); }

  const Watch* watch_ = nullptr;   // of the node that is expanded
  std::vector<int> cuts_, names_;  // of the tail that is looked at
  std::size_t opened_ = 0;         // moves at the last sweep
};

// One expander per metric, chosen where the problem is known.
template <template <Metric> class Kind>
std::unique_ptr<NodeExpander> expander_for(const Projection& projection, const Moves& moves) {
  switch (projection.problem.metric) {
    case Metric::discernibility: return std::make_unique<Kind<Metric::discernibility>>(projection, moves);
    case Metric::classification: return std::make_unique<Kind<Metric::classification>>(projection, moves);
    case Metric::general_loss: return std::make_unique<Kind<Metric::general_loss>>(projection, moves);
  }
  return nullptr;
}

}  // namespace shoal
