// module.cpp - the module `_checker`: proofs checked without a line of the core.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <tuple>
#include <utility>

#include "checker/problem.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace shoal_checker {
namespace {

using Matrix = nb::ndarray<const Number, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Demands = std::vector<std::tuple<std::string, double, Matrix>>;
using Verdict = std::optional<std::pair<Number, std::string>>;

std::vector<Number> flat(const Matrix& matrix) { return {matrix.data(), matrix.data() + matrix.size()}; }

template <class To>
std::vector<std::vector<To>> nested(const Matrix& matrix) {
  std::vector<std::vector<To>> rows(matrix.shape(0));
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < matrix.shape(1); ++c)
      rows[r].push_back(static_cast<To>(matrix.data()[r * matrix.shape(1) + c]));
  return rows;
}

Metric metric_named(const std::string& name) {
  if (name == "squares") return Metric::squares;
  if (name == "minority") return Metric::minority;
  if (name == "cells") return Metric::cells;
  throw nb::value_error("the checker has no such metric");
}

// Called between two lines: hands on the progress, and ends the check where Python was interrupted.
class Watch {
 public:
  explicit Watch(const nb::object& callback) : callback_(callback) {}
  bool operator()(Number lines) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return true;
    last_ = now;
    nb::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() != 0) return false;
    if (callback_.is_none()) return true;
    try {
      callback_(lines);
    } catch (nb::python_error& error) {
      error.restore();
      return false;
    }
    return true;
  }

 private:
  const nb::object& callback_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

Problem problem_of(const std::string& metric, Number k, Number limit, const Matrix& codes, const Matrix& counts,
                   const Demands& demands) {
  Problem p;
  p.metric = metric_named(metric);
  p.k = k;
  p.limit = limit;
  p.codes.assign(codes.data(), codes.data() + codes.size());
  p.labels = static_cast<int>(counts.shape(1));
  p.counts = flat(counts);
  if (p.total() > INT32_MAX / 2) throw nb::value_error("the table has too many rows");
  for (const auto& [kind, l, rows] : demands) {
    if (rows.shape(0) != codes.shape(0)) throw nb::value_error("a demand is of another table");
    p.demands.push_back({kind == "entropy", l, static_cast<int>(rows.shape(1)), flat(rows)});
  }
  return p;
}

template <class Check>
Verdict verdict(const std::string& text, const nb::object& callback, const Check& check) {
  Watch watch(callback);
  bool stopped = false;
  Verdict found;
  {
    nb::gil_scoped_release released;
    Lines lines(text, [&](Number read) { return watch(read); });
    try {
      check(lines);
    } catch (const Refuted& error) {
      found.emplace(lines.number(), error.what());
    } catch (const Stopped&) {
      stopped = true;
    }
  }
  if (stopped) throw nb::python_error();
  return found;
}

}  // namespace
}  // namespace shoal_checker

NB_MODULE(_checker, module) {
  using namespace shoal_checker;
  module.doc() =
      "The checker of proofs; it shares nothing with the search core, and its twin is shoal.checker.checker.";
  module.def(
      "check_cuts",
      [](const std::string& lines, const std::string& metric, Number k, Number limit, std::vector<int> sizes,
         const Matrix& codes, const Matrix& counts, const Demands& demands, const std::vector<Matrix>& losses,
         Number row_units, int axis, Number bound, const nb::object& callback) {
        Problem p = problem_of(metric, k, limit, codes, counts, demands);
        p.sizes = std::move(sizes);
        p.row_units = row_units;
        for (const Matrix& each : losses) p.losses.push_back(flat(each));
        if (codes.shape(1) != p.sizes.size() || codes.shape(0) != counts.shape(0) || axis >= p.attributes())
          throw nb::value_error("codes, counts and sizes do not match");
        return verdict(lines, callback, [&](Lines& read) { check_cuts(p, axis, bound, read); });
      },
      "lines"_a, nb::kw_only(), "metric"_a, "k"_a, "limit"_a, "sizes"_a, "codes"_a, "counts"_a, "demands"_a, "losses"_a,
      "row_units"_a, "axis"_a, "bound"_a, "callback"_a.none(),
      "None if the lines prove that no cuts cost less than the bound, else a line's number and the reason.");
  module.def(
      "check_levels",
      [](const std::string& lines, const std::string& metric, Number k, Number limit, const Matrix& codes,
         const Matrix& counts, const Demands& demands, const std::vector<Matrix>& levels,
         const std::vector<Matrix>& units, Number row_units, std::vector<int> low, std::vector<int> high, Number bound,
         const nb::object& callback) {
        Problem p = problem_of(metric, k, limit, codes, counts, demands);
        p.row_units = row_units;
        p.low = std::move(low);
        p.high = std::move(high);
        for (const Matrix& each : levels) p.levels.push_back(nested<int>(each));
        for (const Matrix& each : units) p.units.push_back(nested<Number>(each));
        for (const auto& each : p.levels) p.sizes.push_back(static_cast<int>(each[0].size()));
        if (codes.shape(1) != p.sizes.size() || codes.shape(0) != counts.shape(0))
          throw nb::value_error("codes, counts and levels do not match");
        return verdict(lines, callback, [&](Lines& read) { check_levels(p, bound, read); });
      },
      "lines"_a, nb::kw_only(), "metric"_a, "k"_a, "limit"_a, "codes"_a, "counts"_a, "demands"_a, "levels"_a, "units"_a,
      "row_units"_a, "low"_a, "high"_a, "bound"_a, "callback"_a.none(),
      "None if the lines prove that no levels cost less than the bound, else a line's number and the reason.");
}
