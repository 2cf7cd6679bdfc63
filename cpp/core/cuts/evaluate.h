// evaluate.h - what a recoding costs, from scratch.
//
// Cost: sorts the distinct rows by their intervals. The searches use it only to check what they report, and for a first
// recoding that someone else found.
#pragma once

#include "core/base/problem.h"

namespace shoal {

struct Evaluation {
  Cost cost = 0;
  Count suppressed = 0;
  bool admissible = true;  // within the limit on suppressed rows, and in what is demanded of all groups together
};

// If the groups are too risky together, the cheapest of them are given up.
Evaluation evaluate(const Problem& problem, const Cuts& cuts);

}  // namespace shoal
