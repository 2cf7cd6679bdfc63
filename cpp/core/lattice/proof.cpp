#include "core/lattice/proof.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "core/lattice/boxes.h"

namespace shoal {
namespace {

// The attribute that was halved, and the last level of the lower half.
std::string halved(const Boxes::Box& box, const Boxes::Box& lower) {
  std::size_t a = 0;
  while (box.high[a] == lower.high[a]) ++a;
  return std::to_string(a) + ' ' + std::to_string(lower.high[a]);
}

}  // namespace

LatticeOutcome prove_levels(const LatticeProblem& problem, Cost bound, const Options& options) {
  Looks looks(problem, options);
  Boxes boxes(looks, problem.low, problem.high);
  std::vector<Boxes::Box> open{{problem.low, problem.high, 0}};
  LatticeOutcome out;
  out.bound = bound;
  while (!open.empty() && !looks.watch.stopped()) {
    const Boxes::Box box = std::move(open.back());
    open.pop_back();
    Boxes::Examined examined;
    if (box.bound < bound) examined = boxes.examine(box, bound);
    if (!examined.candidates.empty() || examined.unsettled < bound)
      throw std::logic_error("some levels cost less than the bound that shall be proved");
    out.proof += examined.parts.empty() ? "x" : halved(box, examined.parts.front());
    out.proof += '\n';
    for (auto part = examined.parts.rbegin(); part != examined.parts.rend(); ++part) open.push_back(std::move(*part));
    looks.watch.report(bound, bound, ++out.nodes);
  }
  out.proved = open.empty();
  return out;
}

}  // namespace shoal
