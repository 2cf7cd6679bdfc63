// local_box.h - what the rows of a group are released as, and what a row of it then costs.
//
// A box holds per attribute the least released value that covers the group's values: a node of the hierarchy, or an
// interval or a set of values. Boxes grow as rows join, and never cost less.
#pragma once

#include <bit>
#include <compare>
#include <cstdlib>
#include <span>
#include <vector>

#include "core/rows/local_rows.h"

namespace shoal {

// What is minimized, and what breaks ties.
struct Loss {
  Cost first = 0, second = 0;
  friend bool operator==(const Loss&, const Loss&) = default;
  friend auto operator<=>(const Loss&, const Loss&) = default;
  Loss& operator+=(const Loss& other) { return first += other.first, second += other.second, *this; }
  friend Loss operator-(Loss x, const Loss& y) { return x.first -= y.first, x.second -= y.second, x; }
};
inline constexpr Loss kNoLoss{kInfinite, kInfinite};

// Nodes of the hierarchies: the least level on which the rows meet.
class NodeBoxes {
 public:
  struct Box {
    Levels levels;
    int like = 0;  // any of its rows
  };
  NodeBoxes(const LocalProblem& problem, const Rows& rows) : p_(problem), rows_(rows) {}

  Box around(int row) const { return {p_.low, row}; }
  void join(Box& box, int row) const {
    for (int a = 0; a < rows_.attributes(); ++a)
      box.levels[a] =
          static_cast<std::uint8_t>(rows_.meet(a, box.levels[a], rows_.code(box.like, a), rows_.code(row, a)));
  }
  Cost price(const Box& box) const {
    Cost sum = 0;
    for (int a = 0; a < rows_.attributes(); ++a) sum += rows_.units(a, box.levels[a], rows_.code(box.like, a));
    return sum;
  }
  // The price if one more row joined; kInfinite if it is above `most`, or a level is not allowed.
  Cost price_with(const Box& box, int row, Cost most) const {
    Cost sum = 0;
    for (int a = 0; a < rows_.attributes(); ++a) {
      const int code = rows_.code(box.like, a), level = rows_.meet(a, box.levels[a], code, rows_.code(row, a));
      sum += rows_.units(a, level, code);
      if (level > p_.high[a] || sum > most) return kInfinite;
    }
    return sum;
  }
  bool allowed(const Box& box) const { return below(box.levels, p_.high); }
  // An order in which boxes are equal that print alike, and no others.
  std::strong_ordering compare(const Box& one, const Box& two) const {
    for (int a = 0; a < rows_.attributes(); ++a) {
      const std::int32_t x = rows_.name(a, one.levels[a], rows_.code(one.like, a)),
                         y = rows_.name(a, two.levels[a], rows_.code(two.like, a));
      if (x != y) return x <=> y;
    }
    return std::strong_ordering::equal;
  }

 private:
  const LocalProblem& p_;
  const Rows& rows_;
};

// Intervals of ordered values, sets of others.
class SpanBoxes {
 public:
  struct Box {
    std::vector<std::int64_t> state;  // per attribute: least, greatest, whether missing; or a bit per value
  };
  SpanBoxes(const LocalProblem& problem, const Rows& rows) : p_(problem), rows_(rows) {
    for (const LocalSpan& span : p_.spans) {
      at_.push_back(size_);
      size_ += span.ordered ? 3 : (span.of_count.size() + 62) / 64;
    }
  }

  Box around(int row) const {
    Box box{std::vector<std::int64_t>(size_, 0)};
    for (int a = 0; a < rows_.attributes(); ++a)
      if (p_.spans[a].ordered) box.state[at_[a]] = kInfinite, box.state[at_[a] + 1] = -1;
    join(box, row);
    return box;
  }
  void join(Box& box, int row) const {
    for (int a = 0; a < rows_.attributes(); ++a) {
      const int code = rows_.code(row, a);
      std::int64_t* state = box.state.data() + at_[a];
      if (!p_.spans[a].ordered) state[code / 64] |= bit(code);
      else if (code == p_.spans[a].missing) state[2] = 1;
      else state[0] = std::min<std::int64_t>(state[0], code), state[1] = std::max<std::int64_t>(state[1], code);
    }
  }
  Cost price(const Box& box) const {
    Cost sum = 0;
    for (int a = 0; a < rows_.attributes(); ++a) sum += price(box, a, -1);
    return sum;
  }
  Cost price_with(const Box& box, int row, Cost most) const {
    Cost sum = 0;
    for (int a = 0; a < rows_.attributes(); ++a)
      if ((sum += price(box, a, rows_.code(row, a))) > most) return kInfinite;
    return sum;
  }
  bool allowed(const Box&) const { return true; }
  std::strong_ordering compare(const Box& one, const Box& two) const { return one.state <=> two.state; }
  // The price of an attribute in a box of two rows.
  Cost pair(int a, int x, int y) const {
    const LocalSpan& span = p_.spans[a];
    if (x == y) return 0;
    if (!span.ordered) return span.of_count[2];
    return x == span.missing || y == span.missing ? span.with_missing : std::abs(span.position[x] - span.position[y]);
  }

 private:
  static std::int64_t bit(int code) { return static_cast<std::int64_t>(std::uint64_t{1} << code % 64); }
  // What an attribute costs, a further code included unless it is -1.
  Cost price(const Box& box, int a, int code) const {
    const LocalSpan& span = p_.spans[a];
    const std::int64_t* state = box.state.data() + at_[a];
    if (!span.ordered) {
      int count = 0;
      for (std::size_t w = 0, words = (span.of_count.size() + 62) / 64; w < words; ++w)
        count += std::popcount(static_cast<std::uint64_t>(
            state[w] | (code >= 0 && static_cast<std::size_t>(code) / 64 == w ? bit(code) : 0)));
      return span.of_count[count];
    }
    std::int64_t low = state[0], high = state[1];
    bool missing = state[2] != 0;
    if (code >= 0 && code == span.missing) missing = true;
    else if (code >= 0) low = std::min<std::int64_t>(low, code), high = std::max<std::int64_t>(high, code);
    if (high < low) return 0;  // only missing ones
    const Cost known = span.position[high] - span.position[low];
    return !missing ? known : span.missing_is_all ? span.with_missing : known + span.with_missing;
  }

  const LocalProblem& p_;
  const Rows& rows_;
  std::vector<std::size_t> at_;
  std::size_t size_ = 0;
};

}  // namespace shoal
