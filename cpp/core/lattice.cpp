#include "core/lattice.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>

#include "core/parallel.h"

namespace shoal {
namespace {

// Open addressing from keys to groups. Slots hold group + 1, so that clearing is one fill with zeros.
template <int Words>
class Slots {
 public:
  void clear(std::size_t expected) {
    const std::size_t size = std::bit_ceil(expected * 2 + 8);
    slots_.assign(size, 0);
    mask_ = size - 1;
    shift_ = 64 - std::countr_zero(size);
  }
  // The group with this key, given the keys of the groups there are; a new one gets the next number.
  std::uint32_t find(const std::uint64_t* key, std::vector<std::uint64_t>& keys) {
    std::uint64_t hash = key[0];
    for (int w = 1; w < Words; ++w) hash = hash * 0xD6E8FEB86659FD93u ^ key[w];
    std::size_t slot = hash * 0x9E3779B97F4A7C15u >> shift_;
    for (std::uint32_t group; (group = slots_[slot]) != 0; slot = (slot + 1) & mask_)
      if (std::equal(key, key + Words, keys.data() + std::size_t{group - 1} * Words)) return group - 1;
    keys.insert(keys.end(), key, key + Words);
    slots_[slot] = static_cast<std::uint32_t>(keys.size() / Words);
    return slots_[slot] - 1;
  }

 private:
  std::vector<std::uint32_t> slots_;
  std::size_t mask_ = 0;
  int shift_ = 0;
};

}  // namespace

bool below(const Levels& a, const Levels& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] > b[i]) return false;
  return true;
}

Lattice::Lattice(const LatticeInput& input) : labels_(input.labels) {
  const std::size_t attributes = input.parts.size();
  int bits = 0;  // of the last word that are taken
  steps_.resize(attributes);
  for (std::size_t a = 0; a < attributes; ++a) {
    const auto& levels = input.parts[a];
    const int height = static_cast<int>(levels.size()) - 1;
    if (height > kMostLevels) throw std::invalid_argument("a hierarchy has more than 255 levels");
    heights_.push_back(height);
    parts_.emplace_back();
    for (const auto& of_code : levels) parts_[a].push_back(*std::max_element(of_code.begin(), of_code.end()) + 1);
    const int width = std::bit_width(static_cast<unsigned>(parts_[a][0] - 1));
    if (bits + width > 64) ++words_, bits = 0;
    fields_.push_back({words_ - 1, bits, (std::uint64_t{1} << width) - 1});
    bits += width;
    steps_[a].resize(height + 1);
    for (int from = 0; from <= height; ++from) {
      steps_[a][from].resize(height + 1);
      for (int to = from; to <= height; ++to) {
        auto& step = steps_[a][from][to];
        step.resize(parts_[a][from]);
        for (std::size_t code = 0; code < levels[0].size(); ++code) step[levels[from][code]] = levels[to][code];
      }
    }
  }
  if (words_ > kMostWords) throw std::invalid_argument("the domains are too large for the lattice's keys");
  auto bottom = std::make_shared<GroupTable>();
  bottom->levels.assign(attributes, 0);
  const std::size_t rows = attributes ? input.codes.size() / attributes : 0;
  if (words_ == 3) words_ = 4;  // two kernels fewer
  bottom->keys.assign(rows * words_, 0);
  bottom->sizes.reserve(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t a = 0; a < attributes; ++a)
      bottom->keys[row * words_ + fields_[a].word] |=
          static_cast<std::uint64_t>(input.parts[a][0][input.codes[row * attributes + a]]) << fields_[a].shift;
    const auto counts = input.counts.subspan(row * labels_, labels_);
    bottom->sizes.push_back(std::accumulate(counts.begin(), counts.end(), Count{0}));
    total_ += bottom->sizes.back();
  }
  if (labels_ > 1) bottom->histograms.assign(input.counts.begin(), input.counts.end());
  bottom_ = std::move(bottom);
}

void Lattice::roll_up(const GroupTable& from, const Levels& to, GroupTable& result, std::vector<std::uint32_t>* parent) const {
  if (words_ == 1) roll_up_keys<1>(from, to, result, parent);
  else if (words_ == 2) roll_up_keys<2>(from, to, result, parent);
  else roll_up_keys<4>(from, to, result, parent);
}

template <int Words>
void Lattice::roll_up_keys(const GroupTable& from, const Levels& to, GroupTable& result, std::vector<std::uint32_t>* parent) const {
  struct Change {
    Field field;
    const std::uint32_t* step;
  };
  std::vector<Change> changes;
  std::uint64_t unchanged[Words];
  std::fill_n(unchanged, Words, ~std::uint64_t{0});
  for (int a = 0; a < attributes(); ++a)
    if (from.levels[a] != to[a]) {
      changes.push_back({fields_[a], steps_[a][from.levels[a]][to[a]].data()});
      unchanged[fields_[a].word] &= ~(fields_[a].mask << fields_[a].shift);
    }
  const std::size_t count = from.count();
  result.levels = to;
  result.keys.clear();
  result.sizes.clear();
  result.histograms.clear();
  if (parent) parent->resize(count);
  thread_local Slots<Words> slots;
  slots.clear(count);
  for (std::size_t g = 0; g < count; ++g) {
    const std::uint64_t* old = from.keys.data() + g * Words;
    std::uint64_t key[Words];
    for (int w = 0; w < Words; ++w) key[w] = old[w] & unchanged[w];
    for (const Change& change : changes)
      key[change.field.word] |= std::uint64_t{change.step[change.field.part(old)]} << change.field.shift;
    const std::uint32_t group = slots.find(key, result.keys);
    if (parent) (*parent)[g] = group;
    if (group == result.sizes.size()) {
      result.sizes.push_back(from.sizes[g]);
      if (labels_ > 1)
        result.histograms.insert(result.histograms.end(), from.histograms.begin() + g * labels_,
                                 from.histograms.begin() + (g + 1) * labels_);
      continue;
    }
    result.sizes[group] += from.sizes[g];
    for (int label = 0; label < labels_ && labels_ > 1; ++label)
      result.histograms[std::size_t{group} * labels_ + label] += from.histograms[g * labels_ + label];
  }
}

Groups Lattice::groups(const Levels& levels) const {
  Groups source = bottom_;
  {
    const std::lock_guard lock(mutex_);
    std::size_t found = at_hand_.size();
    for (std::size_t i = 0; i < at_hand_.size(); ++i)
      if (at_hand_[i]->count() < source->count() && below(at_hand_[i]->levels, levels)) source = at_hand_[i], found = i;
    if (found < at_hand_.size()) std::rotate(at_hand_.begin() + found, at_hand_.begin() + found + 1, at_hand_.end());
  }
  if (source->levels == levels) return source;
  auto made = std::make_shared<GroupTable>();
  roll_up(*source, levels, *made);
  const std::lock_guard lock(mutex_);
  at_hand_.push_back(made);
  bytes_ += made->bytes();
  while (at_hand_.size() > 1 && (bytes_ > kMostBytes || at_hand_.size() > kMostTables)) {
    bytes_ -= at_hand_.front()->bytes();
    at_hand_.erase(at_hand_.begin());
  }
  return made;
}

Count Lattice::minority(const GroupTable& table, std::size_t group) const {
  const auto begin = table.histograms.begin() + group * labels_;
  return table.sizes[group] - *std::max_element(begin, begin + labels_);
}

Cost Lattice::row_price(const GroupTable& table, std::size_t group, const Price& price) const {
  Cost sum = 0;
  for (int a = 0; a < attributes(); ++a)
    if (const auto& units = price.units[a][table.levels[a]]; !units.empty()) sum += units[part(table, group, a)];
  return sum;
}

Cost Lattice::fixed_price(const Price& price, const Levels& levels) {
  Cost sum = 0;
  for (std::size_t a = 0; a < levels.size(); ++a) sum += price.fixed[a][levels[a]];
  return sum;
}

// Bucket b holds the groups that the first b values of k keep; what is said of one k is a sum over buckets.
struct Lattice::Tally {
  std::vector<Count> groups, rows;
  std::vector<Cost> squares, minorities;
  std::vector<std::vector<Cost>> cells;  // per price, of groups that some k suppresses

  void clear(std::size_t prices, std::size_t buckets) {
    for (auto* counts : {&groups, &rows}) counts->assign(buckets, 0);
    for (auto* costs : {&squares, &minorities}) costs->assign(buckets, 0);
    cells.resize(prices);
    for (auto& costs : cells) costs.assign(buckets, 0);
  }
};

void Lattice::tally(const GroupTable& table, std::span<const Price> prices, std::span<const Count> ks, Tally& sums) const {
  const std::size_t buckets = ks.size() + 1;
  sums.clear(prices.size(), buckets);
  bool labels = false;
  std::vector<std::size_t> with_units;
  for (std::size_t p = 0; p < prices.size(); ++p) {
    labels |= prices[p].kind == Price::Kind::minority;
    if (prices[p].kind == Price::Kind::cells && !prices[p].units.empty()) with_units.push_back(p);
  }
  for (std::size_t g = 0; g < table.count(); ++g) {
    const Count size = table.sizes[g];
    std::size_t bucket = 0;
    while (bucket < ks.size() && ks[bucket] <= size) ++bucket;
    ++sums.groups[bucket];
    sums.rows[bucket] += size;
    sums.squares[bucket] += Cost{size} * size;
    if (labels) sums.minorities[bucket] += minority(table, g);
    if (bucket + 1 < buckets)
      for (std::size_t p : with_units) sums.cells[p][bucket] += size * row_price(table, g, prices[p]);
  }
}

namespace {

// Sum of the buckets before and of those after a value of k, the i-th.
template <class Number>
Number before(const std::vector<Number>& buckets, std::size_t i) {
  return std::accumulate(buckets.begin(), buckets.begin() + i + 1, Number{0});
}
template <class Number>
Number after(const std::vector<Number>& buckets, std::size_t i) {
  return std::accumulate(buckets.begin() + i + 1, buckets.end(), Number{0});
}

}  // namespace

NodeMeasure Lattice::measure(const GroupTable& table, const Price& price, Count k) const {
  thread_local Tally sums;
  tally(table, {&price, 1}, {&k, 1}, sums);
  return measured(table.levels, sums, price, 0, 0);
}

NodeMeasure Lattice::measured(const Levels& levels, const Tally& sums, const Price& price, std::size_t p, std::size_t i) const {
  NodeMeasure node{after(sums.groups, i), before(sums.rows, i), 0};
  node.cost = price.suppressed_row * node.suppressed;
  switch (price.kind) {
    case Price::Kind::squares: node.cost += after(sums.squares, i); break;
    case Price::Kind::minority: node.cost += after(sums.minorities, i); break;
    case Price::Kind::groups: node.cost += total_ - node.suppressed - node.groups; break;
    case Price::Kind::cells: node.cost += fixed_price(price, levels) - before(sums.cells[p], i); break;
  }
  return node;
}

LatticeMeasures Lattice::measure_all(const Levels& low, const Levels& high, std::span<const Price> prices,
                                     std::span<const Count> ks, int threads, const std::atomic<bool>* stop) const {
  LatticeMeasures all;
  // The attribute that changes last goes through its levels with the others fixed: the one that joins most is best
  // there, since its first step leaves small tables to the others.
  std::vector<int> order(attributes());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int x, int y) {
    return parts(x, low[x]) * parts(y, high[y]) > parts(y, low[y]) * parts(x, high[x]);
  });
  std::vector<std::size_t> stride(attributes());
  std::size_t count = 1;
  for (int a = attributes() - 1; a >= 0; --a) stride[a] = count, count *= high[a] - low[a] + 1;
  all.nodes.resize(count);
  all.groups.assign(ks.size(), std::vector<Count>(count));
  all.suppressed = all.groups;
  all.costs.assign(prices.size(), std::vector<std::vector<Cost>>(ks.size(), std::vector<Cost>(count)));

  const auto store = [&](const GroupTable& table) {
    thread_local Tally sums;
    tally(table, prices, ks, sums);
    std::size_t index = 0;
    for (int a = 0; a < attributes(); ++a) index += (table.levels[a] - low[a]) * stride[a];
    all.nodes[index] = table.levels;
    for (std::size_t i = 0; i < ks.size(); ++i) {
      all.groups[i][index] = after(sums.groups, i);
      all.suppressed[i][index] = before(sums.rows, i);
      for (std::size_t p = 0; p < prices.size(); ++p)
        all.costs[p][i][index] = measured(table.levels, sums, prices[p], p, i).cost;
    }
  };
  const auto descend = [&](const auto& self, const GroupTable& table, std::size_t depth) -> void {
    if (stop && stop->load(std::memory_order_relaxed)) return;
    if (depth == order.size()) return store(table);
    const int a = order[depth];
    self(self, table, depth + 1);
    GroupTable here, next;
    const GroupTable* from = &table;
    for (int level = low[a] + 1; level <= high[a]; ++level) {
      Levels to = table.levels;
      to[a] = static_cast<std::uint8_t>(level);
      roll_up(*from, to, next);
      std::swap(here, next);
      from = &here;
      self(self, here, depth + 1);
    }
  };
  // A task per level of the first two attributes, whatever the threads.
  const std::size_t depth = std::min<std::size_t>(2, order.size());
  std::vector<Levels> starts{low};
  for (std::size_t d = 0; d < depth; ++d) {
    std::vector<Levels> more;
    for (const Levels& start : starts)
      for (int level = low[order[d]]; level <= high[order[d]]; ++level) more.push_back(start), more.back()[order[d]] = static_cast<std::uint8_t>(level);
    starts = std::move(more);
  }
  parallel(starts.size(), threads, [&](std::size_t i) { descend(descend, *groups(starts[i]), depth); });
  return all;
}

}  // namespace shoal
