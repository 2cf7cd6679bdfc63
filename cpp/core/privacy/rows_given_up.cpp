#include "core/privacy/rows_given_up.h"

#include <algorithm>

namespace shoal {
namespace {

constexpr Cost kMostCells = Cost{1} << 26;  // of the table of choices; beyond it the first answer is the answer

// The offers of one size, cheapest first: what the first j of them cost together.
struct OfOneSize {
  Count rows;
  std::size_t first;        // in the sorted offers
  std::vector<Cost> price;  // of the first j, j = 0 ..
};

std::vector<OfOneSize> by_size(const std::vector<Offer>& sorted) {
  std::vector<OfOneSize> sizes;
  for (std::size_t o = 0; o < sorted.size(); ++o) {
    if (o == 0 || sorted[o].rows != sorted[o - 1].rows) sizes.push_back({sorted[o].rows, o, {0}});
    sizes.back().price.push_back(sizes.back().price.back() + sorted[o].price);
  }
  return sizes;
}

// Per number of rows the least price, and how many groups of the size at hand are in it.
class Reached {
 public:
  explicit Reached(std::size_t most) : least_(most + 1, kInfinite) { least_[0] = 0; }

  Cost least(std::size_t rows) const { return least_[rows]; }

  std::vector<std::int32_t> add(const OfOneSize& size) {
    std::vector<std::int32_t> taken(least_.size(), 0);
    const std::vector<Cost> before = least_;
    for (std::size_t rest = 0; rest < static_cast<std::size_t>(size.rows) && rest < least_.size(); ++rest) {
      const std::size_t places = (least_.size() - 1 - rest) / size.rows;
      halve(before, size, rest, 0, places, 0, places, taken);
    }
    return taken;
  }

 private:
  // Places low .. high of those with this rest, whose best beginnings lie within from .. to.
  void halve(const std::vector<Cost>& before, const OfOneSize& size, std::size_t rest, std::size_t low,
             std::size_t high, std::size_t from, std::size_t to, std::vector<std::int32_t>& taken) {
    const std::size_t middle = low + (high - low) / 2, most = size.price.size() - 1;
    const std::size_t begin = std::max(from, middle > most ? middle - most : 0), end = std::min(to, middle);
    std::size_t best = begin;
    Cost least = kInfinite * 2;
    for (std::size_t at = begin; at <= end; ++at)
      if (const Cost price = before[rest + at * size.rows] + size.price[middle - at]; price < least)
        least = price, best = at;
    const std::size_t rows = rest + middle * size.rows;
    least_[rows] = std::min(least, kInfinite);
    taken[rows] = static_cast<std::int32_t>(middle - best);
    if (middle > low) halve(before, size, rest, low, middle - 1, from, best, taken);
    if (middle < high) halve(before, size, rest, middle + 1, high, best, to, taken);
  }

  std::vector<Cost> least_;
};

// The best by price per row; for tables too large to look at all choices.
GivenUp quick(std::vector<Offer> offers, Cost need, Count limit, Cost known) {
  std::stable_sort(offers.begin(), offers.end(),
                   [](const Offer& x, const Offer& y) { return x.price / x.rows < y.price / y.rows; });
  GivenUp choice;
  choice.partition.cost = 0;
  for (std::size_t o = 0; o < offers.size() && choice.rows < need; ++o) {
    choice.partition.cost += offers[o].price;
    choice.rows += offers[o].rows;
    choice.numbers.push_back(offers[o].number);
  }
  if (choice.rows < need || choice.rows > limit || choice.partition.cost >= known) choice = {};
  choice.unsettled = 0;
  return choice;
}

}  // namespace

GivenUp cheapest_rows_given_up(std::vector<Offer> offers, Cost need, Count limit, Cost known) {
  Cost rows = 0;
  for (const Offer& offer : offers) rows += offer.rows;
  if (need > limit || need > rows) return {};
  std::sort(offers.begin(), offers.end());
  const std::vector<OfOneSize> sizes = by_size(offers);
  // Without its smallest group, a cheapest choice of fewest rows has too few: more than this is never reached.
  const Cost most = std::min<Cost>({limit, rows, need + offers.back().rows - 1});
  if (most * static_cast<Cost>(sizes.size()) > kMostCells) return quick(std::move(offers), need, limit, known);
  Reached reached(static_cast<std::size_t>(most));
  std::vector<std::vector<std::int32_t>> taken;
  for (const OfOneSize& size : sizes) taken.push_back(reached.add(size));
  GivenUp choice;
  for (Cost at = need; at <= most; ++at)
    if (const Cost price = reached.least(static_cast<std::size_t>(at));
        price < std::min(known, choice.partition.cost)) {
      choice.partition.cost = price;
      choice.rows = static_cast<Count>(at);
    }
  if (choice.partition.cost == kInfinite) return {};
  std::size_t left = static_cast<std::size_t>(choice.rows);
  for (std::size_t s = sizes.size(); s-- > 0;) {
    const std::int32_t groups = taken[s][left];
    for (std::int32_t j = 0; j < groups; ++j) choice.numbers.push_back(offers[sizes[s].first + j].number);
    left -= static_cast<std::size_t>(groups) * sizes[s].rows;
  }
  return choice;
}

}  // namespace shoal
