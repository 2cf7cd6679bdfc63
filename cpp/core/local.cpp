#include "core/local.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

#include "core/local_bound.h"
#include "core/local_rows.h"

namespace shoal {
namespace {

constexpr int kNear = 6;  // neighbours on each side in each order

struct Cluster {
  std::vector<int> rows;
  Count size = 0;
  Levels levels;
  int like = 0;   // any of its rows
  Cost price = 0;  // of one row
  Cost cost() const { return size * price; }
};

class Local {
 public:
  Local(const LocalProblem& problem, const Options& options)
      : p_(problem), options_(options), watch_(options), rows_(problem), random_(options.seed) {
    if (p_.privacy) judge_.emplace(*p_.privacy);
  }

  LocalOutcome run() {
    LocalOutcome out;
    make_clusters(out);
    if (place_rest()) {
      out.found = true;
      watch_.report(cost(), 0, out.nodes);
      improve(out);
      out.cost = cost();
      out.suppressed = suppressed_;
      write(out);
    }
    if (!watch_.stopped()) out.bound = std::min(local_bound(p_, prices(), watch_), out.cost);
    out.proved = out.found && out.bound >= out.cost;
    return out;
  }

 private:
  // ---- clusters ----------------------------------------------------------------------------------------
  void measure(Cluster& cluster) const {
    cluster.size = 0;
    cluster.levels = p_.low;
    cluster.price = 0;
    if (cluster.rows.empty()) return;
    cluster.like = cluster.rows.front();
    for (const int row : cluster.rows) {
      cluster.size += rows_.rows(row);
      join(cluster, row);
    }
    cluster.price = price(cluster);
  }
  void join(Cluster& cluster, int row) const {
    for (int a = 0; a < rows_.attributes(); ++a)
      cluster.levels[a] = static_cast<std::uint8_t>(rows_.meet(a, cluster.levels[a], rows_.code(cluster.like, a), rows_.code(row, a)));
  }
  Cost price(const Cluster& cluster) const {
    Cost sum = 0;
    for (int a = 0; a < rows_.attributes(); ++a) sum += rows_.units(a, cluster.levels[a], rows_.code(cluster.like, a));
    return sum;
  }
  // What a row of the cluster would cost if one more joined it; kInfinite if that leaves the allowed levels.
  Cost price_with(const Cluster& cluster, int row) const {
    Cost sum = 0;
    for (int a = 0; a < rows_.attributes(); ++a) {
      const int code = rows_.code(cluster.like, a), level = rows_.meet(a, cluster.levels[a], code, rows_.code(row, a));
      if (level > p_.high[a]) return kInfinite;
      sum += rows_.units(a, level, code);
    }
    return sum;
  }
  // How much more everything costs if a row, so far in no cluster, joins this one.
  Cost joining_cost(const Cluster& cluster, int row) const {
    const Cost with = price_with(cluster, row);
    return with >= kInfinite ? kInfinite : (cluster.size + rows_.rows(row)) * with - cluster.cost();
  }
  bool within(const Cluster& cluster) const { return below(cluster.levels, p_.high); }
  bool admitted(std::span<const int> rows, Count size) {
    if (size < p_.k) return false;
    if (!judge_) return true;
    judge_->clear();
    for (const int row : rows) judge_->add(row);
    return judge_->verdict(size) == Verdict::admitted;
  }
  bool admitted(const Cluster& cluster) { return admitted(cluster.rows, cluster.size) && within(cluster); }

  // ---- 1. greedy -----------------------------------------------------------------------------------------
  void make_clusters(LocalOutcome& out) {
    rest_.resize(rows_.count());
    std::iota(rest_.begin(), rest_.end(), 0);
    std::erase_if(rest_, [&](int row) { return rows_.rows(row) == 0; });  // those that only a population has
    Grouping grouping;
    std::vector<std::uint32_t> cluster_of;
    std::vector<std::vector<int>> members;
    for (const Levels& node : nodes_by_price(rows_, p_.low, p_.high)) {
      if (rest_.empty()) break;
      // Out of time: what is left goes to the top at once.
      const Levels& here = watch_.stopped() || out.nodes >= options_.budget.nodes ? p_.high : node;
      ++out.nodes;
      grouping.group(rows_, rest_, here);
      if (grouping.any(p_.k)) take(grouping);
      if (&here == &p_.high) break;
      if (out.nodes % 256 == 0) watch_.report(kInfinite, 0, out.nodes);
    }
  }
  // Groups that may be released become clusters; the other rows stay.
  void take(const Grouping& grouping) {
    std::vector<std::int32_t> place(grouping.count(), -1);
    std::vector<Cluster> made;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const std::uint32_t group = grouping.of(i);
      if (grouping.size(group) < p_.k) continue;
      if (place[group] < 0) place[group] = static_cast<std::int32_t>(made.size()), made.emplace_back();
      made[place[group]].rows.push_back(rest_[i]);
    }
    std::vector<char> kept(made.size(), 1);
    for (std::size_t c = 0; c < made.size(); ++c) {
      measure(made[c]);
      kept[c] = admitted(made[c]);
    }
    std::size_t left = 0;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const std::int32_t at = place[grouping.of(i)];
      if (at < 0 || !kept[at]) rest_[left++] = rest_[i];
    }
    rest_.resize(left);
    for (std::size_t c = 0; c < made.size(); ++c)
      if (kept[c]) clusters_.push_back(std::move(made[c]));
  }

  // Rows that found no cluster join the one where they cost least; if none takes them they are suppressed, and if
  // that is forbidden everything becomes one cluster. False if even that is refused.
  bool place_rest() {
    std::vector<int> suppressed;
    for (const int row : rest_) {
      std::size_t best = clusters_.size();
      Cost least = kInfinite;
      for (std::size_t c = 0; c < clusters_.size(); ++c)
        if (const Cost cost = joining_cost(clusters_[c], row); cost < least && admitted_with(clusters_[c], row)) least = cost, best = c;
      if (best == clusters_.size()) suppressed.push_back(row); else add(best, row);
    }
    suppressed_ = 0;
    for (const int row : suppressed) suppressed_ += rows_.rows(row);
    if (suppressed_ <= p_.limit && !clusters_.empty() && releasable()) return true;
    Cluster all;
    for (int row = 0; row < rows_.count(); ++row)
      if (rows_.rows(row) > 0) all.rows.push_back(row);
    measure(all);
    suppressed_ = 0;
    clusters_.assign(1, all);
    return admitted(all) && releasable();
  }
  bool admitted_with(const Cluster& cluster, int row) {
    if (!judge_) return true;
    std::vector<int> rows = cluster.rows;
    rows.push_back(row);
    return admitted(rows, cluster.size + rows_.rows(row));
  }
  // What is demanded of all groups together. Clusters that are printed alike are one group, and then there are fewer.
  bool releasable() const {
    return !p_.privacy || p_.privacy->holds(static_cast<Cost>(clusters_.size()), rows_.total() - suppressed_);
  }

  Cost cost() const {
    Cost sum = suppressed_ * p_.suppressed_row;
    for (const Cluster& cluster : clusters_) sum += cluster.cost();
    return sum;
  }

  // ---- 2. improvement ------------------------------------------------------------------------------------
  void improve(LocalOutcome& out) {
    cluster_of_.assign(rows_.count(), -1);
    for (std::size_t c = 0; c < clusters_.size(); ++c)
      for (const int row : clusters_[c].rows) cluster_of_[row] = static_cast<std::int32_t>(c);
    if (clusters_.size() < 2 || watch_.stopped()) return;
    find_neighbours();
    for (Cost before = kInfinite, now = cost(); now < before && !watch_.stopped();) {
      before = now;
      move_rows();
      dissolve_clusters();
      split_clusters();
      now = cost();
      watch_.report(now, 0, out.nodes);
    }
    std::erase_if(clusters_, [](const Cluster& cluster) { return cluster.rows.empty(); });
  }

  // Rows that are near in some lexicographic order; their clusters are where a row may move.
  void find_neighbours() {
    const int attributes = rows_.attributes();
    near_.assign(rows_.count(), {});
    std::vector<int> order, priority(attributes);
    for (int last = 0; last < attributes; ++last) {
      // The last attribute varies fastest, so each of them is the last once.
      std::iota(priority.begin(), priority.end(), 0);
      shuffle(priority);
      std::iter_swap(std::find(priority.begin(), priority.end(), last), priority.end() - 1);
      order.clear();
      for (int row = 0; row < rows_.count(); ++row)
        if (cluster_of_[row] >= 0) order.push_back(row);
      std::sort(order.begin(), order.end(), [&](int x, int y) {
        for (const int a : priority)
          if (rows_.code(x, a) != rows_.code(y, a)) return rows_.code(x, a) < rows_.code(y, a);
        return false;
      });
      const int count = static_cast<int>(order.size());
      for (int i = 0; i < count; ++i)
        for (int j = std::max(0, i - kNear); j <= std::min(count - 1, i + kNear); ++j)
          if (j != i) near_[order[i]].push_back(order[j]);
    }
  }

  // The library's own shuffle differs between compilers.
  void shuffle(std::vector<int>& order) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
  }

  struct Target {
    std::int32_t cluster = -1;
    Cost cost = kInfinite;
  };
  // The cluster near a row, other than its own, in which it costs least.
  Target best_target(int row) {
    Target best;
    seen_.resize(clusters_.size(), 0);
    ++turn_;
    const std::int32_t own = cluster_of_[row];
    for (const int other : near_[row]) {
      const std::int32_t c = cluster_of_[other];
      if (c == own || seen_[c] == turn_) continue;
      seen_[c] = turn_;
      if (const Cost cost = joining_cost(clusters_[c], row); cost < best.cost) best = {c, cost};
    }
    return best;
  }
  void add(std::size_t c, int row) {
    Cluster& cluster = clusters_[c];
    cluster.rows.push_back(row);
    cluster.size += rows_.rows(row);
    join(cluster, row);
    cluster.price = price(cluster);
    if (!cluster_of_.empty()) cluster_of_[row] = static_cast<std::int32_t>(c);
  }

  void move_rows() {
    std::vector<int> order(near_.size());
    std::iota(order.begin(), order.end(), 0);
    shuffle(order);
    Cluster without;
    for (const int row : order) {
      const std::int32_t own = cluster_of_[row];
      if (own < 0 || clusters_[own].price == 0 || clusters_[own].size - rows_.rows(row) < p_.k) continue;
      const Target target = best_target(row);
      if (target.cost >= clusters_[own].cost()) continue;
      without.rows.clear();
      std::copy_if(clusters_[own].rows.begin(), clusters_[own].rows.end(), std::back_inserter(without.rows), [row](int each) { return each != row; });
      measure(without);
      if (target.cost >= clusters_[own].cost() - without.cost()) continue;
      if (judge_ && !(admitted(without) && admitted_with(clusters_[target.cluster], row))) continue;
      clusters_[own] = without;
      add(target.cluster, row);
    }
  }

  // Every row of a cluster joins another one, if that is cheaper in all.
  void dissolve_clusters() {
    std::vector<int> order(clusters_.size());
    std::iota(order.begin(), order.end(), 0);
    shuffle(order);
    for (const int c : order) {
      const Cost gain = clusters_[c].cost();
      if (gain == 0 || !dissolving_pays(c, gain)) continue;
      std::vector<int> rows = clusters_[c].rows;
      std::vector<std::pair<std::int32_t, Cluster>> before;  // clusters that take a row, as they were
      Cost change = -gain;
      bool ok = true;
      for (const int row : rows) {
        const Target target = best_target(row);  // priced again: another row may have joined meanwhile
        ok = target.cluster >= 0 && (change += target.cost) < 0 && admitted_with(clusters_[target.cluster], row);
        if (!ok) break;
        before.emplace_back(target.cluster, clusters_[target.cluster]);
        add(target.cluster, row);
      }
      if (ok) {
        clusters_[c] = Cluster{{}, 0, p_.low, 0, 0};
        continue;
      }
      for (auto it = before.rbegin(); it != before.rend(); ++it) clusters_[it->first] = std::move(it->second);
      for (const int row : rows) cluster_of_[row] = c;
    }
  }
  bool dissolving_pays(int c, Cost gain) {
    Cost sum = 0;
    for (const int row : clusters_[c].rows)
      if (const Cost cost = best_target(row).cost; cost >= kInfinite || (sum += cost) >= gain) return false;
    return true;
  }

  // A cluster with room for two: along a child of one of its nodes, or around a row.
  void split_clusters() {
    const std::size_t count = clusters_.size();
    for (std::size_t c = 0; c < count; ++c) {
      if (clusters_[c].size < 2 * p_.k || clusters_[c].rows.size() < 2 || clusters_[c].price == 0) continue;
      Split best{{}, {}, clusters_[c].cost()};
      for (int a = 0; a < rows_.attributes(); ++a) split_along(clusters_[c], a, best);
      for (int seed = 0; seed < kSeeds; ++seed) split_around(clusters_[c], random_() % clusters_[c].rows.size(), best);
      if (best.one.rows.empty() || !one_more_group()) continue;
      clusters_[c] = std::move(best.one);
      for (const int row : best.two.rows) cluster_of_[row] = static_cast<std::int32_t>(clusters_.size());
      clusters_.push_back(std::move(best.two));
    }
  }
  static constexpr int kSeeds = 4;
  struct Split {
    Cluster one, two;
    Cost cost;
  };
  bool one_more_group() const {
    return !p_.privacy || p_.privacy->holds(static_cast<Cost>(clusters_.size()) + 1, rows_.total() - suppressed_);
  }
  void offer(Cluster& one, Cluster& two, Split& best) {
    measure(one);
    measure(two);
    if (one.size < p_.k || two.size < p_.k || one.cost() + two.cost() >= best.cost || !admitted(one) || !admitted(two)) return;
    best = {one, two, one.cost() + two.cost()};
  }
  void split_along(const Cluster& cluster, int a, Split& best) {
    const int level = cluster.levels[a];
    if (level <= p_.low[a]) return;
    const auto& parts = p_.parts[a][level - 1];
    std::vector<std::int32_t> children;
    for (const int row : cluster.rows) children.push_back(parts[rows_.code(row, a)]);
    std::vector<std::int32_t> distinct = children;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (const std::int32_t child : distinct) {
      Cluster one, two;
      for (std::size_t i = 0; i < children.size(); ++i) (children[i] == child ? one : two).rows.push_back(cluster.rows[i]);
      if (!two.rows.empty()) offer(one, two, best);
    }
  }
  void split_around(const Cluster& cluster, std::size_t seed, Split& best) {
    Cluster one, two;
    two.rows = cluster.rows;
    one.rows.push_back(two.rows[seed]);
    two.rows.erase(two.rows.begin() + static_cast<std::ptrdiff_t>(seed));
    measure(one);
    while (one.size < p_.k && !two.rows.empty()) {
      const auto nearest = std::min_element(two.rows.begin(), two.rows.end(), [&](int x, int y) { return price_with(one, x) < price_with(one, y); });
      const int row = *nearest;
      two.rows.erase(nearest);
      one.rows.push_back(row);
      one.size += rows_.rows(row);
      join(one, row);
      one.price = price(one);
    }
    if (!two.rows.empty()) offer(one, two, best);
  }

  // Per row what it costs as it is; one that is suppressed could not cost more.
  std::vector<Cost> prices() const {
    std::vector<Cost> found(rows_.count(), p_.suppressed_row);
    for (const Cluster& cluster : clusters_)
      for (const int row : cluster.rows) found[row] = cluster.price;
    return found;
  }

  void write(LocalOutcome& out) const {
    const std::size_t attributes = rows_.attributes();
    out.levels.assign(rows_.count() * attributes, kSuppressedRow);
    for (const Cluster& cluster : clusters_)
      for (const int row : cluster.rows) std::copy(cluster.levels.begin(), cluster.levels.end(), out.levels.begin() + row * attributes);
  }

  const LocalProblem& p_;
  const Options& options_;
  const Watch watch_;
  const Rows rows_;
  std::mt19937_64 random_;
  std::optional<Judge> judge_;
  std::vector<Cluster> clusters_;
  std::vector<int> rest_;
  Count suppressed_ = 0;
  std::vector<std::int32_t> cluster_of_;   // per row; -1 if it is suppressed
  std::vector<std::vector<int>> near_;
  std::vector<std::int64_t> seen_;
  std::int64_t turn_ = 0;
};

}  // namespace

LocalOutcome local_search(const LocalProblem& problem, const Options& options) { return Local(problem, options).run(); }

}  // namespace shoal
