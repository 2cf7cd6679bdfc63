// subtree.h - the optimum over recodings by parts of hierarchies, at mixed depths.
//
// The search `exact` with a smaller space: every interval must be a part of its attribute's hierarchy. Opening a
// part cuts between all its children at once, and only parts whose parents are open can be opened.
#pragma once

#include <vector>

#include "core/base/hierarchy.h"
#include "core/base/search.h"

namespace shoal {

// One hierarchy per attribute.
Outcome subtree(const Problem& problem, const std::vector<Hierarchy>& hierarchies, const Options& options);

}  // namespace shoal
