// sweep.h - every node of a lattice, measured for several k and prices at once.
#pragma once

#include <atomic>

#include "core/lattice/lattice.h"

namespace shoal {

// Entry [k][node] or [price][k][node]; nodes in lexicographic order of their levels.
struct LatticeMeasures {
  std::vector<Levels> nodes;
  std::vector<std::vector<Count>> groups, suppressed;
  std::vector<std::vector<std::uint8_t>> holds;  // what is demanded of all groups together
  std::vector<std::vector<std::vector<Cost>>> costs;
};

// All nodes between two, for increasing k, of which there are at most kMostKs; where the lattice has privacy rules, with
// the groups that they refuse suppressed for every k. The answer does not depend on the number
// of threads; when `stop` is set it is incomplete.
inline constexpr std::size_t kMostKs = 64;
LatticeMeasures sweep(const Lattice& lattice, const Levels& low, const Levels& high, std::span<const Price> prices,
                      std::span<const Count> ks, int threads, const std::atomic<bool>* stop = nullptr);

}  // namespace shoal
