// projection.h - the table seen along one attribute.
//
// The exact search takes one attribute (the axis) out of the tree and solves it by dynamic programming.
// What remains of a row are its other codes; distinct ones are columns, and a column holds its rows as a
// sparse histogram over the axis.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem.h"

namespace shoal {

struct Projection {
  Projection(const Problem& problem, int axis);

  const Problem& problem;
  int axis;
  int length;                            // values on the axis
  std::vector<int> attributes;           // the others
  std::vector<std::int32_t> codes;       // per column, its codes on `attributes`
  std::vector<std::int32_t> first;       // entries of column c: first[c] .. first[c + 1]
  std::vector<std::int32_t> positions;   // per entry its code on the axis ...
  std::vector<Count> counts;             // ... and its rows per class label

  // The alphabet of the tree: every cut of every attribute but the axis.
  struct Cut {
    std::int32_t attribute;  // index into `attributes`
    std::int32_t code;
  };
  std::vector<Cut> alphabet;
  std::vector<std::int32_t> first_cut;   // cut of attribute a at code c: first_cut[a] + c - 1

  int columns() const { return static_cast<int>(first.size()) - 1; }
  int code(int column, int attribute) const { return codes[column * attributes.size() + attribute]; }
  int size(int attribute) const { return problem.sizes[attributes[attribute]]; }
};

}  // namespace shoal
