// boxes.h - branch and bound over one box of a lattice: all nodes between a most specific and a most general one.
//
// Rows whose group at a box's high end is hopeless - smaller than k, or such that privacy rules admit no part of it - are
// suppressed in the whole box; every other row is, at any node of the box, in a group at least as large as at low and,
// if kept, of at least k rows. That gives the box's bound; proofs in docs/algorithms/lattice.md. Boxes are halved, best
// bound first. Those of a round are examined against the incumbent of the round's beginning, and merged in its order.
#pragma once

#include <utility>
#include <vector>

#include "core/lattice/looks.h"

namespace shoal {

class Boxes {
 public:
  Boxes(Looks& looks, Levels low, Levels high);

  void round();
  // Nothing in the box that is not yet measured costs less than the best there is.
  bool proved() const { return bound() >= looks_.best().cost; }
  Cost bound() const { return std::min(open_.empty() ? looks_.best().cost : open_.front().first.bound, unsettled_); }
  bool empty() const { return open_.empty(); }

  struct Box {
    Levels low, high;
    Cost bound = 0;  // no node of the box costs less
  };
  struct Examined {
    std::vector<Candidate> candidates;
    std::vector<Box> parts;      // what is left of the box: nothing, or its halves, the lower one first
    Cost unsettled = kInfinite;  // what a node of the box may cost that was not settled
  };
  Examined examine(const Box& box, Cost known);

 private:
  struct Later {
    bool operator()(const std::pair<Box, std::int64_t>& x, const std::pair<Box, std::int64_t>& y) const {
      return std::tuple(x.first.bound, -x.second) > std::tuple(y.first.bound, -y.second);
    }
  };

  Box pop();
  void push(Box&& box);
  Examined examine_cells(const Box& box, Cost known);
  Examined examine_groups(const Box& box, Cost known);
  Cost offer(const Levels& levels, const NodeMeasure& node, Cost known, Examined& out);
  Cost box_bound(const GroupTable& low, const GroupTable& high, const std::vector<std::uint32_t>& parent) const;
  Cost most_groups(const GroupTable& low, const std::vector<Count>& keeps,
                   const std::vector<std::uint32_t>& parent) const;
  Cost judged_bound(const GroupTable& low, const GroupTable& high, const std::vector<std::uint32_t>& parent,
                    const std::vector<Count>& keeps) const;
  void halve(const Box& box, Cost bound, Cost must, std::vector<Box>& parts) const;

  Looks& looks_;
  const LatticeProblem& p_;
  const Lattice& lattice_;
  std::vector<std::pair<Box, std::int64_t>> open_;
  std::int64_t sequence_ = 0;
  Cost unsettled_ = kInfinite;  // what a node may cost that was not settled
};

}  // namespace shoal
