#include "bindings/bindings.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "bindings/arrays.h"
#include "bindings/supervise.h"
#include "core/rows/k_member.h"
#include "core/rows/local.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace shoal::bindings {
namespace {

using LocalAnswer = Answer<LocalOutcome>;
using Spans = std::vector<std::optional<LocalSpan>>;
using Names = std::vector<std::vector<std::vector<std::int32_t>>>;

// A name of its own for every part of every level.
Names own_names(const std::vector<std::vector<std::vector<Cost>>>& units) {
  Names names;
  for (const auto& levels : units) {
    std::int32_t count = 0;
    auto& of_level = names.emplace_back();
    for (const auto& parts : levels)
      for (auto& of_part = of_level.emplace_back(); of_part.size() < parts.size();) of_part.push_back(count++);
  }
  return names;
}

void check(const LocalProblem& p, std::size_t rows, std::size_t attributes) {
  if (p.counts.size() != rows || p.parts.size() != attributes || p.units.size() != attributes ||
      p.names.size() != attributes || (!p.spans.empty() && p.spans.size() != attributes) ||
      p.low.size() != attributes || p.high.size() != attributes)
    throw nb::value_error("codes, counts, parts, units and levels do not match");
  for (const auto& start : p.starts)
    if (start.size() != rows || *std::max_element(start.begin(), start.end()) >= static_cast<std::int32_t>(rows))
      throw nb::value_error("the groups to begin with do not match the rows");
  for (std::size_t a = 0; a < attributes; ++a) {
    if (p.parts[a].empty() || p.parts[a].size() > kMostLevels || p.parts[a].size() != p.units[a].size() ||
        p.parts[a].size() != p.names[a].size() || p.low[a] > p.high[a] || p.high[a] >= p.parts[a].size())
      throw nb::value_error("a level lies outside its hierarchy");
    const auto size = static_cast<std::int32_t>(p.parts[a][0].size());
    if (const LocalSpan* span = p.span(a); span && (span->ordered ? span->position.size() : span->of_count.size() - 1) <
                                                       static_cast<std::size_t>(size - (span->missing >= 0)))
      throw nb::value_error("a span's prices do not match its domain");
    for (std::size_t row = 0; row < rows; ++row)
      if (const std::int32_t code = p.codes[row * attributes + a]; code < 0 || code >= size)
        throw nb::value_error("a code lies outside its domain");
  }
}

using Hierarchies = Names;

// What both searches are given. `rows` is filled, and must outlive the problem.
LocalProblem loaded(Hierarchies parts, const Codes& codes, const Counts& counts, const Price& price, Hierarchies names,
                    Spans spans, std::int64_t k, std::vector<Count>& rows) {
  rows = narrowed(counts);
  LocalProblem problem;
  problem.parts = std::move(parts);
  problem.codes = {codes.data(), codes.size()};
  problem.counts = rows;
  problem.units = price.units;
  problem.names = names.empty() ? own_names(price.units) : std::move(names);
  problem.spans = std::move(spans);
  problem.suppressed_row = price.suppressed_row;
  problem.k = static_cast<Count>(std::min(k, kMostRows + 1));
  return problem;
}

void bind_k_member(nb::module_& module) {
  module.def(
      "k_member",
      [](Hierarchies parts, const Codes& codes, const Counts& counts, const Price& price, Hierarchies names,
         Spans spans, std::int64_t k, const std::vector<std::int32_t>& blocks, std::optional<double> seconds,
         std::optional<std::int64_t> nodes, int threads, std::uint64_t seed, const nb::object& callback) {
        std::vector<Count> rows;
        LocalProblem problem =
            loaded(std::move(parts), codes, counts, price, std::move(names), std::move(spans), k, rows);
        for (const auto& levels : problem.parts)
          problem.low.push_back(0), problem.high.push_back(static_cast<std::uint8_t>(levels.size() - 1));
        check(problem, codes.shape(0), codes.shape(1));
        Options options = within(seconds, nodes);
        options.threads = threads;
        options.seed = seed;
        if (!blocks.empty() &&
            (blocks.size() != codes.shape(0) || *std::min_element(blocks.begin(), blocks.end()) < 0 ||
             *std::max_element(blocks.begin(), blocks.end()) >= static_cast<std::int32_t>(blocks.size())))
          throw nb::value_error("the blocks do not match the rows");
        return supervise<LocalOutcome>([&](const Options& asked) { return k_member(problem, blocks, asked); }, options,
                                       callback);
      },
      "parts"_a, "codes"_a, "counts"_a, nb::kw_only(), "price"_a, "names"_a, "spans"_a, "k"_a,
      "blocks"_a = std::vector<std::int32_t>{}, "seconds"_a.none(), "nodes"_a.none(), "threads"_a, "seed"_a,
      "callback"_a.none(),
      "Greedy k-member groups, of each block by itself if there are blocks; the answer has no `levels`.");
}

}  // namespace

void bind_local(nb::module_& module) {
  nb::class_<LocalSpan>(module, "LocalSpan", "What an interval or a set of an attribute's values costs one row.")
      .def(
          "__init__",
          [](LocalSpan* made, bool ordered, std::vector<Cost> position, std::vector<Cost> of_count, int missing,
             Cost with_missing, bool missing_is_all) {
            new (made)
                LocalSpan{ordered, std::move(position), std::move(of_count), missing, with_missing, missing_is_all};
          },
          nb::kw_only(), "ordered"_a, "position"_a, "of_count"_a, "missing"_a, "with_missing"_a, "missing_is_all"_a);
  nb::class_<LocalAnswer>(module, "LocalAnswer", "What a search for a local recoding answers.")
      .def_prop_ro("found", [](const LocalAnswer& a) { return a.outcome.found; })
      .def_prop_ro("proved", [](const LocalAnswer& a) { return a.outcome.proved; })
      .def_prop_ro("cost", [](const LocalAnswer& a) { return a.outcome.cost; })
      .def_prop_ro("bound", [](const LocalAnswer& a) { return a.outcome.bound; })
      .def_prop_ro("suppressed", [](const LocalAnswer& a) { return a.outcome.suppressed; })
      .def_prop_ro("nodes", [](const LocalAnswer& a) { return a.outcome.nodes; })
      .def_prop_ro(
          "levels", [](const LocalAnswer& a) { return array(a.outcome.levels, {a.outcome.levels.size()}); },
          nb::rv_policy::automatic,
          "Per distinct row and attribute the level of a node, 0 of a span; 255 where the row is suppressed.")
      .def_prop_ro(
          "groups", [](const LocalAnswer& a) { return array(a.outcome.groups, {a.outcome.groups.size()}); },
          nb::rv_policy::automatic, "Per distinct row its group; -1 where the row is suppressed.")
      .def_ro("interrupted", &LocalAnswer::interrupted)
      .def_ro("seconds", &LocalAnswer::seconds)
      .def_ro("trace", &LocalAnswer::trace);

  bind_k_member(module);
  module.def(
      "local",
      [](std::vector<std::vector<std::vector<std::int32_t>>> parts, const Codes& codes, const Counts& counts,
         const Price& price, Names names, Spans spans, bool squares, std::int64_t k, std::int64_t limit,
         const std::vector<int>& low, const std::vector<int>& high, const Privacy* privacy,
         std::vector<std::vector<std::int32_t>> starts, bool by_levels, bool overlapping, std::optional<double> seconds,
         std::optional<std::int64_t> nodes, int threads, std::uint64_t seed, const nb::object& callback) {
        std::vector<Count> rows;
        LocalProblem problem =
            loaded(std::move(parts), codes, counts, price, std::move(names), std::move(spans), k, rows);
        problem.squares = squares;
        problem.limit = static_cast<Count>(std::min(limit, std::accumulate(rows.begin(), rows.end(), std::int64_t{0})));
        problem.low.assign(low.begin(), low.end());
        problem.high.assign(high.begin(), high.end());
        problem.privacy = privacy;
        problem.starts = std::move(starts);
        problem.by_levels = by_levels;
        problem.overlapping = overlapping;
        check(problem, codes.shape(0), codes.shape(1));
        Options options = within(seconds, nodes);
        options.threads = threads;
        options.seed = seed;
        return supervise<LocalOutcome>([&](const Options& asked) { return local_search(problem, asked); }, options,
                                       callback);
      },
      "parts"_a, "codes"_a, "counts"_a, nb::kw_only(), "price"_a, "names"_a = Names{}, "spans"_a = Spans{},
      "squares"_a = false, "k"_a, "limit"_a, "low"_a, "high"_a, "privacy"_a.none(),
      "starts"_a = std::vector<std::vector<std::int32_t>>{}, "by_levels"_a = true, "overlapping"_a = false,
      "seconds"_a.none(), "nodes"_a.none(), "threads"_a, "seed"_a, "callback"_a.none(),
      "A good local recoding: a group and its levels for every distinct row. `spans` has for each attribute the prices "
      "of its intervals or sets, and nothing where it is released as nodes. `overlapping`: a row may count in several "
      "groups, so the bound looks at each row by itself.");
}

}  // namespace shoal::bindings
