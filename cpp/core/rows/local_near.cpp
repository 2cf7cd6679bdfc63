#include "core/rows/local_near.h"

#include <bit>

namespace shoal {

NearRows::NearRows(const LocalProblem& problem, const Rows& rows, const Boxes& boxes, const Watch& watch,
                   std::uint64_t seed)
    : p_(problem), rows_(rows), boxes_(boxes), watch_(watch), random_(seed) {
  for (int row = 0; row < rows_.count(); ++row)
    if (rows_.rows(row) > 0) order_.push_back(row);
  const int attributes = rows_.attributes();
  const auto fit = kMostSides / (2 * kSide * std::max<std::size_t>(1, order_.size()));
  const int orders = std::min({attributes, kMostOrders, std::max(2, static_cast<int>(fit))});
  stride_ = static_cast<std::size_t>(kMost + 2 * kSide * orders);
  near_.assign(static_cast<std::size_t>(rows_.count()) * stride_, kNone);
  distance_.resize(static_cast<std::size_t>(rows_.count()) * kMost);
  held_.assign(rows_.count(), 0);
  keyed_.resize(order_.size());
  std::vector<int> priority(attributes);
  for (int last = 0; last < orders && !watch_.stopped(); ++last) {
    // The last attribute varies fastest, so each of them is the last once.
    std::iota(priority.begin(), priority.end(), 0);
    shuffle(priority);
    std::iter_swap(std::find(priority.begin(), priority.end(), last), priority.end() - 1);
    by_lexicographic_order(priority, kMost + 2 * kSide * last);
  }
  for (int tree = 0; tree < kTrees && !watch_.stopped(); ++tree) by_tree();
  offer_neighbours_of_neighbours();
}

// By the attributes in an order; keys of 64 bits hold most tables whole, and ties are compared in full.
void NearRows::by_lexicographic_order(const std::vector<int>& priority, int into) {
  std::sort(order_.begin(), order_.end());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    std::uint64_t key = 0;
    int left = 64;
    for (const int a : priority) {
      const auto bits = static_cast<int>(std::bit_width(p_.parts[a][0].size()));
      if ((left -= bits) < 0) break;
      key |= static_cast<std::uint64_t>(rows_.code(order_[i], a)) << left;
    }
    keyed_[i] = {key, order_[i]};
  }
  std::sort(keyed_.begin(), keyed_.end(), [&](const auto& x, const auto& y) {
    if (x.first != y.first) return x.first < y.first;
    for (const int a : priority)
      if (rows_.code(x.second, a) != rows_.code(y.second, a)) return rows_.code(x.second, a) < rows_.code(y.second, a);
    return x.second < y.second;
  });
  for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = keyed_[i].second;
  offer_neighbours(into);
}

void NearRows::by_tree() {
  std::sort(order_.begin(), order_.end());
  halve(0, order_.size());
  offer_neighbours(kNone);
}

// The lower half of an attribute's values goes before the upper one; ties go by number.
void NearRows::halve(std::size_t begin, std::size_t end) {
  if (end - begin <= kLeaf || watch_.stopped()) return;
  const int a = dear_attribute(begin, end);
  if (a < 0) return;
  const std::size_t middle = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end, [&](int x, int y) {
    const int one = rows_.code(x, a), two = rows_.code(y, a);
    return one != two ? one < two : x < y;
  });
  // nth_element may leave either side in any order; the release must not depend on the library.
  std::sort(order_.begin() + begin, order_.begin() + middle);
  std::sort(order_.begin() + middle, order_.begin() + end);
  halve(begin, middle);
  halve(middle, end);
}

// Of a few attributes by chance, the one that costs most where these rows are together; -1 if none costs anything.
int NearRows::dear_attribute(std::size_t begin, std::size_t end) {
  int dearest = -1;
  Cost most = 0;
  const int attributes = rows_.attributes();
  for (int attempt = 0; attempt < 3 + attributes && (attempt < 3 || dearest < 0); ++attempt) {
    const int a = attempt < 3 ? static_cast<int>(random_() % static_cast<std::uint64_t>(attributes)) : attempt - 3;
    if (const Cost here = spread(a, begin, end); here > most) most = here, dearest = a;
  }
  return dearest;
}

Cost NearRows::spread(int a, std::size_t begin, std::size_t end) const {
  int low = rows_.code(order_[begin], a), high = low;
  for (std::size_t i = begin + 1; i < end; ++i) {
    const int code = rows_.code(order_[i], a);
    low = std::min(low, code), high = std::max(high, code);
  }
  return low == high ? 0 : std::max<Cost>(1, boxes_.pair(a, low, high));
}

// Neighbours in the order are also kept as they are, from a place of each row's list on, unless that is kNone.
void NearRows::offer_neighbours(int into) {
  const auto count = static_cast<std::ptrdiff_t>(order_.size());
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    if (i % 1024 == 0 && watch_.stopped()) return;
    std::int32_t* kept = near_.data() + static_cast<std::size_t>(order_[i]) * stride_ + std::max(into, 0);
    for (std::ptrdiff_t j = std::max<std::ptrdiff_t>(0, i - kSide); j <= std::min(count - 1, i + kSide); ++j) {
      if (j == i) continue;
      offer(order_[i], order_[j]);
      if (into != kNone) *kept++ = order_[j];
    }
  }
}

// Copies of the lists are not needed: what is found meanwhile is only better, and the order of rows is fixed.
void NearRows::offer_neighbours_of_neighbours() {
  constexpr int kFew = 8;
  std::sort(order_.begin(), order_.end());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (i % 256 == 0 && watch_.stopped()) return;
    const int row = order_[i];
    std::int32_t some[kFew];
    const int count = std::min(kFew, held_[row]);
    std::copy_n(near_.data() + static_cast<std::size_t>(row) * stride_, count, some);
    for (int n = 0; n < count; ++n)
      for (int other = 0; other < std::min(kFew, held_[some[n]]); ++other)
        if (const int far = near_[static_cast<std::size_t>(some[n]) * stride_ + other]; far != row) offer(row, far);
  }
}

void NearRows::offer(int row, int other) {
  std::int32_t* near = near_.data() + static_cast<std::size_t>(row) * stride_;
  Cost* distance = distance_.data() + static_cast<std::size_t>(row) * kMost;
  std::int32_t& held = held_[row];
  const Cost most = held < kMost ? kInfinite : distance[held - 1];
  Cost sum = 0;
  for (int a = 0; a < rows_.attributes(); ++a)
    if ((sum += boxes_.pair(a, rows_.code(row, a), rows_.code(other, a))) >= most) return;
  for (int i = 0; i < held; ++i)
    if (near[i] == other) return;
  int at = held < kMost ? held++ : held - 1;
  for (; at > 0 && distance[at - 1] > sum; --at) distance[at] = distance[at - 1], near[at] = near[at - 1];
  distance[at] = sum, near[at] = other;
}

// The library's own shuffle differs between compilers.
void NearRows::shuffle(std::vector<int>& order) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
}

}  // namespace shoal
