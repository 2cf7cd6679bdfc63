// person_levels_measure.h - what is released at a node, what that costs, and what no node below it can release.
#pragma once

#include "core/base/search.h"
#include "core/histories_levels/person_levels_problem.h"

namespace shoal::person_levels {

struct Measure {
  bool done = false;      // false if the search was stopped
  Cost cost = kInfinite;  // of the best that was found; none if it suppresses too many rows
  std::int64_t suppressed = 0;
  bool single_rows = false;            // whether somebody loses some rows and keeps others
  Cost least = 0;                      // no choice of what to suppress costs less here
  std::int64_t must_go = 0;            // rows that every choice suppresses, here and at every node below
  std::vector<std::int64_t> may_stay;  // per distinct row, those that some choice at a node below might release
  // Distinct rows of histories of which at most one can be released, with the persons who have them: rows
  // conflict_first[c] .. conflict_first[c + 1].
  std::vector<std::int64_t> conflict_first{0};
  std::vector<std::int32_t> conflict_rows;
  std::vector<Count> conflict_persons;
  std::vector<std::uint8_t> stays;  // per row of a history whether it is released
};

// How much is found out: what must go; what is left where persons go whole; or where single rows go, too, which takes
// ten times as long. Where units are whole the three are one.
enum class Effort { bound, persons, rows };

// `known` is what an answer costs already: single rows are left out only where that might be cheaper.
Measure measure(const PeopleProblem& problem, const Node& node, Effort effort, Cost known, const Watch& watch);

// No node from `low` up to the one that was measured costs less.
Cost box_bound(const PeopleProblem& problem, const Measure& high, const Node& low);

}  // namespace shoal::person_levels
