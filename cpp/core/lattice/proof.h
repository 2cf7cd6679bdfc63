// proof.h - the tree of boxes that shows that no levels cost less than a bound, written for an independent checker.
//
// A second pass over the boxes of the search, with the bound as the incumbent from the start, depth first and in one
// thread. A box is a line: the attribute and the last level of its lower half, the lines of which follow, and then those
// of the upper half; or `x` where it is closed. The rules, and why each is sound: docs/proofs.md.
#pragma once

#include "core/lattice/search.h"

namespace shoal {

// `proved` unless the watch ended it. Throws std::logic_error if it meets levels that cost less than the bound.
LatticeOutcome prove_levels(const LatticeProblem& problem, Cost bound, const Options& options);

}  // namespace shoal
