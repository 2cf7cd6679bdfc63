// local_bound.h - what no local recoding can cost less than.
//
// The rows of a group lie in its box, so a row is released for no less than the cheapest box around it that holds k rows.
#pragma once

#include "core/local.h"

namespace shoal {

// `known` are the prices of the rows in some local recoding. 0 if the watch stops it.
Cost local_bound(const LocalProblem& problem, const std::vector<Cost>& known, const Watch& watch);

}  // namespace shoal
