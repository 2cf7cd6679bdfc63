// anneal.h - simulated annealing (Winkler 2002) over choices of moves.
//
// From one recoding to a neighbour, always if it is better and with a chance that shrinks as it cools if it is worse; when
// it is cold it starts again. Nodes are prices looked at.
#pragma once

#include "core/base/search.h"
#include "core/cuts/cut_space.h"

namespace shoal {

// Goes on until the budget ends. `cooling` looks are one cooling.
Outcome anneal(const CutSpace& space, std::int64_t cooling, const Options& options);

}  // namespace shoal
