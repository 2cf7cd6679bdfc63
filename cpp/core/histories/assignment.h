// assignment.h - the dearest matching of two sets, by shortest augmenting paths (the Hungarian method).
#pragma once

#include <utility>
#include <vector>

#include "core/base/problem.h"

namespace shoal {

// Matches all of the smaller side. `values` is row-major, first set by second. The sum of the values, or something that is
// no less than it and less than `least`; `pairs` is added to, if it is given.
Cost best_assignment(const std::vector<Cost>& values, std::size_t first, std::size_t second,
                     std::vector<std::pair<int, int>>* pairs, Cost least = INT64_MIN);

}  // namespace shoal
