// part_of_lattice.h - the lattice of a few attributes, all others fixed at some node.
//
// The others become one attribute without levels, whose values are their combinations: keys are short again, however
// many attributes there are, and the search for the best of these nodes is that of any lattice.
#pragma once

#include <vector>

#include "core/lattice/search.h"

namespace shoal {

class PartOfLattice {
 public:
  // `at` fixes the attributes that are not in `free`. Cost: the distinct rows for each free attribute.
  PartOfLattice(const LatticeProblem& whole, const Levels& at, const std::vector<int>& free);

  const LatticeProblem& problem() const { return problem_; }
  // A node of the whole as one of the part, and back.
  Levels within(const Levels& whole) const;
  Levels whole(const Levels& part) const;

 private:
  Levels at_;
  std::vector<int> free_;
  std::unique_ptr<Lattice> lattice_;
  LatticeProblem problem_;
};

}  // namespace shoal
