#include "core/lattice/profile.h"

#include <algorithm>
#include <numeric>

#include "core/base/parallel.h"

namespace shoal {
namespace {

constexpr Count kCounted = 4096;  // sizes whose rows are counted without sorting

// The facts of joined groups. `order` lists the groups of `from` by the group they become part of, and those that make
// the g-th one end at `ends[g]`. A value's slot is its entry, if that is of the present group. Cost: the entries of `from`.
void join(const FactColumn& from, std::span<const std::uint32_t> order, std::span<const std::uint32_t> ends,
          std::vector<std::uint32_t>& slot, FactColumn& made) {
  made.size = from.size;
  made.first.resize(ends.size() + 1);
  made.entries.resize(from.entries.size());
  slot.assign(from.size, UINT32_MAX);
  std::uint32_t count = 0;
  std::size_t at = 0;
  FactColumn::Entry* const entries = made.entries.data();
  for (std::size_t g = 0; g < ends.size(); ++g) {
    const std::uint32_t begin = count;
    made.first[g] = begin;
    for (; at < ends[g]; ++at)
      for (std::uint32_t e = from.first[order[at]]; e < from.first[order[at] + 1]; ++e) {
        const auto [value, rows] = from.entries[e];
        const std::uint32_t known = slot[value];
        if (known - begin < count - begin) {  // unsigned: of the present group
          entries[known].rows += rows;
        } else {
          slot[value] = count;
          entries[count++] = {value, rows};
        }
      }
  }
  made.first[ends.size()] = count;
  made.entries.resize(count);
}

// Rows of a group with its most frequent value.
Count most(const FactColumn& column, std::size_t group) {
  Count rows = 0;
  for (std::uint32_t e = column.first[group]; e < column.first[group + 1]; ++e)
    rows = std::max(rows, column.entries[e].rows);
  return rows;
}

}  // namespace

Profiler::Profiler(const Lattice& lattice, std::vector<FactColumn> columns, std::vector<Price> prices, int labels,
                   Count limit)
    : lattice_(lattice), bottom_{*lattice.groups(Levels(lattice.attributes(), 0)), std::move(columns)},
      prices_(std::move(prices)), labels_(labels), limit_(limit) {}

void Profiler::climb(const Table& from, const Levels& to, Table& made, Scratch& scratch) const {
  lattice_.roll_up(from.groups, to, made.groups, &scratch.parent);
  made.columns.resize(from.columns.size());
  if (from.columns.empty()) return;
  auto &ends = scratch.first, &order = scratch.order;
  ends.assign(made.groups.count() + 1, 0);
  for (std::uint32_t g : scratch.parent) ++ends[g + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  order.resize(scratch.parent.size());
  for (std::size_t g = 0; g < order.size(); ++g) order[ends[scratch.parent[g]]++] = static_cast<std::uint32_t>(g);
  ends.pop_back();  // what was each group's begin is its end now
  for (std::size_t c = 0; c < from.columns.size(); ++c)
    join(from.columns[c], order, ends, scratch.slot, made.columns[c]);
}

// Rows are counted per size where sizes are small, and the few large sizes below the limit are put in order.
Count Profiler::least_kept(const GroupTable& table, Scratch& scratch) const {
  const Count counted = std::min(limit_, kCounted);
  auto& rows = scratch.rows;
  rows.assign(static_cast<std::size_t>(counted) + 1, 0);
  scratch.sizes.clear();
  Count above = INT32_MAX, largest = 0;
  for (Count size : table.sizes) {
    largest = std::max(largest, size);
    if (size <= counted) rows[size] += size;
    else if (size <= limit_) scratch.sizes.push_back(size);
    else above = std::min(above, size);
  }
  std::int64_t suppressed = 0;
  for (Count size = 1; size <= counted; ++size)
    if ((suppressed += rows[size]) > limit_) return size;
  std::sort(scratch.sizes.begin(), scratch.sizes.end());
  for (std::size_t i = 0; i < scratch.sizes.size(); ++i)
    // A size is the least that stays as soon as its groups so far do not fit.
    if ((suppressed += scratch.sizes[i]) > limit_) return scratch.sizes[i];
  return above < INT32_MAX ? above : largest;
}

Cost Profiler::cost(const Table& table, const Price& price, const NodeProfile& node) const {
  const GroupTable& groups = table.groups;
  Cost cost = price.suppressed_row * node.suppressed;
  switch (price.kind) {
    case Price::Kind::squares: return cost + node.squares;
    case Price::Kind::groups: return cost + lattice_.total() - node.suppressed - node.groups;
    case Price::Kind::minority: {
      const FactColumn& column = table.columns[labels_];
      for (std::size_t g = 0; g < groups.count(); ++g)
        if (groups.sizes[g] >= node.k) cost += groups.sizes[g] - most(column, g);
      return cost;
    }
    case Price::Kind::cells: break;
  }
  cost += Lattice::fixed_price(price, groups.levels);
  if (price.units.empty() || node.suppressed == 0) return cost;
  for (std::size_t g = 0; g < groups.count(); ++g) {
    if (groups.sizes[g] >= node.k) continue;
    Cost row = 0;
    for (int a = 0; a < lattice_.attributes(); ++a)
      row += price.units[a][groups.levels[a]][lattice_.part(groups, g, a)];
    cost -= groups.sizes[g] * row;
  }
  return cost;
}

NodeProfile Profiler::measure(const Table& table, Scratch& scratch) const {
  const GroupTable& groups = table.groups;
  NodeProfile node;
  node.k = least_kept(groups, scratch);
  for (Count size : groups.sizes) {
    const bool kept = size >= node.k;
    node.groups += kept;
    node.suppressed += kept ? 0 : size;
    node.squares += kept ? Cost{size} * size : 0;
  }
  for (const FactColumn& column : table.columns) {
    Count least = INT32_MAX;
    Cost repeats = 0;
    for (std::size_t g = 0; g < groups.count(); ++g) {
      if (groups.sizes[g] < node.k) continue;
      least = std::min(least, static_cast<Count>(column.first[g + 1] - column.first[g]));
      for (std::uint32_t e = column.first[g]; e < column.first[g + 1]; ++e)
        repeats += Cost{column.entries[e].rows} * column.entries[e].rows;
    }
    node.diversity.push_back(least);
    node.repeats.push_back(repeats);
  }
  for (const Price& price : prices_) node.costs.push_back(cost(table, price, node));
  return node;
}

NodeProfile Profiler::node(const Levels& levels) const {
  Scratch scratch;
  Table made;
  climb(bottom_, levels, made, scratch);
  return measure(made, scratch);
}

// A walk over all nodes, each made from the one before it in one attribute.
struct Profiler::Walk {
  const Profiler& profiler;
  const Levels &low, &high;
  const std::atomic<bool>* stop;
  std::vector<int> order;  // attributes, the outermost first
  std::vector<std::size_t> stride;
  LatticeProfiles all;

  Walk(const Profiler& from, const Levels& least, const Levels& greatest, const std::atomic<bool>* flag)
      : profiler(from), low(least), high(greatest), stop(flag) {
    const Lattice& lattice = from.lattice_;
    order.resize(lattice.attributes());
    std::iota(order.begin(), order.end(), 0);
    // The attribute with most values is climbed last and most often: it joins most at each step.
    std::stable_sort(order.begin(), order.end(),
                     [&](int x, int y) { return lattice.parts(x, low[x]) < lattice.parts(y, low[y]); });
    std::size_t count = 1;
    stride.resize(order.size());
    for (int a = lattice.attributes() - 1; a >= 0; --a) stride[a] = count, count *= high[a] - low[a] + 1;
    all.nodes.resize(count);
    for (auto* each : {&all.k, &all.groups, &all.suppressed}) each->resize(count);
    all.squares.resize(count);
    all.diversity.assign(from.bottom_.columns.size(), std::vector<Count>(count));
    all.repeats.assign(from.bottom_.columns.size(), std::vector<Cost>(count));
    all.costs.assign(from.prices_.size(), std::vector<Cost>(count));
  }

  void visit(const Table& node, std::size_t depth, Scratch& scratch) {
    if (stop && stop->load(std::memory_order_relaxed)) return;
    if (depth == order.size()) return store(node, scratch);
    visit(node, depth + 1, scratch);
    const int a = order[depth];
    Table here, next;
    const Table* from = &node;
    Levels levels = node.groups.levels;
    while (levels[a] < high[a]) {
      ++levels[a];
      profiler.climb(*from, levels, next, scratch);
      std::swap(here, next);
      from = &here;
      visit(here, depth + 1, scratch);
    }
  }

  void store(const Table& table, Scratch& scratch) {
    const NodeProfile node = profiler.measure(table, scratch);
    std::size_t index = 0;
    for (std::size_t a = 0; a < stride.size(); ++a) index += (table.groups.levels[a] - low[a]) * stride[a];
    all.nodes[index] = table.groups.levels;
    all.k[index] = node.k;
    all.groups[index] = node.groups;
    all.suppressed[index] = node.suppressed;
    all.squares[index] = node.squares;
    for (std::size_t c = 0; c < node.repeats.size(); ++c)
      all.diversity[c][index] = node.diversity[c], all.repeats[c][index] = node.repeats[c];
    for (std::size_t p = 0; p < node.costs.size(); ++p) all.costs[p][index] = node.costs[p];
  }
};

LatticeProfiles Profiler::sweep(const Levels& low, const Levels& high, int threads,
                                const std::atomic<bool>* stop) const {
  Walk walk(*this, low, high, stop);
  // A task per level of the two outermost attributes, whatever the threads.
  const std::size_t depth = std::min<std::size_t>(2, walk.order.size());
  std::vector<Levels> starts{low};
  for (std::size_t d = 0; d < depth; ++d) {
    std::vector<Levels> more;
    for (Levels start : starts)
      for (int level = low[walk.order[d]]; level <= high[walk.order[d]]; ++level) {
        start[walk.order[d]] = static_cast<std::uint8_t>(level);
        more.push_back(start);
      }
    starts = std::move(more);
  }
  parallel(starts.size(), threads, [&](std::size_t i, std::size_t) {
    Scratch scratch;
    Table made;
    climb(bottom_, starts[i], made, scratch);
    walk.visit(made, depth, scratch);
  });
  return std::move(walk.all);
}

}  // namespace shoal
