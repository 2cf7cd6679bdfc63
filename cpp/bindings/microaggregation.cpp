#include "bindings/bindings.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "bindings/arrays.h"
#include "bindings/supervise.h"
#include "core/rows/microaggregation.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace shoal::bindings {
namespace {

using MicroaggregationAnswer = Answer<MicroaggregationOutcome>;

Center center_named(const std::string& name) {
  if (name == "mean") return Center::mean;
  if (name == "median") return Center::median;
  if (name == "mode") return Center::mode;
  throw nb::value_error(("the core has no center '" + name + "'").c_str());
}

void check(const MicroaggregationProblem& p, std::size_t rows, std::size_t attributes) {
  if (p.counts.size() != rows || p.attributes.size() != attributes)
    throw nb::value_error("codes, counts and positions do not match");
  for (std::size_t a = 0; a < attributes; ++a) {
    const Positions& positions = p.attributes[a];
    if (!std::all_of(positions.of_code.begin(), positions.of_code.end(),
                     [](double each) { return std::isfinite(each); }))
      throw nb::value_error("a position is no number");
    for (std::size_t row = 0; row < rows; ++row) {
      const std::int32_t code = p.codes[row * attributes + a];
      const bool placed = positions.center == Center::mode || code == positions.missing ||
                          static_cast<std::size_t>(code) < positions.of_code.size();
      if (code < 0 || !placed) throw nb::value_error("a code lies outside its domain");
    }
  }
}

}  // namespace

void bind_microaggregation(nb::module_& module) {
  nb::class_<Positions>(module, "Positions",
                        "How the values of an attribute are averaged ('mean', 'median', 'mode'), and where they lie.")
      .def(
          "__init__",
          [](Positions* made, const std::string& center, std::vector<double> of_code, int missing) {
            new (made) Positions{center_named(center), std::move(of_code), missing};
          },
          "center"_a, nb::kw_only(), "of_code"_a, "missing"_a);
  nb::class_<MicroaggregationAnswer>(module, "MicroaggregationAnswer", "What microaggregation answers.")
      .def_prop_ro(
          "groups", [](const MicroaggregationAnswer& a) { return array(a.outcome.groups, {a.outcome.groups.size()}); },
          nb::rv_policy::automatic, "Per distinct row its group.")
      .def_prop_ro("nodes", [](const MicroaggregationAnswer& a) { return a.outcome.nodes; })
      .def_ro("interrupted", &MicroaggregationAnswer::interrupted)
      .def_ro("seconds", &MicroaggregationAnswer::seconds);

  module.def(
      "microaggregation",
      [](std::vector<Positions> attributes, const Codes& codes, const Counts& counts, std::int64_t k, bool variable,
         double gamma, std::optional<double> seconds, std::optional<std::int64_t> nodes, const nb::object& callback) {
        const std::vector<Count> rows = narrowed(counts);
        MicroaggregationProblem problem;
        problem.attributes = std::move(attributes);
        problem.codes = {codes.data(), codes.size()};
        problem.counts = rows;
        problem.k = static_cast<Count>(k);
        problem.variable = variable;
        problem.gamma = gamma;
        check(problem, codes.shape(0), codes.shape(1));
        Options options = within(seconds, nodes);
        return supervise<MicroaggregationOutcome>(
            [&](const Options& asked) { return microaggregation(problem, asked); }, options, callback);
      },
      "attributes"_a, "codes"_a, "counts"_a, nb::kw_only(), "k"_a, "variable"_a, "gamma"_a, "seconds"_a.none(),
      "nodes"_a.none(), "callback"_a.none(),
      "Groups of at least k rows that lie close together: MDAV, or V-MDAV where groups vary in size.");
}

}  // namespace shoal::bindings
