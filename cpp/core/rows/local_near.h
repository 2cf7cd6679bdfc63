// local_near.h - for each row some rows that lose little together with it.
//
// Orders of all rows tell who is near: lexicographic ones, each attribute the last once, and those of the leaves of trees
// that halve the rows along a dear attribute. With many attributes only the trees keep rows together that are alike in
// most of them. Of the neighbours in all orders, and then of their neighbours, the nearest rows are kept. The neighbours
// in lexicographic orders are kept, too: in large groups the nearest rows are all in one's own. Memory is linear in the
// rows.
#pragma once

#include <random>
#include <span>
#include <vector>

#include "core/rows/local_box.h"

namespace shoal {

class NearRows {
 public:
  NearRows(const LocalProblem& problem, const Rows& rows, const Boxes& boxes, const Watch& watch, std::uint64_t seed);

  static constexpr std::int32_t kNone = -1;
  // The nearest first, then neighbours in the orders; kNone in place of missing ones.
  std::span<const std::int32_t> of(int row) const {
    return {near_.data() + static_cast<std::size_t>(row) * stride_, stride_};
  }
  // Those alone that are known to be nearest.
  std::span<const std::int32_t> nearest(int row) const { return of(row).first(held_[row]); }
  // What a row and another cost at least in one group.
  Cost apart(int row, int other) const {
    Cost sum = 0;
    for (int a = 0; a < rows_.attributes(); ++a) sum += boxes_.pair(a, rows_.code(row, a), rows_.code(other, a));
    return sum;
  }

 private:
  static constexpr int kMost = 16;  // rows that are kept for each
  static constexpr int kSide = 4;   // neighbours on each side in an order
  static constexpr int kTrees = 8;
  static constexpr int kMostOrders = 8;                  // lexicographic ones ...
  static constexpr std::size_t kMostSides = 40'000'000;  // ... and how many neighbours in them
  static constexpr std::size_t kLeaf = 8;

  void by_lexicographic_order(const std::vector<int>& priority, int into);
  void by_tree();
  void halve(std::size_t begin, std::size_t end);
  int dear_attribute(std::size_t begin, std::size_t end);
  Cost spread(int a, std::size_t begin, std::size_t end) const;
  void offer_neighbours(int into);
  void offer_neighbours_of_neighbours();
  void offer(int row, int other);
  void shuffle(std::vector<int>& order);

  const LocalProblem& p_;
  const Rows& rows_;
  const Boxes& boxes_;
  const Watch& watch_;
  std::mt19937_64 random_;
  std::size_t stride_ = kMost;
  std::vector<int> order_;
  std::vector<std::int32_t> near_;  // per row, as `of` tells them
  std::vector<Cost> distance_;      // of the nearest
  std::vector<std::int32_t> held_;  // per row how many of them there are
  std::vector<std::pair<std::uint64_t, int>> keyed_;
};

}  // namespace shoal
