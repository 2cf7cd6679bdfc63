// search.h - the cheapest node of a level lattice, proved, without looking at most of them.
//
// Branch and bound over boxes: all nodes between a most specific one, low, and a most general one, high. Rows whose
// group at high is hopeless - smaller than k, or such that privacy rules admit no part of it - are suppressed in the
// whole box; every other row is, at any node of the box, in a group at least as large as at low and, if kept, of at
// least k rows. That gives the box's bound; proofs in docs/algorithms/lattice.md. Boxes are halved, best bound first;
// the lattice itself is never held.
//
// The answer does not depend on the number of threads: boxes are taken in rounds of fixed size, examined against the
// incumbent of the round's beginning, and their results are merged in the order of the round.
#pragma once

#include "core/base/search.h"
#include "core/lattice/lattice.h"

namespace shoal {

struct LatticeProblem {
  const Lattice* lattice = nullptr;
  Price price;
  Count k = 1;
  Count limit = 0;   // most rows that may be suppressed
  Levels low, high;  // the levels that are allowed
};

struct LatticeOutcome {
  bool found = false, proved = false;
  Cost cost = kInfinite;
  Cost bound = 0;
  Count suppressed = 0;
  Levels levels;
  std::int64_t nodes = 0;  // nodes whose groups were made
};

LatticeOutcome lattice_search(const LatticeProblem& problem, const Options& options);

}  // namespace shoal
