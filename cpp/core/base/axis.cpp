#include "core/base/axis.h"

#include <iterator>
#include <map>

namespace shoal {
namespace {

struct Label {
  Cost cost;
  Count suppressed;
  Cost excess;
  int position, parent;
};

// Adds to `labels` those of one position that no other dominates, cheapest first, and returns where they are.
std::vector<int> keep_undominated(std::vector<Label>& fresh, std::vector<Label>& labels) {
  std::stable_sort(fresh.begin(), fresh.end(), [](const Label& x, const Label& y) {
    if (x.cost != y.cost) return x.cost < y.cost;
    return x.suppressed != y.suppressed ? x.suppressed < y.suppressed : x.excess < y.excess;
  });
  std::vector<int> kept;
  std::map<Count, Cost> least;  // of the labels kept: the excess that so many suppressed rows can have, falling
  for (const Label& label : fresh) {
    auto after = least.upper_bound(label.suppressed);
    if (after != least.begin() && std::prev(after)->second <= label.excess) continue;
    while (after != least.end() && after->second >= label.excess) after = least.erase(after);
    least[label.suppressed] = label.excess;
    kept.push_back(static_cast<int>(labels.size()));
    labels.push_back(label);
  }
  return kept;
}

// The limits couple the intervals: per position the triples (cost, suppressed, excess) that no other dominates and that
// can still end below `known` and within the limits.
AxisPartition best_within_limits(const Spans& spans, const std::vector<Cost>& cost,
                                 const std::vector<Count>& suppressed, const std::vector<Cost>& excess, Count limit,
                                 Cost known) {
  const auto excess_of = [&](int i) { return excess.empty() ? 0 : excess[i]; };
  const auto suppressed_of = [&](int i) { return limit == kAnyNumber ? 0 : suppressed[i]; };
  std::vector<Cost> rest, fewest, safest;
  cheapest_to_right(spans, rest, kInfinite, [&](int i) { return cost[i]; });
  cheapest_to_right(spans, fewest, kInfinite, [&](int i) { return Cost{suppressed_of(i)}; });
  cheapest_to_right(spans, safest, kInfinite, excess_of);
  std::vector<Label> labels{{0, 0, 0, 0, -1}};
  std::vector<std::vector<Label>> fresh(spans.length + 1);  // per position, before the dominated ones are dropped
  std::vector<int> kept{0};                                 // labels at the position that is looked at
  for (int a = 0; a < spans.length; ++a) {
    if (a > 0) kept = keep_undominated(fresh[a], labels);
    spans.beginning_at(a, [&](int b, int i) {
      for (int id : kept) {
        const Label& last = labels[id];
        const Label label{last.cost + cost[i], last.suppressed + suppressed_of(i), last.excess + excess_of(i), b, id};
        if (label.cost + rest[b] < known && label.suppressed + fewest[b] <= limit && label.excess + safest[b] <= 0)
          fresh[b].push_back(label);
      }
    });
  }
  kept = keep_undominated(fresh[spans.length], labels);
  AxisPartition best;
  if (kept.empty()) return best;
  const Label& end = labels[kept.front()];  // the cheapest of them: they are sorted
  best.cost = end.cost;
  for (int id = end.parent; id > 0; id = labels[id].parent) best.cuts.push_back(labels[id].position);
  std::reverse(best.cuts.begin(), best.cuts.end());
  return best;
}

}  // namespace

AxisPartition best_partition(const Spans& spans, const std::vector<Cost>& cost, const std::vector<Count>& suppressed,
                             const std::vector<Cost>& excess, Count limit, Cost known) {
  struct Step {
    int from, interval;
  };
  std::vector<Cost> least(spans.length + 1, kInfinite);
  std::vector<Step> step(spans.length + 1);
  least[0] = 0;
  for (int a = 0; a < spans.length; ++a)
    spans.beginning_at(a, [&](int b, int i) {
      if (const Cost sum = least[a] + cost[i]; sum < least[b]) least[b] = sum, step[b] = {a, i};
    });
  AxisPartition best;
  if (least[spans.length] >= known) return best;
  Cost rows = 0, risk = 0;
  for (int b = spans.length; b > 0; b = step[b].from) {
    rows += suppressed[step[b].interval];
    if (!excess.empty()) risk += excess[step[b].interval];
    if (step[b].from > 0) best.cuts.push_back(step[b].from);
  }
  if (rows > limit || risk > 0) return best_within_limits(spans, cost, suppressed, excess, limit, known);
  best.cost = least[spans.length];
  std::reverse(best.cuts.begin(), best.cuts.end());
  return best;
}

}  // namespace shoal
