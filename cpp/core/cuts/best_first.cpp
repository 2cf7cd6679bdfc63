#include "core/cuts/best_first.h"

#include <algorithm>
#include <cmath>

#include "core/cuts/evaluate.h"

namespace shoal {
namespace {

constexpr int kRound = 32;                    // nodes per round, whatever the threads
constexpr std::size_t kProbedAxes = 3;        // axes that are tried
constexpr std::int64_t kFirstNodes = 1024;    // nodes before a second axis is tried
constexpr std::int64_t kProbeNodes = 128;     // nodes after which axes are compared
constexpr std::size_t kMostOpen = 4'000'000;  // beyond it the deepest node goes first, to bound the memory

class Search {
 public:
  Search(const CutSpace& space, const Options& options, const Watch& watch, int axis)
      : problem_(space.problem()), options_(options), watch_(watch), projection_(space.project(axis)),
        moves_(space, projection_), alphabet_(static_cast<int>(projection_.alphabet.size())),
        workers_(make_workers(projection_, moves_, options.threads)) {
    Node root{CutSet(alphabet_), CutSet(alphabet_), 0};
    for (int cut = 0; cut < alphabet_; ++cut) root.tail.add(cut);
    push(std::move(root));
  }

  // Begin with a known recoding, its axis solved anew and improved by single steps, and with a known bound.
  void start(const Cuts& known, Cost bound) {
    floor_ = bound;
    take(workers_.first().solve_head(head_of(projection_, known), kInfinite));
    polish(best_, moves_, workers_, watch_);
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
  Cost own_bound() const { return std::min(open_.empty() ? kInfinite : open_.front().node.bound, unsettled_); }
  std::int64_t nodes() const { return nodes_; }
  Cuts cuts() const { return cuts_of(projection_, best_); }

  Outcome outcome() const {
    Outcome result;
    result.nodes = spent_ + nodes_;
    result.axis = projection_.axis;
    result.found = best_.cost < kInfinite;
    result.bound = bound();
    result.proved = proved();
    if (!result.found) return result;
    result.cost = best_.cost;
    result.cuts = cuts();
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
      auto deepest =
          std::max_element(open_.begin(), open_.end(), [](const Open& x, const Open& y) { return x.depth < y.depth; });
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
    std::vector<std::optional<Expansion>> results(batch.size());
    workers_.each(batch.size(), [&](std::size_t i, NodeExpander& expander) {
      if (!watch_.stopped()) results[i] = expander.expand(batch[i], best_.cost, &watch_);
    });
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!results[i]) {
        push(std::move(batch[i]));
        continue;
      }
      ++nodes_;
      unsettled_ = std::min(unsettled_, results[i]->best.unsettled);
      take(std::move(results[i]->best));
      for (Node& child : results[i]->children) {
        child.bound = std::max(child.bound, batch[i].bound);
        if (child.bound < best_.cost) push(std::move(child));
      }
    }
  }

  void take(Incumbent&& candidate) {
    if (candidate.cost < best_.cost) best_ = std::move(candidate), improved_ = true;
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
  const Moves moves_;
  const int alphabet_;
  Workers workers_;
  std::vector<Open> open_;
  Incumbent best_;
  Cost floor_ = 0;
  Cost unsettled_ = kInfinite;  // what a head may cost that was not settled
  std::int64_t nodes_ = 0, spent_ = 0, sequence_ = 0;
  double reported_ = 0;
  bool improved_ = false;
};

}  // namespace

// The most even spread over the most values first: entropy of the column.
std::vector<int> axis_candidates(const Problem& problem) {
  struct Candidate {
    int too_long;
    double entropy;
    int attribute;
  };
  std::vector<Candidate> ranked;
  for (int a = 0; a < problem.attributes; ++a) {
    std::vector<double> share(problem.sizes[a], 0);
    for (int row = 0; row < problem.distinct(); ++row)
      for (int l = 0; l < problem.labels; ++l) share[problem.code(row, a)] += problem.count(row, l);
    double entropy = 0;
    for (double count : share)
      if (count > 0) entropy -= count / problem.total() * std::log(count / problem.total());
    ranked.push_back({std::max(problem.sizes[a] - kLongestAxis, 0), entropy, a});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const Candidate& x, const Candidate& y) {
    return x.too_long != y.too_long ? x.too_long < y.too_long : x.entropy > y.entropy;
  });
  std::vector<int> axes;
  for (const Candidate& each : ranked)
    if (axes.size() < kProbedAxes && (axes.empty() || each.too_long == 0)) axes.push_back(each.attribute);
  return axes;
}

Workers make_workers(const Projection& projection, const Moves& moves, int threads) {
  std::vector<std::unique_ptr<NodeExpander>> expanders;
  for (int t = 0; t < std::clamp(threads, 1, kRound); ++t) expanders.push_back(make_expander(projection, moves));
  return Workers(std::move(expanders));
}

void polish(Incumbent& best, const Moves& moves, Workers& workers, const Watch& watch) {
  for (bool moved = best.cost < kInfinite; moved && !watch.stopped();) {
    moved = false;
    const std::vector<CutSet> heads = moves.neighbours(best.head);
    std::vector<Incumbent> tried(heads.size());
    workers.each(heads.size(), [&](std::size_t i, NodeExpander& expander) {
      if (!watch.stopped()) tried[i] = expander.solve_head(heads[i], best.cost);
    });
    for (Incumbent& candidate : tried)
      if (candidate.cost < best.cost) best = std::move(candidate), moved = true;
  }
}

// Which axis suits is not seen from the data, only from the bounds it reaches. The likeliest goes first and
// solves most problems at once; a hard one is worth a short look at the others with as many nodes. A bound that
// rises fast may crawl later, so the best of the others gets as many nodes as the first before one of them goes on.
Outcome best_first(const CutSpace& space, const Options& options, const Watch& watch, Cuts known) {
  std::unique_ptr<Search> first, rival;
  Cost reached = 0;  // by the best axis with kProbeNodes nodes
  Cost bound = 0;
  std::int64_t spent = 0;
  const auto run = [&](Search& search, std::int64_t nodes) {
    const std::int64_t others = spent - search.nodes();
    search.run(nodes, others);
    known = search.cuts();
    bound = search.bound();
    spent = others + search.nodes();
  };
  for (int axis : axis_candidates(space.problem())) {
    auto search = std::make_unique<Search>(space, options, watch, axis);
    search->start(known, bound);
    run(*search, kProbeNodes);
    const Cost probed = search->own_bound();
    if (!first) run(*search, kFirstNodes);
    if (search->finished()) return search->outcome();
    if (first && probed <= reached) continue;
    (first ? rival : first) = std::move(search);
    reached = probed;
  }
  if (rival) {
    rival->start(known, bound);
    run(*rival, kFirstNodes);
    if (rival->finished()) return rival->outcome();
    if (rival->own_bound() > first->own_bound()) std::swap(first, rival);
  }
  first->start(known, bound);
  run(*first, INT64_MAX);
  return first->outcome();
}

}  // namespace shoal
