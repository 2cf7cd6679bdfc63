// forest.h - groups of k rows or more, as trees of a forest over the rows (Aggarwal et al., ICDT 2005).
//
// 1. Every row has an edge to one of its k - 1 nearest rows at most, and every tree has k rows or more: so the edges
//    together weigh no more than any k-anonymous release costs.
// 2. Trees are taken apart into groups of k to max(2k - 1, 3k - 5) rows that no edge serves twice. A row of a group loses
//    no more than the group's edges weigh.
// Copies of a row are rows of their own; 2k or more of them are set aside in multiples of k, as groups that lose nothing.
//
// Proof: docs/algorithms/forest.md.
#pragma once

#include "core/rows/nearest.h"

namespace shoal {

struct ForestOutcome {
  bool found = false;
  bool proved = false;    // never: it is an approximation
  Cost cost = kInfinite;  // not told here: what the groups cost is counted from the release
  Cost bound = 0;         // no k-anonymous release costs less
  Count suppressed = 0;
  std::int64_t nodes = 0;                       // rows whose neighbours were looked for
  Cost weight = 0;                              // of the edges
  std::vector<std::int64_t> row, count, group;  // per piece its distinct row, how many copies it has, its group
};

ForestOutcome forest(const Distances& distances, Count k, const Options& options);

}  // namespace shoal
