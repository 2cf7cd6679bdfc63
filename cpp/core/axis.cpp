#include "core/axis.h"

namespace shoal {
namespace {

struct Label {
  Cost cost;
  Count suppressed;
  int position, parent;
};

// The suppression limit couples the intervals: per position the pairs (cost, suppressed) that no other pair
// dominates and that can still end below `known` and within the limit.
AxisPartition best_within_limit(const Spans& spans, const std::vector<Cost>& cost, const std::vector<Count>& suppressed,
                                Count limit, Cost known) {
  std::vector<Cost> rest;
  std::vector<Cost> fewest;
  cheapest_to_right(spans, rest, kInfinite, [&](int i) { return cost[i]; });
  cheapest_to_right(spans, fewest, kInfinite, [&](int i) { return Cost{suppressed[i]}; });
  std::vector<Label> labels{{0, 0, 0, -1}};
  std::vector<std::vector<int>> at(spans.length + 1);
  at[0].push_back(0);
  for (int b = 1; b <= spans.length; ++b) {
    std::vector<Label> fresh;
    for (int a = 0; a < b; ++a) {
      if (b < spans.low[a] || b >= spans.high[a]) continue;
      const int i = spans.at(a, b);
      for (int id : at[a]) {
        const Label label{labels[id].cost + cost[i], labels[id].suppressed + suppressed[i], b, id};
        if (label.cost + rest[b] < known && label.suppressed + fewest[b] <= limit) fresh.push_back(label);
      }
    }
    std::stable_sort(fresh.begin(), fresh.end(), [](const Label& x, const Label& y) {
      return x.cost != y.cost ? x.cost < y.cost : x.suppressed < y.suppressed;
    });
    Count least = INT32_MAX;
    for (const Label& label : fresh) {
      if (label.suppressed >= least) continue;
      least = label.suppressed;
      at[b].push_back(static_cast<int>(labels.size()));
      labels.push_back(label);
    }
  }
  AxisPartition best;
  if (at[spans.length].empty()) return best;
  const Label& end = labels[at[spans.length].front()];  // the cheapest of them: they are sorted
  best.cost = end.cost;
  for (int id = end.parent; id > 0; id = labels[id].parent) best.cuts.push_back(labels[id].position);
  std::reverse(best.cuts.begin(), best.cuts.end());
  return best;
}

}  // namespace

AxisPartition best_partition(const Spans& spans, const std::vector<Cost>& cost, const std::vector<Count>& suppressed,
                             Count limit, Cost known) {
  std::vector<Cost> least(spans.length + 1, kInfinite);
  std::vector<int> from(spans.length + 1, 0);
  least[0] = 0;
  for (int a = 0; a < spans.length; ++a)
    for (int b = spans.low[a]; b < spans.high[a]; ++b)
      if (const Cost sum = least[a] + cost[spans.at(a, b)]; sum < least[b]) least[b] = sum, from[b] = a;
  AxisPartition best;
  if (least[spans.length] >= known) return best;
  Cost rows = 0;
  for (int b = spans.length; b > 0; b = from[b]) {
    rows += suppressed[spans.at(from[b], b)];
    if (from[b] > 0) best.cuts.push_back(from[b]);
  }
  if (rows > limit) return best_within_limit(spans, cost, suppressed, limit, known);
  best.cost = least[spans.length];
  std::reverse(best.cuts.begin(), best.cuts.end());
  return best;
}

}  // namespace shoal
