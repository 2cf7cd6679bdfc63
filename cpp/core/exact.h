// exact.h - the default exact search over cuts.
//
// K-Optimize's tree with one attribute, the axis, solved by dynamic programming at every node, explored best
// bound first, so that the least bound of the open nodes is at all times a bound for the whole problem.
//
// The answer does not depend on the number of threads: nodes are taken in rounds of fixed size, expanded
// against the incumbent of the round's beginning, and their results are merged in the order of the round.
#pragma once

#include "core/search.h"

namespace shoal {

// Domains longer than this cannot be the axis: its intervals are priced one by one at every node.
inline constexpr int kLongestAxis = 2048;

Outcome exact(const Problem& problem, const Options& options);

}  // namespace shoal
