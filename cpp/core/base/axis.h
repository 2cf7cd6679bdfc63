// axis.h - partitions of the axis into intervals, and the cheapest of them by dynamic programming.
#pragma once

#include <algorithm>
#include <vector>

#include "core/base/hierarchy.h"
#include "core/base/problem.h"

namespace shoal {

// The intervals [a, b) that a better partition may still use. Values per interval lie in flat arrays, ordered as
// the kernels sweep histograms: in rows, entry b of row a being a histogram's entry b less its entry a.
// With all intervals of the axis a row holds those that begin at a. With the parts of a hierarchy, which count
// their rows one by one, there is a single row. `values + offset[a]` is indexed by the entry.
struct Spans {
  int length = 0;  // values on the axis
  int rows = 0;
  int count = 0;
  std::vector<int> low, high, offset;  // per row its entries low .. high
  const Hierarchy* parts = nullptr;

  void all(int size) {
    length = rows = size;
    low.resize(size);
    for (int a = 0; a < size; ++a) low[a] = a + 1;
    high.assign(size, size + 1);
    index();
  }
  void all(const Hierarchy& hierarchy) {
    parts = &hierarchy;
    length = hierarchy.size();
    rows = 1;
    low = {1};
    high = {hierarchy.count() + 1};
    index();
  }
  void index() {
    count = 0;
    offset.resize(rows);
    for (int a = 0; a < rows; ++a) {
      offset[a] = count - low[a];
      count += high[a] - low[a];
    }
  }
  int at(int row, int entry) const { return offset[row] + entry; }

  struct Interval {
    int begin, end;
  };
  Interval interval(int row, int entry) const {
    return parts ? Interval{parts->parts[entry - 1].begin, parts->parts[entry - 1].end} : Interval{row, entry};
  }
  // Calls use(end, index) for every interval that begins at a value, ends increasing.
  template <class Use>
  void beginning_at(int begin, const Use& use) const {
    if (parts) {
      for (int part : parts->beginning_at(begin))
        if (low[0] <= part + 1 && part + 1 < high[0]) use(parts->parts[part].end, at(0, part + 1));
    } else {
      for (int end = low[begin]; end < high[begin]; ++end) use(end, at(begin, end));
    }
  }
};

// cost[b] becomes the least sum of `value` over partitions of [0, b).
template <class Number, class Value>
void cheapest_from_left(const Spans& spans, std::vector<Number>& cost, Number none, const Value& value) {
  cost.assign(spans.length + 1, none);
  cost[0] = 0;
  for (int a = 0; a < spans.length; ++a) {
    if (cost[a] >= none) continue;
    spans.beginning_at(a, [&](int b, int i) { cost[b] = std::min<Number>(cost[b], cost[a] + value(i)); });
  }
}

// cost[a] becomes the least sum of `value` over partitions of [a, length).
template <class Number, class Value>
void cheapest_to_right(const Spans& spans, std::vector<Number>& cost, Number none, const Value& value) {
  cost.assign(spans.length + 1, none);
  cost[spans.length] = 0;
  for (int a = spans.length - 1; a >= 0; --a)
    spans.beginning_at(a, [&](int b, int i) {
      if (cost[b] < none) cost[a] = std::min<Number>(cost[a], value(i) + cost[b]);
    });
}

struct AxisPartition {
  Cost cost = kInfinite;
  std::vector<std::int32_t> cuts;
};

inline constexpr Count kAnyNumber = INT32_MAX;  // a limit that is none

// The cheapest partition that suppresses at most `limit` rows, if it costs less than `known`. `excess`, if not empty, may
// not add up to more than 0.
AxisPartition best_partition(const Spans& spans, const std::vector<Cost>& cost, const std::vector<Count>& suppressed,
                             const std::vector<Cost>& excess, Count limit, Cost known);

}  // namespace shoal
