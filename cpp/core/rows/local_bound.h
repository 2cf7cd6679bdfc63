// local_bound.h - what no local recoding can cost less than.
//
// The rows of a group lie in its box, so a row is released for no less than the cheapest box around it that holds k rows.
#pragma once

#include "core/rows/local.h"

namespace shoal {

// `known` are the prices of the rows in some local recoding, or nothing. 0 if the watch stops it.
Cost local_bound(const LocalProblem& problem, const std::vector<Cost>& known, const Watch& watch);

// The same whatever values are released as: a row and k - 1 others are in one box, so it costs no less than the box of
// the row and the (k - 1)-th nearest of them. Rows that the watch leaves no time for are bounded by 0.
// `known` as above, or nothing; it only spares work.
Cost nearest_bound(const LocalProblem& problem, const std::vector<Cost>& known, const Watch& watch);

// Whether all nodes of the lattice can be looked at, as `local_bound` does.
bool has_few_nodes(const LocalProblem& problem);

// Of discernibility: the copies of a row are released alike, in a group of at least k.
Cost squares_bound(const LocalProblem& problem);

}  // namespace shoal
