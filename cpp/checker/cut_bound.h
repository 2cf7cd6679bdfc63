// cut_bound.h - b(I) of one node, for every interval I of the axis that can matter, and what each open cut adds to it.
//
// The plain definition is `evaluate`. Two lemmas of docs/proofs.md make it cheap: the cells of a node and of its child are
// the same, so what a cut adds is looked up among the groups that it splits; and a bound of a larger tail is lower, so an
// older one may serve. What they do not show is computed anew, plainly: no verdict depends on them.
#pragma once

#include <memory>
#include <vector>

#include "checker/axis_paths.h"
#include "checker/cut_nested.h"
#include "checker/cut_table.h"

namespace shoal_checker {

class CutBound {
 public:
  // Groups and cells of a node; intervals that are not live are dropped from `spans`.
  CutBound(CutTable& table, AxisPaths& paths, const State& state, Spans spans);

  const Spans& spans() const { return spans_; }
  // Whether every recoding of the node below the bound costs no more without a cut.
  bool useless(int cut);
  // Whether the node in which a cut joins the head reaches the bound.
  bool bounded(const State& state, int cut);
  // Whether everything in the node without a cut does, so that the cut joins the head.
  bool needed(const State& state, int cut);
  // Whether the node reaches the bound with the tail that is left.
  bool closed(const State& state);

 private:
  // What the open cuts of one attribute add, and whether they may be useful; one row of intervals per cut.
  struct Sweep {
    bool done = false;
    std::vector<Number> cost;
    std::vector<Count> rows;
    std::vector<char> useful;  // per interval, too
  };
  void evaluate(const State& state, Values& values);
  void judge(int group, bool exact);
  void add_group(int group, Values& values);
  void add_cell(const Pieces& cells, int cell, Values& values);
  void find_losses(const State& state);
  void refresh(const State& state);
  void shrink(const std::vector<char>& alive);
  bool reaches(int cut);
  bool may_help(int cut);
  bool none(const Values& values);
  void combine(const Values& one, const Values& other);
  bool is_dead();
  bool sharpen();
  Sweep& sweep(int attribute);
  void sweep_group(int group, int attribute, Sweep& out);
  void split(int group, const Count* left, const Number* left_loss, const Number* all_loss, int row, Sweep& out);
  bool may_be_useful(Number n, Number n1, Number n2) const;

  const Count* histogram(int group) const { return rows_.data() + block_ * group; }
  Number axis_units(int a, int b) const { return t_.axis_units[static_cast<std::size_t>(a) * t_.length + b - 1]; }
  void sizes(const Count* histogram, std::vector<Count>& n, std::vector<Count>& most) const;

  CutTable& t_;
  const Problem& p_;
  AxisPaths& paths_;
  const std::size_t block_;
  const bool broad_, joins_;
  const Number total_, suppressed_cost_;
  Spans spans_;
  bool dead_ = false;  // nothing in the node is below the bound
  State head_, seen_;  // the node as it began, and as it was when `values_` were computed
  Pieces groups_;
  std::vector<Count> rows_;  // histograms of the groups
  Values values_;
  std::vector<Number> losses_;  // cells: per column, the axis left out
  std::vector<Sweep> sweeps_;   // per attribute
  std::vector<char> bad_, opened_;
  std::vector<Count> n_, most_, n1_, most1_, n2_, most2_, right_, cell_, side_, facts_;
  std::vector<Number> side_loss_, weighted_;
  Values with_, both_;
  std::unique_ptr<CutNested> nested_;  // cells, once the plain bound did not suffice
};

}  // namespace shoal_checker
