// person_group.h - persons who are released with the same rows.
//
// A group has slots, and each member has exactly one row in each slot; the other rows of its members are suppressed. The
// slots form a forest as the rows do: a row can be in a slot only if the row that it belongs to is in the slot above. The
// released values of a slot are those of its box.
//
// A group is valued by what it saves one person compared with suppressing everything: a slot saves what a suppressed row
// costs less the price of its box. With W persons it saves W times the sum over the slots. A further slot never saves less
// than nothing, so of two lists of brothers the shorter one is matched throughout.
#pragma once

#include <span>
#include <utility>

#include "core/histories/people.h"

namespace shoal {

struct Slot {
  int table = 0;
  Box box;
  std::vector<std::int32_t> rows;  // of each member, in their order
  std::vector<Slot> below;
};

struct PersonGroup {
  std::vector<int> members;
  std::vector<Slot> slots;
  std::int64_t persons = 0;
  Cost saves = 0;  // one person; below 0 if the group must not be released

  Cost worth() const { return persons * std::max<Cost>(saves, 0); }
};

inline constexpr Cost kForbidden = -(Cost{1} << 50);  // less than what any group saves, and sums of it fit 64 bits

// Puts persons into groups and takes them out again.
class Aligner {
 public:
  // A row that is suppressed costs so much more than its cells: where the suppressed rows are limited.
  Aligner(const People& people, Cost penalty) : people_(people), penalty_(penalty) {}

  // What a person saves at most.
  Cost most(int h) const { return people_.units(h) + penalty_ * people_.length(h); }
  PersonGroup alone(int h) const;
  // What one person saves in the group if a history joined it; never more than in the group as it is. If it is less than
  // `least`, it may be less than what is told.
  Cost saves_with(const PersonGroup& group, int h, Cost least = kForbidden) const;
  // No less than that, by the numbers of rows and the columns that do not vary within a person.
  Cost at_most_with(const PersonGroup& group, int h) const;
  void join(PersonGroup& group, int h) const;
  // The group of these members, formed one after the other, the shortest first.
  PersonGroup of(std::span<const int> members) const;
  PersonGroup without(const PersonGroup& group, std::size_t member) const;
  // Puts each member into the slots anew, while that helps; with `any_order` any row may be in any slot.
  bool refine(PersonGroup& group, bool any_order) const;
  // Rows of one person that are released, or 0 if the group must not be.
  std::int64_t kept(const PersonGroup& group) const;
  // What one person saves if suppressed rows cost no more than their cells.
  Cost truly_saves(const PersonGroup& group) const { return std::max<Cost>(group.saves, 0) - penalty_ * kept(group); }
  // The rows that are suppressed, of all members.
  std::int64_t suppressed(const PersonGroup& group) const;
  bool is_star(const Slot& slot) const { return star(slot.table, slot.box.price); }

 private:
  using Pairs = std::vector<std::pair<int, int>>;  // of a slot and a row

  bool star(int table, Cost price) const {
    return people_.problem().all_stars[table] && price >= people_.problem().tables[table].suppressed_row;
  }
  Cost value(int table, Cost price) const {
    if (star(table, price)) return people_.problem().whole ? kForbidden : 0;
    return people_.full(table) + penalty_ - price * people_.problem().weight[table];
  }
  // `constant`: how much dearer the columns become that do not vary within a person.
  Cost value_with(const Slot& slot, std::int32_t row, bool any_order, Cost constant) const;
  Cost value_of(const std::vector<Slot>& slots) const;
  // The most that slots and rows save together. `pairs` has the matched ones afterwards, if it is given.
  Cost match(std::span<const Slot> slots, std::span<const std::int32_t> rows, bool any_order, Pairs* pairs,
             Cost least = kForbidden) const;
  Cost match_brothers(std::span<const Slot> slots, std::span<const std::int32_t> rows, bool any_order, Pairs* pairs,
                      Cost least = kForbidden) const;
  void join(std::vector<Slot>& slots, std::span<const std::int32_t> rows, bool any_order) const;
  Slot slot(std::int32_t row) const;
  void remove(std::vector<Slot>& slots, std::size_t member) const;
  static void rotate(std::vector<Slot>& slots);
  std::int64_t count(const std::vector<Slot>& slots) const;

  const People& people_;
  const Cost penalty_;
};

}  // namespace shoal
