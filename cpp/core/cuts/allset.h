// allset.h - the finest groups that a node can still reach (head and tail together), and what they add to the
// lower bound of every axis interval.
//
// Taking a cut out of the tail merges cells; only the intervals in which both partners have rows change. The
// sum of all cells is therefore kept, never recomputed: it costs the cells touched, not the cells held.
// Invariant between calls: the live cells are the groups of `intervals()`, each under its own key.
#pragma once

#include <vector>

#include "core/base/axis.h"
#include "core/base/hash_index.h"
#include "core/base/kernels.h"
#include "core/cuts/head_groups.h"
#include "core/cuts/head_judge.h"

namespace shoal {

template <Metric M>
class Allset {
 public:
  // `judge` knows which pieces of the head's groups are given up, if there are privacy rules: the bound counts them
  // otherwise, so cells add nothing there.
  Allset(const Projection& projection, const HeadGroups& groups, const HeadJudge* judge);

  const Intervals& intervals() const { return intervals_; }

  // The cells of head and tail; adds their part to `bound`, indexed by `spans`.
  void load(const CutSet& head, const std::vector<int>& tail, const Spans& spans, std::vector<Cost>& bound);
  // Takes a cut out: the cells on its two sides meet. The side with fewer cells moves.
  void remove(int cut, const Spans& spans, std::vector<Cost>& bound);

 private:
  struct Cell {
    std::uint64_t key;
    Cost loss;                 // general loss of its intervals
    std::int32_t first, last;  // list of columns
    std::int32_t group;        // head group
    Count size;
    bool alive;
  };
  // Values of the first and the last row of a histogram.
  struct Extent {
    int first, last;
  };

  void append(Cell& cell, int from, int to, Count size);
  void merge(Cell& into, Cell& cell, const Spans& spans, std::vector<Cost>& bound);
  void widen(Cell& cell, Cost by, const Spans& spans, std::vector<Cost>& bound);
  void add_cell(const Cell& cell, const Spans& spans, std::vector<Cost>& bound);
  void add_union(const Cell& cell, const Cell& with, const Spans& spans, std::vector<Cost>& bound);

  void histogram_of(const Cell& cell, std::vector<Count>& histogram) const;
  Extent extent(const std::vector<Count>& histogram) const;
  bool mixed(const std::vector<Count>& histogram) const;
  void sizes(kernels::Row row, const Count* histogram, std::vector<Count>& n, std::vector<Count>& most) const;
  kernels::Row viable(kernels::Row row, int group) const;
  Cost* target(kernels::Row row, int group, const Spans& spans, std::vector<Cost>& bound);
  void settle(kernels::Row row, int group, const Spans& spans, std::vector<Cost>& bound) const;

  const Projection& pr_;
  const Problem& p_;
  const HeadGroups& groups_;
  const HeadJudge* const judge_;
  const int stride_;
  Intervals intervals_;
  std::vector<Cell> cells_;
  std::vector<std::vector<std::vector<int>>> members_;  // per attribute and interval, its cells (dead ones too)
  std::vector<std::vector<int>> names_;                 // per attribute and interval, whose number in keys it has
  std::vector<std::int32_t> next_;
  HashIndex index_;
  std::vector<Cost> apart_;
  std::vector<Count> one_, two_, both_, group_n_, group_m_, n1_, m1_, n2_, m2_, n_, m_;
};

}  // namespace shoal
