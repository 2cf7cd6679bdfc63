#include "core/histories/person_group.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/histories/assignment.h"

namespace shoal {
namespace {

constexpr std::size_t kLargestMatching = 200;  // slots or rows of brothers that are matched in any order, at last ...
constexpr std::size_t kSmallMatching = 32;     // ... and always

}  // namespace

Slot Aligner::slot(std::int32_t row) const {
  Slot made{people_.table(row), people_.boxes(people_.table(row)).around(people_.distinct(row)), {row}, {}};
  for (const std::int32_t child : people_.below(row)) made.below.push_back(slot(child));
  return made;
}

PersonGroup Aligner::alone(int h) const {
  PersonGroup group{{h}, {}, people_.persons(h), 0};
  for (const std::int32_t row : people_.rows(h)) group.slots.push_back(slot(row));
  group.saves = value_of(group.slots);
  return group;
}

Cost Aligner::value_of(const std::vector<Slot>& slots) const {
  Cost sum = 0;
  for (const Slot& each : slots)
    if (const Cost own = value(each.table, each.box.price); own != 0) sum += own + value_of(each.below);
  return sum;
}

Cost Aligner::value_with(const Slot& slot, std::int32_t row, bool any_order, Cost constant) const {
  const Cost price = slot.box.price + constant +
                     people_.boxes(slot.table).dearer(slot.box, people_.varying(slot.table), people_.distinct(row));
  const Cost own = value(slot.table, price);
  if (slot.below.empty() || own == 0) return own;  // below a row of stars nothing is released
  return own + match(slot.below, people_.below(row), any_order, nullptr);
}

Cost Aligner::match(std::span<const Slot> slots, std::span<const std::int32_t> rows, bool any_order, Pairs* pairs,
                    Cost least) const {
  if (people_.tables() == 1) return match_brothers(slots, rows, any_order, pairs, least);
  Cost sum = 0;
  std::size_t s = 0, r = 0;
  for (int t = 0; t < people_.tables(); ++t) {
    const std::size_t s0 = s, r0 = r;
    while (s < slots.size() && slots[s].table == t) ++s;
    while (r < rows.size() && people_.table(rows[r]) == t) ++r;
    const std::size_t before = pairs ? pairs->size() : 0;
    sum += match_brothers(slots.subspan(s0, s - s0), rows.subspan(r0, r - r0), any_order, pairs);
    if (pairs)
      for (std::size_t i = before; i < pairs->size(); ++i)
        (*pairs)[i].first += static_cast<int>(s0), (*pairs)[i].second += static_cast<int>(r0);
  }
  return sum;
}

Cost Aligner::match_brothers(std::span<const Slot> slots, std::span<const std::int32_t> rows, bool any_order,
                             Pairs* pairs, Cost least) const {
  const std::size_t a = slots.size(), b = rows.size();
  if (people_.problem().whole && a != b) return kForbidden;
  if (a == 0 || b == 0) return 0;
  // The boxes of all slots are equal in the columns that do not vary within a person.
  const Cost constant =
      people_.boxes(slots[0].table).dearer(slots[0].box, people_.constant(), people_.distinct(rows[0]));
  if (!people_.problem().ordered && std::max(a, b) > 1 &&
      std::max(a, b) <= (any_order ? kLargestMatching : kSmallMatching)) {
    std::vector<Cost> values(a * b);
    for (std::size_t i = 0; i < a; ++i)
      for (std::size_t j = 0; j < b; ++j) values[i * b + j] = value_with(slots[i], rows[j], any_order, constant);
    return best_assignment(values, a, b, pairs, least);
  }
  // The i-th of the fewer is matched with the j-th of the more, for some i <= j <= i + spare: `best` by j - i.
  const bool fewer_slots = a <= b;
  const std::size_t n = std::min(a, b), spare = std::max(a, b) - n;
  const auto at = [&](std::size_t i, std::size_t j) {
    return fewer_slots ? value_with(slots[i], rows[j], any_order, constant)
                       : value_with(slots[j], rows[i], any_order, constant);
  };
  std::vector<Cost> best(spare + 1, 0);
  std::vector<std::uint8_t> taken(pairs ? n * (spare + 1) : 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t d = 0; d <= spare; ++d) {
      const Cost with = best[d] + at(i, i + d);
      const bool take = d == 0 || with >= best[d - 1];
      best[d] = take ? with : best[d - 1];
      if (pairs) taken[i * (spare + 1) + d] = take;
    }
  }
  if (pairs) {
    const std::size_t before = pairs->size();
    std::size_t d = spare;
    for (std::size_t i = n; i-- > 0;) {
      while (!taken[i * (spare + 1) + d]) --d;
      const int x = static_cast<int>(i), y = static_cast<int>(i + d);
      pairs->push_back(fewer_slots ? std::pair{x, y} : std::pair{y, x});
    }
    std::reverse(pairs->begin() + static_cast<std::ptrdiff_t>(before), pairs->end());
  }
  return best[spare];
}

Cost Aligner::saves_with(const PersonGroup& group, int h, Cost least) const {
  return match(group.slots, people_.rows(h), false, nullptr, least);
}

Cost Aligner::at_most_with(const PersonGroup& group, int h) const {
  if (people_.forest() || people_.tables() > 1 || group.slots.empty()) return group.saves;
  const auto slots = static_cast<std::int64_t>(group.slots.size()), rows = people_.length(h);
  if (people_.problem().whole && slots != rows) return kForbidden;
  const Cost dearer =
      people_.boxes(0).dearer(group.slots[0].box, people_.constant(), people_.distinct(people_.rows(h)[0]));
  const std::int64_t kept = std::min(slots, rows);
  return std::min(group.saves, kept * (people_.full(0) + penalty_)) - kept * dearer * people_.problem().weight[0];
}

void Aligner::join(std::vector<Slot>& slots, std::span<const std::int32_t> rows, bool any_order) const {
  Pairs pairs;
  match(slots, rows, any_order, &pairs);
  std::sort(pairs.begin(), pairs.end());
  std::vector<Slot> kept;
  kept.reserve(pairs.size());
  for (const auto& [s, r] : pairs) {
    Slot each = std::move(slots[s]);
    people_.boxes(each.table).join(each.box, people_.distinct(rows[r]));
    each.rows.push_back(rows[r]);
    if (!each.below.empty()) join(each.below, people_.below(rows[r]), any_order);
    kept.push_back(std::move(each));
  }
  slots = std::move(kept);
}

void Aligner::join(PersonGroup& group, int h) const {
  join(group.slots, people_.rows(h), false);
  group.members.push_back(h);
  group.persons += people_.persons(h);
  group.saves = value_of(group.slots);
}

PersonGroup Aligner::of(std::span<const int> members) const {
  std::size_t shortest = 0;
  for (std::size_t i = 1; i < members.size(); ++i)
    if (people_.length(members[i]) < people_.length(members[shortest])) shortest = i;
  PersonGroup group = alone(members[shortest]);
  for (std::size_t i = 0; i < members.size(); ++i)
    if (i != shortest) join(group, members[i]);
  return group;
}

void Aligner::remove(std::vector<Slot>& slots, std::size_t member) const {
  for (Slot& each : slots) {
    each.rows.erase(each.rows.begin() + static_cast<std::ptrdiff_t>(member));
    const Boxes& boxes = people_.boxes(each.table);
    each.box = boxes.around(people_.distinct(each.rows.front()));
    for (std::size_t i = 1; i < each.rows.size(); ++i) boxes.join(each.box, people_.distinct(each.rows[i]));
    remove(each.below, member);
  }
}

PersonGroup Aligner::without(const PersonGroup& group, std::size_t member) const {
  std::vector<int> rest = group.members;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(member));
  std::int64_t shortest = INT64_MAX;
  for (const int h : rest) shortest = std::min(shortest, people_.length(h));
  // Without its shortest member a group can have more slots.
  if (people_.length(group.members[member]) < shortest || people_.forest()) return of(rest);
  PersonGroup less = group;
  less.members = std::move(rest);
  less.persons -= people_.persons(group.members[member]);
  remove(less.slots, member);
  less.saves = value_of(less.slots);
  return less;
}

bool Aligner::refine(PersonGroup& group, bool any_order) const {
  bool better = false;
  for (bool again = group.members.size() > 1; again;) {
    again = false;
    for (std::size_t i = 0; i < group.members.size(); ++i) {
      const int h = group.members.front();
      PersonGroup next = without(group, 0);
      join(next.slots, people_.rows(h), any_order);
      next.members.push_back(h);
      next.persons += people_.persons(h);
      next.saves = value_of(next.slots);
      if (next.saves > group.saves) again = better = true;
      if (next.saves >= group.saves) group = std::move(next);
      else {  // the next one's turn
        std::rotate(group.members.begin(), group.members.begin() + 1, group.members.end());
        rotate(group.slots);
      }
    }
  }
  return better;
}

void Aligner::rotate(std::vector<Slot>& slots) {
  for (Slot& each : slots) {
    std::rotate(each.rows.begin(), each.rows.begin() + 1, each.rows.end());
    rotate(each.below);
  }
}

std::int64_t Aligner::count(const std::vector<Slot>& slots) const {
  std::int64_t sum = 0;
  for (const Slot& each : slots)
    if (!is_star(each)) sum += 1 + count(each.below);
  return sum;
}

std::int64_t Aligner::kept(const PersonGroup& group) const { return group.saves < 0 ? 0 : count(group.slots); }

std::int64_t Aligner::suppressed(const PersonGroup& group) const {
  std::int64_t sum = 0;
  for (const int h : group.members) sum += people_.length(h) * people_.persons(h);
  return sum - kept(group) * group.persons;
}

}  // namespace shoal
