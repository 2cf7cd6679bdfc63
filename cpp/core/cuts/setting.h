// setting.h - what stays the same at every node of one search along one axis.
#pragma once

#include "core/base/axis.h"
#include "core/cuts/projection.h"
#include "core/privacy/privacy.h"

namespace shoal {

struct Setting {
  explicit Setting(const Projection& projection)
      : pr(projection), p(projection.problem), stride(projection.stride), k(p.k), total(p.total()),
        limited(p.limit < total), suppressed_cost(p.suppressed_cost()), rules(p.privacy),
        risky(rules && rules->risky(k)) {}

  const Projection& pr;
  const Problem& p;
  const int stride;  // entries of a histogram per class label
  const Count k, total;
  const bool limited;  // not all rows may be suppressed
  const Cost suppressed_cost;
  const Privacy* const rules;
  const bool risky;  // groups of k rows may be too many together

  // Whether joining suppressed rows to a released group leaves it released, and all groups together admissible: what it
  // takes to drop a move because it only suppresses. Where nothing may be suppressed that case does not arise.
  bool joins_are_kept() const { return !rules || p.limit == 0 || (rules->supersets && !risky); }
  // Whether rows that are suppressed may have to be: their group would be one too many.
  bool may_have_to_suppress() const { return risky && p.limit > 0; }
  // General loss: what the axis costs a row in an interval.
  Cost axis_loss(const Spans& spans, int row, int entry) const {
    const auto [begin, end] = spans.interval(row, entry);
    return p.loss(pr.axis, begin, end - 1);
  }
};

// The metric as the compiler knows it.
template <Metric M>
struct Kind {
  static constexpr bool squares = M == Metric::discernibility;
  static constexpr bool labels = M == Metric::classification;
  static constexpr bool loss = M == Metric::general_loss;
  // What a move adds to the bound of an interval: for DM newly suppressed rows, each worth |D| - k.
  using Delta = std::conditional_t<loss, Cost, Count>;
};

}  // namespace shoal
