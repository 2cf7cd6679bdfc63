// known_rows.h - the combinations of a person's rows that somebody may know, by the cells that the rows are in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shoal {

inline constexpr int kMostKnownRows = 4;  // so that a combination is a number of 64 bits, and none is taken for another
inline constexpr std::uint32_t kMostCells = 65'000;  // 16 bits each, and 0 for none

using Combination = std::uint64_t;

// The distinct combinations of one to `most` of a person's cells in which one of two cells is. `cells` are in the order
// of the rows where somebody knows it, else sorted; a combination is a part of them in that order.
class KnownRows {
 public:
  explicit KnownRows(int most) : most_(most) {}

  void find(std::span<const std::uint32_t> cells, std::uint32_t one, std::uint32_t two,
            std::vector<Combination>& found);

 private:
  void extend(std::size_t from, int size, Combination key, bool has, std::vector<Combination>& found);

  const int most_;
  std::span<const std::uint32_t> cells_;
  std::vector<std::ptrdiff_t> before_;  // of each the last one before it in the same cell, or -1
  std::uint32_t one_ = 0, two_ = 0;
  std::size_t last_ = 0;  // behind the last that is in one of the two cells
};

}  // namespace shoal
