// local_exact.h - the best partition of a few distinct rows, by branch and bound over their groups.
//
// The row of the greatest share that is left is suppressed, or is in a group with some of the others; what is left then
// costs no less than its shares. A group that could be two is never needed, for both would cost no more. The same rows left
// are searched again only if they are reached for less.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/rows/local_box.h"

namespace shoal {

class LocalExact {
 public:
  static constexpr int kMostRows = 32;

  // Whether it can be asked: cells are priced, groups are judged by their size alone, and there are few distinct rows.
  static bool serves(const LocalProblem& problem, const Rows& rows);

  // `shares`: no group costs less than those of its rows, and no suppressed row costs less than its own.
  LocalExact(const LocalProblem& problem, const Rows& rows, const Boxes& boxes, const std::vector<Cost>& shares,
             const Watch& watch);

  // Looks for a partition that costs less than `most`. False if it gave up before all were looked at.
  bool search(Cost most);
  // The groups of the best one, if any was found; rows in none are suppressed.
  const std::optional<std::vector<std::vector<int>>>& best() const { return best_; }
  Cost cost() const { return most_; }

 private:
  using Set = std::uint32_t;
  void part(Set left, Cost cost, Count suppressed);
  void extend(Set left, Cost cost, Count suppressed, Set group, Count size, const Box& box, int from);
  Cost at_least(Set left, Cost price) const;
  bool could_be_two(Set group) const;

  static constexpr std::int64_t kNodes = 3'000'000;
  const LocalProblem& p_;
  const Boxes& boxes_;
  const Watch& watch_;
  std::vector<int> order_;     // the rows, the greatest share first
  std::vector<Cost> shares_;   // in this order
  std::vector<Count> counts_;  // in this order
  std::vector<Set> groups_;
  std::optional<std::vector<std::vector<int>>> best_;
  std::unordered_map<std::uint64_t, Cost> reached_;  // by the rows that are left and the number of suppressed ones
  Cost most_ = kInfinite;
  std::int64_t nodes_ = 0;
};

}  // namespace shoal
