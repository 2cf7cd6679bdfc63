// nested_expander.h - nodes of the search `exact` for general loss: every attribute is priced by its own best partition
// given the interval of the axis (nested.h).
#pragma once

#include <memory>

#include "core/cuts/node_expander.h"

namespace shoal {

std::unique_ptr<NodeExpander> make_nested_expander(const Projection& projection);

}  // namespace shoal
