// local.h - local recoding: every distinct row has levels of its own.
//
// A cluster is a set of rows that are released alike: each attribute on the least level on which all of them meet.
// Its box are all rows that meet it there. Costs are sums over cells, so a cluster is priced by its box alone.
//
// 1. Greedy. The nodes of the level lattice in the order of their prices; at each, the rows that are left fall into
//    groups, and those that may be released become clusters. A row is so released at the cheapest node at which
//    enough others like it are left.
// 2. Improvement. Rows move to other clusters, clusters are dissolved into others or split, while that helps.
// 3. Bound. No row can be released for less than the cheapest box around it that holds k rows.
//
// Proof and measurements: docs/algorithms/local.md.
#pragma once

#include "core/lattice.h"
#include "core/privacy.h"
#include "core/search.h"

namespace shoal {

struct LocalProblem {
  std::vector<std::vector<std::vector<std::int32_t>>> parts;  // [attribute][level][code], nested
  std::span<const std::int32_t> codes;                        // distinct rows, row-major
  std::span<const Count> counts;                              // per distinct row
  std::vector<std::vector<std::vector<Cost>>> units;          // [attribute][level][part], of one row
  Cost suppressed_row = 0;
  Count k = 1;
  Count limit = 0;  // most rows that may be suppressed
  Levels low, high;  // the levels that are allowed
  const Privacy* privacy = nullptr;
};

inline constexpr std::uint8_t kSuppressedRow = 255;

struct LocalOutcome {
  bool found = false, proved = false;
  Cost cost = kInfinite;
  Cost bound = 0;
  Count suppressed = 0;
  std::vector<std::uint8_t> levels;  // per distinct row and attribute; kSuppressedRow in those of a suppressed row
  std::int64_t nodes = 0;            // nodes at which rows were grouped
};

LocalOutcome local_search(const LocalProblem& problem, const Options& options);

}  // namespace shoal
