// mondrian.h - multidimensional partitioning: groups are cut in two, or a node into its children, while they can be.
//
// A group is a range of rows; a cut moves its rows so that its sides are ranges again, in their old order. Sides of
// different groups never meet, so groups can be cut in any order and by any number of threads: the answer is the same.
// Median cuts halve a group: rows * log(groups) cells are touched, each a few times per attribute.
//
// Paper: LeFevre, DeWitt and Ramakrishnan, ICDE 2006; the choice by a class: KDD 2006. Deviations and measurements:
// docs/algorithms/mondrian.md.
#pragma once

#include <span>
#include <vector>

#include "core/base/search.h"
#include "core/privacy/privacy.h"

namespace shoal {

struct MondrianAttribute {
  // What a group is released as: an interval of codes, the set of its codes, or the least node above them.
  enum class Kind { interval, set, node };
  Kind kind = Kind::interval;
  std::int32_t size = 0;                         // codes are below it
  std::vector<double> positions;                 // interval: per code, never falling; the width lies between its ends
  double step = 0;                               // set: the width that each further value adds
  std::vector<std::vector<std::int32_t>> parts;  // node: [level][code], nested; the top is one part
  std::vector<std::vector<double>> widths;       // node: [level][part]
};

struct MondrianProblem {
  // How a cut is chosen. width: the widest attribute that has an allowable cut, cut nearest to the median. gain, cost: of
  // all allowable cuts the one that leaves the labels least mixed, or the cells least wide.
  enum class Choice { width, gain, cost };
  std::vector<MondrianAttribute> attributes;
  std::span<const std::int32_t> codes;  // distinct rows, row-major
  std::span<const Count> counts;        // per distinct row; 0 for those that only a population has
  std::span<const Count> labels;        // per distinct row and class label, if the choice asks
  Count k = 1;                          // least rows of a side
  bool relaxed = false;                 // rows with equal values may be on both sides
  Choice choice = Choice::width;
  const Privacy* privacy = nullptr;  // what a side must satisfy besides
};

struct MondrianOutcome {
  bool found = false;                  // false: all rows together are refused
  std::vector<std::int64_t> group_of;  // per distinct row its group; -1 for one that has no rows
  std::int64_t groups = 0;
  std::int64_t nodes = 0;  // groups for which a cut was looked for
};

MondrianOutcome mondrian(const MondrianProblem& problem, const Options& options);

}  // namespace shoal
