#include "core/exact.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <thread>

#include "core/exact_node.h"
#include "core/hill_climb.h"

namespace shoal {
namespace {

constexpr int kRound = 32;                    // nodes per round, whatever the threads
constexpr std::size_t kProbedAxes = 3;        // axes that are tried
constexpr std::int64_t kFirstNodes = 1024;    // nodes before a second axis is tried
constexpr std::int64_t kProbeNodes = 128;     // nodes after which axes are compared
constexpr std::size_t kMostOpen = 4'000'000;  // beyond it the deepest node goes first, to bound the memory

// Attributes that may be the axis, the most even spread over the most values first: entropy of the column.
std::vector<int> axis_candidates(const Problem& problem) {
  std::vector<std::pair<double, int>> ranked;
  for (int a = 0; a < problem.attributes; ++a) {
    if (problem.sizes[a] > kLongestAxis) continue;
    std::vector<double> share(problem.sizes[a], 0);
    for (int row = 0; row < problem.distinct(); ++row)
      for (int l = 0; l < problem.labels; ++l) share[problem.code(row, a)] += problem.count(row, l);
    double entropy = 0;
    for (double count : share)
      if (count > 0) entropy -= count / problem.total() * std::log(count / problem.total());
    ranked.emplace_back(-entropy, a);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<int> axes;
  for (const auto& [rank, a] : ranked)
    if (axes.size() < kProbedAxes) axes.push_back(a);
  return axes;
}

class Search {
 public:
  Search(const Problem& problem, const Options& options, const Watch& watch, int axis)
      : problem_(problem), options_(options), watch_(watch), projection_(problem, axis),
        alphabet_(static_cast<int>(projection_.alphabet.size())) {
    const int threads = std::clamp(options.threads, 1, kRound);
    for (int t = 0; t < threads; ++t) expanders_.push_back(make_expander(projection_));
    Node root{CutSet(alphabet_), CutSet(alphabet_), 0};
    for (int cut = 0; cut < alphabet_; ++cut) root.tail.add(cut);
    push(std::move(root));
  }

  // Begin with a known recoding, its axis solved anew and improved by single cuts, and with a known bound.
  void start(const Cuts& known, Cost bound) {
    floor_ = bound;
    CutSet head(alphabet_);
    for (std::size_t a = 0; a < projection_.attributes.size(); ++a)
      for (int code : known[projection_.attributes[a]]) head.add(projection_.first_cut[a] + code - 1);
    take(expanders_[0]->solve_head(head, kInfinite));
    polish();
    report(true);
  }

  // Go on until the proof, the end of the budget, or so many nodes in all. `spent` were used by others.
  void run(std::int64_t nodes, std::int64_t spent) {
    spent_ = spent;
    while (!open_.empty() && !finished() && nodes_ < nodes) {
      round();
      report(false);
    }
  }

  bool finished() const {
    return proved() || spent_ + nodes_ >= options_.budget.nodes || watch_.stopped() ||
           watch_.close_enough(best_.cost, bound());
  }
  bool proved() const { return bound() >= best_.cost; }
  // What any axis proved holds for the problem, so the bound that is told never falls.
  Cost bound() const { return std::min(std::max(floor_, own_bound()), best_.cost); }
  Cost own_bound() const { return open_.empty() ? kInfinite : open_.front().node.bound; }
  std::int64_t nodes() const { return nodes_; }

  Outcome outcome() const {
    Outcome result;
    result.nodes = spent_ + nodes_;
    result.found = best_.cost < kInfinite;
    result.bound = bound();
    result.proved = proved();
    if (!result.found) return result;
    result.cost = best_.cost;
    result.cuts.resize(problem_.attributes);
    result.cuts[projection_.axis] = best_.axis_cuts;
    for (int cut : best_.head.elements()) {
      const auto [attribute, code] = projection_.alphabet[cut];
      result.cuts[projection_.attributes[attribute]].push_back(code);
    }
    result.suppressed = evaluate(problem_, result.cuts).suppressed;
    return result;
  }

 private:
  struct Open {
    Node node;
    int depth;
    std::int64_t sequence;
  };
  // Heap order: the least bound on top; among equals the deeper, then the older.
  static bool later(const Open& x, const Open& y) {
    if (x.node.bound != y.node.bound) return x.node.bound > y.node.bound;
    if (x.depth != y.depth) return x.depth < y.depth;
    return x.sequence > y.sequence;
  }

  void push(Node&& node) {
    const int depth = node.head.size();
    open_.push_back({std::move(node), depth, sequence_++});
    std::push_heap(open_.begin(), open_.end(), later);
  }
  Node pop() {
    if (open_.size() > kMostOpen) {
      // Any order is sound. Taking the deepest keeps the list short and the heap is mended afterwards.
      auto deepest = std::max_element(open_.begin(), open_.end(),
                                      [](const Open& x, const Open& y) { return x.depth < y.depth; });
      Node node = std::move(deepest->node);
      *deepest = std::move(open_.back());
      open_.pop_back();
      std::make_heap(open_.begin(), open_.end(), later);
      return node;
    }
    std::pop_heap(open_.begin(), open_.end(), later);
    Node node = std::move(open_.back().node);
    open_.pop_back();
    return node;
  }

  void round() {
    std::vector<Node> batch;
    const std::int64_t most = std::min<std::int64_t>(kRound, options_.budget.nodes - spent_ - nodes_);
    while (!open_.empty() && static_cast<std::int64_t>(batch.size()) < most) {
      Node node = pop();
      if (node.bound < best_.cost) batch.push_back(std::move(node));
    }
    std::vector<Expansion> results(batch.size());
    std::vector<char> done(batch.size(), 0);
    parallel(batch.size(), [&](std::size_t i, NodeExpander& expander) {
      if (watch_.stopped()) return;
      results[i] = expander.expand(batch[i], best_.cost);
      done[i] = 1;
    });
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!done[i]) {
        push(std::move(batch[i]));
        continue;
      }
      ++nodes_;
      take(std::move(results[i].best));
      for (Node& child : results[i].children) {
        child.bound = std::max(child.bound, batch[i].bound);
        if (child.bound < best_.cost) push(std::move(child));
      }
    }
  }

  // The first failure of any thread (memory can run out) ends the search like one of the calling thread.
  template <class Task>
  void parallel(std::size_t tasks, const Task& task) {
    std::atomic<std::size_t> next{0};
    std::vector<std::exception_ptr> failures(expanders_.size());
    const auto work = [&](std::size_t thread) {
      try {
        for (std::size_t i; (i = next.fetch_add(1)) < tasks;) task(i, *expanders_[thread]);
      } catch (...) {
        failures[thread] = std::current_exception();
      }
    };
    std::vector<std::thread> helpers;
    for (std::size_t t = 1; t < std::min(expanders_.size(), tasks); ++t) helpers.emplace_back(work, t);
    work(0);
    for (std::thread& helper : helpers) helper.join();
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
  }

  void take(Incumbent&& candidate) {
    if (candidate.cost < best_.cost) best_ = std::move(candidate), improved_ = true;
  }

  // Change one cut at a time, the axis solved anew each time, while it helps.
  void polish() {
    for (bool moved = true; moved && !watch_.stopped();) {
      moved = false;
      std::vector<Incumbent> tried(alphabet_);
      parallel(alphabet_, [&](std::size_t cut, NodeExpander& expander) {
        CutSet head = best_.head;
        head.has(static_cast<int>(cut)) ? head.remove(static_cast<int>(cut)) : head.add(static_cast<int>(cut));
        if (!watch_.stopped()) tried[cut] = expander.solve_head(head, best_.cost);
      });
      for (Incumbent& candidate : tried)
        if (candidate.cost < best_.cost) take(std::move(candidate)), moved = true;
    }
  }

  void report(bool always) {
    const double now = watch_.seconds();
    if (!always && !improved_ && now - reported_ < 0.1) return;
    watch_.report(best_.cost, bound(), spent_ + nodes_);
    reported_ = now;
    improved_ = false;
  }

  const Problem& problem_;
  const Options& options_;
  const Watch& watch_;
  const Projection projection_;
  const int alphabet_;
  std::vector<std::unique_ptr<NodeExpander>> expanders_;
  std::vector<Open> open_;
  Incumbent best_;
  Cost floor_ = 0;
  std::int64_t nodes_ = 0, spent_ = 0, sequence_ = 0;
  double reported_ = 0;
  bool improved_ = false;
};

}  // namespace

// Which axis suits is not seen from the data, only from the bounds it reaches. The likeliest goes first and
// solves most problems at once; a hard one is worth a short look at the others with as many nodes.
Outcome exact(const Problem& problem, const Options& options) {
  const Watch watch(options);
  Options climbing = options;
  climbing.budget.nodes = INT64_MAX;
  Cuts known = hill_climb(problem, climbing).cuts;
  known.resize(problem.attributes);

  std::unique_ptr<Search> best;
  Cost reached = 0;  // by the best axis with kProbeNodes nodes
  Cost bound = 0;
  std::int64_t spent = 0;
  for (int axis : axis_candidates(problem)) {
    auto search = std::make_unique<Search>(problem, options, watch, axis);
    search->start(known, bound);
    search->run(kProbeNodes, spent);
    const Cost probed = search->own_bound();
    if (!best) search->run(kFirstNodes, spent);
    known = search->outcome().cuts;
    bound = search->bound();
    if (search->finished()) return search->outcome();
    spent += search->nodes();
    if (best && probed <= reached) continue;
    best = std::move(search);
    reached = probed;
  }
  best->start(known, bound);
  best->run(INT64_MAX, spent - best->nodes());
  return best->outcome();
}

}  // namespace shoal
