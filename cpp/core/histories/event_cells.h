// event_cells.h - rows of persons in cells, so that k persons have each combination of m released rows.
//
// Persons are halved into classes, as into blocks. The rows of a class begin in one cell, and cells are split while k
// persons of the class have each combination of m cells that somebody has. A class is released so, or as its halves are,
// or, if it is small, as groups with equal histories: whatever costs least.
//
// Columns that do not vary within a person have one label in all cells of a class: a split that would change it in a half
// is refused. One table, without rows below rows. Proof: docs/algorithms/person-groups.md.
#pragma once

#include "core/histories/person_groups.h"

namespace shoal {

inline constexpr int kMostKnownRows = 4;  // so that a combination is a number of 64 bits, and none is taken for another

PeopleOutcome event_cells(const PeopleProblem& problem, int known, const Options& options);

}  // namespace shoal
