#include "core/cuts/anneal.h"

#include <cmath>

#include "core/cuts/best_choice.h"

namespace shoal {
namespace {

// Temperatures are shares of what is held, so they suit every metric and table alike.
constexpr double kHot = 0.3, kCold = 1e-4;

// How far beyond the limits, in rows that are suppressed or as many groups that make it too risky; 0 if admissible.
double beyond(const CutGroups::Price& price) {
  return price.excess + static_cast<double>(price.risk) / static_cast<double>(Privacy::kRiskOfGroup);
}

// How much worse one is than the other that is held, as a share of that one; not above 0 if it is no worse. What
// is admissible is never given up: with rows to spare the walk could not find its way back.
double worsening(const CutGroups::Price& held, const CutGroups::Price& tried) {
  const double own = beyond(held), other = beyond(tried);
  if (own != other) return own > 0 ? (other - own) / own : INFINITY;
  const auto cost = static_cast<double>(held.cost), change = static_cast<double>(tried.cost - held.cost);
  return change <= 0 ? change : cost > 0 ? change / cost : INFINITY;
}

// Another choice: one move made or taken out, and in half of all cases the next one as well, which shifts a cut.
Choice neighbour(const CutSpace& space, Choice choice, std::mt19937_64& random) {
  const int move = draw(random, space.moves());
  space.toggle(choice, move);
  if (draw(random, 2) == 0 && move + 1 < space.moves()) space.toggle(choice, move + 1);
  return choice;
}

}  // namespace

Outcome anneal(const CutSpace& space, std::int64_t cooling, const Options& options) {
  BestChoice search(space, options);
  std::mt19937_64 random(options.seed);
  // The recoding that joins everything is admissible if any is, but for privacy rules.
  Choice held = options.start.empty() ? Choice(space.moves(), 0) : space.choice(options.start);
  for (std::int64_t start = 0; !search.finished(); ++start) {
    // One cooling goes on from the best, the next from anywhere.
    if (start > 0) held = start % 2 && search.found() ? search.best() : space.random(random);
    CutGroups::Price price = search.look(held);
    if (space.moves() == 0) break;
    for (std::int64_t step = 1; step < cooling && !search.finished(); ++step) {
      Choice tried = neighbour(space, held, random);
      const CutGroups::Price other = search.look(tried);
      const double worse = worsening(price, other);
      const double heat = kHot * std::pow(kCold / kHot, static_cast<double>(step) / static_cast<double>(cooling));
      if (worse > 0 && draw(random) >= std::exp(-worse / heat)) continue;
      price = other;
      held = std::move(tried);
    }
  }
  return search.outcome();
}

}  // namespace shoal
