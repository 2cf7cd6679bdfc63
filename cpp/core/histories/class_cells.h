// class_cells.h - the cells of the rows of one class of persons.
//
// Columns that do not vary within a person have one label in the whole class. The other columns begin in one cell with
// all rows, and cells are split while k persons of the class have each combination of up to m cells that somebody has.
// Rows that stand in the way of a split are suppressed if that loses less than the split saves, and put back where a
// cell has room for them in the end.
#pragma once

#include <span>
#include <unordered_map>
#include <utility>

#include "core/base/search.h"
#include "core/histories/known_rows.h"
#include "core/histories/people.h"

namespace shoal {

struct ClassCells {
  using Rows = std::vector<std::int32_t>;

  Cost cost = 0;
  std::int64_t suppressed = 0;             // rows
  std::vector<std::vector<Rows>> classes;  // of each the cells, of each the rows

  void add(ClassCells other);
};

class CellSplitter {
 public:
  // `gives_up`: whether rows may be suppressed so that a cell can be split.
  CellSplitter(const People& people, int known, const Watch& watch, bool gives_up)
      : people_(people), known_(known), watch_(watch), gives_up_(gives_up), combinations_(known) {}

  // Cells that cannot be split any more, or not in time. Fewer than k persons are not released.
  ClassCells split(std::span<const int> histories);
  // Cells with which the promise holds, with some of the suppressed rows put back. Where each person has as many rows in
  // a cell as somebody may know, it takes further rows of any number; such cells are made of several.
  ClassCells open(std::span<const int> histories, const std::vector<ClassCells::Rows>& cells);
  std::int64_t nodes() const { return nodes_; }

 private:
  static constexpr std::uint32_t kNowhere = UINT32_MAX;
  struct Member {
    int history;
    Count persons;
    std::vector<std::int32_t> rows;
    std::vector<std::uint32_t> cells;  // of each row; kNowhere if it is suppressed
  };
  struct Item {  // a row of a member
    int member, at;
  };
  struct Cell {
    std::vector<Item> items;
    Cost price = 0;      // of one row, without the columns that do not vary
    Cost loss = 0;       // of all
    bool whole = false;  // cannot be split
  };
  struct Cut {
    Cost saves;
    int attribute, code;
    bool alone;  // whether the code is parted from all others, or it and all above from those below
  };
  using Counted = std::unordered_map<Combination, std::int64_t>;

  void begin(std::span<const int> histories);
  bool split_cell(std::uint32_t cell);
  std::pair<Cell, Cell> parts_of(const Cell& cell, const Cut& cut) const;
  std::vector<Cut> cuts_of(const Cell& cell) const;
  bool repair(std::uint32_t one, std::uint32_t two, Cost most, std::vector<Item>& gone);
  bool give_up_rows(int member, std::uint32_t one, std::uint32_t two, Counted& counted, Cost& spent, Cost most,
                    std::vector<Item>& gone);
  void join_cells();
  std::vector<std::vector<std::uint32_t>> near_cells() const;
  void merge(std::span<const std::uint32_t> some);
  Cost lost() const;
  void put_back();
  bool put_back(const Item& item, std::uint32_t cell);
  void find(int member, std::uint32_t one, std::uint32_t two, std::vector<Combination>& found);
  std::vector<int> members_of(const Cell& cell) const;
  void measure(Cell& cell) const;
  Cost constant_price() const;
  ClassCells released();
  std::int32_t row(const Item& item) const { return members_[item.member].rows[item.at]; }
  Count persons(const Item& item) const { return members_[item.member].persons; }
  std::uint32_t& cell_at(const Item& item) { return members_[item.member].cells[item.at]; }

  const People& people_;
  const int known_;
  const Watch& watch_;
  const bool gives_up_;
  KnownRows combinations_;
  std::int64_t nodes_ = 0;
  std::vector<Member> members_;
  std::vector<Cell> cells_;
  Cost constant_ = 0;  // what a row costs by the columns that do not vary
  std::vector<std::uint32_t> scratch_;
};

}  // namespace shoal
