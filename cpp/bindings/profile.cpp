#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/levels.h"
#include "bindings/supervise.h"
#include "core/lattice/profile.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace shoal::bindings {
namespace {

FactColumn fact_column(std::int32_t size, const Column<std::int64_t>& first, const Column<std::int64_t>& values,
                       const Column<std::int64_t>& counts) {
  if (values.shape(0) != counts.shape(0) || first.shape(0) == 0 ||
      first.data()[first.shape(0) - 1] != static_cast<std::int64_t>(values.shape(0)) ||
      !std::is_sorted(first.data(), first.data() + first.shape(0)) || first.data()[0] != 0)
    throw nb::value_error("the entries of a column do not match");
  if (values.shape(0) >= UINT32_MAX) throw nb::value_error("a column has too many entries");
  FactColumn column;
  column.size = size;
  column.first.assign(first.data(), first.data() + first.shape(0));
  for (std::size_t i = 0; i < values.shape(0); ++i) {
    if (values.data()[i] < 0 || values.data()[i] >= size) throw nb::value_error("a value lies outside its column");
    column.entries.push_back({static_cast<std::uint32_t>(values.data()[i]), static_cast<Count>(counts.data()[i])});
  }
  return column;
}

void make_profiler(Profiler* profiler, const Lattice& lattice, std::vector<FactColumn> columns,
                   std::vector<Price> prices, int labels, std::int64_t limit) {
  const std::size_t rows = lattice.groups(Levels(lattice.attributes(), 0))->count();
  for (const FactColumn& column : columns)
    if (column.first.size() != rows + 1) throw nb::value_error("a column and the lattice have other rows");
  const bool minority =
      std::ranges::any_of(prices, [](const Price& price) { return price.kind == Price::Kind::minority; });
  if (labels >= static_cast<int>(columns.size()) || (minority && labels < 0))
    throw nb::value_error("there is no column of labels");
  new (profiler) Profiler(lattice, std::move(columns), std::move(prices), labels,
                          static_cast<Count>(std::clamp<std::int64_t>(limit, 0, lattice.total())));
}

}  // namespace

void bind_profile(nb::module_& module) {
  nb::class_<FactColumn>(module, "FactColumn", "How the rows of each distinct row spread over the values of a column.")
      .def(
          "__init__",
          [](FactColumn* column, std::int32_t size, const Column<std::int64_t>& first,
             const Column<std::int64_t>& values,
             const Column<std::int64_t>& counts) { new (column) FactColumn(fact_column(size, first, values, counts)); },
          "size"_a, "first"_a, "values"_a, "counts"_a);

  nb::class_<NodeProfile>(module, "NodeProfile", "What objectives look at in one node.")
      .def_ro("k", &NodeProfile::k)
      .def_ro("groups", &NodeProfile::groups)
      .def_ro("suppressed", &NodeProfile::suppressed)
      .def_ro("squares", &NodeProfile::squares)
      .def_ro("diversity", &NodeProfile::diversity)
      .def_ro("repeats", &NodeProfile::repeats)
      .def_ro("costs", &NodeProfile::costs);

  nb::class_<LatticeProfiles>(module, "LatticeProfiles", "What objectives look at in all nodes between two.")
      .def_prop_ro(
          "levels",
          [](const LatticeProfiles& all) {
            std::vector<std::uint8_t> flat;
            for (const Levels& levels : all.nodes) flat.insert(flat.end(), levels.begin(), levels.end());
            const std::size_t attributes = all.nodes.empty() ? 0 : all.nodes[0].size();
            return array(std::move(flat), {all.nodes.size(), attributes});
          },
          nb::rv_policy::automatic, "Per node its levels.")
      .def_prop_ro(
          "k", [](const LatticeProfiles& all) { return array(all.k, {all.k.size()}); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "groups", [](const LatticeProfiles& all) { return array(all.groups, {all.k.size()}); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "suppressed", [](const LatticeProfiles& all) { return array(all.suppressed, {all.k.size()}); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "squares", [](const LatticeProfiles& all) { return array(all.squares, {all.k.size()}); },
          nb::rv_policy::automatic)
      .def(
          "diversity",
          [](const LatticeProfiles& all, std::size_t column) {
            return array(all.diversity.at(column), {all.k.size()});
          },
          "column"_a, "Least values of a column that occur in a kept group.")
      .def(
          "repeats",
          [](const LatticeProfiles& all, std::size_t column) { return array(all.repeats.at(column), {all.k.size()}); },
          "column"_a, "Sum over kept rows of the rows of their group with their value.")
      .def(
          "costs",
          [](const LatticeProfiles& all, std::size_t price) { return array(all.costs.at(price), {all.k.size()}); },
          "price"_a, "Cost under the price with this number.");

  nb::class_<Profiler>(module, "Profiler", "Measures nodes for several objectives; k is found, not asked for.")
      .def("__init__", &make_profiler, "lattice"_a, "columns"_a, "prices"_a, "labels"_a, "limit"_a,
           nb::keep_alive<1, 2>())
      .def(
          "node",
          [](const Profiler& profiler, const std::vector<int>& levels) {
            return profiler.node(levels_of(profiler.lattice(), levels));
          },
          "levels"_a, nb::call_guard<nb::gil_scoped_release>(), "One node.")
      .def(
          "sweep",
          [](const Profiler& profiler, const std::vector<int>& low, const std::vector<int>& high, int threads) {
            const Levels from = levels_of(profiler.lattice(), low), to = levels_of(profiler.lattice(), high);
            check_box(from, to);
            if (!below(from, to)) throw nb::value_error("the first node must be below the second");
            auto answer = supervise<LatticeProfiles>(
                [&](const Options& options) { return profiler.sweep(from, to, threads, options.stop); }, Options(),
                nb::none());
            if (answer.interrupted) {
              PyErr_SetNone(PyExc_KeyboardInterrupt);
              throw nb::python_error();
            }
            return std::move(answer.outcome);
          },
          "low"_a, "high"_a, "threads"_a, "All nodes between two.");
}

}  // namespace shoal::bindings
