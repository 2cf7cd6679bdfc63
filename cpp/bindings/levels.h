// levels.h - nodes of a lattice as Python writes them.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "core/lattice/lattice.h"

namespace shoal::bindings {

inline Levels levels_of(const Lattice& lattice, const std::vector<int>& given) {
  if (static_cast<int>(given.size()) != lattice.attributes())
    throw nanobind::value_error("a level per attribute is needed");
  Levels levels;
  for (int a = 0; a < lattice.attributes(); ++a) {
    if (given[a] < 0 || given[a] > lattice.height(a)) throw nanobind::value_error("a level lies outside its hierarchy");
    levels.push_back(static_cast<std::uint8_t>(given[a]));
  }
  return levels;
}

// All nodes between two are measured at once, each in its own place.
inline void check_box(const Levels& low, const Levels& high) {
  double nodes = 1;
  for (std::size_t a = 0; a < low.size(); ++a) {
    if (low[a] > high[a]) throw nanobind::value_error("the lower node is above the upper one");
    nodes *= high[a] - low[a] + 1;
  }
  if (nodes > 1e8) throw nanobind::value_error("more than 100,000,000 nodes are to be measured at once");
}

}  // namespace shoal::bindings
