#include "bindings/bindings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "bindings/arrays.h"
#include "bindings/supervise.h"
#include "core/rows/forest.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace shoal::bindings {
namespace {

using ForestAnswer = Answer<ForestOutcome>;

void check(const Distances& d, std::size_t rows, std::size_t attributes) {
  if (d.counts.size() != rows || d.parts.size() != attributes || d.units.size() != attributes)
    throw nb::value_error("codes, counts, parts and units do not match");
  if (std::any_of(d.counts.begin(), d.counts.end(), [](Count count) { return count < 1; }))
    throw nb::value_error("a distinct row has no rows");
  for (std::size_t a = 0; a < attributes; ++a) {
    if (d.parts[a].empty() || d.parts[a].size() != d.units[a].size())
      throw nb::value_error("a hierarchy has no levels, or no units");
    const std::size_t size = d.parts[a][0].size();
    for (std::size_t level = 0; level < d.parts[a].size(); ++level) {
      const auto most = static_cast<std::int64_t>(d.units[a][level].size());
      if (d.parts[a][level].size() != size) throw nb::value_error("the levels of a hierarchy differ in size");
      for (const std::int32_t part : d.parts[a][level])
        if (part < 0 || part >= most) throw nb::value_error("a part of a hierarchy has no units");
    }
    const auto& top = d.parts[a].back();
    if (std::any_of(top.begin(), top.end(), [](std::int32_t part) { return part != 0; }))
      throw nb::value_error("the top of a hierarchy must be one part");
    for (std::size_t row = 0; row < rows; ++row)
      if (const std::int32_t code = d.codes[row * attributes + a]; code < 0 || static_cast<std::size_t>(code) >= size)
        throw nb::value_error("a code lies outside its domain");
  }
}

}  // namespace

void bind_forest(nb::module_& module) {
  const auto numbers = [](const std::vector<std::int64_t>& values) {
    return array<std::int64_t>(values, {values.size()});
  };
  nb::class_<ForestAnswer>(module, "ForestAnswer", "Groups that are trees of a forest over the rows.")
      .def_prop_ro("found", [](const ForestAnswer& a) { return a.outcome.found; })
      .def_prop_ro(
          "bound", [](const ForestAnswer& a) { return a.outcome.bound; }, "No k-anonymous release costs less.")
      .def_prop_ro(
          "weight", [](const ForestAnswer& a) { return a.outcome.weight; }, "What the edges weigh together.")
      .def_prop_ro("nodes", [](const ForestAnswer& a) { return a.outcome.nodes; })
      .def_prop_ro(
          "row", [numbers](const ForestAnswer& a) { return numbers(a.outcome.row); }, nb::rv_policy::automatic,
          "Per piece its distinct row.")
      .def_prop_ro(
          "count", [numbers](const ForestAnswer& a) { return numbers(a.outcome.count); }, nb::rv_policy::automatic,
          "Per piece its copies.")
      .def_prop_ro(
          "group", [numbers](const ForestAnswer& a) { return numbers(a.outcome.group); }, nb::rv_policy::automatic,
          "Per piece its group.")
      .def_ro("interrupted", &ForestAnswer::interrupted)
      .def_ro("seconds", &ForestAnswer::seconds);

  module.def(
      "forest",
      [](std::vector<std::vector<std::vector<std::int32_t>>> parts, std::vector<std::vector<std::vector<Cost>>> units,
         const Codes& codes, const Counts& counts, std::int64_t k, std::optional<double> seconds, int threads) {
        const std::vector<Count> rows = narrowed(counts);
        if (k < 1 || k > std::accumulate(rows.begin(), rows.end(), std::int64_t{0}))
          throw nb::value_error("k must be between 1 and the number of rows");
        Distances distances;
        distances.parts = std::move(parts);
        distances.units = std::move(units);
        distances.codes = {codes.data(), codes.size()};
        distances.counts = rows;
        check(distances, codes.shape(0), codes.shape(1));
        Options options = within(seconds, {});
        options.threads = threads;
        return supervise<ForestOutcome>(
            [&](const Options& asked) { return forest(distances, static_cast<Count>(k), asked); }, options, nb::none());
      },
      "parts"_a, "units"_a, "codes"_a, "counts"_a, nb::kw_only(), "k"_a, "seconds"_a.none(), "threads"_a,
      "Groups of k rows or more that are trees of a light forest.");
}

}  // namespace shoal::bindings
