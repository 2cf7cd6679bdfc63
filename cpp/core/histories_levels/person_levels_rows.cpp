#include <algorithm>

#include "core/base/hash_index.h"
#include "core/histories_levels/person_levels_problem.h"

namespace shoal::person_levels {

void PeopleProblem::prepare() {
  offset.assign(1, 0);
  table.clear();
  for (std::size_t t = 0; t < tables.size(); ++t) {
    Table& each = tables[t];
    offset.push_back(offset.back() + each.rows);
    table.resize(offset.back(), static_cast<std::int32_t>(t));
    each.least = each.units;
    for (auto& levels : each.least)
      for (std::size_t level = levels.size(); level-- > 1;)
        for (std::size_t code = 0; code < levels[level].size(); ++code)
          levels[level - 1][code] = std::min(levels[level - 1][code], levels[level][code]);
  }
  occurrences.assign(offset.back(), 0);
  rows = 0;
  for (std::size_t h = 0; h < histories(); ++h) {
    for (std::int64_t i = first[h]; i < first[h + 1]; ++i) occurrences[row[i]] += counts[h];
    rows += (first[h + 1] - first[h]) * counts[h];
  }
}

namespace {

// Numbers for 64-bit keys, in the order in which they first occur.
std::int32_t numbered(std::vector<std::uint64_t>& keys) {
  HashIndex index;
  index.clear(1024);
  std::int32_t next = 0;
  for (std::uint64_t& key : keys) {
    std::int32_t number = index.find(key, [](std::int32_t) { return true; });
    if (number < 0) index.add(key, number = next++);
    key = static_cast<std::uint64_t>(number);
  }
  return next;
}

}  // namespace

ReleasedRows release(const PeopleProblem& problem, const Node& node) {
  ReleasedRows out;
  out.id.resize(problem.offset.back());
  out.cost.resize(problem.offset.back());
  std::size_t at = 0;
  std::vector<std::uint64_t> keys;
  std::vector<std::uint8_t> shown;
  for (std::size_t t = 0; t < problem.tables.size(); ++t) {
    const Table& table = problem.tables[t];
    const auto rows = static_cast<std::size_t>(table.rows);
    const std::size_t from = problem.offset[t];
    keys.assign(rows, 0);
    shown.assign(rows, 0);
    std::fill_n(out.cost.begin() + from, rows, 0);
    std::uint64_t size = 1;  // of the keys so far
    for (int a = 0; a < table.attributes; ++a, ++at) {
      const auto& parts = table.parts[a][node[at]];
      const auto& units = table.units[a][node[at]];
      const auto& stars = table.stars[a][node[at]];
      const std::uint64_t own = parts.empty() ? 1 : *std::max_element(parts.begin(), parts.end()) + 1;
      // Digits of a mixed radix; where they would not fit, the keys are numbered anew, which needs 32 bits at most.
      if (size > UINT64_MAX / own) size = std::max<std::uint64_t>(1, numbered(keys));
      for (std::size_t r = 0; r < rows; ++r) {
        const std::int32_t code = table.codes[r * table.attributes + a];
        keys[r] += size * static_cast<std::uint64_t>(parts[code]);
        out.cost[from + r] += units[code];
        shown[r] |= !stars[code];
      }
      size *= own;
    }
    const std::int32_t base = out.ids();
    HashIndex index;
    index.clear(rows / 8 + 16);
    for (std::size_t r = 0; r < rows; ++r) {
      if (!shown[r]) out.cost[from + r] = table.suppressed;
      if (!shown[r] && !problem.whole_units && !problem.trees) {
        out.id[from + r] = -1;
        continue;
      }
      out.cost[from + r] = std::min(out.cost[from + r], table.suppressed);
      std::int32_t number = index.find(keys[r], [](std::int32_t) { return true; });
      if (number < 0) {
        index.add(keys[r], number = out.ids() - base);
        out.cost_of_id.push_back(out.cost[from + r]);
        out.table_of_id.push_back(static_cast<std::int32_t>(t));
        out.star_of_id.push_back(!shown[r]);
      }
      out.id[from + r] = base + number;
    }
  }
  return out;
}

std::vector<Cost> least_costs(const PeopleProblem& problem, const Node& node) {
  std::vector<Cost> out(problem.offset.back(), 0);
  std::size_t at = 0;
  for (std::size_t t = 0; t < problem.tables.size(); ++t) {
    const Table& table = problem.tables[t];
    const std::size_t from = problem.offset[t];
    for (int a = 0; a < table.attributes; ++a, ++at) {
      const auto& least = table.least[a][node[at]];
      for (std::int32_t r = 0; r < table.rows; ++r)
        out[from + r] += least[table.codes[static_cast<std::size_t>(r) * table.attributes + a]];
    }
    for (std::int32_t r = 0; r < table.rows; ++r) out[from + r] = std::min(out[from + r], table.suppressed);
  }
  return out;
}

}  // namespace shoal::person_levels
