#include "core/lattice/sweep.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "core/base/parallel.h"
#include "core/base/slots.h"

namespace shoal {
namespace {

constexpr Count kLookedUp = 4096;  // sizes whose k is looked up and not searched for

// Groups that differ in one attribute alone, the inner one, lie together in a cluster. Going up in the inner attribute
// joins groups within clusters; going up in another looks up one key per cluster instead of one per group.
struct Clusters {
  Levels levels;
  std::vector<std::uint64_t> keys;   // per cluster, the inner attribute's field 0
  std::vector<std::uint32_t> begin;  // per cluster its first group, and the end
  std::vector<std::uint32_t> parts;  // per group, of the inner attribute
  std::vector<Count> sizes;          // per group
  std::vector<Count> histograms;     // per group and label, if a price looks at them
  std::vector<Cost> prices;          // per cluster and price of cells: a row's cells without the inner one
  GroupFacts facts;                  // of the groups, if privacy rules ask

  std::size_t count() const { return begin.size() - 1; }
};

}  // namespace

class LatticeSweep {
 public:
  LatticeSweep(const Lattice& lattice, const Levels& low, const Levels& high, std::span<const Price> prices,
               std::span<const Count> ks)
      : lattice_(lattice), low_(low), high_(high), prices_(prices), ks_(ks), words_(lattice.words_),
        labels_(lattice.labels_ > 1 ? lattice.labels_ : 0), privacy_(lattice.privacy_) {
    for (std::size_t p = 0; p < prices.size(); ++p)
      if (prices[p].kind == Price::Kind::cells && !prices[p].units.empty()) cells_.push_back(p);
    // The inner attribute is the one with most values at the bottom: there is most to join without a look-up.
    order_.resize(lattice.attributes());
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](int x, int y) { return lattice_.parts(x, low_[x]) < lattice_.parts(y, low_[y]); });
    inner_ = order_.back();
    const Count largest = std::min(ks.empty() ? 0 : ks.back(), kLookedUp);
    first_k_.assign(largest + 1, 0);
    for (Count k : ks)
      for (Count size = k; size <= largest; ++size) ++first_k_[size];
    std::size_t count = 1;
    stride_.resize(order_.size());
    for (int a = lattice.attributes() - 1; a >= 0; --a) stride_[a] = count, count *= high[a] - low[a] + 1;
    all_.nodes.resize(count);
    all_.groups.assign(ks.size(), std::vector<Count>(count));
    all_.suppressed = all_.groups;
    all_.holds.assign(ks.size(), std::vector<std::uint8_t>(count, 1));
    all_.costs.assign(prices.size(), std::vector<std::vector<Cost>>(ks.size(), std::vector<Cost>(count)));
  }

  LatticeMeasures run(int threads, const std::atomic<bool>* stop) {
    const Clusters bottom = clustered(*lattice_.groups(low_));
    // A task per level of the two outermost attributes, whatever the threads.
    const std::size_t depth = std::min<std::size_t>(2, order_.size() - 1);
    std::vector<Levels> starts{low_};
    for (std::size_t d = 0; d < depth; ++d) {
      std::vector<Levels> more;
      for (Levels start : starts)
        for (int level = low_[order_[d]]; level <= high_[order_[d]]; ++level) {
          start[order_[d]] = static_cast<std::uint8_t>(level);
          more.push_back(start);
        }
      starts = std::move(more);
    }
    parallel(starts.size(), threads, [&](std::size_t i, std::size_t) {
      Scratch scratch;
      if (privacy_) scratch.judge.emplace(*privacy_);
      Clusters here = bottom, next;
      for (std::size_t d = 0; d < depth; ++d)
        if (const int a = order_[d]; starts[i][a] != here.levels[a])
          climb(here, a, starts[i][a], next, scratch), std::swap(here, next);
      visit(here, depth, scratch, stop);
    });
    return std::move(all_);
  }

 private:
  struct Scratch {
    Slots<1> one;
    Slots<2> two;
    Slots<4> four;
    Slots<kAnyWords> any;
    std::vector<std::uint32_t> target, first, order, slot;
    std::vector<std::uint32_t> parent;  // per group of a table its group in the next one, for their facts
    std::optional<Judge> judge;
  };

  // The node, then the nodes above it in the attributes from `depth` on; each is made from the one before it.
  void visit(const Clusters& node, std::size_t depth, Scratch& scratch, const std::atomic<bool>* stop) {
    if (stop && stop->load(std::memory_order_relaxed)) return;
    const int a = order_[depth];
    const bool last = depth + 1 == order_.size();
    if (last) store(node, scratch);
    else visit(node, depth + 1, scratch, stop);
    Clusters here, next;
    const Clusters* from = &node;
    for (int level = low_[a] + 1; level <= high_[a]; ++level) {
      if (last) join(*from, level, next, scratch);
      else climb(*from, a, level, next, scratch);
      std::swap(here, next);
      from = &here;
      if (last) store(here, scratch);
      else visit(here, depth + 1, scratch, stop);
    }
  }

  Clusters clustered(const GroupTable& table) const {
    Levels others = table.levels;
    others[inner_] = static_cast<std::uint8_t>(lattice_.heights_[inner_]);
    GroupTable joined;
    std::vector<std::uint32_t> cluster;
    lattice_.roll_up(table, others, joined, &cluster);
    Clusters made;
    made.levels = table.levels;
    made.keys = joined.keys;  // the top of the inner attribute is part 0
    made.begin.assign(joined.count() + 1, 0);
    for (std::uint32_t c : cluster) ++made.begin[c + 1];
    std::partial_sum(made.begin.begin(), made.begin.end(), made.begin.begin());
    made.parts.resize(table.count());
    made.sizes.resize(table.count());
    made.histograms.resize(table.count() * labels_);
    std::vector<std::uint32_t> next(made.begin.begin(), made.begin.end() - 1), moved(table.count());
    for (std::size_t g = 0; g < table.count(); ++g) {
      const std::size_t at = moved[g] = next[cluster[g]]++;
      made.parts[at] = lattice_.part(table, g, inner_);
      made.sizes[at] = table.sizes[g];
      std::copy_n(table.histograms.begin() + g * labels_, labels_, made.histograms.begin() + at * labels_);
    }
    if (privacy_) table.facts.roll_up(moved, table.count(), made.facts);
    for (std::size_t c = 0; c < made.count(); ++c)
      for (std::size_t p : cells_) {
        Cost row = 0;
        for (int a = 0; a < lattice_.attributes(); ++a)
          if (a != inner_)
            row += prices_[p].units[a][table.levels[a]][lattice_.fields_[a].part(made.keys.data() + c * words_)];
        made.prices.push_back(row);
      }
    return made;
  }

  // Up in an outer attribute: clusters that become alike are joined.
  void climb(const Clusters& from, int a, int level, Clusters& to, Scratch& scratch) const {
    if (words_ == 1) climb_keys<1>(from, a, level, to, scratch.one, scratch);
    else if (words_ == 2) climb_keys<2>(from, a, level, to, scratch.two, scratch);
    else if (words_ == 4) climb_keys<4>(from, a, level, to, scratch.four, scratch);
    else climb_keys<kAnyWords>(from, a, level, to, scratch.any, scratch);
  }

  template <int Words>
  void climb_keys(const Clusters& from, int a, int level, Clusters& to, Slots<Words>& slots, Scratch& scratch) const {
    const auto field = lattice_.fields_[a];
    const auto& step = lattice_.steps_[a][from.levels[a]][level];
    const std::size_t count = from.count(), priced = cells_.size();
    to.levels = from.levels;
    to.levels[a] = static_cast<std::uint8_t>(level);
    const int words = Words == kAnyWords ? words_ : Words;
    to.keys.resize(count * words);
    to.prices.resize(count * priced);
    auto &target = scratch.target, &first = scratch.first, &order = scratch.order;
    target.resize(count);
    slots.clear(count, words);
    std::uint64_t narrow[std::max(Words, 1)];
    std::uint32_t made = 0;
    for (std::size_t c = 0; c < count; ++c) {
      std::uint64_t* key = Words == kAnyWords ? to.keys.data() + std::size_t{made} * words : narrow;
      for (int w = 0; w < words; ++w) key[w] = from.keys[c * words + w];
      const std::uint32_t part = field.part(key);
      key[field.word] = (key[field.word] & ~(field.mask << field.shift)) | std::uint64_t{step[part]} << field.shift;
      target[c] = slots.find(key, to.keys.data(), made);
      if (target[c] != made) continue;
      for (std::size_t i = 0; i < priced; ++i) {
        const auto& units = prices_[cells_[i]].units[a];
        to.prices[made * priced + i] =
            from.prices[c * priced + i] - units[from.levels[a]][part] + units[level][step[part]];
      }
      ++made;
    }
    to.keys.resize(std::size_t{made} * words);
    to.prices.resize(made * priced);
    first.assign(made + 1, 0);
    for (std::uint32_t t : target) ++first[t + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    order.resize(count);
    for (std::size_t c = 0; c < count; ++c) order[first[target[c]]++] = static_cast<std::uint32_t>(c);

    Filling filling(*this, from, to, scratch);
    for (std::size_t i = 0; i < count; ++i) {
      if (i == 0 || target[order[i]] != target[order[i - 1]]) filling.next_cluster();
      filling.add(order[i], nullptr);
    }
    filling.end();
  }

  // Up in the inner attribute: groups within a cluster are joined.
  void join(const Clusters& from, int level, Clusters& to, Scratch& scratch) const {
    to.levels = from.levels;
    to.levels[inner_] = static_cast<std::uint8_t>(level);
    to.keys = from.keys;
    to.prices = from.prices;
    const std::uint32_t* step = lattice_.steps_[inner_][from.levels[inner_]][level].data();
    Filling filling(*this, from, to, scratch);
    for (std::size_t c = 0; c < from.count(); ++c) {
      filling.next_cluster();
      filling.add(c, step);
    }
    filling.end();
  }

  // Fills the clusters of a table one after the other. A part's slot is its group, if that is in the present cluster.
  class Filling {
   public:
    Filling(const LatticeSweep& sweep, const Clusters& from, Clusters& to, Scratch& scratch)
        : from_(from), to_(to), labels_(sweep.labels_), judged_(sweep.privacy_), slot_(scratch.slot),
          parent_(scratch.parent) {
      slot_.assign(sweep.lattice_.parts(sweep.inner_, 0), UINT32_MAX);
      to.begin.clear();
      to.parts.resize(from.parts.size());
      to.sizes.resize(from.sizes.size());
      to.histograms.resize(from.histograms.size());
      if (judged_) parent_.resize(from.sizes.size());
    }
    void next_cluster() {
      begin_ = made_;
      to_.begin.push_back(made_);
    }
    // Add the groups of a cluster, their parts one step up if there is a step.
    void add(std::size_t cluster, const std::uint32_t* step) {
      if (judged_) add_groups<true>(cluster, step);
      else add_groups<false>(cluster, step);
    }
    void end() {
      to_.begin.push_back(made_);
      to_.parts.resize(made_);
      to_.sizes.resize(made_);
      to_.histograms.resize(std::size_t{made_} * labels_);
      if (judged_) from_.facts.roll_up(parent_, made_, to_.facts);
    }

   private:
    template <bool Judged>
    void add_groups(std::size_t cluster, const std::uint32_t* step) {
      std::uint32_t made = made_;
      const std::uint32_t begin = begin_, end = from_.begin[cluster + 1];
      std::uint32_t* const slot = slot_.data();
      for (std::uint32_t g = from_.begin[cluster]; g < end; ++g) {
        const std::uint32_t part = step ? step[from_.parts[g]] : from_.parts[g];
        std::uint32_t at = slot[part];
        const bool fresh = at < begin || at >= made;  // of another cluster, or of none
        at = fresh ? made : at;
        made += fresh;
        slot[part] = at;
        if constexpr (Judged) parent_[g] = at;
        to_.parts[at] = part;
        to_.sizes[at] = from_.sizes[g] + (fresh ? 0 : to_.sizes[at]);
        for (int label = 0; label < labels_; ++label) {
          Count& sum = to_.histograms[std::size_t{at} * labels_ + label];
          sum = from_.histograms[std::size_t{g} * labels_ + label] + (fresh ? 0 : sum);
        }
      }
      made_ = made;
    }

    const Clusters& from_;
    Clusters& to_;
    const int labels_;
    const bool judged_;
    std::vector<std::uint32_t>&slot_, &parent_;
    std::uint32_t made_ = 0, begin_ = 0;
  };

  // Sums over the groups that the first so many k keep and the others suppress; the last is kept by all.
  struct Tally {
    std::array<Count, kMostKs + 1> groups{}, rows{};
    std::array<Cost, kMostKs + 1> squares{}, minority{}, at_risk{};
  };

  void store(const Clusters& node, Scratch& scratch) {
    Tally sums;
    const std::size_t ks = ks_.size(), priced = cells_.size();
    const Count largest = static_cast<Count>(first_k_.size()) - 1;
    std::vector<Cost> cells(priced * (ks + 1), 0);
    std::vector<const Cost*> units;
    for (std::size_t p : cells_) units.push_back(prices_[p].units[inner_][node.levels[inner_]].data());
    for (std::size_t c = 0; c < node.count(); ++c)
      for (std::uint32_t g = node.begin[c]; g < node.begin[c + 1]; ++g) {
        const Count size = node.sizes[g];
        std::size_t kept = first_k_[std::min(size, largest)];
        while (kept < ks && ks_[kept] <= size) ++kept;
        Count rows = size;
        if (privacy_) {  // one that is refused is kept by no k
          const Verdict said = kept == 0 ? Verdict::hopeless : verdict(*scratch.judge, node.facts, g, size, ks_[0]);
          if (said != Verdict::admitted) kept = 0, rows = scratch.judge->lost(said, size);
        }
        ++sums.groups[kept];
        sums.rows[kept] += rows;
        if (privacy_) sums.at_risk[kept] += privacy_->rows_at_risk(size);
        sums.squares[kept] += Cost{size} * size;
        if (kept < ks)
          for (std::size_t i = 0; i < priced; ++i)
            cells[i * (ks + 1) + kept] += size * (node.prices[c * priced + i] + units[i][node.parts[g]]);
        if (labels_) {
          const auto histogram = node.histograms.begin() + std::size_t{g} * labels_;
          sums.minority[kept] += size - *std::max_element(histogram, histogram + labels_);
        }
      }
    std::size_t index = 0;
    for (int a = 0; a < lattice_.attributes(); ++a) index += (node.levels[a] - low_[a]) * stride_[a];
    all_.nodes[index] = node.levels;
    for (std::size_t i = 0; i < ks; ++i) tell(node.levels, index, i, sums, cells);
  }

  // What the sums say of the i-th k.
  void tell(const Levels& levels, std::size_t index, std::size_t i, const Tally& sums, const std::vector<Cost>& cells) {
    const auto kept = [&](const auto& each) {
      return std::accumulate(each.begin() + i + 1, each.begin() + ks_.size() + 1, Cost{0});
    };
    const auto below = [&](const auto begin) { return std::accumulate(begin, begin + i + 1, Cost{0}); };
    const Cost suppressed = below(sums.rows.begin()), groups = kept(sums.groups), released = kept(sums.rows);
    all_.groups[i][index] = static_cast<Count>(groups);
    all_.suppressed[i][index] = static_cast<Count>(suppressed);
    if (privacy_)
      all_.holds[i][index] = privacy_->holds(groups, released) && privacy_->few_at_risk(kept(sums.at_risk), released);
    std::size_t cell = 0;
    for (std::size_t p = 0; p < prices_.size(); ++p) {
      Cost cost = prices_[p].suppressed_row * suppressed;
      switch (prices_[p].kind) {
        case Price::Kind::squares: cost += kept(sums.squares); break;
        case Price::Kind::minority: cost += kept(sums.minority); break;
        case Price::Kind::groups: cost += released - groups; break;
        case Price::Kind::cells:
          cost += Lattice::fixed_price(prices_[p], levels);
          if (!prices_[p].units.empty()) cost -= below(cells.begin() + cell++ * (ks_.size() + 1));
          break;
      }
      all_.costs[p][i][index] = cost;
    }
  }

  const Lattice& lattice_;
  const Levels &low_, &high_;
  const std::span<const Price> prices_;
  const std::span<const Count> ks_;
  const int words_, labels_;
  const Privacy* const privacy_;
  std::vector<std::size_t> cells_;  // the prices that look at cells
  std::vector<int> order_;          // attributes, the outermost first
  int inner_ = 0;
  std::vector<std::uint8_t> first_k_;  // per size how many k keep it
  std::vector<std::size_t> stride_;
  LatticeMeasures all_;
};

LatticeMeasures sweep(const Lattice& lattice, const Levels& low, const Levels& high, std::span<const Price> prices,
                      std::span<const Count> ks, int threads, const std::atomic<bool>* stop) {
  return LatticeSweep(lattice, low, high, prices, ks).run(threads, stop);
}

}  // namespace shoal
