// part_expander.h - nodes of the search `subtree`: a head grows by opening parts of hierarchies.
//
// Cost of a sweep: per head group and attribute one histogram per part between the head and the allset, and one pass
// over the live parts of the axis per child of an opened part. Proofs: docs/algorithms/subtree.md.
#pragma once

#include <memory>

#include "core/cuts/moves.h"
#include "core/cuts/node_expander.h"

namespace shoal {

std::unique_ptr<NodeExpander> make_part_expander(const Projection& projection, const Moves& moves);

}  // namespace shoal
