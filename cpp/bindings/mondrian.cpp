#include "bindings/bindings.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "bindings/arrays.h"
#include "bindings/supervise.h"
#include "core/rows/mondrian.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace shoal::bindings {
namespace {

using MondrianAnswer = Answer<MondrianOutcome>;

MondrianAttribute interval(const Column<double>& positions) {
  MondrianAttribute a;
  a.kind = MondrianAttribute::Kind::interval;
  a.positions.assign(positions.data(), positions.data() + positions.size());
  a.size = static_cast<std::int32_t>(positions.size());
  if (!std::is_sorted(a.positions.begin(), a.positions.end())) throw nb::value_error("positions must not fall");
  return a;
}

MondrianAttribute set(std::int32_t size, double step) {
  MondrianAttribute a;
  a.kind = MondrianAttribute::Kind::set;
  a.size = size;
  a.step = step;
  return a;
}

MondrianAttribute node(std::vector<std::vector<std::int32_t>> parts, std::vector<std::vector<double>> widths) {
  if (parts.empty() || parts.size() != widths.size()) throw nb::value_error("there must be widths for every level");
  for (std::size_t level = 0; level < parts.size(); ++level) {
    if (parts[level].size() != parts[0].size()) throw nb::value_error("every level must have a part for every code");
    for (const std::int32_t part : parts[level])
      if (part < 0 || static_cast<std::size_t>(part) >= widths[level].size())
        throw nb::value_error("a part lies outside its level");
  }
  if (std::any_of(parts.back().begin(), parts.back().end(), [&](std::int32_t part) { return part != parts.back()[0]; }))
    throw nb::value_error("the top of a hierarchy must be one part");
  MondrianAttribute a;
  a.kind = MondrianAttribute::Kind::node;
  a.size = static_cast<std::int32_t>(parts[0].size());
  a.parts = std::move(parts);
  a.widths = std::move(widths);
  return a;
}

MondrianProblem::Choice choice_named(const std::string& name) {
  if (name == "width") return MondrianProblem::Choice::width;
  if (name == "information-gain") return MondrianProblem::Choice::gain;
  if (name == "cost") return MondrianProblem::Choice::cost;
  throw nb::value_error(("there is no choice '" + name + "'").c_str());
}

void check(const MondrianProblem& p, std::size_t rows, std::size_t attributes) {
  if (p.counts.size() != rows || p.attributes.size() != attributes || attributes == 0)
    throw nb::value_error("attributes, codes and counts do not match");
  if (p.privacy && !p.privacy->fits(rows)) throw nb::value_error("sensitive values and codes do not match");
  for (std::size_t i = 0; i < p.codes.size(); ++i)
    if (p.codes[i] < 0 || p.codes[i] >= p.attributes[i % attributes].size)
      throw nb::value_error("a code lies outside its domain");
}

}  // namespace

void bind_mondrian(nb::module_& module) {
  nb::class_<MondrianAttribute>(module, "MondrianAttribute",
                                "How the values of an attribute are cut and released together.")
      .def_static("interval", &interval, "positions"_a, "Median cuts; released as intervals.")
      .def_static("set", &set, "size"_a, "step"_a, "Median cuts; released as sets of values.")
      .def_static("node", &node, "parts"_a, "widths"_a, "A node of a hierarchy is cut into its children.");

  nb::class_<MondrianAnswer>(module, "MondrianAnswer", "The groups that multidimensional partitioning makes.")
      .def_prop_ro("found", [](const MondrianAnswer& a) { return a.outcome.found; })
      .def_prop_ro("groups", [](const MondrianAnswer& a) { return a.outcome.groups; })
      .def_prop_ro("nodes", [](const MondrianAnswer& a) { return a.outcome.nodes; })
      .def_prop_ro(
          "group_of", [](const MondrianAnswer& a) { return array(a.outcome.group_of, {a.outcome.group_of.size()}); },
          nb::rv_policy::automatic, "Per distinct row its group; -1 for one that has no rows.")
      .def_ro("interrupted", &MondrianAnswer::interrupted)
      .def_ro("seconds", &MondrianAnswer::seconds)
      .def_ro("trace", &MondrianAnswer::trace);

  module.def(
      "mondrian",
      [](std::vector<MondrianAttribute> attributes, const Codes& codes, const Counts& counts, const LabelCounts& labels,
         std::int64_t k, bool relaxed, const std::string& choice, const Privacy* privacy, std::optional<double> seconds,
         std::optional<std::int64_t> nodes, int threads, const nb::object& callback) {
        const std::vector<Count> rows = narrowed(counts);
        const std::vector<Count> of_label(labels.data(), labels.data() + labels.size());
        if (labels.shape(0) != counts.size()) throw nb::value_error("labels and counts do not match");
        MondrianProblem problem;
        problem.attributes = std::move(attributes);
        problem.codes = {codes.data(), codes.size()};
        problem.counts = rows;
        problem.labels = of_label;
        problem.k = static_cast<Count>(std::min(k, kMostRows + 1));
        problem.relaxed = relaxed;
        problem.choice = choice_named(choice);
        problem.privacy = privacy;
        check(problem, codes.shape(0), codes.shape(1));
        Options options = within(seconds, nodes);
        options.threads = threads;
        return supervise<MondrianOutcome>([&](const Options& asked) { return mondrian(problem, asked); }, options,
                                          callback);
      },
      "attributes"_a, "codes"_a, "counts"_a, nb::kw_only(), "labels"_a, "k"_a, "relaxed"_a, "choice"_a,
      "privacy"_a.none(), "seconds"_a.none(), "nodes"_a.none(), "threads"_a, "callback"_a.none(),
      "Groups by multidimensional partitioning.");
}

}  // namespace shoal::bindings
