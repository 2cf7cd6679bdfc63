#include "core/cuts/best_first.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "core/cuts/evaluate.h"
#include "core/cuts/hill_climb.h"

namespace shoal {
namespace {

constexpr int kRound = 32;                  // nodes per round, whatever the threads
constexpr std::size_t kProbedAxes = 3;      // axes that are tried
constexpr std::int64_t kFirstNodes = 1024;  // nodes before a second axis is tried
constexpr std::int64_t kProbeNodes = 128;   // nodes after which axes are compared
constexpr std::int64_t kEasyNodes = 64;     // nodes before the incumbent is worked on again
constexpr std::int64_t kPatience = 1024;    // nodes without a better one after which CM works less on it
constexpr Cost kNear = 200;                 // a head whose cost exceeds the best by less than one in so many is good
constexpr std::int64_t kStrictAfter = 512;  // nodes before it is looked for recodings without suppression ...
constexpr std::int64_t kStrictNodes = 256;  // ... with so many
constexpr std::int64_t kStrictClimbs = 8;
constexpr std::size_t kMostOpen = 4'000'000;  // beyond it the deepest node goes first, to bound the memory

class Search {
 public:
  Search(const CutSpace& space, const Options& options, const Watch& watch, int axis)
      : problem_(space.problem()), options_(options), watch_(watch), projection_(space.project(axis)),
        moves_(space, projection_), alphabet_(static_cast<int>(projection_.alphabet.size())),
        workers_(make_workers(projection_, moves_, options.threads)), random_(options.seed) {
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
      const std::int64_t before = std::max(nodes_, kEasyNodes);
      round();
      allowed_heads_ += heads_per_node() * std::max<std::int64_t>(nodes_ - before, 0);
      if (heads_ < allowed_heads_) kick();
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

  // Heads that are solved for a better incumbent, beside each node. For DM the climbs at the start are enough; a node of
  // CM takes as long as some thirty heads, one of general loss as ten.
  std::int64_t heads_per_node() const {
    switch (problem_.metric) {
      case Metric::discernibility: return 0;
      case Metric::classification: return nodes_ - improved_at_ > kPatience ? 4 : 16;
      case Metric::general_loss: return 4;
    }
    return 0;
  }

  // Iterated local search: a few changes at random to a good head, then better neighbours while there are any. How often
  // depends on the nodes alone, so that answers do not on the clock.
  void kick() {
    const auto& all = moves_.all();
    if (all.empty() || best_.cost >= kInfinite) return;
    Incumbent trial{kInfinite, draw(random_, 8) > 0 && !walk_.empty() ? walk_ : best_.head, {}};
    for (int change = 1 + draw(random_, 6); change > 0; --change) {
      const int move = all[draw(random_, static_cast<int>(all.size()))];
      if (moves_.possible(move, trial.head)) moves_.toggle(move, trial.head);
    }
    trial = workers_.first().solve_head(trial.head, kInfinite);
    descend(trial);
    if (trial.cost <= best_.cost + best_.cost / kNear) walk_ = trial.head;
    take(std::move(trial));
  }

  // The neighbours in blocks, the best of a block being taken if it is better, until none is left that is.
  void descend(Incumbent& trial) {
    if (trial.cost >= kInfinite) return;
    std::vector<CutSet> heads = near(trial.head);
    std::vector<Incumbent> tried(kRound);
    for (std::size_t at = 0, failed = 0; failed < heads.size() && !watch_.stopped();) {
      const std::size_t block = std::min<std::size_t>(kRound, heads.size());
      workers_.each(block, [&](std::size_t i, NodeExpander& expander) {
        tried[i] = expander.solve_head(heads[(at + i) % heads.size()], trial.cost);
      });
      heads_ += static_cast<std::int64_t>(block);
      at += block, failed += block;
      const auto best = std::min_element(tried.begin(), tried.begin() + static_cast<std::ptrdiff_t>(block),
                                         [](const Incumbent& x, const Incumbent& y) { return x.cost < y.cost; });
      if (best->cost >= trial.cost) continue;
      trial = std::move(*best);
      heads = near(trial.head);
      failed = 0;
    }
  }

  // One change away, or with one cut moved by one value.
  std::vector<CutSet> near(const CutSet& head) const {
    std::vector<CutSet> heads = moves_.neighbours(head);
    for (CutSet& shifted : moves_.shifts(head)) heads.push_back(std::move(shifted));
    return heads;
  }

  void take(Incumbent&& candidate) {
    if (candidate.cost < best_.cost) best_ = std::move(candidate), improved_ = true, improved_at_ = nodes_;
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
  std::int64_t heads_ = 0;  // solved after the start, for a better incumbent
  std::int64_t allowed_heads_ = 0;
  std::int64_t improved_at_ = 0;  // the number of nodes when the incumbent was found
  CutSet walk_;                   // the last head that was nearly as good as the best
  std::mt19937_64 random_;
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

namespace {

// CM: a recoding that suppresses nothing is admissible where more may be, and better ones of this kind are found sooner:
// fewer heads are near. Without it some answers cost more than the optimum under the stricter demand.
bool looks_without_suppression(const CutSpace& space) {
  const Problem& p = space.problem();
  bool free = p.metric == Metric::classification && p.limit > 0 && !p.privacy;
  for (int a = 0; a < p.attributes; ++a) free = free && !space.hierarchy(a);
  return free;
}

Outcome without_suppression(const Problem& problem, Options options, const Watch& watch, std::int64_t spent) {
  Problem strict = problem;
  strict.limit = 0;
  options.report = {};
  options.start.clear();
  options.climbs = std::min<std::int64_t>(options.climbs, kStrictClimbs);
  const std::int64_t left = options.budget.nodes - spent;
  const double seconds = options.budget.seconds;
  options.budget.nodes = INT64_MAX;
  options.budget.seconds -= watch.seconds();
  Cuts known = hill_climb(strict, options).cuts;
  known.resize(strict.attributes);
  options.budget.seconds = seconds - watch.seconds();
  options.budget.nodes = std::min(kStrictNodes, left);
  const Watch own(options);  // what it reports is told to nobody: its bound is that of the stricter problem
  return best_first(CutSpace(strict), options, own, std::move(known));
}

}  // namespace

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
    if (!first && looks_without_suppression(space)) {
      run(*search, kStrictAfter);
      const Outcome strict =
          search->finished() ? Outcome{} : without_suppression(space.problem(), options, watch, spent);
      spent += strict.nodes;
      if (strict.found) search->start(strict.cuts, bound);
    }
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
