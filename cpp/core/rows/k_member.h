// k_member.h - the greedy k-member groups of Byun, Kamra, Bertino and Li.
//
// A group begins with the row farthest from the one that was added last, and takes the row that makes its box cheapest
// until it has k. What is left at the end, fewer than k rows, joins the groups whose loss grows least.
// Cost: two passes over the rows that are left for each group; boxes only grow, so in the further passes a price from an
// earlier one rules out most rows.
//
// Paper and deviations: docs/algorithms/k-member.md.
#pragma once

#include "core/rows/local.h"

namespace shoal {

// The outcome tells `groups` alone, whatever the problem's values are; `nodes` are the groups that were formed.
// `blocks`: per distinct row its block, if groups are to be formed in each block by itself, which takes less time; each
// has at least k rows. A budget in nodes is one of each block. Blocks are shared among the threads; the answer is the same
// for any number of them.
LocalOutcome k_member(const LocalProblem& problem, std::span<const std::int32_t> blocks, const Options& options);

}  // namespace shoal
