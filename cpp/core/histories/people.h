// people.h - persons with several rows, as the search for groups of them sees them.
//
// Persons with the same rows are one history, with their number. The rows of a history form a forest: a row of a further
// table belongs to a row of the person. Brothers, the rows of one table that belong to the same row or to the person
// directly, are kept together and in a fixed order: that of the source where a release keeps it, else by their values.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/rows/local_box.h"

namespace shoal {

struct PeopleProblem {
  std::vector<LocalProblem> tables;        // of each the rows and the prices; what is demanded is here
  std::vector<std::vector<int>> sort_by;   // per table its columns, first those that rows are sorted by first
  std::vector<bool> all_stars;             // per table whether a row can become one of `*` alone
  std::span<const std::int64_t> first;     // of each history, and one more
  std::span<const std::int32_t> table_of;  // per row of a history
  std::span<const std::int32_t> row_of;    // the distinct row of its table
  std::span<const std::int32_t> parent;    // within the history; -1 for none
  std::span<const Count> counts;           // persons of each history
  std::vector<Cost> weight;                // per table what its units are multiplied by
  Count k = 1;
  std::int64_t limit = 0;  // most rows that may be suppressed
  bool ordered = false;    // whether brothers must keep their order
  bool whole = false;      // whether single rows must not be suppressed

  int histories() const { return static_cast<int>(counts.size()); }
};

// The histories, with their rows in order, and the boxes of their tables.
class People {
 public:
  explicit People(const PeopleProblem& problem);
  People(const People&) = delete;

  const PeopleProblem& problem() const { return p_; }
  int count() const { return p_.histories(); }
  int tables() const { return static_cast<int>(p_.tables.size()); }
  Count persons(int h) const { return p_.counts[h]; }
  std::int64_t length(int h) const { return p_.first[h + 1] - p_.first[h]; }
  Cost units(int h) const { return units_[h]; }  // of all rows of one person

  // The rows that belong to a history directly, and those that belong to a row; brothers follow each other.
  std::span<const std::int32_t> rows(int h) const {
    return {order_.data() + p_.first[h],
            static_cast<std::size_t>((forest_ ? roots_[h] : p_.first[h + 1]) - p_.first[h])};
  }
  std::span<const std::int32_t> below(std::int32_t row) const {
    if (!forest_) return {};
    return {order_.data() + below_[row], static_cast<std::size_t>(below_end_[row] - below_[row])};
  }
  bool forest() const { return forest_; }
  // Columns that have one value in all rows of each person; of a single table without rows below rows.
  std::span<const int> constant() const { return constant_; }
  std::span<const int> varying(int table) const { return varying_[table]; }  // the other columns
  int table(std::int32_t row) const { return p_.table_of[row]; }
  int distinct(std::int32_t row) const { return p_.row_of[row]; }
  int code(std::int32_t row, int a) const { return rows_[table(row)]->code(distinct(row), a); }
  const Boxes& boxes(int table) const { return *boxes_[table]; }
  Cost full(int table) const { return p_.tables[table].suppressed_row * p_.weight[table]; }
  int attributes(int table) const { return rows_[table]->attributes(); }

  // What a pair of rows of one table saves each of them, compared with being suppressed.
  Cost pair_saves(std::int32_t one, std::int32_t two) const {
    const int t = table(one);
    Cost price = 0;
    for (int a = 0; a < attributes(t); ++a) price += boxes(t).pair(a, code(one, a), code(two, a));
    return full(t) - price * p_.weight[t];
  }

 private:
  void sort();
  void find_constant();

  const PeopleProblem& p_;
  std::vector<std::unique_ptr<Rows>> rows_;
  std::vector<std::unique_ptr<Boxes>> boxes_;
  std::vector<std::int32_t> order_;  // rows of all histories: those directly below the person first
  std::vector<std::int64_t> roots_, below_, below_end_;
  std::vector<Cost> units_;
  std::vector<int> constant_;
  std::vector<std::vector<int>> varying_;
  bool forest_ = false;
};

}  // namespace shoal
