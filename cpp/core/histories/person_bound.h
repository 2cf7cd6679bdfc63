// person_bound.h - what persons lose at least, whatever the groups.
//
// A released person is covered together with k - 1 others, so they lose no less than together with the (k - 1)-th nearest
// other person alone. Proof: docs/algorithms/person-groups.md.
#pragma once

#include "core/base/search.h"
#include "core/histories/people.h"

namespace shoal {

struct PersonBound {
  Cost bound = 0;
  std::int64_t looked_at = 0;  // histories; the others count 0
};

// `by_row`: each row by itself, next to the nearest rows of other persons; else whole histories.
PersonBound person_bound(const PeopleProblem& problem, bool by_row, const Options& options);

}  // namespace shoal
