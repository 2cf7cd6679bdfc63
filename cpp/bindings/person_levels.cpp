// person_levels.cpp - levels for people with several rows, for Python.
#include "bindings/bindings.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "bindings/arrays.h"
#include "bindings/supervise.h"
#include "core/histories_levels/person_levels.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace shoal::bindings {
namespace {

using person_levels::Belief;
using person_levels::PeopleProblem;
using person_levels::PersonLevelsOutcome;
using PersonLevelsAnswer = Answer<PersonLevelsOutcome>;

template <class T>
using PerCode = std::vector<std::vector<std::vector<T>>>;

void make_table(person_levels::Table* table, const Codes& codes, PerCode<std::int32_t> parts, PerCode<Cost> units,
                PerCode<std::uint8_t> stars, Cost suppressed, const Privacy* privacy) {
  new (table) person_levels::Table;
  table->attributes = static_cast<int>(codes.shape(1));
  table->rows = static_cast<std::int32_t>(codes.shape(0));
  table->codes = {codes.data(), codes.size()};
  table->suppressed = suppressed;
  table->privacy = privacy;
  const auto attributes = static_cast<std::size_t>(table->attributes);
  if (parts.size() != attributes || units.size() != attributes || stars.size() != attributes)
    throw nb::value_error("levels and codes do not match");
  for (std::size_t a = 0; a < attributes; ++a) {
    if (parts[a].empty() || parts[a].size() != units[a].size() || parts[a].size() != stars[a].size())
      throw nb::value_error("levels and their units do not match");
    const std::size_t values = parts[a][0].size();
    for (std::size_t level = 0; level < parts[a].size(); ++level)
      if (parts[a][level].size() != values || units[a][level].size() != values || stars[a][level].size() != values)
        throw nb::value_error("a level needs every code");
    for (std::size_t r = 0; r < codes.shape(0); ++r)
      if (const std::int32_t code = codes(r, a); code < 0 || static_cast<std::size_t>(code) >= values)
        throw nb::value_error("a code lies outside its hierarchy");
  }
  table->parts = std::move(parts);
  table->units = std::move(units);
  table->stars = std::move(stars);
}

person_levels::Node node_of(const PeopleProblem& problem, const std::vector<int>& given) {
  person_levels::Node node;
  std::size_t at = 0;
  for (const person_levels::Table& table : problem.tables)
    for (const auto& levels : table.parts) {
      if (at >= given.size() || given[at] < 0 ||
          given[at] >= static_cast<int>(std::min<std::size_t>(levels.size(), 256)))
        throw nb::value_error("a level lies outside its hierarchy");
      node.push_back(static_cast<std::uint8_t>(given[at++]));
    }
  if (at != given.size()) throw nb::value_error("a level per quasi-identifier is needed");
  return node;
}

void check_histories(const PeopleProblem& problem) {
  const auto rows = static_cast<std::int64_t>(problem.row.size());
  if (problem.first.size() != problem.counts.size() + 1 || problem.first.front() != 0 || problem.first.back() != rows ||
      static_cast<std::int64_t>(problem.parent.size()) != rows)
    throw nb::value_error("histories and their rows do not match");
  if (!problem.facts.empty() && static_cast<std::int64_t>(problem.facts.size()) != rows)
    throw nb::value_error("histories and their sensitive values do not match");
  for (std::size_t h = 0; h < problem.counts.size(); ++h) {
    if (problem.first[h] > problem.first[h + 1]) throw nb::value_error("histories must follow each other");
    for (std::int64_t i = problem.first[h]; i < problem.first[h + 1]; ++i)
      if (problem.parent[i] < -1 || problem.parent[i] >= i - problem.first[h])
        throw nb::value_error("a row must be after the one it belongs to");
  }
}

}  // namespace

void bind_person_levels(nb::module_& module) {
  nb::class_<person_levels::Table>(module, "PersonTable", "The distinct rows of a table, and what levels make of them.")
      .def("__init__", &make_table, "codes"_a, nb::kw_only(), "parts"_a, "units"_a, "stars"_a, "suppressed"_a,
           "privacy"_a.none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 7>());
  nb::class_<Belief>(module, "Belief", "The most of the members of a group who may have each value of a column.")
      .def(
          "__init__",
          [](Belief* belief, int table, std::vector<std::int32_t> value_of, std::vector<double> most,
             std::int64_t others) { new (belief) Belief{table, std::move(value_of), std::move(most), others}; },
          "table"_a, "value_of"_a, "most"_a, "others"_a = -1);
  nb::class_<PersonLevelsAnswer>(module, "PersonLevelsAnswer", "Levels, and which rows are released.")
      .def_prop_ro("found", [](const PersonLevelsAnswer& a) { return a.outcome.found; })
      .def_prop_ro("proved", [](const PersonLevelsAnswer& a) { return a.outcome.proved; })
      .def_prop_ro("cost", [](const PersonLevelsAnswer& a) { return a.outcome.cost; })
      .def_prop_ro("bound", [](const PersonLevelsAnswer& a) { return a.outcome.bound; })
      .def_prop_ro("suppressed", [](const PersonLevelsAnswer& a) { return a.outcome.suppressed; })
      .def_prop_ro("single_rows", [](const PersonLevelsAnswer& a) { return a.outcome.single_rows; })
      .def_prop_ro("levels", [](const PersonLevelsAnswer& a) { return a.outcome.levels; })
      .def_prop_ro("nodes", [](const PersonLevelsAnswer& a) { return a.outcome.nodes; })
      .def_prop_ro(
          "places", [](const PersonLevelsAnswer& a) { return array(a.outcome.places, {a.outcome.places.size()}); },
          nb::rv_policy::automatic, "Per row of a history the number of its released row; -1 if it is suppressed.")
      .def_ro("interrupted", &PersonLevelsAnswer::interrupted)
      .def_ro("seconds", &PersonLevelsAnswer::seconds)
      .def_ro("trace", &PersonLevelsAnswer::trace);

  module.def(
      "person_levels",
      [](std::vector<const person_levels::Table*> tables, const Column<std::int64_t>& first,
         const Column<std::int32_t>& table_of, const Column<std::int32_t>& row_of, const Column<std::int32_t>& parent,
         const Counts& counts, const Column<std::int32_t>& facts, std::vector<const Belief*> beliefs, std::int64_t k,
         int known, bool ordered, bool whole_units, bool single_rows, std::int64_t limit, const std::vector<int>& low,
         const std::vector<int>& high, std::optional<double> seconds, std::optional<std::int64_t> nodes,
         std::optional<double> gap, int threads, const nb::object& callback) {
        PeopleProblem problem;
        for (const person_levels::Table* table : tables) problem.tables.push_back(*table);
        for (const Belief* belief : beliefs) problem.beliefs.push_back(*belief);
        problem.first = {first.data(), first.size()};
        problem.parent = {parent.data(), parent.size()};
        problem.facts = {facts.data(), facts.size()};
        problem.counts = narrowed(counts);
        std::vector<std::int32_t> offset{0};
        for (const person_levels::Table& table : problem.tables) offset.push_back(offset.back() + table.rows);
        if (table_of.size() != row_of.size()) throw nb::value_error("rows and tables do not match");
        problem.row.resize(row_of.size());
        for (std::size_t i = 0; i < row_of.size(); ++i) {
          const std::int32_t table = table_of.data()[i], row = row_of.data()[i];
          if (table < 0 || table >= static_cast<std::int32_t>(tables.size()) || row < 0 ||
              row >= problem.tables[table].rows)
            throw nb::value_error("a row of a history lies outside its table");
          problem.row[i] = offset[table] + row;
        }
        problem.trees =
            std::any_of(problem.parent.begin(), problem.parent.end(), [](std::int32_t p) { return p >= 0; });
        problem.k = static_cast<Count>(std::min(k, kMostRows + 1));
        problem.known = known;
        problem.ordered = ordered;
        problem.whole_units = whole_units;
        problem.single_rows = single_rows && limit > 0;  // where nothing may go, whole persons are all persons
        problem.limit = limit;
        problem.low = node_of(problem, low);
        problem.high = node_of(problem, high);
        for (std::size_t a = 0; a < problem.low.size(); ++a)
          if (problem.low[a] > problem.high[a]) throw nb::value_error("the lower node is above the upper one");
        check_histories(problem);
        problem.prepare();
        Options options = within(seconds, nodes, gap);
        options.threads = threads;
        return supervise<PersonLevelsOutcome>(
            [&](const Options& given) { return person_levels::person_levels(problem, given); }, options, callback);
      },
      "tables"_a, nb::kw_only(), "first"_a, "table_of"_a, "row_of"_a, "parent"_a, "counts"_a, "facts"_a, "beliefs"_a,
      "k"_a, "known"_a, "ordered"_a, "whole_units"_a, "single_rows"_a, "limit"_a, "low"_a, "high"_a, "seconds"_a.none(),
      "nodes"_a.none(), "gap"_a.none(), "threads"_a, "callback"_a.none(),
      "The best levels for histories that readers can link.");
}

}  // namespace shoal::bindings
