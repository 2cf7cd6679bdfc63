#include "core/histories/fewest_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace shoal {

std::vector<std::vector<int>> fewest_rows(const People& people) {
  const std::int64_t k = people.problem().k;
  const int count = people.count();
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  // Histories of many persons first among equals: they need nobody from a longer or shorter history.
  std::stable_sort(order.begin(), order.end(), [&](int x, int y) {
    if (people.length(x) != people.length(y)) return people.length(x) > people.length(y);
    return people.persons(x) > people.persons(y);
  });
  std::vector<std::vector<int>> groups;
  if (people.problem().whole) {
    for (int begin = 0, end; begin < count; begin = end) {
      std::int64_t persons = 0;
      std::vector<int> group;
      for (end = begin; end < count && people.length(order[end]) == people.length(order[begin]); ++end) {
        group.push_back(order[end]);
        persons += people.persons(order[end]);
        if (persons >= k) groups.push_back(std::exchange(group, {})), persons = 0;
      }
      // Who is left joins the last group of the same number of rows, if there is one.
      if (!group.empty() && !groups.empty() && people.length(groups.back().front()) == people.length(group.front()))
        groups.back().insert(groups.back().end(), group.begin(), group.end());
    }
    return groups;
  }
  // least[i]: fewest rows that go of the first i; from[i]: where the last group of them begins, or i - 1 and `gone`.
  std::vector<std::int64_t> least(count + 1, INT64_MAX / 2), rows(count + 1), persons(count + 1);
  std::vector<int> from(count + 1);
  std::vector<bool> gone(count + 1);
  for (int i = 0; i < count; ++i) {
    persons[i + 1] = persons[i] + people.persons(order[i]);
    rows[i + 1] = rows[i] + people.persons(order[i]) * people.length(order[i]);
  }
  least[0] = 0;
  for (int i = 1; i <= count; ++i) {
    least[i] = least[i - 1] + rows[i] - rows[i - 1], from[i] = i - 1, gone[i] = true;
    int enough = 0;  // beginnings that give at least k persons, after the first that does
    for (int j = i - 1; j >= 0; --j) {
      const std::int64_t size = persons[i] - persons[j];
      if (size < k) continue;
      const std::int64_t cost = least[j] + rows[i] - rows[j] - size * people.length(order[i - 1]);
      if (cost < least[i]) least[i] = cost, from[i] = j, gone[i] = false;
      // A group of twice k and its largest history can be cut in two, which suppresses no more.
      if (size >= 2 * k && ++enough > 1) break;
    }
  }
  for (int i = count; i > 0; i = from[i])
    if (!gone[i]) groups.emplace_back(order.begin() + from[i], order.begin() + i);
  return groups;
}

}  // namespace shoal
