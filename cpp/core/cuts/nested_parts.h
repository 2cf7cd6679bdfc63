// nested_parts.h - general loss over the parts of hierarchies: what each attribute can save at most, given the part of the axis.
//
// nested.h with trees in place of paths: per attribute the best set of parts is a recursion over its hierarchy, for all
// parts of the axis at once. Formula and proof: docs/algorithms/subtree.md, "General loss: nested trees".
// Cost: head groups x parts that they can be opened to x parts of the axis.
// Invariant after load(): no descendant pays less than least() for the rows of a part of the axis.
#pragma once

#include <vector>

#include "core/cuts/head.h"
#include "core/cuts/moves.h"
#include "core/cuts/setting.h"

namespace shoal {

class NestedParts {
 public:
  NestedParts(const Setting& setting, const Head<Metric::general_loss>& head, const Moves& moves);

  // Whether there are other attributes than the axis, all with hierarchies, and their numbers few enough to be held.
  static bool fits(const Projection& projection, const Moves& moves);

  // The pieces of the solved head with some moves open, which are sorted; `spans` stays what it is until the next load.
  void load(const CutSet& head, const std::vector<int>& open, const Spans& spans);

  // Per part of the axis what every descendant pays; kInfinite where each suppresses too many rows.
  const std::vector<Cost>& least() const { return least_; }

  // Calls look(move, with, without) for every open move: what descendants pay that make it, and those that do not.
  template <class Look>
  void each_move(const Look& look) {
    for (Attribute& own : attributes_) {
      find_ways(own);
      for (int part = 0; part < own.tree->count(); ++part) {
        if (own.state[part] != State::open) continue;
        price(own, at(own.opened, part), with_);
        price(own, at(own.closed, part), without_);
        look(own.move[part], with_, without_);
      }
    }
  }

 private:
  static constexpr Cost kNone = -kInfinite;  // saved by parts that suppress too many rows

  // Parts that a descendant cannot reach; those that it has, always or if it likes, opened; and those it cannot open.
  enum class State : char { away, inner, open, leaf };
  // One attribute but the axis. Arrays hold one line of parts of the axis per part.
  struct Attribute {
    int number = 0;
    const Hierarchy* tree = nullptr;
    std::vector<int> move;              // per part the move that opens it; -1 if none
    std::vector<State> state;           // per part
    std::vector<Count> rows;            // per part its histogram, of the whole table
    std::vector<Count> kept;            // below 0 where the part would suppress too many rows
    std::vector<Cost> most;             // its share: what a row saves that loses nothing here
    std::vector<Cost> saved;            // per part at most, by the best parts inside it
    std::vector<Cost> inside;           // per part the sum over its children
    std::vector<Cost> outside;          // per part what the others save at most if it is reached
    std::vector<Cost> opened, closed;   // per part the best of the attribute with it opened, and not
    std::vector<Count> released, held;  // rows on the way to `saved`, and their sum over the children
    std::vector<Cost> before;           // shares before a step
  };

  void set_states(Attribute& own, const CutSet& head, const std::vector<int>& open);
  void count(Attribute& own);
  void count_group(Attribute& own, int group);
  void forbid(Attribute& own);
  void share_out();
  void reshare();
  void save(Attribute& own);
  void find_least();
  void find_ways(Attribute& own);
  void price(Attribute& own, const Cost* saved, std::vector<Cost>& to);

  Cost worth(const Attribute& own, int part, int i) const;
  template <class Number>
  Number* at(std::vector<Number>& values, int part) const {
    return values.data() + static_cast<std::size_t>(part) * spans_->count;
  }
  template <class Number>
  const Number* at(const std::vector<Number>& values, int part) const {
    return values.data() + static_cast<std::size_t>(part) * spans_->count;
  }

  const Setting& s_;
  const Head<Metric::general_loss>& head_;
  const HeadGroups& groups_;
  std::vector<Attribute> attributes_;
  const Spans* spans_ = nullptr;
  std::vector<Cost> fixed_, shared_, least_, with_, without_;  // per part of the axis
  std::vector<Cost> lower_;                                    // least before a step
  std::vector<double> step_;
  std::vector<std::vector<Count>> pieces_;  // per part the histogram of the group that is counted
  std::vector<int> present_;
  std::vector<char> seen_;
};

}  // namespace shoal
