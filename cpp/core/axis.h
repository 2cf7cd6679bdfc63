// axis.h - partitions of the axis into intervals, and the cheapest of them by dynamic programming.
#pragma once

#include <algorithm>
#include <vector>

#include "core/problem.h"

namespace shoal {

// The intervals [a, b) that a better partition may still use: for each a one range of b. Values per interval
// lie in flat arrays; those of one a are contiguous, so that `values + offset[a]` is indexed by b.
struct Spans {
  int length = 0;
  int count = 0;
  std::vector<int> low, high, offset;

  void all(int size) {
    length = size;
    low.resize(size);
    high.assign(size, size + 1);
    offset.resize(size);
    for (int a = 0; a < size; ++a) low[a] = a + 1;
    index();
  }
  void index() {
    count = 0;
    for (int a = 0; a < length; ++a) {
      offset[a] = count - low[a];
      count += high[a] - low[a];
    }
  }
  int at(int a, int b) const { return offset[a] + b; }
};

// cost[b] becomes the least sum of `value` over partitions of [0, b).
template <class Number, class Value>
void cheapest_from_left(const Spans& spans, std::vector<Number>& cost, Number none, const Value& value) {
  cost.assign(spans.length + 1, none);
  cost[0] = 0;
  for (int a = 0; a < spans.length; ++a) {
    if (cost[a] >= none) continue;
    for (int b = spans.low[a]; b < spans.high[a]; ++b)
      cost[b] = std::min<Number>(cost[b], cost[a] + value(spans.at(a, b)));
  }
}

// cost[a] becomes the least sum of `value` over partitions of [a, length).
template <class Number, class Value>
void cheapest_to_right(const Spans& spans, std::vector<Number>& cost, Number none, const Value& value) {
  cost.assign(spans.length + 1, none);
  cost[spans.length] = 0;
  for (int a = spans.length - 1; a >= 0; --a)
    for (int b = spans.low[a]; b < spans.high[a]; ++b)
      if (cost[b] < none) cost[a] = std::min<Number>(cost[a], value(spans.at(a, b)) + cost[b]);
}

struct AxisPartition {
  Cost cost = kInfinite;
  std::vector<std::int32_t> cuts;
};

// The cheapest partition that suppresses at most `limit` rows, if it costs less than `known`.
AxisPartition best_partition(const Spans& spans, const std::vector<Cost>& cost, const std::vector<Count>& suppressed,
                             Count limit, Cost known);

}  // namespace shoal
