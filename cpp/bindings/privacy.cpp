// privacy.cpp - privacy rules for Python: built there from the models, judged in the core.
#include "bindings/bindings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "bindings/arrays.h"
#include "core/privacy/giving_up.h"
#include "core/privacy/privacy.h"
#include "core/privacy/rows_given_up.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace shoal::bindings {
namespace {

template <class To, class T>
std::vector<To> vector_of(const Column<T>& column) {
  return std::vector<To>(column.data(), column.data() + column.size());
}

Rule::Kind rule_named(const std::string& name) {
  constexpr std::array names{"distinct",     "entropy", "recursive",  "equal",   "ordered",
                             "hierarchical", "shares",  "population", "presence"};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (name == names[i]) return static_cast<Rule::Kind>(i);
  throw nb::value_error(("the core has no rule '" + name + "'").c_str());
}

void make_rule(Rule* rule, const std::string& kind, double least, double most, int from, double distance,
               const Column<std::int32_t>& cells, const Column<std::int32_t>& values, const Column<std::int32_t>& parts,
               std::vector<double> table, std::vector<double> floors, std::vector<double> caps,
               std::vector<std::vector<std::int32_t>> tree) {
  new (rule) Rule{rule_named(kind),
                  least,
                  most,
                  from,
                  distance,
                  vector_of<std::int32_t>(cells),
                  vector_of<std::int32_t>(values),
                  vector_of<std::int32_t>(parts),
                  std::move(table),
                  std::move(floors),
                  std::move(caps),
                  std::move(tree)};
  for (std::int32_t cell : rule->cells)
    if (cell < 0 || cell >= static_cast<std::int32_t>(rule->values.size()))
      throw nb::value_error("a fact lies outside the cells");
  if (rule->parts.size() != rule->values.size()) throw nb::value_error("cells and parts do not match");
}

void make_privacy(Privacy* privacy, std::vector<Rule> rules, const Column<std::int64_t>& first,
                  const Column<std::int32_t>& facts, const Column<std::int64_t>& counts,
                  const Column<std::int64_t>& population, bool supersets, bool strict, bool empty_groups,
                  double most_risk, Count at_risk_below, double most_at_risk) {
  new (privacy) Privacy{std::move(rules),
                        vector_of<std::int64_t>(first),
                        vector_of<std::int32_t>(facts),
                        vector_of<Count>(counts),
                        vector_of<std::int64_t>(population),
                        supersets,
                        strict,
                        empty_groups,
                        most_risk,
                        at_risk_below,
                        most_at_risk};
  if (privacy->facts.size() != privacy->counts.size() ||
      (!privacy->first.empty() && privacy->first.back() != static_cast<std::int64_t>(privacy->facts.size())))
    throw nb::value_error("facts and their counts do not match");
}

}  // namespace

void bind_privacy(nb::module_& module) {
  nb::class_<Rule>(module, "Rule", "One demand on the sensitive values of a group.")
      .def("__init__", &make_rule, "kind"_a, nb::kw_only(), "least"_a, "most"_a, "from_"_a, "distance"_a, "cells"_a,
           "values"_a, "parts"_a, "table"_a, "floors"_a, "caps"_a, "tree"_a);
  nb::class_<Privacy>(module, "Privacy", "What a group must satisfy besides its size.")
      .def("__init__", &make_privacy, nb::kw_only(), "rules"_a, "first"_a, "facts"_a, "counts"_a, "population"_a,
           "supersets"_a, "strict"_a, "empty_groups"_a, "most_risk"_a, "at_risk_below"_a, "most_at_risk"_a)
      .def(
          "judge",
          [](const Privacy& privacy, const std::vector<int>& rows, Count size) {
            Judge judge(privacy);
            for (int row : rows) judge.add(row);
            constexpr std::array names{"hopeless", "refused", "admitted"};
            return names[static_cast<std::size_t>(judge.verdict(size))];
          },
          "rows"_a, "size"_a, "The verdict on a group of distinct rows: hopeless, refused or admitted.");
  module.def(
      "given_up",
      [](const Column<std::int64_t>& sizes, const Column<std::int64_t>& prices, std::int64_t limit, double most_risk) {
        if (sizes.size() != prices.size()) throw nb::value_error("sizes and prices do not match");
        Privacy privacy;
        privacy.most_risk = most_risk;
        std::vector<Offer> offers;
        Cost rows = 0;
        for (std::size_t g = 0; g < sizes.size(); ++g) {
          const Cost size = sizes.data()[g], gain = privacy.excess(1, size);
          rows += size;
          if (gain > 0) offers.push_back({static_cast<Count>(size), prices.data()[g], gain, static_cast<int>(g)});
        }
        const Cost excess = privacy.excess(static_cast<Cost>(sizes.size()), rows);
        std::pair<std::optional<std::vector<int>>, bool> found{std::nullopt, true};
        if (excess <= 0) {
          found.first.emplace();
          return found;
        }
        const GivenUp choice =
            cheapest_given_up(std::move(offers), excess, static_cast<Count>(std::min(limit, rows)), kInfinite);
        found.second = choice.unsettled == kInfinite;
        if (choice.partition.cost == kInfinite) return found;
        found.first = choice.numbers;
        std::sort(found.first->begin(), found.first->end());
        return found;
      },
      "sizes"_a, "prices"_a, nb::kw_only(), "limit"_a, "most_risk"_a,
      "The cheapest of some groups to give up, by their numbers, so that the others have at most this average risk, "
      "none if no "
      "choice of at most `limit` rows does; and whether that is proved. Of equal choices the one of fewest rows.");
  module.def(
      "rows_given_up",
      [](const Column<std::int64_t>& sizes, const Column<std::int64_t>& prices, std::int64_t limit, Count at_risk_below,
         double most_at_risk) {
        if (sizes.size() != prices.size()) throw nb::value_error("sizes and prices do not match");
        Privacy privacy;
        privacy.at_risk_below = at_risk_below;
        privacy.most_at_risk = most_at_risk;
        std::vector<Offer> offers;
        Cost rows = 0, at_risk = 0;
        for (std::size_t g = 0; g < sizes.size(); ++g) {
          const Cost size = sizes.data()[g], small = privacy.rows_at_risk(static_cast<Count>(size));
          rows += size;
          at_risk += small;
          if (small > 0) offers.push_back({static_cast<Count>(size), prices.data()[g], small, static_cast<int>(g)});
        }
        std::pair<std::optional<std::vector<int>>, bool> found{std::nullopt, true};
        const Cost need = privacy.to_give_up(at_risk, rows);
        if (need == 0) {
          found.first.emplace();
          return found;
        }
        const GivenUp choice =
            cheapest_rows_given_up(std::move(offers), need, static_cast<Count>(std::min(limit, rows)), kInfinite);
        found.second = choice.unsettled == kInfinite;
        if (choice.partition.cost == kInfinite) return found;
        found.first = choice.numbers;
        std::sort(found.first->begin(), found.first->end());
        return found;
      },
      "sizes"_a, "prices"_a, nb::kw_only(), "limit"_a, "at_risk_below"_a, "most_at_risk"_a,
      "As `given_up`, so that at most this share of the rows that are left is in groups smaller than `at_risk_below`.");
}

}  // namespace shoal::bindings
