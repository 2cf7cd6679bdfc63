#include "core/cuts/subtree.h"

#include <random>

#include "core/cuts/best_first.h"
#include "core/cuts/subtree_node.h"

namespace shoal {
namespace {

class PartSpace final : public Space {
 public:
  PartSpace(const Problem& problem, const std::vector<Hierarchy>& hierarchies)
      : problem_(problem), hierarchies_(hierarchies) {}

  const std::vector<Hierarchy>& hierarchies() const { return hierarchies_; }
  Projection project(int axis) const override { return {problem_, axis, &hierarchies_[axis]}; }
  std::unique_ptr<NodeExpander> expander(const Projection& projection) const override {
    return make_part_expander(projection, hierarchies_);
  }
  std::vector<CutSet> neighbours(const Projection& projection, const CutSet& head) const override {
    const PartMoves moves(projection, hierarchies_);
    std::vector<CutSet> heads;
    for (int move : moves.all())
      if (moves.possible(move, head)) moves.toggle(move, heads.emplace_back(head));
    return heads;
  }

 private:
  const Problem& problem_;
  const std::vector<Hierarchy>& hierarchies_;
};

// The first incumbent: climbs from the recoding that joins everything, which is admissible if any is (but for privacy
// rules), then from random ones.
class Climber {
 public:
  Climber(const Problem& problem, const PartSpace& space, const Options& options, const Watch& watch)
      : space_(space), watch_(watch), projection_(space.project(axis_candidates(problem).front())),
        moves_(projection_, space.hierarchies()), workers_(make_workers(space, projection_, options.threads)),
        random_(options.seed) {}

  Cuts climb(std::int64_t starts, const Cuts& first) {
    Incumbent best;
    if (!first.empty()) {
      best = workers_.first().solve_head(head_of(projection_, first), kInfinite);
      polish(best, space_, projection_, workers_, watch_);
      watch_.report(best.cost, 0, 0);
    }
    for (std::int64_t start = 0; start == 0 || (start < starts && !watch_.stopped()); ++start) {
      Incumbent climbed = start == 0 ? random_start(0) : random_start(random_() % 1000);
      polish(climbed, space_, projection_, workers_, watch_);
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

  const PartSpace& space_;
  const Watch& watch_;
  const Projection projection_;
  const PartMoves moves_;
  Workers workers_;
  std::mt19937_64 random_;
};

}  // namespace

Outcome subtree(const Problem& problem, const std::vector<Hierarchy>& hierarchies, const Options& options) {
  const Watch watch(options);
  const PartSpace space(problem, hierarchies);
  return best_first(problem, space, options, watch, Climber(problem, space, options, watch).climb(options.climbs, options.start));
}

}  // namespace shoal
