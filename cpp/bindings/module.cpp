// module.cpp - the module `_core`: the searches over cuts, and what all searches answer.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "bindings/lattice.h"
#include "bindings/local.h"
#include "bindings/microaggregation.h"
#include "bindings/privacy.h"
#include "bindings/supervise.h"
#include "core/best_first.h"
#include "core/exact.h"
#include "core/hill_climb.h"
#include "core/k_optimize.h"
#include "core/privacy.h"
#include "core/subtree.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Codes = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The problem together with the arrays it looks at.
struct Input {
  std::vector<std::int32_t> sizes;
  std::vector<std::int32_t> codes;
  std::vector<shoal::Count> counts;
  shoal::Problem problem;
};

shoal::Metric metric_named(const std::string& name) {
  if (name == "discernibility") return shoal::Metric::discernibility;
  if (name == "classification") return shoal::Metric::classification;
  if (name == "general-loss") return shoal::Metric::general_loss;
  throw nb::value_error(("the core has no metric '" + name + "'").c_str());
}

void load(Input& input, const std::string& metric, std::int64_t k, std::int64_t limit, std::vector<std::int32_t> sizes,
          const Codes& codes, const Counts& counts, std::vector<std::vector<std::int64_t>> losses, std::int64_t row_units,
          const shoal::Privacy* privacy) {
  if (codes.shape(0) != counts.shape(0) || codes.shape(1) != sizes.size())
    throw nb::value_error("codes, counts and sizes do not match");
  const std::int64_t total = std::accumulate(counts.data(), counts.data() + counts.size(), std::int64_t{0});
  if (total > shoal::kMostRows) throw nb::value_error("the core takes at most 1,000,000,000 rows");
  input.sizes = std::move(sizes);
  input.codes.assign(codes.data(), codes.data() + codes.size());
  input.counts.assign(counts.data(), counts.data() + counts.size());
  for (std::size_t i = 0; i < input.codes.size(); ++i)
    if (input.codes[i] < 0 || input.codes[i] >= input.sizes[i % input.sizes.size()])
      throw nb::value_error("a code lies outside its domain");
  shoal::Problem& p = input.problem;
  p.metric = metric_named(metric);
  p.k = static_cast<shoal::Count>(k);
  p.limit = static_cast<shoal::Count>(std::min(limit, total));
  p.attributes = static_cast<int>(input.sizes.size());
  p.labels = static_cast<int>(counts.shape(1));
  p.sizes = input.sizes;
  p.codes = input.codes;
  p.counts = input.counts;
  p.losses = std::move(losses);
  p.row_units = row_units;
  p.privacy = privacy;
  const bool rows_known = !privacy || privacy->first.empty() || privacy->first.size() == codes.shape(0) + 1;
  if (!rows_known || (privacy && !privacy->population.empty() && privacy->population.size() != codes.shape(0)))
    throw nb::value_error("sensitive values and codes do not match");
}

// Cuts that a search may begin with.
shoal::Cuts checked(shoal::Cuts cuts, const Input& input) {
  if (cuts.size() != input.sizes.size()) throw nb::value_error("start must have cuts per attribute");
  for (std::size_t a = 0; a < cuts.size(); ++a)
    for (std::size_t i = 0; i < cuts[a].size(); ++i)
      if (cuts[a][i] < 1 || cuts[a][i] >= input.sizes[a] || (i > 0 && cuts[a][i] <= cuts[a][i - 1]))
        throw nb::value_error("a cut of start lies outside its domain, or out of order");
  return cuts;
}

using Search = std::function<shoal::Outcome(const shoal::Problem&, const shoal::Options&)>;
using Answer = shoal::bindings::Answer<shoal::Outcome>;

// Every search takes these arguments, those of `Extra` before the callback. `make` gives the search for them.
template <class... Extra, class Make, class... Names>
void bind(nb::module_& module, const char* name, const char* doc, Make make, Names... names) {
  module.def(
      name,
      [make](const std::string& metric, std::int64_t k, std::int64_t limit, std::vector<std::int32_t> sizes,
             const Codes& codes, const Counts& counts, std::vector<std::vector<std::int64_t>> losses, std::int64_t row_units,
             const shoal::Privacy* privacy, std::optional<double> seconds, std::optional<std::int64_t> nodes, std::optional<double> gap, int threads,
             std::uint64_t seed, std::int64_t climbs, std::optional<shoal::Cuts> start, const Extra&... extra, const nb::object& callback) {
        Input input;
        load(input, metric, k, limit, std::move(sizes), codes, counts, std::move(losses), row_units, privacy);
        shoal::Options options;
        if (seconds) options.budget.seconds = *seconds;
        if (nodes) options.budget.nodes = *nodes;
        if (gap) options.budget.gap = *gap;
        options.threads = threads;
        options.seed = seed;
        options.climbs = climbs;
        if (start) options.start = checked(*std::move(start), input);
        const Search search = make(input, extra...);
        return shoal::bindings::supervise<shoal::Outcome>(
            [&](const shoal::Options& asked) { return search(input.problem, asked); }, options, callback);
      },
      "metric"_a, nb::kw_only(), "k"_a, "limit"_a, "sizes"_a, "codes"_a, "counts"_a, "losses"_a, "row_units"_a, "privacy"_a.none(), "seconds"_a.none(),
      "nodes"_a.none(), "gap"_a.none(), "threads"_a, "seed"_a, "climbs"_a, "start"_a.none() = nb::none(), names..., "callback"_a.none(), doc);
}

template <shoal::Outcome (*search)(const shoal::Problem&, const shoal::Options&)>
void bind(nb::module_& module, const char* name, const char* doc) {
  bind(module, name, doc, [](const Input&) { return Search(search); });
}

using Levels = std::vector<std::vector<std::vector<std::int32_t>>>;  // per attribute, level and code its part

Search subtree_of(const Input& input, const Levels& levels) {
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
  bind<Levels>(module, "subtree", "Optimal cuts of which every interval is a part of a hierarchy.", subtree_of, "levels"_a);
  bind<shoal::hill_climb>(module, "hill_climb", "Good cuts: iterated two-phase hill climbing.");
  shoal::bindings::bind_lattice(module);
  shoal::bindings::bind_local(module);
  shoal::bindings::bind_microaggregation(module);
  shoal::bindings::bind_profile(module);
}
