#include "bindings/bindings.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "bindings/arrays.h"
#include "bindings/supervise.h"
#include "core/histories/event_cells.h"
#include "core/histories/person_bound.h"
#include "core/histories/person_groups.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace shoal::bindings {
namespace {

using PeopleAnswer = Answer<PeopleOutcome>;
using BoundAnswer = Answer<PersonBound>;
using Parts = std::vector<std::vector<std::vector<std::int32_t>>>;

// The rows of one table, and what their cells cost. It owns what its problem refers to.
struct HistoryTable {
  HistoryTable(Parts parts, const Codes& given, const Price& price, std::vector<std::optional<LocalSpan>> spans,
               std::vector<int> sorted, bool stars, Cost times)
      : codes(given.data(), given.data() + given.size()), counts(given.shape(0), 1), sort_by(std::move(sorted)),
        all_stars(stars), weight(times) {
    if (parts.size() != given.shape(1) || price.units.size() != parts.size() || spans.size() != parts.size() ||
        sort_by.size() != parts.size())
      throw nb::value_error("codes, parts, units and spans do not match");
    problem.units = price.units;
    problem.suppressed_row = price.suppressed_row;
    problem.spans = std::move(spans);
    for (const auto& levels : parts) {
      problem.low.push_back(0);
      problem.high.push_back(static_cast<std::uint8_t>(levels.size() - 1));
      std::int32_t count = 0;
      auto& names = problem.names.emplace_back();
      for (const auto& level : problem.units[problem.names.size() - 1])
        for (auto& of_part = names.emplace_back(); of_part.size() < level.size();) of_part.push_back(count++);
    }
    problem.parts = std::move(parts);
    for (std::size_t a = 0; a < problem.parts.size(); ++a) {
      const auto size = static_cast<std::int32_t>(problem.parts[a][0].size());
      for (std::size_t row = 0; row < counts.size(); ++row)
        if (const std::int32_t code = codes[row * problem.parts.size() + a]; code < 0 || code >= size)
          throw nb::value_error("a code lies outside its domain");
    }
  }
  LocalProblem loaded() const {
    LocalProblem made = problem;
    made.codes = codes;
    made.counts = counts;
    return made;
  }

  std::vector<std::int32_t> codes;
  std::vector<Count> counts;
  LocalProblem problem;
  std::vector<int> sort_by;
  bool all_stars;
  Cost weight;
};

void load(PeopleProblem& problem, std::vector<Count>& persons, const std::vector<HistoryTable*>& tables,
          const Column<std::int64_t>& first, const Column<std::int32_t>& table_of, const Column<std::int32_t>& row_of,
          const Column<std::int32_t>& parent, const Counts& counts, std::int64_t k) {
  persons = narrowed(counts);
  for (const HistoryTable* table : tables) {
    problem.tables.push_back(table->loaded());
    problem.sort_by.push_back(table->sort_by);
    problem.all_stars.push_back(table->all_stars);
    problem.weight.push_back(table->weight);
  }
  problem.first = {first.data(), first.size()};
  problem.table_of = {table_of.data(), table_of.size()};
  problem.row_of = {row_of.data(), row_of.size()};
  problem.parent = {parent.data(), parent.size()};
  problem.counts = persons;
  problem.k = static_cast<Count>(std::min(k, kMostRows + 1));
  if (first.size() != persons.size() + 1 || first.size() < 2 || first.data()[0] != 0 ||
      first.data()[persons.size()] != static_cast<std::int64_t>(row_of.size()) || row_of.size() > INT32_MAX ||
      table_of.size() != row_of.size() || parent.size() != row_of.size())
    throw nb::value_error("histories and their rows do not match");
  for (std::size_t h = 0; h < persons.size(); ++h)
    for (std::int64_t row = first.data()[h]; row < first.data()[h + 1]; ++row) {
      const std::int32_t table = table_of.data()[row], above = parent.data()[row];
      if (table < 0 || table >= static_cast<std::int32_t>(tables.size()) || row_of.data()[row] < 0 ||
          row_of.data()[row] >= static_cast<std::int32_t>(tables[table]->counts.size()) || above < -1 ||
          above >= row - first.data()[h])
        throw nb::value_error("a row of a history lies outside its table, or before its parent");
    }
}

}  // namespace

void bind_histories(nb::module_& module) {
  nb::class_<HistoryTable>(module, "HistoryTable", "The distinct rows of a table that persons have rows in.")
      .def(nb::init<Parts, const Codes&, const Price&, std::vector<std::optional<LocalSpan>>, std::vector<int>, bool,
                    Cost>(),
           "parts"_a, "codes"_a, nb::kw_only(), "price"_a, "spans"_a, "sort_by"_a, "all_stars"_a, "weight"_a);
  nb::class_<PeopleAnswer>(module, "PeopleAnswer", "What a search for groups of persons answers.")
      .def_prop_ro("found", [](const PeopleAnswer& a) { return a.outcome.found; })
      .def_prop_ro("cost", [](const PeopleAnswer& a) { return a.outcome.cost; })
      .def_prop_ro("suppressed", [](const PeopleAnswer& a) { return a.outcome.suppressed; })
      .def_prop_ro("nodes", [](const PeopleAnswer& a) { return a.outcome.nodes; })
      .def_prop_ro(
          "place_of", [](const PeopleAnswer& a) { return array(a.outcome.place_of, {a.outcome.place_of.size()}); },
          nb::rv_policy::automatic, "Per row of a history its place; -1 where it is suppressed.")
      .def_prop_ro(
          "group_of", [](const PeopleAnswer& a) { return array(a.outcome.group_of, {a.outcome.group_of.size()}); },
          nb::rv_policy::automatic, "Per history its group; -1 where it is suppressed.")
      .def_ro("interrupted", &PeopleAnswer::interrupted)
      .def_ro("seconds", &PeopleAnswer::seconds)
      .def_ro("trace", &PeopleAnswer::trace);
  nb::class_<BoundAnswer>(module, "PersonBoundAnswer", "What every answer for persons costs at least.")
      .def_prop_ro("bound", [](const BoundAnswer& a) { return a.outcome.bound; })
      .def_prop_ro(
          "looked_at", [](const BoundAnswer& a) { return a.outcome.looked_at; }, "Histories; others count 0.")
      .def_ro("interrupted", &BoundAnswer::interrupted)
      .def_ro("seconds", &BoundAnswer::seconds);
  module.def(
      "person_groups",
      [](const std::vector<HistoryTable*>& tables, const Column<std::int64_t>& first,
         const Column<std::int32_t>& table_of, const Column<std::int32_t>& row_of, const Column<std::int32_t>& parent,
         const Counts& counts, std::int64_t k, std::int64_t limit, bool ordered, bool whole,
         std::optional<double> seconds, std::optional<std::int64_t> nodes, int threads, std::uint64_t seed,
         const nb::object& callback) {
        std::vector<Count> persons;
        PeopleProblem problem;
        load(problem, persons, tables, first, table_of, row_of, parent, counts, k);
        problem.limit = limit;
        problem.ordered = ordered;
        problem.whole = whole;
        Options options = within(seconds, nodes);
        options.threads = threads;
        options.seed = seed;
        return supervise<PeopleOutcome>([&](const Options& asked) { return person_groups(problem, asked); }, options,
                                        callback);
      },
      "tables"_a, "first"_a, "table_of"_a, "row_of"_a, "parent"_a, "counts"_a, nb::kw_only(), "k"_a, "limit"_a,
      "ordered"_a, "whole"_a, "seconds"_a.none(), "nodes"_a.none(), "threads"_a, "seed"_a, "callback"_a.none(),
      "Groups of k persons who are released with the same rows.");
  module.attr("MOST_KNOWN_ROWS") = kMostKnownRows;
  module.def(
      "event_cells",
      [](const std::vector<HistoryTable*>& tables, const Column<std::int64_t>& first,
         const Column<std::int32_t>& table_of, const Column<std::int32_t>& row_of, const Column<std::int32_t>& parent,
         const Counts& counts, std::int64_t k, std::int64_t limit, bool ordered, bool whole, int known,
         const Column<std::int64_t>& place_of, const Column<std::int32_t>& group_of, std::optional<double> seconds,
         int threads) {
        if (tables.size() != 1 || whole || known < 1 || known > kMostKnownRows)
          throw nb::value_error("cells are for one table, for persons, and for up to four known rows");
        std::vector<Count> persons;
        PeopleProblem problem;
        load(problem, persons, tables, first, table_of, row_of, parent, counts, k);
        problem.limit = limit;
        problem.ordered = ordered;
        Options options = within(seconds, {});
        options.threads = threads;
        const GroupsOfPersons given{{place_of.data(), place_of.size()}, {group_of.data(), group_of.size()}};
        const bool fits = given.place_of.size() == row_of.size() && given.group_of.size() == persons.size();
        const bool within = std::all_of(given.group_of.begin(), given.group_of.end(), [&](std::int32_t group) {
          return group < static_cast<std::int32_t>(persons.size());
        });
        if (!given.group_of.empty() && !(fits && within))
          throw nb::value_error("the given groups are those of other histories");
        return supervise<PeopleOutcome>([&](const Options& asked) { return event_cells(problem, known, given, asked); },
                                        options, nb::none());
      },
      "tables"_a, "first"_a, "table_of"_a, "row_of"_a, "parent"_a, "counts"_a, nb::kw_only(), "k"_a, "limit"_a,
      "ordered"_a, "whole"_a, "known"_a, "place_of"_a, "group_of"_a, "seconds"_a.none(), "threads"_a,
      "Cells of rows such that k persons have each combination of so many known rows.");
  module.def(
      "person_bound",
      [](const std::vector<HistoryTable*>& tables, const Column<std::int64_t>& first,
         const Column<std::int32_t>& table_of, const Column<std::int32_t>& row_of, const Column<std::int32_t>& parent,
         const Counts& counts, std::int64_t k, bool ordered, bool whole, bool by_row, std::int64_t most,
         std::optional<double> seconds, int threads) {
        std::vector<Count> persons;
        PeopleProblem problem;
        load(problem, persons, tables, first, table_of, row_of, parent, counts, k);
        problem.ordered = ordered;
        problem.whole = whole;
        Options options = within(seconds, most);
        options.threads = threads;
        return supervise<PersonBound>([&](const Options& asked) { return person_bound(problem, by_row, asked); },
                                      options, nb::none());
      },
      "tables"_a, "first"_a, "table_of"_a, "row_of"_a, "parent"_a, "counts"_a, nb::kw_only(), "k"_a, "ordered"_a,
      "whole"_a, "by_row"_a, "most"_a, "seconds"_a.none(), "threads"_a,
      "What every answer costs at least, from the first `most` histories; by row where somebody knows only some rows.");
}

}  // namespace shoal::bindings
