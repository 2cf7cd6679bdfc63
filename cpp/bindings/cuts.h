// cuts.h - the problem of a search over cuts as Python hands it over.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>

#include "bindings/supervise.h"
#include "core/privacy/privacy.h"

namespace shoal::bindings {

using CutCodes = nanobind::ndarray<const std::int32_t, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using CutCounts = nanobind::ndarray<const std::int64_t, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

// The problem together with the arrays it looks at.
struct CutInput {
  std::vector<std::int32_t> sizes;
  std::vector<std::int32_t> codes;
  std::vector<Count> counts;
  Problem problem;
};

inline Metric metric_named(const std::string& name) {
  if (name == "discernibility") return Metric::discernibility;
  if (name == "classification") return Metric::classification;
  if (name == "general-loss") return Metric::general_loss;
  throw nanobind::value_error(("the core has no metric '" + name + "'").c_str());
}

inline void load(CutInput& input, const std::string& metric, std::int64_t k, std::int64_t limit, std::vector<std::int32_t> sizes,
          const CutCodes& codes, const CutCounts& counts, std::vector<std::vector<std::int64_t>> losses, std::int64_t row_units,
          const Privacy* privacy) {
  if (codes.shape(0) != counts.shape(0) || codes.shape(1) != sizes.size())
    throw nanobind::value_error("codes, counts and sizes do not match");
  const std::int64_t total = std::accumulate(counts.data(), counts.data() + counts.size(), std::int64_t{0});
  if (total > kMostRows) throw nanobind::value_error("the core takes at most 1,000,000,000 rows");
  input.sizes = std::move(sizes);
  input.codes.assign(codes.data(), codes.data() + codes.size());
  input.counts.assign(counts.data(), counts.data() + counts.size());
  for (std::size_t i = 0; i < input.codes.size(); ++i)
    if (input.codes[i] < 0 || input.codes[i] >= input.sizes[i % input.sizes.size()])
      throw nanobind::value_error("a code lies outside its domain");
  Problem& p = input.problem;
  p.metric = metric_named(metric);
  p.k = static_cast<Count>(k);
  p.limit = static_cast<Count>(std::min(limit, total));
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
    throw nanobind::value_error("sensitive values and codes do not match");
}

// Cuts that a search may begin with.
inline Cuts checked(Cuts cuts, const CutInput& input) {
  if (cuts.size() != input.sizes.size()) throw nanobind::value_error("start must have cuts per attribute");
  for (std::size_t a = 0; a < cuts.size(); ++a)
    for (std::size_t i = 0; i < cuts[a].size(); ++i)
      if (cuts[a][i] < 1 || cuts[a][i] >= input.sizes[a] || (i > 0 && cuts[a][i] <= cuts[a][i - 1]))
        throw nanobind::value_error("a cut of start lies outside its domain, or out of order");
  return cuts;
}

using CutSearch = std::function<Outcome(const Problem&, const Options&)>;
using CutAnswer = Answer<Outcome>;

// Every search takes these arguments, those of `Extra` before the callback. `make` gives the search for them.
template <class... Extra, class Make, class... Names>
void bind_cuts(nanobind::module_& module, const char* name, const char* doc, Make make, Names... names) {
  using namespace nanobind::literals;
  module.def(
      name,
      [make](const std::string& metric, std::int64_t k, std::int64_t limit, std::vector<std::int32_t> sizes,
             const CutCodes& codes, const CutCounts& counts, std::vector<std::vector<std::int64_t>> losses, std::int64_t row_units,
             const Privacy* privacy, std::optional<double> seconds, std::optional<std::int64_t> nodes, std::optional<double> gap, int threads,
             std::uint64_t seed, std::int64_t climbs, std::optional<Cuts> start, const Extra&... extra, const nanobind::object& callback) {
        CutInput input;
        load(input, metric, k, limit, std::move(sizes), codes, counts, std::move(losses), row_units, privacy);
        Options options;
        if (seconds) options.budget.seconds = *seconds;
        if (nodes) options.budget.nodes = *nodes;
        if (gap) options.budget.gap = *gap;
        options.threads = threads;
        options.seed = seed;
        options.climbs = climbs;
        if (start) options.start = checked(*std::move(start), input);
        const CutSearch search = make(input, extra...);
        return supervise<Outcome>(
            [&](const Options& asked) { return search(input.problem, asked); }, options, callback);
      },
      "metric"_a, nanobind::kw_only(), "k"_a, "limit"_a, "sizes"_a, "codes"_a, "counts"_a, "losses"_a, "row_units"_a, "privacy"_a.none(), "seconds"_a.none(),
      "nodes"_a.none(), "gap"_a.none(), "threads"_a, "seed"_a, "climbs"_a, "start"_a.none() = nanobind::none(), names..., "callback"_a.none(), doc);
}

void bind_stochastic(nanobind::module_& module);

}  // namespace shoal::bindings
