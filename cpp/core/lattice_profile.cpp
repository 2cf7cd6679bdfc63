#include "core/lattice_profile.h"

#include <algorithm>
#include <numeric>

#include "core/parallel.h"

namespace shoal {
namespace {

// The facts of joined groups. `order` lists the groups of `from` by the group they become part of, and those that make
// the g-th one end at `ends[g]`. A value's slot is its entry, if that is of the present group. Cost: the entries of `from`.
void join(const FactColumn& from, std::span<const std::uint32_t> order, std::span<const std::uint32_t> ends,
          std::vector<std::uint32_t>& slot, FactColumn& made) {
  made.size = from.size;
  made.first.clear();
  made.values.resize(from.values.size());
  made.counts.resize(from.counts.size());
  slot.assign(from.size, UINT32_MAX);
  std::uint32_t count = 0;
  std::size_t at = 0;
  for (const std::uint32_t end : ends) {
    const std::uint32_t begin = count;
    made.first.push_back(begin);
    for (; at < end; ++at)
      for (std::uint32_t e = from.first[order[at]]; e < from.first[order[at] + 1]; ++e) {
        const std::uint32_t value = from.values[e];
        std::uint32_t entry = slot[value];
        const bool fresh = entry < begin || entry >= count;
        entry = fresh ? count : entry;
        count += fresh;
        slot[value] = entry;
        made.values[entry] = value;
        made.counts[entry] = from.counts[e] + (fresh ? 0 : made.counts[entry]);
      }
  }
  made.first.push_back(count);
  made.values.resize(count);
  made.counts.resize(count);
}

}  // namespace

Profiler::Profiler(const Lattice& lattice, std::vector<FactColumn> columns, std::vector<Price> prices, int labels, Count limit)
    : lattice_(lattice), columns_(std::move(columns)), prices_(std::move(prices)), labels_(labels), limit_(limit) {}

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
  for (std::size_t c = 0; c < from.columns.size(); ++c) join(from.columns[c], order, ends, scratch.slot, made.columns[c]);
}

// Sizes above the limit are never suppressed, so only the others are put in order.
Count Profiler::least_kept(const GroupTable& table, std::vector<Count>& sizes) const {
  sizes.clear();
  Count above = INT32_MAX, largest = 0;
  for (Count size : table.sizes) {
    largest = std::max(largest, size);
    if (size <= limit_) sizes.push_back(size);
    else above = std::min(above, size);
  }
  std::sort(sizes.begin(), sizes.end());
  std::int64_t rows = 0;
  for (std::size_t i = 0; i < sizes.size();) {
    const Count size = sizes[i];
    for (; i < sizes.size() && sizes[i] == size; ++i) rows += size;
    if (rows > limit_) return size;
  }
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
        if (groups.sizes[g] >= node.k)
          cost += groups.sizes[g] - *std::max_element(column.counts.begin() + column.first[g], column.counts.begin() + column.first[g + 1]);
      return cost;
    }
    case Price::Kind::cells: break;
  }
  cost += Lattice::fixed_price(price, groups.levels);
  if (price.units.empty() || node.suppressed == 0) return cost;
  for (std::size_t g = 0; g < groups.count(); ++g) {
    if (groups.sizes[g] >= node.k) continue;
    Cost row = 0;
    for (int a = 0; a < lattice_.attributes(); ++a) row += price.units[a][groups.levels[a]][lattice_.part(groups, g, a)];
    cost -= groups.sizes[g] * row;
  }
  return cost;
}

NodeProfile Profiler::measure(const Table& table, Scratch& scratch) const {
  const GroupTable& groups = table.groups;
  NodeProfile node;
  node.k = least_kept(groups, scratch.sizes);
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
      for (std::uint32_t e = column.first[g]; e < column.first[g + 1]; ++e) repeats += Cost{column.counts[e]} * column.counts[e];
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
  const Table bottom{*lattice_.groups(Levels(lattice_.attributes(), 0)), columns_};
  climb(bottom, levels, made, scratch);
  return measure(made, scratch);
}

// A walk over all nodes, each made from the one before it in one attribute.
struct Profiler::Walk {
  const Profiler& profiler;
  const Levels &low, &high;
  const std::atomic<bool>* stop;
  std::vector<int> order;             // attributes, the outermost first
  std::vector<std::size_t> stride;
  LatticeProfiles all;

  Walk(const Profiler& from, const Levels& least, const Levels& greatest, const std::atomic<bool>* flag)
      : profiler(from), low(least), high(greatest), stop(flag) {
    const Lattice& lattice = from.lattice_;
    order.resize(lattice.attributes());
    std::iota(order.begin(), order.end(), 0);
    // The attribute with most values is climbed last and most often: it joins most at each step.
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return lattice.parts(x, low[x]) < lattice.parts(y, low[y]); });
    std::size_t count = 1;
    stride.resize(order.size());
    for (int a = lattice.attributes() - 1; a >= 0; --a) stride[a] = count, count *= high[a] - low[a] + 1;
    all.nodes.resize(count);
    for (auto* each : {&all.k, &all.groups, &all.suppressed}) each->resize(count);
    all.squares.resize(count);
    all.diversity.assign(from.columns_.size(), std::vector<Count>(count));
    all.repeats.assign(from.columns_.size(), std::vector<Cost>(count));
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
    for (std::size_t c = 0; c < node.repeats.size(); ++c) all.diversity[c][index] = node.diversity[c], all.repeats[c][index] = node.repeats[c];
    for (std::size_t p = 0; p < node.costs.size(); ++p) all.costs[p][index] = node.costs[p];
  }
};

LatticeProfiles Profiler::sweep(const Levels& low, const Levels& high, int threads, const std::atomic<bool>* stop) const {
  Walk walk(*this, low, high, stop);
  Table bottom{*lattice_.groups(Levels(lattice_.attributes(), 0)), columns_};
  if (low != bottom.groups.levels) {
    Scratch scratch;
    Table made;
    climb(bottom, low, made, scratch);
    bottom = std::move(made);
  }
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
    climb(bottom, starts[i], made, scratch);
    walk.visit(made, depth, scratch);
  });
  return std::move(walk.all);
}

}  // namespace shoal
