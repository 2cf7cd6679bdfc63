#include "core/axis.h"

namespace shoal {
namespace {

struct Label {
  Cost cost;
  Count suppressed;
  int position, parent;
};

// Adds to `labels` those of one position that no other dominates, cheapest first, and returns where they are.
std::vector<int> keep_undominated(std::vector<Label>& fresh, std::vector<Label>& labels) {
  std::stable_sort(fresh.begin(), fresh.end(), [](const Label& x, const Label& y) {
    return x.cost != y.cost ? x.cost < y.cost : x.suppressed < y.suppressed;
  });
  std::vector<int> kept;
  Count least = INT32_MAX;
  for (const Label& label : fresh) {
    if (label.suppressed >= least) continue;
    least = label.suppressed;
    kept.push_back(static_cast<int>(labels.size()));
    labels.push_back(label);
  }
  return kept;
}

// The suppression limit couples the intervals: per position the pairs (cost, suppressed) that no other pair
// dominates and that can still end below `known` and within the limit.
AxisPartition best_within_limit(const Spans& spans, const std::vector<Cost>& cost, const std::vector<Count>& suppressed,
                                Count limit, Cost known) {
  std::vector<Cost> rest;
  std::vector<Cost> fewest;
  cheapest_to_right(spans, rest, kInfinite, [&](int i) { return cost[i]; });
  cheapest_to_right(spans, fewest, kInfinite, [&](int i) { return Cost{suppressed[i]}; });
  std::vector<Label> labels{{0, 0, 0, -1}};
  std::vector<std::vector<Label>> fresh(spans.length + 1);  // per position, before the dominated ones are dropped
  std::vector<int> kept{0};                                 // labels at the position that is looked at
  for (int a = 0; a < spans.length; ++a) {
    if (a > 0) kept = keep_undominated(fresh[a], labels);
    spans.beginning_at(a, [&](int b, int i) {
      for (int id : kept) {
        const Label label{labels[id].cost + cost[i], labels[id].suppressed + suppressed[i], b, id};
        if (label.cost + rest[b] < known && label.suppressed + fewest[b] <= limit) fresh[b].push_back(label);
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
                             Count limit, Cost known) {
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
  Cost rows = 0;
  for (int b = spans.length; b > 0; b = step[b].from) {
    rows += suppressed[step[b].interval];
    if (step[b].from > 0) best.cuts.push_back(step[b].from);
  }
  if (rows > limit) return best_within_limit(spans, cost, suppressed, limit, known);
  best.cost = least[spans.length];
  std::reverse(best.cuts.begin(), best.cuts.end());
  return best;
}

}  // namespace shoal
