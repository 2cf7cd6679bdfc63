// module.cpp - the module `_core`: the searches over cuts, and what all searches answer.
#include <nanobind/nanobind.h>

#include <stdexcept>

#include "bindings/cell_suppression.h"
#include "bindings/cuts.h"
#include "bindings/forest.h"
#include "bindings/lattice.h"
#include "bindings/local.h"
#include "bindings/microaggregation.h"
#include "bindings/mondrian.h"
#include "bindings/privacy.h"
#include "core/base/clock.h"
#include "core/cuts/best_first.h"
#include "core/cuts/exact.h"
#include "core/cuts/hill_climb.h"
#include "core/cuts/k_optimize.h"
#include "core/cuts/subtree.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using shoal::bindings::CutInput, shoal::bindings::CutSearch, shoal::bindings::bind_cuts;
using Answer = shoal::bindings::CutAnswer;

template <shoal::Outcome (*search)(const shoal::Problem&, const shoal::Options&)>
void bind(nb::module_& module, const char* name, const char* doc) {
  bind_cuts(module, name, doc, [](const CutInput&) { return CutSearch(search); });
}

using Levels = std::vector<std::vector<std::vector<std::int32_t>>>;  // per attribute, level and code its part

CutSearch subtree_of(const CutInput& input, const Levels& levels) {
  std::vector<shoal::Hierarchy> hierarchies(levels.begin(), levels.end());
  if (hierarchies.size() != input.sizes.size()) throw nb::value_error("there must be one hierarchy per attribute");
  for (std::size_t a = 0; a < hierarchies.size(); ++a)
    if (hierarchies[a].size() != input.sizes[a]) throw nb::value_error("a hierarchy and its domain differ in size");
  return [hierarchies = std::move(hierarchies)](const shoal::Problem& problem, const shoal::Options& options) {
    for (std::size_t a = 0; a < options.start.size(); ++a)
      if (!hierarchies[a].opens(options.start[a])) throw std::invalid_argument("start cuts through a part of a hierarchy");
    return shoal::subtree(problem, hierarchies, options);
  };
}

}  // namespace

NB_MODULE(_core, module) {
  module.doc() = "Shoal's search core. Costs are exact integers; INFINITE stands for none.";
  module.attr("INFINITE") = shoal::kInfinite;
  module.attr("LONGEST_AXIS") = shoal::kLongestAxis;
  module.attr("MOST_ROWS") = shoal::kMostRows;
  module.def("now", &shoal::Clock::now, "The clock of searches, in seconds.");
  module.def("hold_clock", &shoal::Clock::hold, "Let the clock of searches stand still.");
  module.def("release_clock", &shoal::Clock::go_on, "Let the clock of searches go on from where it stands.");

  nb::class_<shoal::Progress>(module, "Progress", "A moment of a search.")
      .def_ro("cost", &shoal::Progress::cost)
      .def_ro("bound", &shoal::Progress::bound)
      .def_ro("nodes", &shoal::Progress::nodes)
      .def_ro("seconds", &shoal::Progress::seconds);
  nb::class_<Answer>(module, "Answer", "What a search answers.")
      .def_prop_ro("found", [](const Answer& a) { return a.outcome.found; })
      .def_prop_ro("proved", [](const Answer& a) { return a.outcome.proved; })
      .def_prop_ro("cost", [](const Answer& a) { return a.outcome.cost; })
      .def_prop_ro("bound", [](const Answer& a) { return a.outcome.bound; })
      .def_prop_ro("suppressed", [](const Answer& a) { return a.outcome.suppressed; })
      .def_prop_ro("cuts", [](const Answer& a) { return a.outcome.cuts; })
      .def_prop_ro("nodes", [](const Answer& a) { return a.outcome.nodes; })
      .def_ro("interrupted", &Answer::interrupted)
      .def_ro("seconds", &Answer::seconds)
      .def_ro("trace", &Answer::trace);

  shoal::bindings::bind_privacy(module);
  bind<shoal::exact>(module, "exact", "Optimal cuts: best-first search with one attribute solved by dynamic programming.");
  bind<shoal::k_optimize>(module, "k_optimize", "Optimal cuts: the algorithm of Bayardo and Agrawal, repaired.");
  bind_cuts<Levels>(module, "subtree", "Optimal cuts of which every interval is a part of a hierarchy.", subtree_of, "levels"_a);
  bind<shoal::hill_climb>(module, "hill_climb", "Good cuts: iterated two-phase hill climbing.");
  shoal::bindings::bind_stochastic(module);
  shoal::bindings::bind_forest(module);
  shoal::bindings::bind_lattice(module);
  shoal::bindings::bind_cell_suppression(module);
  shoal::bindings::bind_local(module);
  shoal::bindings::bind_microaggregation(module);
  shoal::bindings::bind_mondrian(module);
  shoal::bindings::bind_profile(module);
}
