// suppression.h - which cells of a table to suppress, so that every row is like k rows.
//
// A pattern is a set of attributes. A row released with a pattern shows `*` in them and its own values elsewhere; its box
// are all rows that have these values. Costs are sums over suppressed cells.
//
// Two readings. As a value, `*` is like `*` alone: rows that are released alike are a group, and groups have k rows; the
// copies of a distinct row may be in several. As a wildcard, `*` is like everything, and a row needs a box with k rows of
// the table around it, whatever these are released as.
//
// Proofs and measurements: docs/algorithms/levels-and-cells.md.
#pragma once

#include <span>
#include <vector>

#include "core/base/search.h"

namespace shoal {

using Pattern = std::uint32_t;  // bit a: attribute a is suppressed

inline constexpr int kMostSuppressible = 24;  // attributes of a pattern

struct CellProblem {
  std::span<const std::int32_t> codes;   // distinct rows, row-major
  std::span<const Count> counts;         // per distinct row, at least 1
  std::vector<std::vector<Cost>> units;  // [attribute][code], what suppressing a cell costs, at least 0
  Count k = 1;                           // at most all rows
};

// Copies of a distinct row that are released alike.
struct Piece {
  std::int32_t row = 0;
  Pattern pattern = 0;
  Count copies = 0;
};

struct CellOutcome {
  bool found = false, proved = false;
  Cost cost = kInfinite;
  Cost bound = 0;
  Count suppressed = 0;       // none: a row without any value is released as one
  std::vector<Piece> pieces;  // by row, then by pattern
  std::int64_t nodes = 0;     // patterns by which all rows were grouped
};

// `*` as a wildcard: per row the cheapest pattern whose box has k rows, among equals the one that most others take.
CellOutcome cheapest_boxes(const CellProblem& problem, const Options& options);

// `*` as a value: groups of k rows. Its bound is the cost of the cheapest boxes.
CellOutcome suppress_cells(const CellProblem& problem, const Options& options);

}  // namespace shoal
