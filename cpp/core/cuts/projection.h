// projection.h - the table seen along one attribute.
//
// The best-first search takes one attribute (the axis) out of the tree and solves it by dynamic programming.
// What remains of a row are its other codes; distinct ones are columns, and a column holds its rows as a
// sparse histogram over the axis.
//
// A full histogram has one block of `stride` entries per class label, entry 0 is zero and the last one counts all
// rows. Where every interval of the axis may be used, entries are prefix sums: rows of [a, b) are entry b less
// entry a. Where only the parts of a hierarchy may, entry i + 1 counts the rows of part i.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/hierarchy.h"
#include "core/base/problem.h"

namespace shoal {

struct Projection {
  Projection(const Problem& problem, int axis, const Hierarchy* parts = nullptr);

  const Problem& problem;
  int axis;
  const Hierarchy* parts;               // of the axis, if only they may be used
  int length;                           // values on the axis
  int stride;                           // entries of a histogram per class label
  std::vector<int> attributes;          // the others
  std::vector<std::int32_t> codes;      // per column, its codes on `attributes`
  std::vector<std::int32_t> first;      // entries of column c: first[c] .. first[c + 1]
  std::vector<std::int32_t> positions;  // per entry where a histogram counts it first ...
  std::vector<Count> counts;            // ... and its rows per class label
  std::vector<std::int32_t> rows;       // per entry the distinct row of the problem that it is
  std::vector<std::int32_t> around;     // per entry of a histogram that of the part around it, or 0

  // The alphabet of the tree: every cut of every attribute but the axis.
  struct Cut {
    std::int32_t attribute;  // index into `attributes`
    std::int32_t code;
  };
  std::vector<Cut> alphabet;
  std::vector<std::int32_t> first_cut;  // cut of attribute a at code c: first_cut[a] + c - 1

  int columns() const { return static_cast<int>(first.size()) - 1; }
  int code(int column, int attribute) const { return codes[column * attributes.size() + attribute]; }
  int size(int attribute) const { return problem.sizes[attributes[attribute]]; }
  std::vector<std::size_t> sizes() const {
    std::vector<std::size_t> found;
    for (const int a : attributes) found.push_back(static_cast<std::size_t>(problem.sizes[a]));
    return found;
  }
};

}  // namespace shoal
