// cut_table.h - the table along the axis: its other codes are columns, and each has its rows by their place on the axis.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/problem.h"
#include "checker/refine.h"

namespace shoal_checker {

using Count = std::int32_t;

enum class Mark : std::uint8_t { out, open, in };  // a cut at a node: dropped, in the tail, in the head
using State = std::vector<Mark>;

// Groups of columns. A group's histogram has per value (class label, or sensitive value) `length + 1` sums from the left.
struct Pieces {
  std::vector<int> of_column;
  int count = 0;
  std::vector<int> first, columns;  // columns of group g: first[g] .. first[g + 1]
};

class CutTable {
 public:
  CutTable(const Problem& problem, int axis);

  const Problem& problem;
  const int length;                // positions on the axis; 1 without one
  const int stride;                // length + 1
  std::vector<int> others;         // attributes but the axis
  std::vector<int> first_cut;      // the cut at code c of others[a] is first_cut[a] + c - 1
  std::vector<int> attribute_of;   // per cut, an index into `others`
  std::vector<Number> axis_units;  // cells: of [first * length + last] on the axis
  Number bound = 0;                // what shall be proved

  int columns() const { return columns_; }
  int cuts() const { return first_cut.back(); }
  int code(int column, int a) const { return codes_[static_cast<std::size_t>(column) * others.size() + a]; }
  int code_of(int cut) const { return cut - first_cut[attribute_of[cut]] + 1; }

  // The interval of each code of others[a] under some cuts.
  template <class Chosen>
  void parts(int a, const Chosen& chosen, std::vector<int>& of_code) const {
    of_code.assign(problem.sizes[others[a]], 0);
    for (std::size_t c = 1; c < of_code.size(); ++c)
      of_code[c] = of_code[c - 1] + (chosen(first_cut[a] + static_cast<int>(c) - 1) ? 1 : 0);
  }
  template <class Chosen>
  void group(const Chosen& chosen, Pieces& made) {
    made.of_column.assign(columns_, 0);
    made.count = columns_ > 0 ? 1 : 0;
    for (std::size_t a = 0; a < others.size(); ++a) {
      parts(static_cast<int>(a), chosen, parts_);
      if (parts_.back() == 0) continue;
      made.count = refine_.by(made.of_column, made.count, parts_.back() + 1,
                              [&](std::size_t c) { return parts_[code(static_cast<int>(c), static_cast<int>(a))]; });
    }
    list(made);
  }

  // Adds a column's rows, not yet summed up, to a histogram; `demand` of -1: by class label.
  void add(int column, Count* histogram, int demand = -1) const;
  void sum_up(Count* histogram, int values) const;
  // The same with each row weighted, whatever its label.
  void add_weighted(int column, Number weight, Number* histogram) const;

 private:
  struct Entry {
    int position, value;
    Count rows;
  };
  static void list(Pieces& made);
  void enter(const std::vector<int>& of_row, const std::vector<int>& at, const std::vector<Number>& counts, int values);

  int columns_ = 0;
  std::vector<int> codes_;
  std::vector<std::vector<Entry>> entries_;     // by class label, then one list per demand ...
  std::vector<std::vector<std::size_t>> from_;  // ... and where each column's begin
  std::vector<int> parts_;
  Refine refine_;
};

}  // namespace shoal_checker
