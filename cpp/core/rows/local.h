// local.h - local recoding: every distinct row has released values of its own.
//
// 1. Partitions to begin with: groups that others made; and, by levels, the nodes of the level lattice in the order of
//    their prices. At each, the rows that are left fall into groups, and those that may be released are taken. A row is so
//    released at the cheapest node at which enough others like it are left.
// 2. Improvement, the best partition first: rows move, groups are dissolved, split and formed anew, while that helps.
// 3. Bound. No row can be released for less than the cheapest box around it that holds k rows. It is found beside the
//    improvement, if there is a second thread.
//
// Proof and measurements: docs/algorithms/local.md.
#pragma once

#include <algorithm>
#include <optional>

#include "core/base/search.h"
#include "core/lattice/lattice.h"
#include "core/privacy/privacy.h"

namespace shoal {

// What an interval or a set of an attribute's values costs one row.
struct LocalSpan {
  bool ordered = false;
  std::vector<Cost> position;   // ordered: per code; an interval costs the difference of its ends
  std::vector<Cost> of_count;   // else: by the number of values; one entry more than there are values
  int missing = -1;             // the code of the missing value, if it is in no interval
  Cost with_missing = 0;        // what an interval and the missing value cost more ...
  bool missing_is_all = false;  // ... or in all
};

struct LocalProblem {
  std::vector<std::vector<std::vector<std::int32_t>>> parts;  // [attribute][level][code], nested
  std::span<const std::int32_t> codes;                        // distinct rows, row-major
  std::span<const Count> counts;                              // per distinct row
  std::vector<std::vector<std::vector<Cost>>> units;          // [attribute][level][part], of one row
  std::vector<std::vector<std::vector<std::int32_t>>> names;  // [attribute][level][part]: equal where they print alike
  std::vector<std::optional<LocalSpan>> spans;                // per attribute: released as spans, or as nodes
  Cost suppressed_row = 0;
  Count k = 1;
  Count limit = 0;  // most rows that may be suppressed
  // Whether to minimize discernibility, and what cells lose only among equals; else it is the reverse
  bool squares = false;
  Levels low, high;  // the levels that are allowed
  const Privacy* privacy = nullptr;
  std::vector<std::vector<std::int32_t>> starts;  // partitions to begin with: per distinct row its group, -1 for none
  bool by_levels = true;                          // whether to begin also with what the level lattice gives
  // Whether a row may make up the numbers of several groups, as it does where stars match anything: then only bounds
  // that look at each row by itself hold
  bool overlapping = false;

  // What an attribute is released as; nothing for nodes.
  const LocalSpan* span(std::size_t a) const { return spans.empty() || !spans[a] ? nullptr : &*spans[a]; }
  bool all_nodes() const {
    return std::none_of(spans.begin(), spans.end(), [](const auto& span) { return span.has_value(); });
  }
};

inline constexpr std::uint8_t kSuppressedRow = 255;

struct LocalOutcome {
  bool found = false, proved = false;
  Cost cost = kInfinite;
  Cost bound = 0;
  Count suppressed = 0;
  std::vector<std::int32_t> groups;  // per distinct row its group; -1 if it is suppressed
  // Per distinct row and attribute the level of a node, 0 of a span; kSuppressedRow in those of a suppressed row
  std::vector<std::uint8_t> levels;
  std::int64_t nodes = 0;  // nodes at which rows were grouped
};

LocalOutcome local_search(const LocalProblem& problem, const Options& options);

}  // namespace shoal
