#include "core/cuts/exact.h"

#include "core/cuts/best_first.h"
#include "core/cuts/cut_space.h"
#include "core/cuts/hill_climb.h"

namespace shoal {

Outcome exact(const Problem& problem, const Options& options) {
  const Watch watch(options);
  Options climbing = options;
  climbing.budget.nodes = INT64_MAX;
  Cuts known = hill_climb(problem, climbing).cuts;
  known.resize(problem.attributes);
  return best_first(CutSpace(problem), options, watch, std::move(known));
}

}  // namespace shoal
