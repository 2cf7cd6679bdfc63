// best_first.h - the search that `exact` and `subtree` share.
//
// K-Optimize's tree with one attribute, the axis, solved by dynamic programming at every node, explored best
// bound first, so that the least bound of the open nodes is at all times a bound for the whole problem.
//
// The answer does not depend on the number of threads: nodes are taken in rounds of fixed size, expanded
// against the incumbent of the round's beginning, and their results are merged in the order of the round.
#pragma once

#include <memory>
#include <vector>

#include "core/base/search.h"
#include "core/cuts/cut_space.h"
#include "core/cuts/moves.h"
#include "core/cuts/node_expander.h"
#include "core/cuts/workers.h"

namespace shoal {

// Domains longer than this are the axis only if all are: its intervals are priced one by one at every node.
inline constexpr int kLongestAxis = 2048;

// Attributes that may be the axis, the most promising first.
std::vector<int> axis_candidates(const Problem& problem);

Workers make_workers(const Projection& projection, const Moves& moves, int threads);

// The best neighbour of the best neighbour, and so on while it helps, the axis solved anew each time.
void polish(Incumbent& best, const Moves& moves, Workers& workers, const Watch& watch);

// The optimum over the space, or the best found when the budget ends. `known` is a recoding to start with.
Outcome best_first(const CutSpace& space, const Options& options, const Watch& watch, Cuts known);

}  // namespace shoal
