// person_levels_events.h - the promise where up to m rows of a person are known: k persons have each such combination.
//
// A combination is a sub-multiset of a history, or, where the order is known, a subsequence; both are subsequences of the
// canonical list, and each is visited once, at its leftmost occurrence. Combinations are the nodes of a trie: a node is
// found by the one above it and the next number, 64 bits that are exact.
#pragma once

#include "core/base/search.h"
#include "core/histories_levels/person_levels_groups.h"

namespace shoal::person_levels {

// Lists of which rows are left out; all that a promise is decided on.
struct Remains {
  const Lists* lists = nullptr;
  const std::vector<Count>* persons = nullptr;
  std::vector<std::uint8_t> stays;  // per item of all lists

  void list(std::int32_t group, std::vector<std::int32_t>& items, std::vector<std::int32_t>& places) const;
};

enum class Ended { done, stopped, too_many };  // too many: combinations to hold in memory

// The most persons of whom every combination of at most `known` rows is had by k of them: a union of such sets is one, so
// there is a largest. `kept` says who may be in it, and who is; if it did not come to its end, who might be.
Ended largest_set(const Lists& lists, const std::vector<Count>& persons, Count k, int known,
                  std::vector<std::uint8_t>& kept, const Watch& watch);

// Leaves out rows until every combination that is left is had by k persons. A combination that fewer have must be broken
// in everybody who has it, since leaving out rows adds nobody; of its rows goes the one that is in most of them.
// Where there is only one such row that is decided at once: rows that fewer than k persons have go.
void leave_out_rare_rows(Remains& remains, Count k, std::int32_t ids);
Ended leave_out_rows(Remains& remains, Count k, int known, const std::vector<Cost>& cost_of_id, const Watch& watch);

// Places of a list of which at most one can be released, since fewer than k persons have any two of them.
using Conflict = std::vector<std::int32_t>;

// Per list some such sets, disjoint, found one place after the other; no list where there are too many combinations.
std::vector<std::vector<Conflict>> conflicts(const Remains& common, Count k);

}  // namespace shoal::person_levels
