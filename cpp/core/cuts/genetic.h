// genetic.h - Iyengar's genetic algorithm (KDD 2002) over choices of moves.
//
// A population is kept sorted by price. Two members, better ones more often, have one child by crossover and mutation;
// it takes the place of the worst if it is better. Nodes are prices looked at.
#pragma once

#include "core/base/search.h"
#include "core/cuts/cut_space.h"

namespace shoal {

// Goes on until the budget ends.
Outcome genetic(const CutSpace& space, int population, const Options& options);

}  // namespace shoal
