// rows_given_up.h - which small groups to give up so that few enough of the released rows are in small groups.
//
// A limit on the share of rows in groups smaller than m asks for a number of rows, whichever groups they are in: of A
// such rows among T, g given up leave A - g of T - g. Wanted are the cheapest small groups with at least `need` rows and at
// most `limit`. Size by size that is a convolution of what was reached so far with the sums of the cheapest groups of
// that size, which is convex: the best number of groups to take grows with the rows, and is found by halving. Cost: for
// each size the rows to reach, times their logarithm. Proof: docs/algorithms/lattice.md, "Rows at risk".
#pragma once

#include <vector>

#include "core/privacy/giving_up.h"

namespace shoal {

// The cheapest of some offers that together have from `need` to `limit` rows, if they cost less than `known`; of those that
// cost the same, with fewest rows. Only `rows`, `price` and `number` of an offer are read.
GivenUp cheapest_rows_given_up(std::vector<Offer> offers, Cost need, Count limit, Cost known);

}  // namespace shoal
