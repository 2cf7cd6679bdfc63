#include "core/base/problem.h"

#include <numeric>

namespace shoal {

Count Problem::total() const { return std::accumulate(counts.begin(), counts.end(), Count{0}); }

Cost Problem::suppressed_cost() const {
  switch (metric) {
    case Metric::discernibility: return total();
    case Metric::classification: return 1;
    case Metric::general_loss: return row_units;
  }
  return 0;
}

}  // namespace shoal
