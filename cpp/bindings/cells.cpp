#include "bindings/bindings.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <optional>

#include "bindings/arrays.h"
#include "bindings/supervise.h"
#include "core/cells/suppression.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace shoal::bindings {
namespace {

using CellAnswer = Answer<CellOutcome>;

void check(const CellProblem& p, std::size_t rows, std::size_t attributes) {
  if (p.counts.size() != rows || p.units.size() != attributes || rows == 0)
    throw nb::value_error("codes, counts and units do not match");
  if (attributes > kMostSuppressible) throw nb::value_error("there are too many attributes");
  const std::int64_t total = std::accumulate(p.counts.begin(), p.counts.end(), std::int64_t{0});
  if (p.k < 1 || p.k > total) throw nb::value_error("k is not between 1 and the number of rows");
  for (const Count count : p.counts)
    if (count < 1) throw nb::value_error("a distinct row has no copies");
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t a = 0; a < attributes; ++a)
      if (const std::int32_t code = p.codes[row * attributes + a];
          code < 0 || code >= static_cast<std::int32_t>(p.units[a].size()))
        throw nb::value_error("a code lies outside its domain");
  for (const auto& units : p.units)
    for (const Cost each : units)
      if (each < 0) throw nb::value_error("a suppressed cell costs less than nothing");
}

// An array of one field of the pieces.
template <class Value, class Field>
auto column(const CellAnswer& answer, Field field) {
  std::vector<Value> values;
  for (const Piece& piece : answer.outcome.pieces) values.push_back(static_cast<Value>(piece.*field));
  const std::size_t size = values.size();
  return array(std::move(values), {size});
}

}  // namespace

void bind_cells(nb::module_& module) {
  module.attr("MOST_SUPPRESSIBLE") = kMostSuppressible;
  nb::class_<CellAnswer>(module, "CellAnswer", "Which cells to suppress.")
      .def_prop_ro("found", [](const CellAnswer& a) { return a.outcome.found; })
      .def_prop_ro("proved", [](const CellAnswer& a) { return a.outcome.proved; })
      .def_prop_ro("cost", [](const CellAnswer& a) { return a.outcome.cost; })
      .def_prop_ro("bound", [](const CellAnswer& a) { return a.outcome.bound; })
      .def_prop_ro("suppressed", [](const CellAnswer& a) { return a.outcome.suppressed; })
      .def_prop_ro("nodes", [](const CellAnswer& a) { return a.outcome.nodes; })
      .def_prop_ro(
          "rows", [](const CellAnswer& a) { return column<std::int64_t>(a, &Piece::row); }, nb::rv_policy::automatic,
          "Per piece its distinct row.")
      .def_prop_ro(
          "patterns", [](const CellAnswer& a) { return column<std::int64_t>(a, &Piece::pattern); },
          nb::rv_policy::automatic, "Per piece its suppressed attributes, one bit each.")
      .def_prop_ro(
          "copies", [](const CellAnswer& a) { return column<std::int64_t>(a, &Piece::copies); },
          nb::rv_policy::automatic, "Per piece how many copies of the row it has.")
      .def_ro("interrupted", &CellAnswer::interrupted)
      .def_ro("seconds", &CellAnswer::seconds)
      .def_ro("trace", &CellAnswer::trace);

  module.def(
      "suppress_cells",
      [](const Codes& codes, const Counts& counts, std::vector<std::vector<std::int64_t>> units, std::int64_t k,
         bool wildcard, std::optional<double> seconds, std::optional<std::int64_t> nodes, std::uint64_t seed,
         const nb::object& callback) {
        const std::vector<Count> copies = narrowed(counts);
        CellProblem problem;
        problem.codes = {codes.data(), codes.size()};
        problem.counts = copies;
        problem.units = std::move(units);
        problem.k = static_cast<Count>(k);
        check(problem, codes.shape(0), codes.shape(1));
        Options options = within(seconds, nodes);
        options.seed = seed;
        return supervise<CellOutcome>(
            [&](const Options& asked) {
              return wildcard ? cheapest_boxes(problem, asked) : suppress_cells(problem, asked);
            },
            options, callback);
      },
      "codes"_a, "counts"_a, nb::kw_only(), "units"_a, "k"_a, "wildcard"_a, "seconds"_a.none(), "nodes"_a.none(),
      "seed"_a, "callback"_a.none(), "Few cells to suppress, so that every row is like k rows.");
}

}  // namespace shoal::bindings
