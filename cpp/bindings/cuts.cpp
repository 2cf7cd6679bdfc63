// cuts.cpp - the searches over cuts for Python, and the groups that `tds` and `bug` measure.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/supervise.h"
#include "core/cuts/anneal.h"
#include "core/cuts/cut_groups.h"
#include "core/cuts/cut_space.h"
#include "core/cuts/exact.h"
#include "core/cuts/genetic.h"
#include "core/cuts/hill_climb.h"
#include "core/cuts/k_optimize.h"
#include "core/cuts/proof.h"
#include "core/cuts/subtree.h"
#include "core/privacy/privacy.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace shoal::bindings {
namespace {

using Losses = Matrix<Cost>;
using LevelLists = std::vector<std::vector<std::vector<std::int32_t>>>;  // per attribute, level and code its part

// The problem together with the arrays it looks at.
struct CutInput {
  std::vector<std::int32_t> sizes;
  std::vector<std::int32_t> codes;
  std::vector<Count> counts;
  std::vector<Losses> losses;
  Problem problem;
};

Metric metric_named(const std::string& name) {
  if (name == "discernibility") return Metric::discernibility;
  if (name == "classification") return Metric::classification;
  if (name == "general-loss") return Metric::general_loss;
  throw nb::value_error(("the core has no metric '" + name + "'").c_str());
}

// Losses stay where Python has them: a matrix of 2,048 values has 34 MB.
void load_losses(CutInput& input, std::vector<Losses> losses, Cost row_units) {
  if (input.problem.metric == Metric::general_loss && losses.size() != input.sizes.size())
    throw nb::value_error("there must be losses per attribute");
  for (std::size_t a = 0; a < losses.size(); ++a) {
    const auto size = static_cast<std::size_t>(input.sizes[a]);
    if (losses[a].shape(0) != size || losses[a].shape(1) != size)
      throw nb::value_error("losses must have a row and a column per value");
    const std::span<const Cost> units(losses[a].data(), losses[a].size());
    if (std::ranges::any_of(units, [&](Cost loss) { return loss < 0 || loss > kMostUnits; }))
      throw nb::value_error("a loss lies outside 0 to 2^60 units");
    input.problem.losses.push_back(units);
  }
  input.losses = std::move(losses);
  input.problem.row_units = row_units;
}

void load(CutInput& input, Metric metric, std::int64_t k, std::int64_t limit, std::vector<std::int32_t> sizes,
          const Codes& codes, const LabelCounts& counts, const Privacy* privacy) {
  if (codes.shape(0) != counts.shape(0) || codes.shape(1) != sizes.size())
    throw nb::value_error("codes, counts and sizes do not match");
  input.sizes = std::move(sizes);
  input.codes.assign(codes.data(), codes.data() + codes.size());
  input.counts = narrowed(counts);
  for (std::size_t i = 0; i < input.codes.size(); ++i)
    if (input.codes[i] < 0 || input.codes[i] >= input.sizes[i % input.sizes.size()])
      throw nb::value_error("a code lies outside its domain");
  Problem& p = input.problem;
  p.metric = metric;
  p.k = static_cast<Count>(k);
  p.attributes = static_cast<int>(input.sizes.size());
  p.labels = static_cast<int>(counts.shape(1));
  p.sizes = input.sizes;
  p.codes = input.codes;
  p.counts = input.counts;
  p.limit = static_cast<Count>(std::min<std::int64_t>(limit, p.total()));
  p.privacy = privacy;
  const bool rows_known = !privacy || privacy->first.empty() || privacy->first.size() == codes.shape(0) + 1;
  if (!rows_known || (privacy && !privacy->population.empty() && privacy->population.size() != codes.shape(0)))
    throw nb::value_error("sensitive values and codes do not match");
}

// Cuts that a search may begin with.
Cuts checked(Cuts cuts, const CutInput& input) {
  if (cuts.size() != input.sizes.size()) throw nb::value_error("start must have cuts per attribute");
  for (std::size_t a = 0; a < cuts.size(); ++a)
    for (std::size_t i = 0; i < cuts[a].size(); ++i)
      if (cuts[a][i] < 1 || cuts[a][i] >= input.sizes[a] || (i > 0 && cuts[a][i] <= cuts[a][i - 1]))
        throw nb::value_error("a cut of start lies outside its domain, or out of order");
  return cuts;
}

// No levels of an attribute: all its cuts are allowed.
CutSpace space_of(const CutInput& input, const LevelLists& levels) {
  if (levels.size() != input.sizes.size()) throw nb::value_error("there must be levels per attribute");
  std::vector<std::optional<Hierarchy>> hierarchies(levels.size());
  for (std::size_t a = 0; a < levels.size(); ++a) {
    if (levels[a].empty()) continue;
    hierarchies[a].emplace(levels[a]);
    if (hierarchies[a]->size() != input.sizes[a]) throw nb::value_error("a hierarchy and its domain differ in size");
  }
  return CutSpace(input.problem, std::move(hierarchies));
}

using Search = std::function<Outcome(const Options&)>;
using CutAnswer = Answer<Outcome>;

template <Outcome (*search)(const Problem&, const Options&)>
Search free_cuts(const CutInput& input) {
  return [&input](const Options& options) { return search(input.problem, options); };
}

Search subtree_of(const CutInput& input, const LevelLists& levels) {
  return [space = space_of(input, levels)](const Options& options) {
    for (std::size_t a = 0; a < options.start.size(); ++a) {
      const Hierarchy* hierarchy = space.hierarchy(static_cast<int>(a));
      if (hierarchy && !hierarchy->opens(options.start[a]))
        throw std::invalid_argument("start cuts through a part of a hierarchy");
    }
    return subtree(space, options);
  };
}

Search genetic_of(const CutInput& input, const LevelLists& levels, std::int64_t population) {
  if (population < 2 || population > kMostRows) throw nb::value_error("a population has at least 2 members");
  return [space = space_of(input, levels), population](const Options& options) {
    return genetic(space, static_cast<int>(population), options);
  };
}

Search anneal_of(const CutInput& input, const LevelLists& levels, std::int64_t cooling) {
  if (cooling < 1) throw nb::value_error("a cooling has at least 1 step");
  return [space = space_of(input, levels), cooling](const Options& options) { return anneal(space, cooling, options); };
}

Search proof_of(const CutInput& input, int axis, std::int64_t bound) {
  if (axis >= input.problem.attributes) throw nb::value_error("there is no such axis");
  return [&input, axis, bound](const Options& options) { return prove_cuts(input.problem, axis, bound, options); };
}

// Every search takes these arguments, those of `Extra` before the callback. `make` gives the search for them; it is a
// pointer, so that searches with the same arguments share one wrapper.
template <class... Extra, class... Names>
void bind_search(nb::module_& module, const char* name, const char* doc, Search (*make)(const CutInput&, Extra...),
                 Names... names) {
  module.def(
      name,
      [make](const std::string& metric, std::int64_t k, std::int64_t limit, std::vector<std::int32_t> sizes,
             const Codes& codes, const LabelCounts& counts, std::vector<Losses> losses, std::int64_t row_units,
             const Privacy* privacy, std::optional<double> seconds, std::optional<std::int64_t> nodes,
             std::optional<double> gap, int threads, std::uint64_t seed, std::int64_t climbs, std::optional<Cuts> start,
             Extra... extra, const nb::object& callback) {
        CutInput input;
        load(input, metric_named(metric), k, limit, std::move(sizes), codes, counts, privacy);
        load_losses(input, std::move(losses), row_units);
        Options options = within(seconds, nodes, gap);
        options.threads = threads;
        options.seed = seed;
        options.climbs = climbs;
        if (start) options.start = checked(*std::move(start), input);
        return supervise<Outcome>(make(input, extra...), options, callback);
      },
      "metric"_a, nb::kw_only(), "k"_a, "limit"_a, "sizes"_a, "codes"_a, "counts"_a, "losses"_a, "row_units"_a,
      "privacy"_a.none(), "seconds"_a.none(), "nodes"_a.none(), "gap"_a.none(), "threads"_a, "seed"_a, "climbs"_a,
      "start"_a.none() = nb::none(), names..., "callback"_a.none(), doc);
}

// The groups of one recoding after the other; holds what it looks at.
struct HeldGroups {
  CutInput input;
  std::optional<CutGroups> groups;
};

void bind_groups(nb::module_& module) {
  nb::class_<HeldGroups>(module, "CutGroups", "The groups of a recoding by cuts; a change of few cuts costs little.")
      .def(
          "__init__",
          [](HeldGroups* held, std::int64_t k, std::int64_t limit, std::vector<std::int32_t> sizes, const Codes& codes,
             const LabelCounts& counts, const Privacy* privacy) {
            new (held) HeldGroups;
            load(held->input, Metric::discernibility, k, limit, std::move(sizes), codes, counts, privacy);
            held->groups.emplace(held->input.problem);
            held->groups->start(Cuts(held->input.sizes.size()));
          },
          nb::kw_only(), "k"_a, "limit"_a, "sizes"_a, "codes"_a, "counts"_a, "privacy"_a.none(), nb::keep_alive<1, 7>(),
          "They begin with one group.")
      .def(
          "move_to",
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
      .def_prop_ro(
          "smallest_kept", [](const HeldGroups& held) { return held.groups->smallest_kept(); },
          "Rows of the smallest group that is released; 0 if none is.")
      .def(
          "smallest",
          [](const HeldGroups& held) {
            auto found = held.groups->smallest();
            return std::pair(found.size, std::move(found.span));
          },
          "Rows of the smallest group, and per attribute the first and the last code of all groups of that size.");
}

}  // namespace

void bind_cuts(nb::module_& module) {
  nb::class_<CutAnswer>(module, "Answer", "What a search over cuts answers.")
      .def_prop_ro("found", [](const CutAnswer& a) { return a.outcome.found; })
      .def_prop_ro("proved", [](const CutAnswer& a) { return a.outcome.proved; })
      .def_prop_ro("cost", [](const CutAnswer& a) { return a.outcome.cost; })
      .def_prop_ro("bound", [](const CutAnswer& a) { return a.outcome.bound; })
      .def_prop_ro("suppressed", [](const CutAnswer& a) { return a.outcome.suppressed; })
      .def_prop_ro("cuts", [](const CutAnswer& a) { return a.outcome.cuts; })
      .def_prop_ro("nodes", [](const CutAnswer& a) { return a.outcome.nodes; })
      .def_prop_ro("axis", [](const CutAnswer& a) { return a.outcome.axis; })
      .def_prop_ro("proof", [](const CutAnswer& a) { return a.outcome.proof; })
      .def_ro("interrupted", &CutAnswer::interrupted)
      .def_ro("seconds", &CutAnswer::seconds)
      .def_ro("trace", &CutAnswer::trace);

  bind_search(module, "exact", "Optimal cuts: best-first search with one attribute solved by dynamic programming.",
              free_cuts<exact>);
  bind_search(module, "k_optimize", "Optimal cuts: the algorithm of Bayardo and Agrawal, repaired.",
              free_cuts<k_optimize>);
  bind_search(module, "hill_climb", "Good cuts: iterated two-phase hill climbing.", free_cuts<hill_climb>);
  bind_search(module, "subtree", "Optimal cuts of which every interval is a part of a hierarchy.", subtree_of,
              "levels"_a);
  bind_search(module, "genetic", "Good cuts, parts of hierarchies where there are any: a genetic algorithm.",
              genetic_of, "levels"_a, "population"_a);
  bind_search(module, "anneal", "Good cuts, parts of hierarchies where there are any: simulated annealing.", anneal_of,
              "levels"_a, "cooling"_a);
  bind_search(module, "prove_cuts",
              "The lines of a proof that no cuts cost less than a bound; an axis of -1 is chosen.", proof_of, "axis"_a,
              "bound"_a);
  bind_groups(module);
}

}  // namespace shoal::bindings
