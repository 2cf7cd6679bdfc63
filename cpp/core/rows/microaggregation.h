// microaggregation.h - groups of at least k rows that lie close together: MDAV and V-MDAV.
//
// A row has a position per attribute, and its distance to another row or to the center of a group is Euclidean. Equal
// rows stay together. A row with k copies is a group of its own from the start: it loses nothing so.
// Cost: a pass over the rows that are left for each center, each far row and each row that a group grows around; so
// O(n^2 / k) for MDAV and O(n^2) for V-MDAV.
//
// Papers and deviations: docs/algorithms/microaggregate.md.
#pragma once

#include <vector>

#include "core/base/search.h"

namespace shoal {

enum class Center : std::uint8_t { mean, median, mode };

// How the values of an attribute are averaged, and where they lie.
struct Positions {
  Center center = Center::mean;
  std::vector<double> of_code;  // mean, median: not falling along the codes
  int missing = -1;             // mean, median: the code of the missing value, at distance 1 from every other
};

struct MicroaggregationProblem {
  std::vector<Positions> attributes;
  std::span<const std::int32_t> codes;  // distinct rows, row-major
  std::span<const Count> counts;        // per distinct row
  Count k = 1;
  bool variable = false;  // V-MDAV: groups grow beyond k where a row lies close
  double gamma = 0;       // V-MDAV: how close, as a share of its distance to the other rows that are left
};

struct MicroaggregationOutcome {
  std::vector<std::int32_t> groups;  // per distinct row its group
  std::int64_t nodes = 0;            // groups that were formed around a row
};

MicroaggregationOutcome microaggregation(const MicroaggregationProblem& problem, const Options& options);

}  // namespace shoal
