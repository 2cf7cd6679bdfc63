// nearest.h - the nearest other rows of every distinct row, by scanning all of them block by block.
//
// Two rows are as far apart as a cell of each would lose if they were released alike: per attribute the units of the
// least node of its hierarchy that both are under. No graph is held: a scan costs rows * rows * attributes and the memory
// of the neighbours that are asked for.
#pragma once

#include "core/base/search.h"

namespace shoal {

struct Distances {
  std::vector<std::vector<std::vector<std::int32_t>>> parts;  // [attribute][level][code], nested; the top is one part
  std::vector<std::vector<std::vector<Cost>>> units;          // [attribute][level][part], never falling upward
  std::span<const std::int32_t> codes;                        // distinct rows, row-major
  std::span<const Count> counts;                              // per distinct row

  std::size_t attributes() const { return parts.size(); }
  std::size_t rows() const { return counts.size(); }
  Cost between(std::size_t a, std::size_t b) const;
};

struct Neighbours {
  bool complete = false;                        // false if the search was stopped
  std::vector<std::vector<std::int32_t>> rows;  // per distinct row the nearest others, by distance and then by number
  std::vector<Cost> farthest;                   // per distinct row how far its (k - 1)th nearest row is, copies counted
};

// Per distinct row so many of the nearest others that they and its own copies are k rows or more; none if its copies are.
Neighbours nearest(const Distances& distances, Count k, const Options& options, const Watch& watch);

}  // namespace shoal
