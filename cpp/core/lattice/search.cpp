#include "core/lattice/search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>
#include <unordered_set>

#include "core/base/parallel.h"

namespace shoal {
namespace {

constexpr std::size_t kRound = 16;        // boxes per round, whatever the threads
constexpr std::int64_t kPolishFrom = 64;  // rounds before the incumbent is improved by itself

struct Box {
  Levels low, high;
  Cost bound = 0;  // no node of the box costs less
};

// A node and what it costs. Ties go to fewer suppressed rows, then to fewer steps, then to the first levels: the
// answer must not depend on the order of the search.
struct Candidate {
  Cost cost = kInfinite;
  Count suppressed = 0;
  Levels levels;

  auto rank() const {
    int height = 0;
    for (auto level : levels) height += level;
    return std::tuple(cost, suppressed, height, levels);
  }
};

struct Examined {
  std::vector<Candidate> candidates;
  std::vector<Box> parts;      // what is left of the box
  Cost unsettled = kInfinite;  // what a node of the box may cost that was not settled
};

class Search {
 public:
  Search(const LatticeProblem& problem, const Options& options)
      : p_(problem), lattice_(*problem.lattice), options_(options), watch_(options) {}

  LatticeOutcome run() {
    const Box whole{p_.low, p_.high, 0};
    begin(whole);
    for (std::int64_t rounds = 1; !open_.empty() && !finished(); ++rounds) {
      round();
      // A short search ends without; for a long one it is little work, and those who stop early get more.
      if (rounds >= kPolishFrom && std::has_single_bit(static_cast<std::uint64_t>(rounds))) polish();
    }
    report(true);
    LatticeOutcome out;
    out.found = best_.cost < kInfinite;
    out.nodes = nodes();
    out.bound = std::min(bound(), best_.cost);
    out.proved = out.bound >= best_.cost;
    if (!out.found) return out;
    out.cost = best_.cost;
    out.suppressed = best_.suppressed;
    out.levels = best_.levels;
    return out;
  }

 private:
  struct Later {
    bool operator()(const std::pair<Box, std::int64_t>& x, const std::pair<Box, std::int64_t>& y) const {
      return std::tuple(x.first.bound, -x.second) > std::tuple(y.first.bound, -y.second);
    }
  };

  // A first incumbent: from the top, lower one attribute after the other while that is cheaper, those first that
  // tell most. Best first needs none to be fast; it is for those who stop early.
  void begin(const Box& whole) {
    Candidate at = candidate(whole.high);
    take(at);
    std::vector<int> order(lattice_.attributes());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return spread(whole, x) > spread(whole, y); });
    for (int a : order)
      while (at.cost < kInfinite && at.levels[a] > p_.low[a] && nodes() < options_.budget.nodes && !watch_.stopped()) {
        Levels lower = at.levels;
        --lower[a];
        const Candidate next = candidate(lower);
        if (next.rank() > at.rank()) break;
        take(at = next);
      }
    push(Box(whole));
  }

  // Go to the cheapest neighbour, one level up or down, while there is a cheaper one.
  void polish() {
    for (Candidate at; at.rank() != best_.rank() && best_.cost < kInfinite && !watch_.stopped();) {
      at = best_;
      std::vector<Levels> near;
      for (std::size_t a = 0; a < at.levels.size(); ++a)
        for (int step : {-1, 1})
          if (const int level = at.levels[a] + step; level >= p_.low[a] && level <= p_.high[a])
            near.push_back(at.levels), near.back()[a] = static_cast<std::uint8_t>(level);
      std::vector<Candidate> tried(near.size());
      parallel(near.size(), options_.threads, [&](std::size_t i, std::size_t) { tried[i] = candidate(near[i]); });
      for (const Candidate& each : tried) take(each);
    }
  }

  bool finished() const {
    return bound() >= best_.cost || watch_.stopped() || nodes() >= options_.budget.nodes ||
           watch_.close_enough(best_.cost, bound());
  }
  Cost bound() const { return std::min(open_.empty() ? best_.cost : open_.front().first.bound, unsettled_); }
  std::int64_t nodes() const { return static_cast<std::int64_t>(visited_.size()); }

  void round() {
    std::vector<Box> batch;
    while (!open_.empty() && batch.size() < kRound) {
      std::pop_heap(open_.begin(), open_.end(), Later());
      if (open_.back().first.bound < best_.cost) batch.push_back(std::move(open_.back().first));
      open_.pop_back();
    }
    std::vector<Examined> results(batch.size());
    std::vector<char> done(batch.size(), 0);
    parallel(batch.size(), options_.threads, [&](std::size_t i, std::size_t) {
      if (watch_.stopped()) return;
      results[i] = examine(batch[i], best_.cost);
      done[i] = 1;
    });
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!done[i]) {
        push(std::move(batch[i]));
        continue;
      }
      for (const Candidate& each : results[i].candidates) take(each);
      unsettled_ = std::min(unsettled_, results[i].unsettled);
      for (Box& part : results[i].parts) push(std::move(part));
    }
    report(false);
  }

  void push(Box&& box) {
    if (box.bound >= best_.cost) return;
    open_.emplace_back(std::move(box), sequence_++);
    std::push_heap(open_.begin(), open_.end(), Later());
  }

  void take(const Candidate& candidate) {
    if (candidate.rank() < best_.rank()) improved_ = true, best_ = candidate;
  }

  void visit(const Levels& levels) {
    const std::lock_guard lock(mutex_);
    visited_.emplace(levels.begin(), levels.end());
  }

  Candidate candidate(const Levels& levels) {
    visit(levels);
    const Groups table = lattice_.groups(levels);
    const NodeMeasure node = lattice_.measure(*table, p_.price, p_.k, p_.limit);
    return {admissible(node) ? node.cost : kInfinite, node.suppressed, levels};
  }

  bool admissible(const NodeMeasure& node) const { return node.suppressed <= p_.limit && node.holds; }

  // No node of a box is admissible if too many rows are suppressed in all of it. Where nothing may be suppressed the
  // groups of its top are unions of admitted ones, and fewer than at any other node: what the top breaks, all break. The
  // same holds with groups that are given up, if a group of the top that contains a released one is admitted.
  bool futile(const NodeMeasure& high) const {
    const Privacy* rules = lattice_.privacy();
    return high.must > p_.limit || (rules && (rules->strict || rules->supersets) && !high.possible);
  }

  Examined examine(const Box& box, Cost known) {
    return p_.price.kind == Price::Kind::cells ? examine_cells(box, known) : examine_groups(box, known);
  }

  // Over cells the box's low end is priced without its groups.
  Examined examine_cells(const Box& box, Cost known) {
    Examined out;
    thread_local std::vector<Count> keeps;
    const NodeMeasure high = lattice_.measure(*lattice_.groups(box.high), p_.price, p_.k, p_.limit, known, &keeps);
    known = offer(box.high, high, known, out);
    if (futile(high) || box.low == box.high) return out;
    const Cost bound = std::max(box.bound, Lattice::fixed_price(p_.price, box.low) + high.must_cost);
    if (bound < known) halve(box, bound, high.must_cost, out.parts);
    return out;
  }

  Examined examine_groups(const Box& box, Cost known) {
    thread_local GroupTable held;
    thread_local std::vector<std::uint32_t> held_parent;
    thread_local std::vector<Count> held_keeps;
    auto& high = held;  // the address of a thread's variable is looked up at every use
    auto& parent = held_parent;
    auto& keeps = held_keeps;
    Examined out;
    const Groups low = lattice_.groups(box.low);
    lattice_.roll_up(*low, box.high, high, &parent);
    const NodeMeasure at_high = lattice_.measure(high, p_.price, p_.k, p_.limit, known, &keeps);
    known = offer(box.high, at_high, known, out);
    if (futile(at_high) || box.low == box.high) return out;
    known = offer(box.low, lattice_.measure(*low, p_.price, p_.k, p_.limit, known), known, out);
    const Cost least = lattice_.privacy() ? judged_bound(*low, high, parent, keeps) : box_bound(*low, high, parent);
    const Cost bound = std::max(box.bound, least);
    if (bound < known) halve(box, bound, 0, out.parts);
    return out;
  }

  // A node that was measured.
  Cost offer(const Levels& levels, const NodeMeasure& node, Cost known, Examined& out) {
    visit(levels);
    if (node.unsettled < known) out.unsettled = std::min(out.unsettled, node.unsettled);
    if (!admissible(node) || node.cost >= known) return known;
    out.candidates.push_back({node.cost, node.suppressed, levels});
    return node.cost;
  }

  // Every row of a group of `low` costs at least this at any node up to `high`.
  Cost box_bound(const GroupTable& low, const GroupTable& high, const std::vector<std::uint32_t>& parent) const {
    if (p_.price.kind == Price::Kind::groups) return lattice_.total() - most_groups(low, high.sizes, parent);
    Cost sum = 0;
    for (std::size_t g = 0; g < low.count(); ++g) {
      const Count size = low.sizes[g];
      if (high.sizes[parent[g]] < p_.k) sum += p_.price.suppressed_row * size;
      else if (p_.price.kind == Price::Kind::squares) sum += Cost{size} * std::max(size, p_.k);
      else sum += lattice_.minority(low, g);
    }
    return sum;
  }

  // At any node between, a kept group inside a group of `high` holds a group of `low` with k rows, or k rows of
  // groups that have fewer; and it has k rows.
  Cost most_groups(const GroupTable& low, const std::vector<Count>& keeps,
                   const std::vector<std::uint32_t>& parent) const {
    std::vector<Count> large(keeps.size(), 0), small(keeps.size(), 0);
    for (std::size_t g = 0; g < low.count(); ++g)
      if (low.sizes[g] >= p_.k) ++large[parent[g]];
      else small[parent[g]] += low.sizes[g];
    Cost most = 0;
    for (std::size_t g = 0; g < keeps.size(); ++g) most += std::min(large[g] + small[g] / p_.k, keeps[g] / p_.k);
    return most;
  }

  // The same where at most so many rows of each group of `high` are kept.
  Cost judged_bound(const GroupTable& low, const GroupTable& high, const std::vector<std::uint32_t>& parent,
                    const std::vector<Count>& keeps) const {
    if (p_.price.kind == Price::Kind::groups) return lattice_.total() - most_groups(low, keeps, parent);
    const bool squares = p_.price.kind == Price::Kind::squares;
    std::vector<Cost> kept(high.count(), 0);   // what the rows of a group cost at least if all are kept ...
    std::vector<Count> most(high.count(), 0);  // ... and one of them at most in that sum
    for (std::size_t g = 0; g < low.count(); ++g) {
      const Count size = low.sizes[g], of_row = std::max(size, p_.k);
      kept[parent[g]] += squares ? Cost{size} * of_row : lattice_.minority(low, g);
      most[parent[g]] = std::max(most[parent[g]], of_row);
    }
    Cost sum = 0;
    for (std::size_t g = 0; g < high.count(); ++g) {
      const Cost lost = high.sizes[g] - keeps[g];
      if (keeps[g] == 0) sum += p_.price.suppressed_row * lost;
      else
        sum += squares ? kept[g] + lost * (p_.price.suppressed_row - most[g])
                       : std::max(kept[g], p_.price.suppressed_row * lost);
    }
    return sum;
  }

  // How many values of an attribute one value at the top of the box stands for, as a logarithm.
  double spread(const Box& box, int a) const {
    return std::log(static_cast<double>(lattice_.parts(a, box.low[a])) / lattice_.parts(a, box.high[a]));
  }

  // Halve the box: over cells where the upper half's price rises most, else where the two ends differ most.
  void halve(const Box& box, Cost bound, Cost must, std::vector<Box>& parts) const {
    const bool cells = p_.price.kind == Price::Kind::cells;
    double most = -1;
    int chosen = 0;
    for (int a = 0; a < lattice_.attributes(); ++a) {
      if (box.low[a] == box.high[a]) continue;
      const auto& fixed = p_.price.fixed;
      const double gain =
          cells ? static_cast<double>(fixed[a][middle(box, a) + 1] - fixed[a][box.low[a]]) : spread(box, a);
      if (gain > most) most = gain, chosen = a;
    }
    Box lower{box.low, box.high, bound}, upper{box.low, box.high, bound};
    lower.high[chosen] = middle(box, chosen);
    upper.low[chosen] = middle(box, chosen) + 1;
    if (cells) upper.bound = std::max(bound, Lattice::fixed_price(p_.price, upper.low) + must);
    parts.push_back(std::move(lower));
    parts.push_back(std::move(upper));
  }

  static std::uint8_t middle(const Box& box, int a) {
    return static_cast<std::uint8_t>((box.low[a] + box.high[a]) / 2);
  }

  void report(bool always) {
    const double now = watch_.seconds();
    if (!always && !improved_ && now - reported_ < 0.1) return;
    watch_.report(best_.cost, std::min(bound(), best_.cost), nodes());
    reported_ = now;
    improved_ = false;
  }

  const LatticeProblem& p_;
  const Lattice& lattice_;
  const Options& options_;
  const Watch watch_;
  std::vector<std::pair<Box, std::int64_t>> open_;
  Candidate best_;
  std::mutex mutex_;
  std::unordered_set<std::string> visited_;  // levels as bytes, which have a hash
  std::int64_t sequence_ = 0;
  Cost unsettled_ = kInfinite;  // what a node may cost that was not settled
  double reported_ = 0;
  bool improved_ = false;
};

}  // namespace

LatticeOutcome lattice_search(const LatticeProblem& problem, const Options& options) {
  return Search(problem, options).run();
}

}  // namespace shoal
