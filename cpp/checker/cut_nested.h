// cut_nested.h - cells: what each attribute can save at most by its own best partition, given the interval of the axis.
//
// The formula is in docs/proofs.md, "Nested". Ends are the cuts of an attribute in head or tail, with both ends of its
// domain; a pair of ends with no cut of the head between is an interval that it may have.
#pragma once

#include <algorithm>
#include <vector>

#include "checker/axis_paths.h"
#include "checker/cut_table.h"

namespace shoal_checker {

class CutNested {
 public:
  // Of the groups of a node: their histograms, and per group and interval whether no descendant releases it there.
  CutNested(const CutTable& table, const Spans& spans, const State& state);

  // Counts the pieces of one group; `bad` has an entry per interval.
  void count(const Spans& spans, const Pieces& groups, int group, const Count* histogram, const std::vector<char>& bad);
  // What is saved with the cuts that are left; `suppressed` has what the head suppresses, and the values become a bound.
  void evaluate(const State& state, const std::vector<Number>& suppressed);

  const Values& values() const { return values_; }
  // The values of the descendants that have an open cut, and of those that do not.
  void with(int cut, Values& found) const;
  void without(int cut, Values& found) const;

 private:
  struct Attribute {
    std::vector<Number> share;                     // per interval, of what a row can save
    std::vector<int> ends;                         // codes
    std::vector<char> fixed, usable;               // per end
    std::vector<int> end_of;                       // per code the number of its end, or -1
    std::vector<std::vector<int>> pair;            // per end c and d: its number, or -1
    std::vector<Number> loss;                      // per pair, of a cell
    std::vector<std::vector<Number>> kept, rows;   // per pair and interval
    std::vector<std::vector<Number>> left, right;  // per end: the most that is saved on this side; -1 for no way
    std::vector<std::vector<Number>> most_left;    // the most rows that are kept
  };

  bool allowed(const Attribute& own, int pair, int i) const {
    return own.rows[pair][i] - own.kept[pair][i] <= t_.problem.limit;
  }
  static Number saved(const Attribute& own, int pair, int i) {
    return own.kept[pair][i] * std::max<Number>(own.share[i] - own.loss[pair], 0);
  }
  void find_paths(Attribute& own);
  void replace_gain(const Attribute& own, const std::vector<Number>& gain, Values& found) const;

  const CutTable& t_;
  int count_;
  std::vector<Number> all_;  // rows per interval
  std::vector<Attribute> attributes_;
  Values values_;
};

}  // namespace shoal_checker
