// person_levels.h - the best levels for people with several rows: branch and bound over boxes of the lattice.
//
// A box is all nodes between two. What must be suppressed at its upper node must be so everywhere in it, and what is not
// loses at least what it loses at its lower node. A box that might be better is parted by halves, and its upper node left
// out: every node is the upper one of a box at most once. Before that a search by steps, large ones first, finds an answer
// to compare with. Boxes are examined in rounds of a fixed number, so the answer does not depend on the threads.
#pragma once

#include "core/histories_levels/person_levels_measure.h"

namespace shoal::person_levels {

struct PersonLevelsOutcome {
  bool found = false;
  bool proved = false;  // nothing is better; or, if nothing was found, nothing is admissible
  Cost cost = kInfinite;
  Cost bound = 0;
  std::int64_t suppressed = 0;
  bool single_rows = false;
  std::vector<int> levels;
  std::vector<std::int64_t> places;  // per row of a history: the number of its released row, or -1
  std::int64_t nodes = 0;
};

PersonLevelsOutcome person_levels(const PeopleProblem& problem, const Options& options);

}  // namespace shoal::person_levels
