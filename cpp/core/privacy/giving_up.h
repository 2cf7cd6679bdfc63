// giving_up.h - which groups to give up so that those that are left are not too risky together.
//
// A limit on the average risk can be kept by suppressing groups that k and the rules would release. Each of n rows
// takes its share of the excess of risk with it, 2^32 - n * risk_of_row (privacy.h), which is positive for groups
// smaller than the reciprocal of the limit only: these are offered. Wanted are the cheapest whose shares add up to the
// excess and whose rows stay within the limit on suppression; with an axis, together with its partition. Proofs:
// docs/algorithms/lattice.md, "Groups that are given up".
//
// Sums of what is taken are exact integers. A Lagrangian bound in doubles leaves out what cannot become cheapest, wide by a
// slack far above its rounding.
#pragma once

#include <vector>

#include "core/base/axis.h"
#include "core/privacy/privacy.h"

namespace shoal {

// A group that would be released.
struct Offer {
  Count rows;
  Cost price;  // what it costs more to give it up than to release it, never below 0
  Cost gain;   // of the excess of risk
  int number;  // the caller's
};

inline bool operator<(const Offer& x, const Offer& y) {
  if (x.rows != y.rows) return x.rows < y.rows;
  return x.price != y.price ? x.price < y.price : x.number < y.number;
}

// Per interval its offers, sorted: those of interval i are first[i] .. first[i + 1].
struct Offers {
  std::vector<int> first;
  std::vector<Offer> all;
};

struct GivenUp {
  AxisPartition partition;     // its cost with what is given up; kInfinite if none is found
  std::vector<int> numbers;    // of the offers
  Count rows = 0;              // of them
  Cost unsettled = kInfinite;  // if not all ways were looked at, none costs less than this
  bool possible = false;       // without an axis: whether there is a choice, whatever it costs
};

// The cheapest partition and offers to give up, if they cost less than `known`; of those that cost the same, with fewest
// rows suppressed. `cost`, `suppressed` and `excess` are those of an interval with nothing given up. If there are too many
// ways to look at, the best that was met.
GivenUp cheapest_given_up(const Spans& spans, const std::vector<Cost>& cost, const std::vector<Count>& suppressed,
                          const std::vector<Cost>& excess, const Offers& offers, Count limit, Cost known);

// The same without an axis: the cheapest of some offers that together gain `excess` and have at most `limit` rows.
GivenUp cheapest_given_up(std::vector<Offer> offers, Cost excess, Count limit, Cost known);

}  // namespace shoal
