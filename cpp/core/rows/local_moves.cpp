#include <functional>
#include <numeric>

#include "core/rows/local_groups.h"

namespace shoal {

void LocalGroups::improve(const Report& report) {
  stir_group_.assign(groups_.size(), 1);
  if (groups_.size() < 2 || watch_.stopped()) return;
  stir_row_.assign(rows_.count(), 1);
  std::vector<Group> best = groups_;
  Loss least = loss();
  while (!watch_.stopped()) {
    move_rows();
    dissolve_groups();
    split_groups();
    regroup();
    join_alike();
    const Loss now = loss();
    if (now >= least) break;
    // What is gained at last is little for much time.
    const bool enough = least.first - now.first < least.first / kLeastGain && now.first < least.first;
    least = now;
    best = groups_;
    report(least);
    if (enough) break;
  }
  groups_ = std::move(best);
  number();
}

// A group has changed: whoever could join it, or whose rows could, is looked at again.
void LocalGroups::stir(std::int32_t c) {
  stir_group_[c] = 1;
  for (const int row : groups_[c].rows) {
    stir_row_[row] = 1;
    for (const std::int32_t other : near_.of(row))
      if (other != kNone && group_of_[other] != kNone) stir_row_[other] = stir_group_[group_of_[other]] = 1;
  }
}

// The library's own shuffle differs between compilers.
void LocalGroups::shuffle(std::vector<int>& order) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
}

void LocalGroups::begin_looking(std::int32_t own) {
  seen_.resize(groups_.size(), 0);
  ++turn_;
  if (own != kNone) seen_[own] = turn_;
}

bool LocalGroups::first_look(std::int32_t c) {
  if (seen_[c] == turn_) return false;
  seen_[c] = turn_;
  return true;
}

// The group near a row, other than its own, in which it loses least; none if that is not below `most`.
LocalGroups::Target LocalGroups::best_target(int row, Loss most) {
  Target best{kNone, most};
  begin_looking(group_of_[row]);
  for (const std::int32_t other : near_.of(row)) {
    if (other == kNone || group_of_[other] == kNone) continue;
    const std::int32_t c = group_of_[other];
    if (!first_look(c)) continue;
    if (const Loss more = joining(groups_[c], row, best.loss); more < best.loss) best = {c, more};
  }
  return best;
}

void LocalGroups::move_rows() {
  std::vector<int> order;
  for (int row = 0; row < rows_.count(); ++row)
    if (group_of_[row] != kNone && stir_row_[row]) order.push_back(row);
  shuffle(order);
  for (const int row : order) {
    if (stopped()) return;
    stir_row_[row] = 0;
    const Group& group = groups_[group_of_[row]];
    if ((group.price() == 0 && !p_.squares) || group.rows.size() < 2) continue;
    if (!move(row)) swap(row);
  }
}

bool LocalGroups::move(int row) {
  const std::int32_t own = group_of_[row];
  Group& group = groups_[own];
  const Count left = group.size - rows_.rows(row);
  if (left < p_.k) return false;
  const auto at = std::find(group.rows.begin(), group.rows.end(), row) - group.rows.begin();
  const Loss gain = loss(group) - loss(left, without(group)[at]);
  const Target target = best_target(row, gain);
  if (target.group == kNone) return false;
  std::vector<int> others = group.rows;
  others.erase(others.begin() + at);
  Group rest = measured(std::move(others));
  if (judge_ && !(admitted(rest) && admitted_with(groups_[target.group], row))) return false;
  group = std::move(rest);
  add(target.group, row);
  stir(own);
  stir(target.group);
  return true;
}

// A row and one of a group near it change places, if that loses less.
bool LocalGroups::swap(int row) {
  const std::int32_t own = group_of_[row];
  Group& group = groups_[own];
  const auto at = std::find(group.rows.begin(), group.rows.end(), row) - group.rows.begin();
  if (without(group)[at] == group.price()) return false;  // then it is the other row that wants to leave
  std::vector<int> others = group.rows;
  others.erase(others.begin() + at);
  const Group left = measured(std::move(others));
  Swap best;
  begin_looking(own);
  for (const std::int32_t other : near_.of(row))
    if (other != kNone && group_of_[other] != kNone && first_look(group_of_[other]))
      best_partner(group, left, row, group_of_[other], best);
  if (best.group == kNone) return false;
  groups_[own] = std::move(best.own);
  groups_[best.group] = std::move(best.other);
  group_of_[row] = best.group;
  group_of_[best.row] = own;
  stir(own);
  stir(best.group);
  return true;
}

// The row of a group that had best take the place of another one.
void LocalGroups::best_partner(const Group& own, const Group& left, int row, std::int32_t c, Swap& best) {
  Group& group = groups_[c];
  if (group.rows.size() < 2) return;
  const std::vector<Cost>& without_each = without(group);
  Loss before = loss(own);
  before += loss(group);
  for (std::size_t i = 0; i < group.rows.size(); ++i) {
    const int partner = group.rows[i];
    const Count mine = left.size + rows_.rows(partner), theirs = group.size - rows_.rows(partner) + rows_.rows(row);
    if (mine < p_.k || theirs < p_.k) continue;
    Loss most = before;  // what both may lose together
    most += best.change;
    // A box only grows as a row joins.
    const Loss least = loss(theirs, without_each[i]);
    if (Loss both = loss(mine, left.price()); (both += least) >= most) continue;
    const Cost here = boxes_.price_with(left.box, partner, dearest(mine, most - least));
    if (here >= kInfinite) continue;
    std::vector<int> others = group.rows;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    others.push_back(row);
    Group other = measured(std::move(others));
    Loss both = loss(mine, here);
    if ((both += loss(other)) >= most || !boxes_.allowed(other.box)) continue;
    std::vector<int> joined = left.rows;
    joined.push_back(partner);
    Group mine_now = measured(std::move(joined));
    if (judge_ && !(admitted(mine_now) && admitted(other))) continue;
    best = {c, partner, std::move(mine_now), std::move(other), both - before};
  }
}

// Every row of a group joins another one, if that loses less in all.
void LocalGroups::dissolve_groups() {
  std::vector<int> order;
  for (std::size_t c = 0; c < groups_.size(); ++c)
    if (stir_group_[c] && !groups_[c].rows.empty()) order.push_back(static_cast<int>(c));
  shuffle(order);
  for (const int c : order) {
    if (stopped()) return;
    stir_group_[c] = 0;
    const Loss gain = loss(groups_[c]);
    if (gain.first == 0 || !dissolving_pays(c, gain)) continue;
    const std::vector<int> rows = groups_[c].rows;
    std::vector<std::pair<std::int32_t, Group>> before;  // groups that take a row, as they were
    Loss change = Loss{} - gain;
    bool ok = true;
    for (const int row : rows) {
      const Target target = best_target(row);  // priced again: another row may have joined meanwhile
      ok = target.group != kNone && (change += target.loss) < Loss{} && admitted_with(groups_[target.group], row);
      if (!ok) break;
      before.emplace_back(target.group, groups_[target.group]);
      add(target.group, row);
    }
    if (ok) {
      groups_[c] = Group{};
      for (const auto& [taker, was] : before) stir(taker);
      continue;
    }
    for (auto it = before.rbegin(); it != before.rend(); ++it) groups_[it->first] = std::move(it->second);
    for (const int row : rows) group_of_[row] = c;
  }
}

bool LocalGroups::dissolving_pays(int c, const Loss& gain) {
  Loss left = gain;
  for (const int row : groups_[c].rows) {
    const Target target = best_target(row, left);
    if (target.group == kNone) return false;
    left = left - target.loss;
  }
  return true;
}

}  // namespace shoal
