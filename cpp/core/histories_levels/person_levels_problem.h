// person_levels_problem.h - levels for people with several rows that readers can link: the problem as the core sees it.
//
// A node has a level per quasi-identifier of each table, and determines what every distinct row is released as. Which
// persons, or which of their rows, are not released follows from the promise about histories.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/problem.h"
#include "core/privacy/privacy.h"

namespace shoal::person_levels {

using Node = std::vector<std::uint8_t>;  // a level per quasi-identifier, table after table

struct Table {
  template <class T>
  using PerCode = std::vector<std::vector<std::vector<T>>>;  // per attribute, level and code

  int attributes = 0;
  std::int32_t rows = 0;                // distinct ones
  std::span<const std::int32_t> codes;  // row by row
  PerCode<std::int32_t> parts;
  PerCode<Cost> units;          // what a cell loses
  PerCode<Cost> least;          // the least that it loses on this level or above
  PerCode<std::uint8_t> stars;  // whether the cell is printed as a star
  Cost suppressed = 0;          // what a row loses that is not released
  const Privacy* privacy = nullptr;
};

// The most of the members of a group who may have a value of a column.
struct Belief {
  int table = 0;
  std::vector<std::int32_t> value_of;  // per fact of that table
  std::vector<double> most;            // per value
  // Members who must not have a value, if that is demanded in place of `most`; -1 if not. A value whose `most` is 1 is
  // free.
  std::int64_t others = -1;
};

struct PeopleProblem {
  std::vector<Table> tables;
  std::vector<std::int32_t> offset;      // of each table's distinct rows among those of all; one more at the end
  std::span<const std::int64_t> first;   // rows of history h: first[h] .. first[h + 1]
  std::vector<std::int32_t> row;         // per row of a history its distinct row, numbered over all tables
  std::vector<std::int32_t> table;       // per distinct row its table
  std::span<const std::int32_t> parent;  // per row of a history the row it belongs to, from the history's first; or -1
  std::span<const std::int32_t> facts;   // per row of a history its sensitive values; empty without models
  std::vector<Count> counts;             // per history its persons
  std::vector<Belief> beliefs;
  bool trees = false;  // some row has a parent
  Count k = 1;
  int known = 0;  // how many rows of a person are known; 0 for all, and their number
  bool ordered = false, whole_units = false;
  bool single_rows = true;  // whether a person may lose some rows and keep others
  std::int64_t limit = 0;   // most rows that may be suppressed
  Node low, high;

  // Computed by prepare().
  std::vector<std::int64_t> occurrences;  // per distinct row, in all histories
  std::int64_t rows = 0;
  bool loses_rows() const { return single_rows && !whole_units; }
  std::size_t histories() const { return counts.size(); }
  void prepare();
};

// What a node makes of the distinct rows.
struct ReleasedRows {
  std::vector<std::int32_t> id;  // per distinct row the number of its released row; -1 if all cells are stars, and such
                                 // a row goes whatever else does
  std::vector<Cost> cost;        // per distinct row what it loses where it is released
  std::vector<Cost> cost_of_id;  // per released row ...
  std::vector<std::int32_t> table_of_id;
  std::vector<std::uint8_t> star_of_id;  // ... whether all cells are stars; only where such a row cannot go alone
  std::int32_t ids() const { return static_cast<std::int32_t>(cost_of_id.size()); }
};
ReleasedRows release(const PeopleProblem& problem, const Node& node);

// Per distinct row the least that it loses at the node or above it, if it is released.
std::vector<Cost> least_costs(const PeopleProblem& problem, const Node& node);

}  // namespace shoal::person_levels
