// class_cells.h - the cells of the rows of one class of persons.
#pragma once

#include <span>
#include <utility>

#include "core/base/search.h"
#include "core/histories/people.h"

namespace shoal {

struct ClassCells {
  Cost cost = 0;
  std::int64_t suppressed = 0;                   // rows
  std::vector<std::vector<std::int32_t>> cells;  // the rows of each
};

class CellSplitter {
 public:
  CellSplitter(const People& people, int known, const Watch& watch) : people_(people), known_(known), watch_(watch) {}

  // Cells that cannot be split any more, or not in time. Fewer than k persons are not released.
  ClassCells split(std::span<const int> histories);
  std::int64_t nodes() const { return nodes_; }

 private:
  using Rows = std::vector<std::int32_t>;
  static constexpr std::size_t kMostCells = 60'000;  // 16 bits each

  void begin(std::span<const int> histories);
  bool split_cell(std::size_t cell);
  bool holds(const Rows& rows) const;
  void add_combinations(int person, std::vector<std::uint64_t>& keys) const;
  bool same_constant(const Rows& rows) const;
  Cost price(const Rows& rows) const;
  bool held_by_longer(std::uint64_t key, std::span<const int> persons) const;
  std::uint32_t& cell_at(std::int32_t row);
  std::uint32_t cell_at(std::int32_t row) const { return const_cast<CellSplitter*>(this)->cell_at(row); }

  const People& people_;
  const int known_;
  const Watch& watch_;
  std::int64_t nodes_ = 0;
  std::vector<int> histories_;
  std::vector<Rows> kept_;                           // per person of the class its rows, in order
  std::vector<std::pair<std::int32_t, int>> owner_;  // per row of the class its person, by row
  std::vector<std::vector<std::uint32_t>> cell_of_;  // per person and row
  std::vector<Rows> cells_;
  std::vector<std::vector<int>> constant_;  // per column that does not vary within a person, what all cells must have
};

}  // namespace shoal
