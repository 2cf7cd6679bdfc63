// local_box.h - what the rows of a group are released as, and what a row of it then costs.
//
// A box holds per attribute the least released value that covers the group's values: a node of the hierarchy, or an
// interval or a set of values. Boxes grow as rows join, and never cost less. A set of a small domain is held as bits, of a
// large one as the sorted list of its values, so that the boxes of all groups take memory linear in the rows.
#pragma once

#include <algorithm>
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

struct Box {
  Cost price = 0;                                // of one row
  int like = 0;                                  // any of its rows
  std::vector<std::int32_t> state;               // node: level; interval: least, greatest, whether missing; set: bits
  std::vector<std::vector<std::int32_t>> lists;  // sets of large domains: the values, sorted
};

class Boxes {
 public:
  Boxes(const LocalProblem& problem, const Rows& rows) : p_(problem), rows_(rows) {
    for (int a = 0; a < rows_.attributes(); ++a) {
      const LocalSpan* span = p_.span(a);
      Column column{Kind::node, size_, span};
      if (span && span->ordered) column.kind = Kind::interval;
      else if (span) column.kind = span->of_count.size() <= kMostBits ? Kind::bits : Kind::list;
      if (column.kind == Kind::list) column.at = lists_++;
      else size_ += column.kind == Kind::node ? 1 : column.kind == Kind::interval ? 3 : words(*span);
      if (!span && p_.high[a] + 1 < static_cast<int>(p_.parts[a].size())) limited_.push_back(a);
      columns_.push_back(column);
    }
  }

  Box around(int row) const {
    Box box{0, row, std::vector<std::int32_t>(size_, 0), std::vector<std::vector<std::int32_t>>(lists_)};
    for (int a = 0; a < rows_.attributes(); ++a) {
      const Column& column = columns_[a];
      const int code = rows_.code(row, a);
      if (column.kind == Kind::list) {
        box.lists[column.at] = {code};
        continue;
      }
      std::int32_t* state = box.state.data() + column.at;
      if (column.kind == Kind::node) state[0] = p_.low[a], box.price += rows_.units(a, p_.low[a], code);
      else if (column.kind == Kind::bits) state[code / 32] = bit(code);
      else state[0] = kNothing, state[1] = -1, add_to_interval(*column.span, state, code);
    }
    return box;
  }
  void join(Box& box, int row) const {
    for (int a = 0; a < rows_.attributes(); ++a) admit(box, a, rows_.code(row, a));
  }
  // A further code of one attribute.
  void admit(Box& box, int a, int code) const {
    const Cost more = growth(box, a, code);
    if (more < 0) return;
    box.price += more;
    const Column& column = columns_[a];
    if (column.kind == Kind::list) {
      auto& list = box.lists[column.at];
      list.insert(std::lower_bound(list.begin(), list.end(), code), code);
      return;
    }
    std::int32_t* state = box.state.data() + column.at;
    if (column.kind == Kind::node) state[0] = rows_.meet(a, state[0], rows_.code(box.like, a), code);
    else if (column.kind == Kind::bits) state[code / 32] |= bit(code);
    else add_to_interval(*column.span, state, code);
  }
  // Whether a box that grows to hold a code comes to hold another one, which it does not hold yet.
  bool implies(const Box& box, int a, int code, int other) const {
    const Column& column = columns_[a];
    if (column.kind == Kind::node) {
      const int own = rows_.code(box.like, a);
      return rows_.meet(a, level(box, a), own, code) >= rows_.meet(a, level(box, a), own, other);
    }
    if (column.kind != Kind::interval || code == column.span->missing || other == column.span->missing)
      return code == other;
    const std::int32_t* state = box.state.data() + column.at;
    if (state[1] < state[0]) return code == other;  // only missing ones so far: any code may be an end
    return other > state[1] ? code >= other : code <= other;
  }
  // The price if one more row joined; kInfinite if it is above `most`, or a level is not allowed.
  Cost price_with(const Box& box, int row, Cost most) const {
    Cost sum = box.price;
    for (int a = 0; a < rows_.attributes(); ++a) {
      const Cost more = growth(box, a, rows_.code(row, a));
      if (more < 0) continue;
      sum += more;
      if (sum > most) return kInfinite;
    }
    return sum <= most && allowed_with(box, row) ? sum : kInfinite;
  }
  // How much dearer an attribute becomes with a further code.
  Cost dearer(const Box& box, int a, int code) const { return std::max<Cost>(0, growth(box, a, code)); }
  Cost dearer(const Box& box, std::span<const int> attributes, int row) const {
    Cost sum = 0;
    for (const int a : attributes) sum += dearer(box, a, rows_.code(row, a));
    return sum;
  }
  bool allowed(const Box& box) const {
    return std::all_of(limited_.begin(), limited_.end(), [&](int a) { return level(box, a) <= p_.high[a]; });
  }
  // An order in which boxes are equal that print alike, and no others.
  std::strong_ordering compare(const Box& one, const Box& two) const {
    for (int a = 0; a < rows_.attributes(); ++a) {
      const Column& column = columns_[a];
      std::strong_ordering order = std::strong_ordering::equal;
      if (column.kind == Kind::list) order = one.lists[column.at] <=> two.lists[column.at];
      else if (column.kind == Kind::node)
        order = rows_.name(a, level(one, a), rows_.code(one.like, a)) <=>
                rows_.name(a, level(two, a), rows_.code(two.like, a));
      else {
        const int size = column.kind == Kind::interval ? 3 : words(*column.span);
        order =
            std::lexicographical_compare_three_way(one.state.begin() + column.at, one.state.begin() + column.at + size,
                                                   two.state.begin() + column.at, two.state.begin() + column.at + size);
      }
      if (order != 0) return order;
    }
    return std::strong_ordering::equal;
  }
  // What an attribute costs in a box of two rows that have these codes.
  Cost pair(int a, int x, int y) const {
    const LocalSpan* span = columns_[a].span;
    if (!span) return rows_.units(a, rows_.meet(a, p_.low[a], x, y), x);
    if (x == y) return 0;
    if (!span->ordered) return span->of_count[2];
    return x == span->missing || y == span->missing ? span->with_missing
                                                    : std::abs(span->position[x] - span->position[y]);
  }
  // Per row what the others cost without it; there are at least two.
  void without(std::span<const int> rows, std::vector<Cost>& prices) const;

  // What an attribute costs in a box.
  Cost price(const Box& box, int a) const {
    const Column& column = columns_[a];
    if (column.kind == Kind::list) return column.span->of_count[box.lists[column.at].size()] - column.span->of_count[1];
    const std::int32_t* state = box.state.data() + column.at;
    if (column.kind == Kind::node) return rows_.units(a, state[0], rows_.code(box.like, a));
    if (column.kind == Kind::interval) return interval_price(*column.span, state[0], state[1], state[2] != 0);
    return column.span->of_count[values(*column.span, state)] - column.span->of_count[1];
  }

  bool by_interval(int a) const { return columns_[a].kind == Kind::interval; }
  bool by_node(int a) const { return columns_[a].kind == Kind::node; }
  // Of an attribute that is released as nodes.
  int level(const Box& box, int a) const { return box.state[columns_[a].at]; }

 private:
  void without_node(std::span<const int> rows, int a, std::vector<Cost>& prices) const;
  void without_value(std::span<const int> rows, int a, std::vector<Cost>& prices) const;
  void without_end(std::span<const int> rows, int a, std::vector<Cost>& prices) const;
  bool allowed_with(const Box& box, int row) const {
    for (const int a : limited_)
      if (rows_.meet(a, level(box, a), rows_.code(box.like, a), rows_.code(row, a)) > p_.high[a]) return false;
    return true;
  }
  enum class Kind : std::uint8_t { node, interval, bits, list };
  struct Column {
    Kind kind;
    int at;  // in `state`, or in `lists`
    const LocalSpan* span;
  };
  static constexpr std::size_t kMostBits = 256;
  static constexpr std::int32_t kNothing = INT32_MAX;  // the least value of an interval that only a missing one is in
  static int words(const LocalSpan& span) { return static_cast<int>((span.of_count.size() + 30) / 32); }
  static int values(const LocalSpan& span, const std::int32_t* state) {
    int count = 0;
    for (int w = 0, last = words(span); w < last; ++w) count += std::popcount(static_cast<std::uint32_t>(state[w]));
    return count;
  }
  static std::int32_t bit(int code) { return static_cast<std::int32_t>(std::uint32_t{1} << code % 32); }
  static void add_to_interval(const LocalSpan& span, std::int32_t* state, int code) {
    if (code == span.missing) state[2] = 1;
    else state[0] = std::min(state[0], code), state[1] = std::max(state[1], code);
  }
  static Cost interval_price(const LocalSpan& span, std::int32_t low, std::int32_t high, bool missing) {
    if (high < low) return 0;  // only missing ones
    const Cost known = span.position[high] - span.position[low];
    return !missing ? known : span.missing_is_all ? span.with_missing : known + span.with_missing;
  }
  // How much dearer an attribute becomes with a further code; -1 if the box holds it already.
  Cost growth(const Box& box, int a, int code) const {
    const Column& column = columns_[a];
    if (column.kind == Kind::list) {
      const auto& list = box.lists[column.at];
      if (std::binary_search(list.begin(), list.end(), code)) return -1;
      return column.span->of_count[list.size() + 1] - column.span->of_count[list.size()];
    }
    const std::int32_t* state = box.state.data() + column.at;
    switch (column.kind) {
      case Kind::node: {
        const int own = rows_.code(box.like, a), level = rows_.meet(a, state[0], own, code);
        if (level == state[0]) return -1;
        return rows_.units(a, level, own) - rows_.units(a, state[0], own);
      }
      case Kind::interval: {
        const LocalSpan& span = *column.span;
        const bool missing = code == span.missing;
        if (missing ? state[2] != 0 : code >= state[0] && code <= state[1]) return -1;
        return interval_price(span, missing ? state[0] : std::min(state[0], code),
                              missing ? state[1] : std::max(state[1], code), missing || state[2]) -
               interval_price(span, state[0], state[1], state[2] != 0);
      }
      default: {
        if (state[code / 32] & bit(code)) return -1;
        const int count = values(*column.span, state);
        return column.span->of_count[count + 1] - column.span->of_count[count];
      }
    }
  }

  const LocalProblem& p_;
  const Rows& rows_;
  std::vector<Column> columns_;
  std::vector<int> limited_;  // nodes: attributes whose top is not allowed
  int size_ = 0, lists_ = 0;
};

}  // namespace shoal
