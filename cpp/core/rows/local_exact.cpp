#include "core/rows/local_exact.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace shoal {

bool LocalExact::serves(const LocalProblem& problem, const Rows& rows) {
  int distinct = 0;
  for (int row = 0; row < rows.count(); ++row) distinct += rows.rows(row) > 0;
  return !problem.squares && !problem.privacy && !problem.overlapping && distinct > 0 && distinct <= kMostRows;
}

LocalExact::LocalExact(const LocalProblem& problem, const Rows& rows, const Boxes& boxes,
                       const std::vector<Cost>& shares, const Watch& watch)
    : p_(problem), boxes_(boxes), watch_(watch) {
  for (int row = 0; row < rows.count(); ++row)
    if (rows.rows(row) > 0) order_.push_back(row);
  std::stable_sort(order_.begin(), order_.end(), [&](int x, int y) { return shares[x] > shares[y]; });
  for (const int row : order_) shares_.push_back(shares[row]), counts_.push_back(rows.rows(row));
}

bool LocalExact::search(Cost most) {
  most_ = most;
  const int rows = static_cast<int>(order_.size());
  part(rows == 32 ? ~Set{0} : (Set{1} << rows) - 1, 0, 0);
  return nodes_ < kNodes && !watch_.stopped();
}

void LocalExact::part(Set left, Cost cost, Count suppressed) {
  if (++nodes_ >= kNodes || (nodes_ % 64 == 0 && watch_.stopped())) return;
  if (left == 0) {
    if (cost >= most_ || groups_.empty()) return;
    most_ = cost;
    best_.emplace();
    for (const Set group : groups_) {
      auto& rows = best_->emplace_back();
      for (std::size_t i = 0; i < order_.size(); ++i)
        if (group >> i & 1) rows.push_back(order_[i]);
    }
    return;
  }
  if (cost + at_least(left, kInfinite) >= most_) return;
  // Suppressing everything is no release, so that having no group is another state than having some.
  if (!groups_.empty()) {
    const auto key = static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(suppressed);
    if (const auto [known, is_new] = reached_.try_emplace(key, cost); !is_new) {
      if (known->second <= cost) return;
      known->second = cost;
    }
  }
  const int first = std::countr_zero(left);
  const Set one = Set{1} << first;
  extend(left ^ one, cost, suppressed, one, counts_[first], boxes_.around(order_[first]), first + 1);
  if (suppressed + counts_[first] <= p_.limit)
    part(left ^ one, cost + counts_[first] * p_.suppressed_row, suppressed + counts_[first]);
}

// `left` are the rows that are neither in the group nor in one before; only those from one on may still join.
void LocalExact::extend(Set left, Cost cost, Count suppressed, Set group, Count size, const Box& box, int from) {
  if (++nodes_ >= kNodes || cost + size * box.price + at_least(left, box.price) >= most_ || !boxes_.allowed(box))
    return;
  if (size >= p_.k) {
    groups_.push_back(group);
    part(left, cost + size * box.price, suppressed);
    groups_.pop_back();
    if (could_be_two(group)) return;
  }
  for (int i = from; i < static_cast<int>(order_.size()); ++i) {
    const Set one = Set{1} << i;
    if (!(left & one)) continue;
    Box grown = box;
    boxes_.join(grown, order_[i]);
    extend(left ^ one, cost, suppressed, group | one, size + counts_[i], grown, i + 1);
  }
}

// What rows cost that are left, if some of them may join a group of this price.
Cost LocalExact::at_least(Set left, Cost price) const {
  Cost sum = 0;
  for (; left; left &= left - 1) {
    const int i = std::countr_zero(left);
    sum += std::min(shares_[i], price) * counts_[i];
  }
  return sum;
}

bool LocalExact::could_be_two(Set group) const {
  std::vector<Count> sizes;
  for (; group; group &= group - 1) sizes.push_back(counts_[std::countr_zero(group)]);
  std::sort(sizes.begin(), sizes.end(), std::greater{});
  Count one = 0, two = 0;
  for (const Count size : sizes) (one < p_.k ? one : two) += size;
  return two >= p_.k;
}

}  // namespace shoal
