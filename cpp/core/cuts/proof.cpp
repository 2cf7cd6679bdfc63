#include "core/cuts/proof.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "core/cuts/best_first.h"
#include "core/cuts/cut_space.h"
#include "core/cuts/node_expander.h"

namespace shoal {
namespace {

// A step without a letter has the reason of the one before.
void write(const std::vector<Step>& steps, std::string& lines) {
  lines += std::to_string(steps.size());
  char reason = ' ';
  for (const Step& step : steps) {
    lines += ' ' + std::to_string(step.cut);
    if (step.reason != reason) lines += reason = step.reason;
  }
  lines += '\n';
}

}  // namespace

Outcome prove_cuts(const Problem& problem, int axis, Cost bound, const Options& options) {
  const Watch watch(options);
  const CutSpace space(problem);
  const Projection projection = space.project(axis < 0 ? axis_candidates(problem).front() : axis);
  const Moves moves(space, projection);
  const auto expander = make_expander(projection, moves);
  const int alphabet = static_cast<int>(projection.alphabet.size());
  std::vector<Step> steps;
  expander->record(&steps);
  Node root{CutSet(alphabet), CutSet(alphabet), 0};
  for (int cut = 0; cut < alphabet; ++cut) root.tail.add(cut);
  std::vector<Node> open;
  open.push_back(std::move(root));
  Outcome out;
  out.axis = projection.axis;
  out.bound = bound;
  std::vector<Node> children;
  while (!open.empty() && !watch.stopped()) {
    Node node = std::move(open.back());
    open.pop_back();
    steps.clear();
    children.clear();
    for (bool goes_on = true; goes_on;) {
      auto expansion = expander->expand(node, bound, &watch);
      if (!expansion) return out;
      if (expansion->best.cost < bound || expansion->best.unsettled < bound)
        throw std::logic_error("some cuts cost less than the bound that shall be proved");
      for (Node& child : expansion->children) children.push_back(std::move(child));
      // Cuts that are needed join the head of the same node.
      goes_on = !steps.empty() && steps.back().reason == 'o' && !expansion->children.empty();
      if (goes_on) node = std::move(children.back()), children.pop_back();
    }
    write(steps, out.proof);
    for (auto child = children.rbegin(); child != children.rend(); ++child) open.push_back(std::move(*child));
    watch.report(bound, bound, ++out.nodes);
  }
  out.proved = open.empty();
  return out;
}

}  // namespace shoal
