// proof.h - the tree of decisions that shows that no cuts cost less than a bound, written for an independent checker.
//
// A second pass over the tree of `exact` along one axis, with the bound as the incumbent from the start, depth first and
// in one thread. A node is a line: how many steps, then each as its cut and, unless it is that of the step before, its
// reason; the nodes of its branches follow in their order. The rules, and why each is sound: docs/proofs.md. Cost: that of expanding the nodes, which are no more
// than the search needed to reach the bound along this axis.
#pragma once

#include "core/base/search.h"

namespace shoal {

// `proved` unless the watch ended it. Throws std::logic_error if it meets cuts that cost less than the bound.
Outcome prove_cuts(const Problem& problem, int axis, Cost bound, const Options& options);

}  // namespace shoal
