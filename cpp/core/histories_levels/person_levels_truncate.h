// person_levels_truncate.h - single rows left out so that k persons share each whole history.
//
// A greedy choice, no proof: histories that too few share lose as few rows as possible until they equal one that k persons
// have, or until enough of them are alike. First one row, then two, while the choices are few; then a history goes to the
// dearest released one within it, whatever it loses; and the last are released with one row or two.
#pragma once

#include "core/histories_levels/person_levels_events.h"

namespace shoal::person_levels {

// `gain`: per released row what it is worth to release it. False if the search was stopped.
bool truncate(Remains& remains, Count k, const std::vector<Cost>& gain, const Watch& watch);

}  // namespace shoal::person_levels
