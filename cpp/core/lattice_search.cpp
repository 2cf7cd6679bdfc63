#include "core/lattice_search.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <set>
#include <thread>
#include <tuple>

#include "core/parallel.h"

namespace shoal {
namespace {

constexpr std::size_t kRound = 16;  // boxes per round, whatever the threads

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
  std::vector<Box> parts;  // what is left of the box
};

class Search {
 public:
  Search(const LatticeProblem& problem, const Options& options)
      : p_(problem), lattice_(*problem.lattice), options_(options), watch_(options) {}

  LatticeOutcome run() {
    const Box whole{p_.low, p_.high, 0};
    begin(whole);
    while (!open_.empty() && !finished()) round();
    report(true);
    LatticeOutcome out;
    out.found = best_.cost < kInfinite;
    out.nodes = nodes();
    out.bound = std::min(bound(), best_.cost);
    out.proved = open_.empty() || out.bound >= best_.cost;
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

  // A first incumbent: from the top, go down one level at a time wherever it is cheapest.
  void begin(const Box& whole) {
    Candidate at = candidate(whole.high);
    push({whole.low, whole.high, 0});
    if (at.cost >= kInfinite) return;  // even the top is inadmissible: the first box will say so
    take(at);
    for (bool moved = true; moved && !watch_.stopped();) {
      moved = false;
      std::vector<Levels> lower;
      for (std::size_t a = 0; a < at.levels.size(); ++a)
        if (at.levels[a] > p_.low[a]) lower.push_back(at.levels), --lower.back()[a];
      std::vector<Candidate> tried(lower.size());
      parallel(lower.size(), options_.threads, [&](std::size_t i) { tried[i] = candidate(lower[i]); });
      for (const Candidate& each : tried)
        if (each.cost < kInfinite && each.rank() < at.rank()) at = each, moved = true;
      take(at);
    }
  }

  bool finished() const {
    return bound() >= best_.cost || watch_.stopped() || nodes() >= options_.budget.nodes ||
           watch_.close_enough(best_.cost, bound());
  }
  Cost bound() const { return open_.empty() ? best_.cost : open_.front().first.bound; }
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
    parallel(batch.size(), options_.threads, [&](std::size_t i) {
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
    visited_.insert(levels);
  }

  Candidate candidate(const Levels& levels) {
    visit(levels);
    const Groups table = lattice_.groups(levels);
    const NodeMeasure node = lattice_.measure(*table, p_.price, p_.k);
    return {node.suppressed <= p_.limit ? node.cost : kInfinite, node.suppressed, levels};
  }

  Examined examine(const Box& box, Cost known) {
    Examined out;
    visit(box.high);
    const Groups high = lattice_.groups(box.high);
    const NodeMeasure at_high = lattice_.measure(*high, p_.price, p_.k);
    if (at_high.suppressed > p_.limit) return out;  // so is every more specific node
    if (at_high.cost < known) out.candidates.push_back({at_high.cost, at_high.suppressed, box.high});
    if (box.low == box.high) return out;
    Cost bound = box.bound;
    if (p_.price.kind == Price::Kind::cells) {
      bound = std::max(bound, Lattice::fixed_price(p_.price, box.low) + at_high.cost - Lattice::fixed_price(p_.price, box.high));
    } else {
      visit(box.low);
      const Groups low = lattice_.groups(box.low);
      const NodeMeasure at_low = lattice_.measure(*low, p_.price, p_.k);
      if (at_low.suppressed <= p_.limit && at_low.cost < known)
        out.candidates.push_back({at_low.cost, at_low.suppressed, box.low});
      bound = std::max(bound, box_bound(*low, box.high));
    }
    for (const Candidate& each : out.candidates) known = std::min(known, each.cost);
    if (bound < known) halve(box, bound, out.parts);
    return out;
  }

  // Every row of a group of `low` costs at least this at any node up to `high`.
  Cost box_bound(const GroupTable& low, const Levels& high) const {
    thread_local GroupTable top;
    thread_local std::vector<std::uint32_t> parent;
    lattice_.roll_up(low, high, top, &parent);
    Cost sum = 0;
    if (p_.price.kind == Price::Kind::groups) {
      // A kept group at high holds no more groups than it has parts at low, or k rows for each.
      thread_local std::vector<Count> below;
      below.assign(top.sizes.size(), 0);
      for (std::uint32_t group : parent) ++below[group];
      sum = lattice_.total();
      for (std::size_t g = 0; g < below.size(); ++g)
        if (top.sizes[g] >= p_.k) sum -= std::min(below[g], top.sizes[g] / p_.k);
      return sum;
    }
    for (std::size_t g = 0; g < low.sizes.size(); ++g) {
      const Count size = low.sizes[g];
      if (top.sizes[parent[g]] < p_.k) sum += p_.price.suppressed_row * size;
      else if (p_.price.kind == Price::Kind::squares) sum += Cost{size} * std::max(size, p_.k);
      else sum += lattice_.minority(low, g);
    }
    return sum;
  }

  // Halve the box in the attribute whose two ends differ most.
  void halve(const Box& box, Cost bound, std::vector<Box>& parts) const {
    double most = -1;
    int chosen = 0;
    for (int a = 0; a < lattice_.attributes(); ++a) {
      if (box.low[a] == box.high[a]) continue;
      const double spread = std::log(static_cast<double>(lattice_.parts(a, box.low[a])) / lattice_.parts(a, box.high[a]));
      if (spread > most) most = spread, chosen = a;
    }
    const auto middle = static_cast<std::uint8_t>((box.low[chosen] + box.high[chosen]) / 2);
    Box lower{box.low, box.high, bound}, upper{box.low, box.high, bound};
    lower.high[chosen] = middle;
    upper.low[chosen] = middle + 1;
    parts.push_back(std::move(lower));
    parts.push_back(std::move(upper));
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
  std::set<Levels> visited_;
  std::int64_t sequence_ = 0;
  double reported_ = 0;
  bool improved_ = false;
};

}  // namespace

LatticeOutcome lattice_search(const LatticeProblem& problem, const Options& options) {
  return Search(problem, options).run();
}

}  // namespace shoal
