// person_groups.h - groups of k persons who are released with the same rows.
//
// 1. Blocks of persons near each other; in each, groups in the manner of k-member.
// 2. Improvement in passes. Each pass puts groups near each other into new blocks, and within a block persons move and
//    change places, and groups are dissolved, split and formed anew.
// 3. Where the suppressed rows are limited and too many, both again with a price on each suppressed row; at last from the
//    groups that suppress fewest rows, and no step adds to them.
//
// Blocks do not depend on each other, so the number of threads does not change what is found. Proofs and measurements:
// docs/algorithms/person-groups.md.
#pragma once

#include "core/base/search.h"
#include "core/histories/people.h"

namespace shoal {

struct PeopleOutcome {
  bool found = false;
  Cost cost = kInfinite;
  std::int64_t suppressed = 0;         // rows
  std::vector<std::int64_t> place_of;  // per row of a history its place; -1 if it is suppressed
  std::vector<std::int32_t> group_of;  // per history its group; -1 if it is suppressed
  std::int64_t nodes = 0;
};

PeopleOutcome person_groups(const PeopleProblem& problem, const Options& options);

}  // namespace shoal
