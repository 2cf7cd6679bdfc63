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

}  // namespace shoal::bindings
