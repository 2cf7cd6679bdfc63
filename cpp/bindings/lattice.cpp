#include "bindings/bindings.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "bindings/arrays.h"
#include "bindings/levels.h"
#include "bindings/supervise.h"
#include "core/lattice/proof.h"
#include "core/lattice/search.h"
#include "core/lattice/sweep.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace shoal::bindings {
namespace {

using LatticeAnswer = Answer<LatticeOutcome>;

Price::Kind price_named(const std::string& name) {
  if (name == "squares") return Price::Kind::squares;
  if (name == "minority") return Price::Kind::minority;
  if (name == "groups") return Price::Kind::groups;
  if (name == "cells") return Price::Kind::cells;
  throw nb::value_error(("the core has no price '" + name + "'").c_str());
}

std::vector<int> plain(const Levels& levels) { return {levels.begin(), levels.end()}; }

void make_lattice(Lattice* lattice, std::vector<std::vector<std::vector<std::int32_t>>> parts, const Codes& codes,
                  const LabelCounts& counts, const Privacy* privacy) {
  if (codes.shape(0) != counts.shape(0) || codes.shape(1) != parts.size())
    throw nb::value_error("codes, counts and parts do not match");
  const std::vector<Count> narrow = narrowed(counts);
  for (const auto& levels : parts) {
    if (levels.empty() || levels[0].empty()) throw nb::value_error("a hierarchy has no levels");
    for (const auto& of_code : levels)
      if (of_code.size() != levels[0].size() || *std::min_element(of_code.begin(), of_code.end()) < 0)
        throw nb::value_error("the levels of a hierarchy do not match");
  }
  for (std::size_t i = 0; i < codes.size(); ++i)
    if (const auto code = codes.data()[i];
        code < 0 || code >= static_cast<std::int32_t>(parts[i % parts.size()][0].size()))
      throw nb::value_error("a code lies outside its domain");
  if (privacy && !privacy->fits(codes.shape(0))) throw nb::value_error("the privacy rules are of another table");
  LatticeInput input;
  input.labels = static_cast<int>(counts.shape(1));
  input.codes = {codes.data(), codes.size()};
  input.counts = narrow;
  input.parts = std::move(parts);
  input.privacy = privacy;
  new (lattice) Lattice(input);
}

LatticeProblem problem_of(const Lattice& lattice, const Price& price, std::int64_t k, std::int64_t limit,
                          const std::vector<int>& low, const std::vector<int>& high) {
  const auto most = static_cast<Count>(std::min<std::int64_t>(limit, lattice.total()));
  return {&lattice, price, static_cast<Count>(k), most, levels_of(lattice, low), levels_of(lattice, high)};
}

// Calls Python from the thread of the search: per node its groups, suppressed rows, cost, and what of that is due to
// these rows.
Elsewhere asking(const nb::object& measure) {
  return [&measure](std::span<const Levels> nodes) {
    nb::gil_scoped_acquire acquired;
    nb::list asked;
    for (const Levels& levels : nodes) asked.append(nb::cast(plain(levels)));
    const auto told = nb::cast<std::vector<std::array<std::int64_t, 4>>>(measure(asked));
    if (told.size() != nodes.size()) throw nb::value_error("not every node was measured");
    std::vector<NodeMeasure> measures;
    for (const auto& [groups, suppressed, cost, must_cost] : told) {
      NodeMeasure node{
          .groups = static_cast<Count>(groups), .suppressed = static_cast<Count>(suppressed), .cost = cost};
      node.must = node.suppressed;
      node.must_cost = must_cost;
      measures.push_back(node);
    }
    return measures;
  };
}

}  // namespace

void bind_lattice(nb::module_& module) {
  module.attr("MOST_LEVELS") = kMostLevels;

  nb::class_<Price>(module, "Price", "What a node costs: a price per kept group, or sums over cells.")
      .def(
          "__init__",
          [](Price* price, const std::string& kind, std::int64_t suppressed_row,
             std::vector<std::vector<std::int64_t>> fixed, std::vector<std::vector<std::vector<std::int64_t>>> units) {
            new (price) Price{price_named(kind), suppressed_row, std::move(fixed), std::move(units)};
          },
          "kind"_a, nb::kw_only(), "suppressed_row"_a, "fixed"_a, "units"_a);

  nb::class_<NodeMeasure>(module, "NodeMeasure", "A node of the lattice at one k.")
      .def_ro("groups", &NodeMeasure::groups)
      .def_ro("suppressed", &NodeMeasure::suppressed)
      .def_ro("cost", &NodeMeasure::cost)
      .def_ro("holds", &NodeMeasure::holds, "What is demanded of all groups together; if need be, some are given up.")
      .def_prop_ro(
          "settled", [](const NodeMeasure& node) { return node.unsettled == kInfinite; },
          "Whether no cheaper ones could be given up.");

  nb::class_<LatticeAnswer>(module, "LatticeAnswer", "What a search of the lattice answers.")
      .def_prop_ro("found", [](const LatticeAnswer& a) { return a.outcome.found; })
      .def_prop_ro("proved", [](const LatticeAnswer& a) { return a.outcome.proved; })
      .def_prop_ro("cost", [](const LatticeAnswer& a) { return a.outcome.cost; })
      .def_prop_ro("bound", [](const LatticeAnswer& a) { return a.outcome.bound; })
      .def_prop_ro("suppressed", [](const LatticeAnswer& a) { return a.outcome.suppressed; })
      .def_prop_ro("levels", [](const LatticeAnswer& a) { return plain(a.outcome.levels); })
      .def_prop_ro("nodes", [](const LatticeAnswer& a) { return a.outcome.nodes; })
      .def_prop_ro("proof", [](const LatticeAnswer& a) { return a.outcome.proof; })
      .def_ro("interrupted", &LatticeAnswer::interrupted)
      .def_ro("seconds", &LatticeAnswer::seconds)
      .def_ro("trace", &LatticeAnswer::trace);

  nb::class_<LatticeMeasures>(module, "LatticeMeasures", "Nodes measured for several k and prices at once.")
      .def_prop_ro(
          "levels",
          [](const LatticeMeasures& all) {
            std::vector<std::uint8_t> flat;
            for (const Levels& levels : all.nodes) flat.insert(flat.end(), levels.begin(), levels.end());
            const std::size_t attributes = all.nodes.empty() ? 0 : all.nodes[0].size();
            return array(std::move(flat), {all.nodes.size(), attributes});
          },
          nb::rv_policy::automatic, "Per node its levels.")
      .def(
          "groups",
          [](const LatticeMeasures& all, std::size_t k) { return array(all.groups.at(k), {all.nodes.size()}); }, "k"_a,
          "Groups of each node at the k with this number.")
      .def(
          "suppressed",
          [](const LatticeMeasures& all, std::size_t k) { return array(all.suppressed.at(k), {all.nodes.size()}); },
          "k"_a, "Suppressed rows of each node at the k with this number.")
      .def(
          "holds", [](const LatticeMeasures& all, std::size_t k) { return array(all.holds.at(k), {all.nodes.size()}); },
          "k"_a,
          "Whether each node satisfies what is demanded of all groups together, at the k with this number: 0 or 1.")
      .def(
          "costs",
          [](const LatticeMeasures& all, std::size_t price, std::size_t k) {
            return array(all.costs.at(price).at(k), {all.nodes.size()});
          },
          "price"_a, "k"_a, "Cost of each node under the price and at the k with these numbers.");

  nb::class_<Lattice>(module, "Lattice",
                      "The level lattice of a table; groups are rolled up, never made from the rows again.")
      .def("__init__", &make_lattice, "parts"_a, "codes"_a, "counts"_a, "privacy"_a.none() = nb::none(),
           nb::keep_alive<1, 5>())
      .def(
          "measure",
          [](const Lattice& lattice, const std::vector<int>& levels, const Price& price, Count k, std::int64_t limit) {
            return lattice.measure(*lattice.groups(levels_of(lattice, levels)), price, k,
                                   static_cast<Count>(std::min<std::int64_t>(limit, lattice.total())));
          },
          "levels"_a, "price"_a, "k"_a, "limit"_a = 0,
          "One node; if it is too risky, with the cheapest groups given up that the limit on suppressed rows allows.")
      .def(
          "groups",
          [](const Lattice& lattice, const std::vector<int>& levels) {
            const Groups table = lattice.groups(levels_of(lattice, levels));
            std::vector<std::int32_t> values;
            for (std::size_t g = 0; g < table->count(); ++g)
              for (int a = 0; a < lattice.attributes(); ++a)
                values.push_back(static_cast<std::int32_t>(lattice.part(*table, g, a)));
            return std::pair(array(std::move(values), {table->count(), static_cast<std::size_t>(lattice.attributes())}),
                             array(table->sizes, {table->count()}));
          },
          "levels"_a, "The groups of a node: their parts and their sizes.")
      .def(
          "measure_all",
          [](const Lattice& lattice, const std::vector<int>& low, const std::vector<int>& high,
             const std::vector<Price>& prices, const std::vector<Count>& ks, int threads) {
            const Levels from = levels_of(lattice, low), to = levels_of(lattice, high);
            check_box(from, to);
            if (ks.empty() || ks.size() > kMostKs || !std::is_sorted(ks.begin(), ks.end()))
              throw nb::value_error("from 1 to 64 values of k are needed, in increasing order");
            auto answer = supervise<LatticeMeasures>(
                [&](const Options& options) { return sweep(lattice, from, to, prices, ks, threads, options.stop); },
                Options(), nb::none());
            if (answer.interrupted) {
              PyErr_SetNone(PyExc_KeyboardInterrupt);
              throw nb::python_error();
            }
            return std::move(answer.outcome);
          },
          "low"_a, "high"_a, "prices"_a, "ks"_a, "threads"_a, "All nodes between two, for increasing k.")
      .def(
          "search",
          [](const Lattice& lattice, const Price& price, std::int64_t k, std::int64_t limit,
             const std::vector<int>& low, const std::vector<int>& high, std::optional<double> seconds,
             std::optional<std::int64_t> nodes, std::optional<double> gap, int threads, std::uint64_t seed,
             const nb::object& callback) {
            const LatticeProblem problem = problem_of(lattice, price, k, limit, low, high);
            Options options = within(seconds, nodes, gap);
            options.threads = threads;
            options.seed = seed;
            return supervise<LatticeOutcome>([&](const Options& asked) { return lattice_search(problem, asked); },
                                             options, callback);
          },
          "price"_a, nb::kw_only(), "k"_a, "limit"_a, "low"_a, "high"_a, "seconds"_a.none(), "nodes"_a.none(),
          "gap"_a.none(), "threads"_a, "seed"_a = 0, "callback"_a.none(), "The cheapest node between two, proved.")
      .def(
          "search_elsewhere",
          [](const Lattice& lattice, const nb::object& measure, const Price& price, std::int64_t limit,
             const std::vector<int>& low, const std::vector<int>& high, std::optional<double> seconds,
             std::optional<std::int64_t> nodes, std::optional<double> gap, const nb::object& callback) {
            if (price.kind != Price::Kind::cells ||
                price.fixed.size() != static_cast<std::size_t>(lattice.attributes()))
              throw nb::value_error("elsewhere only cells are priced, with a fixed price per level");
            LatticeProblem problem{.lattice = &lattice,
                                   .price = price,
                                   .limit = static_cast<Count>(limit),
                                   .low = levels_of(lattice, low),
                                   .high = levels_of(lattice, high)};
            problem.elsewhere = asking(measure);
            Options options = within(seconds, nodes, gap);
            options.threads = 1;
            return supervise<LatticeOutcome>([&](const Options& asked) { return lattice_search(problem, asked); },
                                             options, callback);
          },
          "measure"_a, nb::kw_only(), "price"_a, "limit"_a, "low"_a, "high"_a, "seconds"_a.none(), "nodes"_a.none(),
          "gap"_a.none(), "callback"_a.none(),
          "The cheapest node between two, proved, where others have the rows. They measure some nodes at a time: "
          "groups, suppressed rows, cost, and what of it these rows cost more than if they were kept.")
      .def(
          "prove",
          [](const Lattice& lattice, const Price& price, std::int64_t k, std::int64_t limit,
             const std::vector<int>& low, const std::vector<int>& high, std::int64_t bound,
             const nb::object& callback) {
            const LatticeProblem problem = problem_of(lattice, price, k, limit, low, high);
            return supervise<LatticeOutcome>([&](const Options& asked) { return prove_levels(problem, bound, asked); },
                                             Options(), callback);
          },
          "price"_a, nb::kw_only(), "k"_a, "limit"_a, "low"_a, "high"_a, "bound"_a, "callback"_a.none(),
          "The lines of a proof that no node between two costs less than a bound.");
}

}  // namespace shoal::bindings
