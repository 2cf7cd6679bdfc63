// fewest_rows.h - groups that suppress as few rows as possible, by the numbers of rows alone.
#pragma once

#include "core/histories/people.h"

namespace shoal {

// Persons in the order of their numbers of rows, cut into groups of k or more so that fewest rows go: each group is cut to
// its shortest member, and who is in none is not released. Where single rows must not go, the groups are those of equal
// numbers of rows. Copies of a history stay together.
std::vector<std::vector<int>> fewest_rows(const People& people);

}  // namespace shoal
