// tail.h - the open moves of a node, and what each would add to the node's bound.
//
// What moves add lies in one buffer, a row of intervals per move, that grows to the largest node and stays: no memory
// is taken or given back from node to node. Removing a move moves its record, never its row.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/base/problem.h"

namespace shoal {

// A move and what it would do if it joined the head: the imaginary node (H + v, T - v) of K-Optimize, section 5.1.
struct OpenMove {
  int cut;  // its name
  int row;  // in the buffers
  bool useful = false;
  int splits = 0;    // head groups that it splits
  Cost product = 0;  // sum over them of the products of the pieces, two by two
  Cost bound = 0;    // of the imaginary node
};

template <class Delta>
class Tail {
 public:
  explicit Tail(std::size_t alphabet) : position_(alphabet, -1) {}

  // `rows` says whether the rows that a move suppresses are counted apart from what it adds.
  void load(std::span<const int> moves, int intervals, bool rows) {
    for (const OpenMove& move : open_) position_[move.cut] = -1;
    intervals_ = static_cast<std::size_t>(intervals);
    delta_.assign(moves.size() * intervals_, 0);
    rows_.assign(rows ? moves.size() * intervals_ : 0, 0);
    open_.clear();
    for (const int cut : moves) {
      position_[cut] = static_cast<int>(open_.size());
      open_.push_back({cut, static_cast<int>(open_.size())});
    }
  }

  bool empty() const { return open_.empty(); }
  std::size_t size() const { return open_.size(); }
  OpenMove& operator[](std::size_t index) { return open_[index]; }
  auto begin() const { return open_.begin(); }
  auto end() const { return open_.end(); }
  // Where a move is among the open ones; -1 if it is not.
  int position(int cut) const { return position_[cut]; }

  // Per interval what a move adds to the bound, and the rows that it newly suppresses.
  Delta* delta(const OpenMove& move) { return delta_.data() + intervals_ * move.row; }
  Count* rows(const OpenMove& move) { return rows_.empty() ? nullptr : rows_.data() + intervals_ * move.row; }

  // The last move takes the place of the removed one.
  void remove(std::size_t index) {
    position_[open_[index].cut] = -1;
    if (index + 1 < open_.size()) {
      open_[index] = open_.back();
      position_[open_[index].cut] = static_cast<int>(index);
    }
    open_.pop_back();
  }
  // The same with the others kept in their order: a proof that lists moves in order is shorter.
  void remove_in_order(std::size_t index) {
    position_[open_[index].cut] = -1;
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(index));
    for (; index < open_.size(); ++index) position_[open_[index].cut] = static_cast<int>(index);
  }

 private:
  std::vector<OpenMove> open_;
  std::vector<int> position_;  // per cut
  std::size_t intervals_ = 0;
  std::vector<Delta> delta_;
  std::vector<Count> rows_;
};

}  // namespace shoal
