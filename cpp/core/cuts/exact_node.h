// exact_node.h - nodes of the search `exact`: any cut of the tail may join the head.
#pragma once

#include "core/cuts/node_expander.h"

namespace shoal {

std::unique_ptr<NodeExpander> make_expander(const Projection& projection);

}  // namespace shoal
