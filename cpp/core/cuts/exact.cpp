#include "core/cuts/exact.h"

#include "core/cuts/best_first.h"
#include "core/cuts/exact_node.h"
#include "core/cuts/hill_climb.h"

namespace shoal {
namespace {

class CutSpace final : public Space {
 public:
  explicit CutSpace(const Problem& problem) : problem_(problem) {}

  Projection project(int axis) const override { return {problem_, axis}; }
  std::unique_ptr<NodeExpander> expander(const Projection& projection) const override {
    return make_expander(projection);
  }
  std::vector<CutSet> neighbours(const Projection& projection, const CutSet& head) const override {
    std::vector<CutSet> heads(projection.alphabet.size(), head);
    for (int cut = 0; cut < static_cast<int>(heads.size()); ++cut)
      head.has(cut) ? heads[cut].remove(cut) : heads[cut].add(cut);
    return heads;
  }

 private:
  const Problem& problem_;
};

}  // namespace

Outcome exact(const Problem& problem, const Options& options) {
  const Watch watch(options);
  Options climbing = options;
  climbing.budget.nodes = INT64_MAX;
  Cuts known = hill_climb(problem, climbing).cuts;
  known.resize(problem.attributes);
  return best_first(problem, CutSpace(problem), options, watch, std::move(known));
}

}  // namespace shoal
