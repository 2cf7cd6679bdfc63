// subtree.h - the optimum over recodings by parts of hierarchies, at mixed depths.
//
// The search `exact` with a smaller space: every interval must be a part of its attribute's hierarchy. Opening a
// part cuts between all its children at once, and only parts whose parents are open can be opened.
#pragma once

#include "core/base/search.h"
#include "core/cuts/cut_space.h"

namespace shoal {

// The space must have a hierarchy per attribute.
Outcome subtree(const CutSpace& space, const Options& options);

}  // namespace shoal
