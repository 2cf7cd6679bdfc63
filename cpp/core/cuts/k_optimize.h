// k_optimize.h - K-Optimize (Bayardo and Agrawal, ICDE 2005), with its two wrong rules repaired.
//
// Section numbers in the source are the paper's. Deviations: docs/algorithms/k-optimize.md.
#pragma once

#include "core/base/search.h"

namespace shoal {

Outcome k_optimize(const Problem& problem, const Options& options);

}  // namespace shoal
