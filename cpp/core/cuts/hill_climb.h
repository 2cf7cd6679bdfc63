// hill_climb.h - iterated two-phase hill climbing (K-Optimize paper, section 7.3).
//
// From a random recoding, cuts are removed, always the one that helps most, until none helps; then cuts are
// added in the same way; the phases alternate until neither helps. Then it starts again elsewhere.
// Groups are merged and split in place, and one sweep over the table prices every candidate of a step: the
// paper's implementation sorted the table for each of them.
#pragma once

#include "core/base/search.h"

namespace shoal {

// Climbs until the budget (each step is a node) or `options.climbs` starts are used up.
Outcome hill_climb(const Problem& problem, const Options& options);

}  // namespace shoal
