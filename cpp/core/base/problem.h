// problem.h - the optimization problem as the searches see it: codes, counts and exact integer costs.
//
// The arrays belong to the caller and outlive the search. Everything that prunes is an integer: DM never
// exceeds n * n, CM never exceeds n, general loss comes scaled to units that the caller keeps below 2^60. With at
// most kMostRows rows all of them stay below kInfinite, and the sum of any three fits 64 bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shoal {

using Count = std::int32_t;
using Cost = std::int64_t;

inline constexpr Cost kInfinite = INT64_MAX / 4;
inline constexpr Cost kMostUnits = Cost{1} << 60;         // of general loss, of all rows together
inline constexpr std::int64_t kMostRows = 1'000'000'000;  // twice as many still fit a Count

struct Privacy;

enum class Metric { discernibility, classification, general_loss };

struct Problem {
  Metric metric = Metric::discernibility;
  Count k = 1;
  Count limit = 0;  // most rows that may be suppressed
  int attributes = 0;
  int labels = 1;                             // class labels; 1 when the metric does not look at them
  std::span<const std::int32_t> sizes;        // values per attribute
  std::span<const std::int32_t> codes;        // distinct rows, row-major
  std::span<const Count> counts;              // per distinct row and label
  std::vector<std::span<const Cost>> losses;  // general loss: per attribute units of [first * size + last]
  Cost row_units = 1;                         // general loss: units that a suppressed row loses, no row more
  const Privacy* privacy = nullptr;           // what a group must satisfy besides k, if anything

  int distinct() const { return attributes ? static_cast<int>(codes.size()) / attributes : 0; }
  int code(int row, int attribute) const { return codes[static_cast<std::size_t>(row) * attributes + attribute]; }
  Count count(int row, int label) const { return counts[static_cast<std::size_t>(row) * labels + label]; }
  Count total() const;

  // What a suppressed row costs; no generalization of a row costs more.
  Cost suppressed_cost() const;
  Cost loss(int attribute, int first, int last) const { return losses[attribute][first * sizes[attribute] + last]; }
};

// Cuts per attribute, increasing; a cut is the first code of an interval, code 0 left out.
using Cuts = std::vector<std::vector<std::int32_t>>;

}  // namespace shoal
