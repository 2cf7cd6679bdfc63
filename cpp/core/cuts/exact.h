// exact.h - the default search: the optimum over all sets of cuts, with a proof, or the best found with its gap.
//
// The index of docs/algorithms/exact.md, section by section:
//
//   The idea         cut_space.h    which sets of cuts there are
//                    projection.h   the table along one attribute, the axis
//                    base/axis.h    the cheapest partition of the axis, a shortest path over its intervals
//   The bound        head.h         c(I): what the head costs in an interval
//                    allset.h       the cells, and what they add to b(I)
//                    node_bound.h   b(I), and the bound of a node: a shortest path over it
//                    base/kernels.h the sums of all three, one row of intervals at a time
//   General loss     nested.h       every attribute by its own best partition, given the interval of the axis
//                    nested_expander.h  the node: cuts in, cuts out, the only child, the next child
//   Pruning          node_bound.h   axis intervals: narrow()
//                    cut_expander.h useless values, and what each tail value would add
//                    tail.h         the tail values that are left
//                    expander.h     tail values: prune(); one child after the other: branch()
//   Privacy models   head_judge.h   pieces of the head that the rules refuse, and hopeless ones
//                    head.h         what the head loses by them
//                    node_bound.h   rows that no descendant releases: give_up()
//                    privacy/       the rules; giving_up.h: groups to give up under a limit on average risk
//   The search       hill_climb.h   a first incumbent
//                    best_first.h   the least bound first, in rounds; which axis
//                    evaluate.h     the answer, priced again from scratch
//
// `subtree` (subtree.h) shares all but the nested bound and cut_expander.h, in place of which it has nested_parts.h and
// part_expander.h.
#pragma once

#include "core/base/search.h"

namespace shoal {

Outcome exact(const Problem& problem, const Options& options);

}  // namespace shoal
