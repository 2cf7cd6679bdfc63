// axis_paths.h - the intervals of the axis that a partition below the bound can still use, and paths over them.
//
// Values per interval [a, b) are flat, in rows of one beginning each. An interval that is not live at a node is not live
// at any node below it, so arrays shrink on the way down.
#pragma once

#include <algorithm>
#include <vector>

#include "checker/problem.h"

namespace shoal_checker {

struct Spans {
  int length = 0;
  std::vector<int> low, high, offset;  // per beginning its ends low .. high - 1, and where its values are, less low
  std::vector<char> alive;             // per interval
  int count = 0;

  void all(int size) {
    length = size;
    low.resize(size);
    high.assign(size, size + 1);
    for (int a = 0; a < size; ++a) low[a] = a + 1;
    index();
    alive.assign(count, 1);
  }
  void index() {
    offset.resize(length);
    count = 0;
    for (int a = 0; a < length; ++a) {
      offset[a] = count - low[a];
      count += high[a] - low[a];
    }
  }
  // Calls use(a, b, index) for every interval, live or not.
  template <class Use>
  void each(const Use& use) const {
    for (int a = 0; a < length; ++a)
      for (int b = low[a]; b < high[a]; ++b) use(a, b, offset[a] + b);
  }
};

struct Values {
  std::vector<Number> cost, suppressed;  // kNone where too many rows are suppressed
};

class AxisPaths {
 public:
  AxisPaths(Number bound, Number limit, bool limited) : bound_(bound), limit_(limit), limited_(limited) {}

  // Marks in `alive` the intervals that a partition below the bound and within the limit can use; false if there is none.
  bool live(const Spans& spans, const Values& values, std::vector<char>& alive) {
    alive = spans.alive;
    for (std::size_t i = 0; i < alive.size(); ++i) alive[i] = alive[i] && values.cost[i] < kNone;
    for (;;) {
      from_left(spans, values.cost, alive, left_);
      if (left_.back() >= bound_) return false;
      to_right(spans, values.cost, alive, right_);
      if (limited_) {
        from_left(spans, values.suppressed, alive, few_);
        if (few_.back() > limit_) return false;
        to_right(spans, values.suppressed, alive, fewest_);
      }
      bool any = false, changed = false;
      spans.each([&](int a, int b, int i) {
        if (!alive[i]) return;
        bool kept = left_[a] + values.cost[i] + right_[b] < bound_;
        if (limited_) kept = kept && few_[a] + values.suppressed[i] + fewest_[b] <= limit_;
        changed |= !kept;
        any |= kept;
        alive[i] = kept;
      });
      if (!any) return false;
      if (!limited_ || !changed) return true;
    }
  }

  // Whether no partition is below the bound and within the limit, as far as the two can be looked at apart.
  bool none(const Spans& spans, const Values& values) {
    if (limited_) return !live(spans, values, scratch_);
    from_left(spans, values.cost, spans.alive, left_);
    return left_.back() >= bound_;
  }

  // Whether one partition is both: pairs (cost, suppressed), none worse in both.
  bool affordable(const Spans& spans, const Values& values, const std::vector<char>& alive) {
    to_right(spans, values.cost, alive, right_);
    std::vector<std::vector<std::pair<Number, Number>>> kept(spans.length + 1), found(spans.length + 1);
    kept[0].emplace_back(0, 0);
    for (int a = 0; a < spans.length; ++a) {
      if (a > 0) {
        std::sort(found[a].begin(), found[a].end());
        Number fewest = limit_ + 1;
        for (const auto& pair : found[a])
          if (pair.second < fewest) kept[a].push_back(pair), fewest = pair.second;
        found[a] = {};
      }
      for (int b = spans.low[a]; b < spans.high[a]; ++b) {
        const int i = spans.offset[a] + b;
        if (!alive[i]) continue;
        for (const auto& [cost, suppressed] : kept[a]) {
          const Number c = cost + values.cost[i], s = suppressed + values.suppressed[i];
          if (c + right_[b] < bound_ && s <= limit_) found[b].emplace_back(c, s);
        }
      }
    }
    return !found[spans.length].empty();
  }

 private:
  static void from_left(const Spans& spans, const std::vector<Number>& value, const std::vector<char>& alive,
                        std::vector<Number>& sum) {
    sum.assign(spans.length + 1, kNone);
    sum[0] = 0;
    for (int a = 0; a < spans.length; ++a) {
      if (sum[a] >= kNone) continue;
      for (int b = spans.low[a]; b < spans.high[a]; ++b) {
        const int i = spans.offset[a] + b;
        const Number more = alive[i] ? sum[a] + value[i] : kNone;
        sum[b] = std::min(sum[b], more);
      }
    }
  }
  static void to_right(const Spans& spans, const std::vector<Number>& value, const std::vector<char>& alive,
                       std::vector<Number>& sum) {
    sum.assign(spans.length + 1, kNone);
    sum[spans.length] = 0;
    for (int a = spans.length - 1; a >= 0; --a)
      for (int b = spans.low[a]; b < spans.high[a]; ++b) {
        const int i = spans.offset[a] + b;
        if (alive[i] && sum[b] < kNone) sum[a] = std::min(sum[a], value[i] + sum[b]);
      }
  }

  const Number bound_, limit_;
  const bool limited_;
  std::vector<Number> left_, right_, few_, fewest_;
  std::vector<char> scratch_;
};

}  // namespace shoal_checker
