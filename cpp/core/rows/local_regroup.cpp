#include <numeric>

#include "core/rows/local_groups.h"

namespace shoal {

// A group with room for two: along an attribute, or around a row.
void LocalGroups::split_groups() {
  for (std::size_t c = 0; c < groups_.size() && !stopped(); ++c) {
    if (groups_[c].size < 2 * p_.k || groups_[c].rows.size() < 2 || groups_[c].price() == 0) continue;
    Split best{{}, {}, loss(groups_[c])};
    for (int a = 0; a < rows_.attributes() && !watch_.stopped(); ++a) split_along(groups_[c], a, best);
    for (int seed = 0; seed < kSeeds && !watch_.stopped(); ++seed)
      split_around(groups_[c], random_() % groups_[c].rows.size(), best);
    if (best.one.rows.empty() || !releasable(1)) continue;
    groups_[c] = std::move(best.one);
    const auto made = static_cast<std::int32_t>(groups_.size());
    for (const int row : best.two.rows) group_of_[row] = made;
    groups_.push_back(std::move(best.two));
    stir_group_.push_back(1);
    stir(static_cast<std::int32_t>(c));
    stir(made);
  }
}

void LocalGroups::offer(std::vector<int> first, std::vector<int> second, Split& best) {
  if (first.empty() || second.empty()) return;
  Group one = measured(std::move(first)), two = measured(std::move(second));
  if (one.size < p_.k || two.size < p_.k || boxes_.compare(one.box, two.box) == 0)
    return;  // printed alike, they would be one again
  Loss both = loss(one);
  both += loss(two);
  if (both >= best.loss || !admitted(one) || !admitted(two)) return;
  best = {std::move(one), std::move(two), both};
}

// Rows below one child of a node and the others; of other values, those up to a cut and the others.
void LocalGroups::split_along(const Group& group, int a, Split& best) {
  std::vector<std::pair<std::int32_t, int>> parted;
  const bool by_node = boxes_.by_node(a);
  const std::int32_t* parts =
      by_node ? p_.parts[a][std::max<int>(p_.low[a], boxes_.level(group.box, a) - 1)].data() : nullptr;
  for (const int row : group.rows) parted.emplace_back(by_node ? parts[rows_.code(row, a)] : rows_.code(row, a), row);
  std::sort(parted.begin(), parted.end());
  if (parted.front().first == parted.back().first) return;
  for (std::size_t begin = 0, end; begin < parted.size() && !stopped(); begin = end) {
    for (end = begin; end < parted.size() && parted[end].first == parted[begin].first;) ++end;
    std::vector<int> one, two;
    for (std::size_t i = 0; i < parted.size(); ++i)
      (i < end && (!by_node || i >= begin) ? one : two).push_back(parted[i].second);
    offer(std::move(one), std::move(two), best);
  }
}

void LocalGroups::split_around(const Group& group, std::size_t seed, Split& best) {
  std::vector<int> others = group.rows;
  Group one = measured({others[seed]});
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(seed));
  while (one.size < p_.k && !others.empty()) {
    if (stopped()) return;
    const auto nearest = std::min_element(others.begin(), others.end(), [&](int x, int y) {
      return boxes_.price_with(one.box, x, kInfinite) < boxes_.price_with(one.box, y, kInfinite);
    });
    one.rows.push_back(*nearest);
    one.size += rows_.rows(*nearest);
    boxes_.join(one.box, *nearest);
    others.erase(nearest);
  }
  offer(std::move(one.rows), std::move(others), best);
}

// Once around each group. Groups that have become empty are left alone.
void LocalGroups::regroup() {
  std::vector<int> order(groups_.size());
  std::iota(order.begin(), order.end(), 0);
  shuffle(order);
  for (const int c : order) {
    if (stopped()) return;
    if (!groups_[c].rows.empty() && (groups_[c].price() > 0 || p_.squares)) regroup_around(c);
  }
}

// The rows of a group and of some groups near it become groups anew, if that loses less.
void LocalGroups::regroup_around(std::int32_t c) {
  constexpr std::size_t kMostPool = 400;  // distinct rows
  const std::size_t wanted = 2 + random_() % 4;
  std::vector<std::int32_t> chosen{c};
  std::vector<int> pool = groups_[c].rows;
  begin_looking(c);
  const int around = pool[random_() % pool.size()];
  for (const std::int32_t other : near_.of(around)) {
    if (chosen.size() >= wanted) break;
    if (other == kNone || group_of_[other] == kNone || !first_look(group_of_[other])) continue;
    const auto& rows = groups_[group_of_[other]].rows;
    if (pool.size() + rows.size() > kMostPool) continue;
    chosen.push_back(group_of_[other]);
    pool.insert(pool.end(), rows.begin(), rows.end());
  }
  if (chosen.size() < 2) return;
  Loss before, after;
  for (const std::int32_t each : chosen) before += loss(groups_[each]);
  std::vector<Group> made = grown(std::move(pool));
  for (const Group& each : made) after += loss(each);
  if (made.empty() || after >= before) return;
  if (!std::all_of(made.begin(), made.end(), [&](const Group& each) { return admitted(each); })) return;
  const int more = static_cast<int>(made.size()) - static_cast<int>(chosen.size());
  if (more > 0 && !releasable(more)) return;
  for (std::size_t i = 0; i < std::max(made.size(), chosen.size()); ++i) {
    if (i >= made.size()) {
      groups_[chosen[i]] = Group{};
      continue;
    }
    if (i >= chosen.size()) {
      chosen.push_back(static_cast<std::int32_t>(groups_.size()));
      groups_.emplace_back();
      stir_group_.push_back(1);
    }
    for (const int row : made[i].rows) group_of_[row] = chosen[i];
    groups_[chosen[i]] = std::move(made[i]);
  }
  for (const std::int32_t each : chosen) stir(each);
}

// Greedy groups of some rows: far from where the last one ended, and then the rows that cost least with it.
std::vector<LocalGroups::Group> LocalGroups::grown(std::vector<int> pool) {
  Count total = 0;
  for (const int row : pool) total += rows_.rows(row);
  std::vector<Group> made;
  int last = pool[random_() % pool.size()];
  while (total >= p_.k && !pool.empty()) {
    std::size_t next = 0;
    Cost far = -1;
    for (std::size_t i = 0; i < pool.size(); ++i)
      if (const Cost apart = near_.apart(last, pool[i]); apart > far) far = apart, next = i;
    Group group{{}, 0, boxes_.around(pool[next]), {}};
    while (true) {
      last = pool[next];
      group.rows.push_back(last);
      group.size += rows_.rows(last);
      total -= rows_.rows(last);
      pool[next] = pool.back();
      pool.pop_back();
      if (group.size >= p_.k || pool.empty()) break;
      Cost least = kInfinite;
      for (std::size_t i = 0; i < pool.size(); ++i)
        if (const Cost price = boxes_.price_with(group.box, pool[i], least - 1); price < least) least = price, next = i;
      if (least == kInfinite) return {};  // a level that is not allowed
      boxes_.join(group.box, pool[next]);
    }
    if (group.size < p_.k) return {};
    made.push_back(std::move(group));
  }
  for (const int row : pool) {
    std::size_t best = made.size();
    Loss least = kNoLoss;
    for (std::size_t c = 0; c < made.size(); ++c)
      if (const Loss more = joining(made[c], row, least); more < least) least = more, best = c;
    if (best == made.size()) return {};
    made[best].rows.push_back(row);
    made[best].size += rows_.rows(row);
    boxes_.join(made[best].box, row);
  }
  return made;
}

}  // namespace shoal
