#include "core/lattice/search.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/base/parallel.h"
#include "core/lattice/boxes.h"
#include "core/lattice/improve.h"

namespace shoal {
namespace {

constexpr std::int64_t kPolishFrom = 64;  // rounds before the incumbent of a small lattice is improved by itself
constexpr std::int64_t kIdle = 8'000;     // nodes in vain after which the proof gets most of the time

// All nodes between two, as far as a double counts.
double size_of(const Levels& low, const Levels& high) {
  double size = 1;
  for (std::size_t a = 0; a < low.size(); ++a) size *= high[a] - low[a] + 1;
  return size;
}

class Search {
 public:
  Search(const LatticeProblem& problem, const Options& options)
      : p_(problem), looks_(problem, options), boxes_(looks_, problem.low, problem.high),
        improver_(looks_, options.seed),
        large_(!problem.elsewhere && size_of(problem.low, problem.high) > problem.large) {}

  LatticeOutcome run() {
    begin();
    if (large_) improver_.begin();
    for (std::int64_t rounds = 1; !boxes_.empty() && !finished(); ++rounds) {
      boxes_.round();
      if (large_) improve();
      // A short search ends without; for a long one it is little work, and those who stop early get more.
      else if (rounds >= kPolishFrom && std::has_single_bit(static_cast<std::uint64_t>(rounds))) polish();
      looks_.report(boxes_.bound(), false);
    }
    looks_.report(boxes_.bound(), true);
    const Candidate& best = looks_.best();
    LatticeOutcome out;
    out.found = best.cost < kInfinite;
    out.nodes = looks_.nodes();
    out.bound = std::min(boxes_.bound(), best.cost);
    out.proved = out.bound >= best.cost;
    if (!out.found) return out;
    out.cost = best.cost;
    out.suppressed = best.suppressed;
    out.levels = best.levels;
    return out;
  }

 private:
  // A first incumbent: from the top, lower one attribute after the other while that is cheaper, those first that
  // tell most. Best first needs none to be fast; it is for those who stop early.
  void begin() {
    Candidate at = looks_.candidate(p_.high);
    looks_.take(at);
    std::vector<int> order(looks_.lattice.attributes());
    std::iota(order.begin(), order.end(), 0);
    // Over cells by the price alone, which is known also where the rows are elsewhere.
    const auto spread = [&](int a) {
      const auto& fixed = p_.price.fixed;
      return p_.price.kind == Price::Kind::cells ? static_cast<double>(fixed[a][p_.high[a]] - fixed[a][p_.low[a]])
                                                 : looks_.lattice.spread(p_.low, p_.high, a);
    };
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return spread(x) > spread(y); });
    for (int a : order)
      while (at.cost < kInfinite && at.levels[a] > p_.low[a] && !looks_.ended()) {
        Levels lower = at.levels;
        --lower[a];
        const Candidate next = looks_.candidate(lower);
        if (next.rank() > at.rank()) break;
        looks_.take(at = next);
      }
  }

  // Improve the incumbent with as many nodes as the proof has used, and with fewer once that has long been in vain.
  void improve() {
    const auto due = [&] {
      const std::int64_t proof = looks_.nodes() - improver_.looked();
      const bool idle = improver_.looked() - improver_.looked_at_best() > kIdle;
      return improver_.looked() < (idle ? proof / 2 : proof * 4);
    };
    while (due() && !finished() && looks_.best().cost < kInfinite) {
      const std::int64_t before = improver_.looked();
      improver_.step();
      looks_.report(boxes_.bound(), false);
      if (improver_.looked() == before) return;  // there is nothing to choose
    }
  }

  // Go to the cheapest neighbour, one level up or down, while there is a cheaper one.
  void polish() {
    for (Candidate at;
         at.rank() != looks_.best().rank() && looks_.best().cost < kInfinite && !looks_.watch.stopped();) {
      at = looks_.best();
      std::vector<Levels> near;
      for (std::size_t a = 0; a < at.levels.size(); ++a)
        for (int step : {-1, 1})
          if (const int level = at.levels[a] + step; level >= p_.low[a] && level <= p_.high[a])
            near.push_back(at.levels), near.back()[a] = static_cast<std::uint8_t>(level);
      looks_.prepare(near);
      std::vector<Candidate> tried(near.size());
      parallel(near.size(), looks_.options.threads,
               [&](std::size_t i, std::size_t) { tried[i] = looks_.candidate(near[i]); });
      for (const Candidate& each : tried) looks_.take(each);
    }
  }

  bool finished() const {
    return boxes_.proved() || looks_.ended() || looks_.watch.close_enough(looks_.best().cost, boxes_.bound());
  }

  const LatticeProblem& p_;
  Looks looks_;
  Boxes boxes_;
  Improver improver_;
  const bool large_;
};

}  // namespace

LatticeOutcome lattice_search(const LatticeProblem& problem, const Options& options) {
  return Search(problem, options).run();
}

}  // namespace shoal
