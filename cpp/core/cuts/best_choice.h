// best_choice.h - looks at one choice of moves after the other and keeps the best: what `genetic` and `anneal` share.
//
// One look is one node of the budget. What is reported is priced again from scratch.
#pragma once

#include "core/base/search.h"
#include "core/cuts/cut_groups.h"
#include "core/cuts/cut_space.h"

namespace shoal {

class BestChoice {
 public:
  BestChoice(const CutSpace& space, const Options& options);

  bool finished() const { return nodes_ >= options_.budget.nodes || watch_.stopped(); }
  // The price of a choice; the best admissible one is remembered.
  CutGroups::Price look(const Choice& choice);
  bool found() const { return best_.admissible() && best_.cost < kInfinite; }
  const Choice& best() const { return choice_; }
  Outcome outcome() const;

 private:
  const CutSpace& space_;
  const Options& options_;
  const Watch watch_;
  CutGroups groups_;
  CutGroups::Price best_;
  Choice choice_;
  Cuts cuts_;
  std::int64_t nodes_ = 0;
};

}  // namespace shoal
