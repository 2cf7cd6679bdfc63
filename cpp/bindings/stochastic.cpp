// stochastic.cpp - `genetic` and `anneal` for Python, and the groups that `tds` and `bug` measure.
#include <nanobind/stl/pair.h>

#include <memory>

#include "bindings/cuts.h"
#include "core/cuts/anneal.h"
#include "core/cuts/cut_groups.h"
#include "core/cuts/cut_space.h"
#include "core/cuts/genetic.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace shoal::bindings {
namespace {

using Levels = std::vector<std::vector<std::vector<std::int32_t>>>;  // per attribute its levels; none if all cuts are allowed

CutSpace space_of(const CutInput& input, const Levels& levels) {
  if (levels.size() != input.sizes.size()) throw nb::value_error("there must be levels per attribute");
  std::vector<std::optional<Hierarchy>> hierarchies(levels.size());
  for (std::size_t a = 0; a < levels.size(); ++a) {
    if (levels[a].empty()) continue;
    hierarchies[a].emplace(levels[a]);
    if (hierarchies[a]->size() != input.sizes[a]) throw nb::value_error("a hierarchy and its domain differ in size");
  }
  return CutSpace(input.problem, hierarchies);
}

CutSearch genetic_of(const CutInput& input, const Levels& levels, int population) {
  if (population < 2) throw nb::value_error("a population has at least 2 members");
  return [space = space_of(input, levels), population](const Problem& problem, const Options& options) {
    return genetic(problem, space, population, options);
  };
}

CutSearch anneal_of(const CutInput& input, const Levels& levels, std::int64_t cooling) {
  if (cooling < 1) throw nb::value_error("a cooling has at least 1 step");
  return [space = space_of(input, levels), cooling](const Problem& problem, const Options& options) {
    return anneal(problem, space, cooling, options);
  };
}

// The groups of one recoding after the other; holds what it looks at.
struct HeldGroups {
  CutInput input;
  std::optional<CutGroups> groups;
};

}  // namespace

void bind_stochastic(nb::module_& module) {
  bind_cuts<Levels, int>(module, "genetic", "Good cuts, parts of hierarchies where there are any: a genetic algorithm.", genetic_of,
                         "levels"_a, "population"_a);
  bind_cuts<Levels, std::int64_t>(module, "anneal", "Good cuts, parts of hierarchies where there are any: simulated annealing.",
                                  anneal_of, "levels"_a, "cooling"_a);
  nb::class_<HeldGroups>(module, "CutGroups", "The groups of a recoding by cuts; a change of few cuts costs little.")
      .def("__init__",
           [](HeldGroups* held, std::int64_t k, std::int64_t limit, std::vector<std::int32_t> sizes, const CutCodes& codes,
              const CutCounts& counts, const Privacy* privacy) {
             new (held) HeldGroups;
             load(held->input, "discernibility", k, limit, std::move(sizes), codes, counts, {}, 1, privacy);
             held->groups.emplace(held->input.problem);
             held->groups->start(Cuts(held->input.sizes.size()));
           },
           nb::kw_only(), "k"_a, "limit"_a, "sizes"_a, "codes"_a, "counts"_a, "privacy"_a.none(), nb::keep_alive<1, 7>(),
           "They begin with one group.")
      .def("move_to",
           [](HeldGroups& held, Cuts cuts) {
             cuts = checked(std::move(cuts), held.input);
             std::vector<char> in(held.groups->cuts(), 0);
             for (int a = 0; a < held.input.problem.attributes; ++a)
               for (int code : cuts[a]) in[held.groups->number(a, code)] = 1;
             held.groups->move_to(in);
           },
           "cuts"_a, "Make the groups of these cuts.")
      .def_prop_ro("admissible", [](const HeldGroups& held) { return held.groups->price().admissible(); })
      .def_prop_ro("suppressed", [](const HeldGroups& held) { return held.groups->suppressed(); })
      .def_prop_ro("smallest_kept", [](const HeldGroups& held) { return held.groups->smallest_kept(); },
                   "Rows of the smallest group that is released; 0 if none is.")
      .def("smallest",
           [](const HeldGroups& held) {
             auto found = held.groups->smallest();
             return std::pair(found.size, std::move(found.span));
           },
           "Rows of the smallest group, and per attribute the first and the last code of all groups of that size.");
}

}  // namespace shoal::bindings
