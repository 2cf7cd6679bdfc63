#include "core/cuts/best_choice.h"

#include <stdexcept>

#include "core/cuts/evaluate.h"

namespace shoal {

namespace {

constexpr std::int64_t kLooksBetweenReports = 256;

}  // namespace

BestChoice::BestChoice(const CutSpace& space, const Options& options)
    : space_(space), options_(options), watch_(options), groups_(space.problem()) {}

CutGroups::Price BestChoice::look(const Choice& choice) {
  ++nodes_;
  groups_.move_to(space_.cuts(choice));
  const auto price = groups_.price();
  const bool better = price.admissible() && price.cost < best_.cost;
  if (better) {
    best_ = price;
    choice_ = choice;
    cuts_ = groups_.recoding();
  }
  if (better || nodes_ % kLooksBetweenReports == 0) watch_.report(best_.cost, 0, nodes_);
  return price;
}

Outcome BestChoice::outcome() const {
  Outcome outcome;
  outcome.nodes = nodes_;
  if (!found()) return outcome;
  const Evaluation checked = evaluate(space_.problem(), cuts_);
  if (checked.cost != best_.cost || !checked.admissible)
    throw std::logic_error("a price and its recoding do not match");
  outcome.found = true;
  outcome.cost = checked.cost;
  outcome.suppressed = checked.suppressed;
  outcome.cuts = cuts_;
  return outcome;
}

}  // namespace shoal
