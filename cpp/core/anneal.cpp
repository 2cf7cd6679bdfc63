#include "core/anneal.h"

#include <cmath>

#include "core/best_choice.h"

namespace shoal {
namespace {

// Temperatures are shares of the energy that is held, so they suit every metric and table alike.
constexpr double kHot = 0.03, kCold = 1e-5;

// The cost, and for what is beyond a limit as much again as rows that are suppressed cost.
double energy(const Problem& problem, const CutGroups::Price& price) {
  const double beyond = price.excess + static_cast<double>(price.risk) / static_cast<double>(Privacy::kRiskOfGroup);
  return static_cast<double>(price.cost) + beyond * static_cast<double>(problem.suppressed_cost());
}

}  // namespace

Outcome anneal(const Problem& problem, const CutSpace& space, std::int64_t cooling, const Options& options) {
  BestChoice search(problem, space, options);
  std::mt19937_64 random(options.seed);
  // The recoding that joins everything is admissible if any is, but for privacy rules.
  Choice held = options.start.empty() ? Choice(space.moves(), 0) : space.choice(options.start);
  for (std::int64_t start = 0; !search.finished(); ++start) {
    // One cooling goes on from the best, the next from anywhere.
    if (start > 0) held = start % 2 && search.found() ? search.best() : space.random(random);
    double own = energy(problem, search.look(held));
    if (space.moves() == 0) break;
    for (std::int64_t step = 1; step < cooling && !search.finished(); ++step) {
      Choice tried = held;
      space.toggle(tried, draw(random, space.moves()));
      const double other = energy(problem, search.look(tried));
      const double share = static_cast<double>(step) / static_cast<double>(cooling);
      const double heat = kHot * std::pow(kCold / kHot, share) * own;
      if (other > own && draw(random) >= std::exp((own - other) / heat)) continue;
      own = other;
      held = std::move(tried);
    }
  }
  return search.outcome();
}

}  // namespace shoal
