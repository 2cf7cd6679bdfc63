// cut_proof.cpp - a tree of cuts, one attribute, the axis, outside it: docs/proofs.md, "Cuts".
#include <memory>
#include <optional>
#include <utility>

#include "checker/cut_bound.h"
#include "checker/problem.h"

namespace shoal_checker {
namespace {

struct Step {
  int cut;
  char rule;
};

std::vector<Step> steps_of(const std::vector<std::string>& words) {
  if (words.empty() || whole(words[0]) != static_cast<Number>(words.size()) - 1)
    throw Refuted("a node has another number of steps than it says");
  std::vector<Step> steps;
  char rule = ' ';  // a step without a letter has the rule of the one before
  for (std::size_t w = 1; w < words.size(); ++w) {
    std::string word = words[w];
    if (word.back() < '0' || word.back() > '9') rule = word.back(), word.pop_back();
    steps.push_back({static_cast<int>(std::min<Number>(whole(word), INT32_MAX)), rule});
  }
  return steps;
}

[[noreturn]] void refuse(const char* before, int cut, const char* after) {
  throw Refuted(before + std::to_string(cut) + after);
}

// A node whose steps are being checked.
struct Frame {
  State state;
  std::vector<Step> steps;
  std::size_t next = 0;
  std::optional<CutBound> bound;

  // The bound of the node, anew after a cut joined its head.
  CutBound& fresh(CutTable& table, AxisPaths& paths) {
    if (changed) bound.emplace(table, paths, state, Spans(bound ? bound->spans() : spans));
    changed = false;
    return *bound;
  }
  Spans spans;  // of the node above
  bool changed = true;
};

// Takes the steps of a node up to its next branch; the state of that branch, or an empty one when the node is done.
State advance(Frame& frame, CutTable& table, AxisPaths& paths) {
  while (frame.next < frame.steps.size()) {
    const auto [cut, rule] = frame.steps[frame.next++];
    if (cut >= static_cast<int>(frame.state.size()) || frame.state[cut] != Mark::open)
      refuse("cut ", cut, " is not in the tail");
    if (rule == 'c') {
      State child = frame.state;
      child[cut] = Mark::in;
      frame.state[cut] = Mark::out;
      return child;
    }
    if (rule == 'u') {
      if (!frame.fresh(table, paths).useless(cut)) {
        frame.changed = true;  // fewer intervals may be live by now
        if (!frame.fresh(table, paths).useless(cut)) refuse("cut ", cut, " is not useless");
      }
    } else if (rule == 'b') {
      if (!frame.fresh(table, paths).bounded(frame.state, cut))
        refuse("the bound with cut ", cut, " does not reach the claim");
    } else if (rule == 'o') {
      // Of a bound from before the last cuts joined the head, which is lower.
      CutBound& known = frame.bound ? *frame.bound : frame.fresh(table, paths);
      if (!known.needed(frame.state, cut)) refuse("the bound without cut ", cut, " does not reach the claim");
      frame.changed = true;
    } else {
      throw Refuted("a step has a letter that is no rule");
    }
    frame.state[cut] = rule == 'o' ? Mark::in : Mark::out;
  }
  if (!frame.fresh(table, paths).closed(frame.state))
    throw Refuted("what is left of a node may cost less than the bound");
  return {};
}

}  // namespace

void check_cuts(const Problem& problem, int axis, Number bound, Lines& lines) {
  CutTable table(problem, axis);
  AxisPaths paths(bound, problem.limit, problem.limit < problem.total());
  table.bound = bound;
  Spans all;
  all.all(table.length);
  // A stack in place of recursion: a proof may be as deep as there are cuts. A node without any cut has an empty state.
  std::vector<std::unique_ptr<Frame>> open;
  const auto enter = [&](State state, Spans spans) {
    auto steps = steps_of(lines.next());
    open.push_back(std::make_unique<Frame>());
    open.back()->state = std::move(state);
    open.back()->steps = std::move(steps);
    open.back()->spans = std::move(spans);
  };
  enter(State(table.cuts(), Mark::open), std::move(all));
  while (!open.empty()) {
    Frame& last = *open.back();
    State child = advance(last, table, paths);
    if (child.empty()) open.pop_back();
    else enter(std::move(child), last.bound ? last.bound->spans() : last.spans);
  }
  lines.finish();
}

}  // namespace shoal_checker
