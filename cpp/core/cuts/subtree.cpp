#include "core/cuts/subtree.h"

#include <random>
#include <stdexcept>

#include "core/cuts/best_first.h"

namespace shoal {
namespace {

// The first incumbent: climbs from the recoding that joins everything, which is admissible if any is (but for privacy
// rules), then from random ones.
class Climber {
 public:
  Climber(const CutSpace& space, const Options& options, const Watch& watch)
      : watch_(watch), projection_(space.project(axis_candidates(space.problem()).front())), moves_(space, projection_),
        workers_(make_workers(projection_, moves_, options.threads)), random_(options.seed) {}

  Cuts climb(std::int64_t starts, const Cuts& first) {
    Incumbent best;
    if (!first.empty()) {
      best = workers_.first().solve_head(head_of(projection_, first), kInfinite);
      polish(best, moves_, workers_, watch_);
      watch_.report(best.cost, 0, 0);
    }
    for (std::int64_t start = 0; start == 0 || (start < starts && !watch_.stopped()); ++start) {
      Incumbent climbed = start == 0 ? random_start(0) : random_start(random_() % 1000);
      polish(climbed, moves_, workers_, watch_);
      if (climbed.cost < best.cost) best = std::move(climbed);
      watch_.report(best.cost, 0, 0);
      if (moves_.all().empty()) break;
    }
    return cuts_of(projection_, best);
  }

 private:
  // Opens a part with the given chance in a thousand, and fewer parts while that suppresses too many rows.
  Incumbent random_start(std::uint64_t chance) {
    std::vector<std::uint64_t> draws(moves_.all().size());
    for (auto& draw : draws) draw = random_() % 1000;
    for (;; chance /= 2) {
      CutSet head(static_cast<int>(projection_.alphabet.size()));
      for (std::size_t i = 0; i < draws.size(); ++i) {
        const int move = moves_.all()[i];
        if (draws[i] < chance && moves_.possible(move, head)) moves_.toggle(move, head);
      }
      Incumbent found = workers_.first().solve_head(head, kInfinite);
      if (found.cost < kInfinite || chance == 0) return found;
    }
  }

  const Watch& watch_;
  const Projection projection_;
  const Moves moves_;
  Workers workers_;
  std::mt19937_64 random_;
};

}  // namespace

Outcome subtree(const CutSpace& space, const Options& options) {
  for (int a = 0; a < space.problem().attributes; ++a)
    if (!space.hierarchy(a)) throw std::invalid_argument("every attribute needs a hierarchy");
  const Watch watch(options);
  return best_first(space, options, watch, Climber(space, options, watch).climb(options.climbs, options.start));
}

}  // namespace shoal
