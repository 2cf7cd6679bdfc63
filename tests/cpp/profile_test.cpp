// profile_test.cpp - profiles of nodes against plain grouping, in C++ so that sanitizers see every access.
#include <map>
#include <numeric>

#include "core/lattice/profile.h"
#include "random_case.h"

namespace {

using namespace shoal;
using shoal::testing::check;
using shoal::testing::checks;

struct Rows {
  std::vector<std::int32_t> codes;
  std::vector<Count> counts;
  LatticeInput input;
  std::vector<FactColumn> columns;
  Levels low, high;
};

void fill(Rows& rows, unsigned seed) {
  std::mt19937 random(seed);
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const int attributes = 1 + upto(4);
  for (int a = 0; a < attributes; ++a) {
    const int size = 1 + upto(6);
    auto& levels = rows.input.parts.emplace_back();
    for (int divisor = 1; divisor < 16; divisor *= 2) {
      auto& of_code = levels.emplace_back();
      for (int code = 0; code < size; ++code) of_code.push_back(code / divisor);
    }
    rows.low.push_back(static_cast<std::uint8_t>(upto(2)));
    rows.high.push_back(static_cast<std::uint8_t>(rows.low.back() + upto(4 - rows.low.back())));
  }
  rows.columns.resize(2);
  for (FactColumn& column : rows.columns) column.size = 1 + upto(5);
  const int count = 1 + upto(30);
  for (int row = 0; row < count; ++row) {
    for (int a = 0; a < attributes; ++a) rows.codes.push_back(upto(static_cast<int>(rows.input.parts[a][0].size())));
    const Count size = 1 + upto(4);
    rows.counts.push_back(size);
    for (FactColumn& column : rows.columns) {
      column.first.push_back(static_cast<std::uint32_t>(column.entries.size()));
      std::map<int, Count> values;
      for (Count i = 0; i < size; ++i) ++values[upto(column.size)];
      for (const auto& [value, with] : values) column.entries.push_back({static_cast<std::uint32_t>(value), with});
    }
  }
  for (FactColumn& column : rows.columns) column.first.push_back(static_cast<std::uint32_t>(column.entries.size()));
  rows.input.codes = rows.codes;
  rows.input.counts = rows.counts;
}

struct Group {
  Count size = 0;
  std::vector<std::map<std::uint32_t, Count>> values;
};

NodeProfile plainly(const Rows& rows, const Levels& levels, Count limit) {
  const std::size_t attributes = levels.size();
  std::map<std::vector<int>, Group> groups;
  for (std::size_t row = 0; row < rows.counts.size(); ++row) {
    std::vector<int> key;
    for (std::size_t a = 0; a < attributes; ++a)
      key.push_back(rows.input.parts[a][levels[a]][rows.codes[row * attributes + a]]);
    Group& group = groups[key];
    group.size += rows.counts[row];
    group.values.resize(rows.columns.size());
    for (std::size_t c = 0; c < rows.columns.size(); ++c)
      for (std::uint32_t e = rows.columns[c].first[row]; e < rows.columns[c].first[row + 1]; ++e)
        group.values[c][rows.columns[c].entries[e].value] += rows.columns[c].entries[e].rows;
  }
  std::map<Count, Count> of_size;
  for (const auto& [key, group] : groups) of_size[group.size] += group.size;
  NodeProfile node;
  Count fits = 0;
  for (const auto& [size, with] : of_size) {
    node.k = size;
    if ((fits += with) > limit) break;
  }
  node.diversity.assign(rows.columns.size(), INT32_MAX);
  node.repeats.assign(rows.columns.size(), 0);
  Cost minority = 0;
  for (const auto& [key, group] : groups) {
    if (group.size < node.k) {
      node.suppressed += group.size;
      continue;
    }
    ++node.groups;
    node.squares += Cost{group.size} * group.size;
    Count most = 0;
    for (std::size_t c = 0; c < group.values.size(); ++c) {
      node.diversity[c] = std::min(node.diversity[c], static_cast<Count>(group.values[c].size()));
      for (const auto& [value, with] : group.values[c]) node.repeats[c] += Cost{with} * with;
    }
    for (const auto& [value, with] : group.values[1]) most = std::max(most, with);
    minority += group.size - most;
  }
  node.costs = {node.squares + 100 * Cost{node.suppressed}, minority + node.suppressed};
  return node;
}

bool same(const NodeProfile& x, const NodeProfile& y) {
  return x.k == y.k && x.groups == y.groups && x.suppressed == y.suppressed && x.squares == y.squares &&
         x.diversity == y.diversity && x.repeats == y.repeats && x.costs == y.costs;
}

void profiles_are_as_from_the_rows(unsigned seed) {
  Rows rows;
  fill(rows, seed);
  const Lattice lattice(rows.input);
  Price squares, minority;
  squares.suppressed_row = 100;
  minority.kind = Price::Kind::minority;
  minority.suppressed_row = 1;
  const Count limit = static_cast<Count>(seed % 5 == 0 ? lattice.total() : seed % 17);
  const Profiler profiler(lattice, rows.columns, {squares, minority}, 1, limit);
  const LatticeProfiles all = profiler.sweep(rows.low, rows.high, 1 + static_cast<int>(seed % 3));
  check(std::is_sorted(all.nodes.begin(), all.nodes.end()), "a sweep sees every node, in order", seed);
  for (std::size_t n = 0; n < all.nodes.size(); ++n) {
    const NodeProfile plain = plainly(rows, all.nodes[n], limit);
    check(same(plain, profiler.node(all.nodes[n])), "a node's profile equals grouping", seed);
    NodeProfile swept{all.k[n], all.groups[n], all.suppressed[n], all.squares[n], {}, {}, {}};
    for (std::size_t c = 0; c < 2; ++c) {
      swept.diversity.push_back(all.diversity[c][n]);
      swept.repeats.push_back(all.repeats[c][n]);
      swept.costs.push_back(all.costs[c][n]);
    }
    check(same(plain, swept), "a sweep's profiles equal grouping", seed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned cases = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 500;
  for (unsigned seed = 0; seed < cases; ++seed) profiles_are_as_from_the_rows(seed);
  std::printf("%d checks hold\n", checks);
}
