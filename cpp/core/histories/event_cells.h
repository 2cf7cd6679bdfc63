// event_cells.h - rows of persons in cells, so that k persons have each combination of m released rows.
//
// Persons are halved into classes, as into blocks. The rows of a class are put into cells (class_cells.h). A class is
// released so, or as its halves are, or, if it is small, as groups with equal histories: whatever costs least. Groups that
// are given compete with all that. Of each group, suppressed rows are put back where the promise allows it.
//
// Columns that do not vary within a person have one label in all cells of a class: `group_of` has the classes. One
// table, without rows below rows. Proof: docs/algorithms/person-groups.md.
#pragma once

#include <span>

#include "core/histories/known_rows.h"
#include "core/histories/person_groups.h"

namespace shoal {

// Groups of persons with equal histories; empty, or as in `PeopleOutcome`.
struct GroupsOfPersons {
  std::span<const std::int64_t> place_of;
  std::span<const std::int32_t> group_of;
};

PeopleOutcome event_cells(const PeopleProblem& problem, int known, const GroupsOfPersons& given,
                          const Options& options);

}  // namespace shoal
