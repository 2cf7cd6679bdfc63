// exact.h - the default exact search: the optimum over all sets of cuts, best bound first.
#pragma once

#include "core/base/search.h"

namespace shoal {

Outcome exact(const Problem& problem, const Options& options);

}  // namespace shoal
