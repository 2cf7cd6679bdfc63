// search.h - the cheapest node of a level lattice, proved, without looking at most of them.
//
// Branch and bound over boxes (boxes.h), best bound first; the lattice itself is never held. Where it is large, a local
// search around the best node (improve.h) takes turns with the proof, by numbers of nodes.
//
// The answer does not depend on the number of threads.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/search.h"
#include "core/lattice/lattice.h"

namespace shoal {

// Smaller ones are soon proved.
inline constexpr double kLarge = 1e6;

// Measures nodes where the rows are, several at once, in their order. What it throws ends the search.
using Elsewhere = std::function<std::vector<NodeMeasure>(std::span<const Levels>)>;

struct LatticeProblem {
  const Lattice* lattice = nullptr;
  Price price;
  Count k = 1;
  Count limit = 0;        // most rows that may be suppressed
  Levels low, high;       // the levels that are allowed
  double large = kLarge;  // lattices of more nodes get a local search
  Elsewhere elsewhere;    // if set, the lattice has no rows, and only cells are priced; there is no local search
};

struct LatticeOutcome {
  bool found = false, proved = false;
  Cost cost = kInfinite;
  Cost bound = 0;
  Count suppressed = 0;
  Levels levels;
  std::int64_t nodes = 0;  // nodes whose groups were made
  std::string proof;       // lines for an independent checker, where a proof is written
};

LatticeOutcome lattice_search(const LatticeProblem& problem, const Options& options);

}  // namespace shoal
