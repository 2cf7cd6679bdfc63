#include "core/subtree.h"

#include <random>

#include "core/best_first.h"
#include "core/subtree_node.h"

namespace shoal {
namespace {

class PartSpace final : public Space {
 public:
  PartSpace(const Problem& problem, const std::vector<Hierarchy>& hierarchies)
      : problem_(problem), hierarchies_(hierarchies) {}

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

// Climbs from the recoding that joins everything, which is always admissible, then from random ones.
Cuts climb(const Problem& problem, const std::vector<Hierarchy>& hierarchies, const PartSpace& space,
           const Options& options, const Watch& watch) {
  const Projection projection = space.project(axis_candidates(problem).front());
  const PartMoves moves(projection, hierarchies);
  Workers workers = make_workers(space, projection, options.threads);
  std::mt19937_64 random(options.seed);
  Incumbent best;
  for (std::int64_t start = 0; start < std::max<std::int64_t>(options.climbs, 1); ++start) {
    if (start > 0 && watch.stopped()) break;
    CutSet head(static_cast<int>(projection.alphabet.size()));
    const std::uint64_t density = start == 0 ? 0 : random() % 1000;
    for (int move : moves.all())
      if (random() % 1000 < density && moves.possible(move, head)) moves.toggle(move, head);
    Incumbent climbed = workers.first().solve_head(head, kInfinite);
    polish(climbed, space, projection, workers, watch);
    if (climbed.cost < best.cost) best = std::move(climbed);
    watch.report(best.cost, 0, 0);
  }
  return cuts_of(projection, best);
}

}  // namespace

Outcome subtree(const Problem& problem, const std::vector<Hierarchy>& hierarchies, const Options& options) {
  const Watch watch(options);
  const PartSpace space(problem, hierarchies);
  return best_first(problem, space, options, watch, climb(problem, hierarchies, space, options, watch));
}

}  // namespace shoal
