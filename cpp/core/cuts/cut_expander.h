// cut_expander.h - nodes of the search `exact`: any cut of the tail may join the head.
//
// Cost of a sweep: per head group and attribute one histogram per segment between tail cuts, and one pass over the live
// intervals per cut.
#pragma once

#include <memory>

#include "core/cuts/moves.h"
#include "core/cuts/node_expander.h"

namespace shoal {

std::unique_ptr<NodeExpander> make_cut_expander(const Projection& projection, const Moves& moves);

}  // namespace shoal
