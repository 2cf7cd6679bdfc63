#include "core/rows/local_groups.h"

namespace shoal {

LocalGroups::LocalGroups(const LocalProblem& problem, const Rows& rows, const Boxes& boxes, const NearRows& near,
                         const Watch& watch, std::uint64_t seed)
    : p_(problem), rows_(rows), boxes_(boxes), near_(near), watch_(watch), random_(seed),
      group_of_(rows.count(), kNone) {
  if (p_.privacy) judge_.emplace(*p_.privacy);
}

Loss LocalGroups::loss() const {
  Loss sum = suppressing(suppressed_);
  for (const Group& group : groups_) sum += loss(group);
  return sum;
}

Loss LocalGroups::suppressing(Count rows) const {
  const Cost cells = rows * p_.suppressed_row, squares = static_cast<Cost>(rows) * rows_.total();
  return p_.squares ? Loss{squares, cells} : Loss{cells, squares};
}

bool LocalGroups::take(std::vector<int> rows) {
  Group group = measured(std::move(rows));
  if (!admitted(group)) return false;
  for (const int row : group.rows) group_of_[row] = static_cast<std::int32_t>(groups_.size());
  groups_.push_back(std::move(group));
  return true;
}

bool LocalGroups::place(const std::vector<int>& rest) {
  for (const int row : rest) {
    const Count rows = rows_.rows(row);
    const std::int32_t best = home(row);
    if (best == kNone) suppressed_ += rows;
    else add(best, row);
  }
  stir_group_.assign(groups_.size(), 1);
  join_alike();
  if (suppressed_ <= p_.limit && !groups_.empty() && releasable(0)) return true;
  std::vector<int> all;
  for (int row = 0; row < rows_.count(); ++row)
    if (rows_.rows(row) > 0) all.push_back(row);
  suppressed_ = 0;
  groups_.clear();
  return take(std::move(all)) && releasable(0);
}

// The group that a row without one joins; kNone if it is to be suppressed. Where there are very many groups and rows, only
// the groups of rows near it are looked at, unless none of them takes it.
std::int32_t LocalGroups::home(int row) {
  const Count rows = rows_.rows(row);
  Target best;
  if (suppressed_ + rows <= p_.limit) best.loss = suppressing(rows);
  const auto look = [&](std::int32_t c) {
    if (const Loss more = joining(groups_[c], row, best.loss); more < best.loss && admitted_with(groups_[c], row))
      best = {c, more};
  };
  if (groups_.size() > kFewGroups) {
    begin_looking(kNone);
    for (const std::int32_t other : near_.of(row))
      if (other != kNone && group_of_[other] != kNone && first_look(group_of_[other])) look(group_of_[other]);
    if (best.group != kNone) return best.group;
  }
  for (std::size_t c = 0; c < groups_.size(); ++c) look(static_cast<std::int32_t>(c));
  return best.group;
}

LocalGroups::Group LocalGroups::measured(std::vector<int> rows) const {
  Group group{std::move(rows), 0, {}, {}};
  if (group.rows.empty()) return group;
  group.box = boxes_.around(group.rows.front());
  for (const int row : group.rows) {
    group.size += rows_.rows(row);
    boxes_.join(group.box, row);
  }
  return group;
}

// Of a group of two distinct rows or more.
const std::vector<Cost>& LocalGroups::without(Group& group) const {
  if (group.without.empty()) boxes_.without(group.rows, group.without);
  return group.without;
}

// The greatest price of so many rows that loses no more than `most`.
Cost LocalGroups::dearest(Count size, const Loss& most) const {
  return p_.squares || most.first >= kInfinite ? kInfinite - 1 : most.first / size;
}

// How much more everything loses if a row, so far in no group, joins this one; kNoLoss if it cannot, or if that is more
// than `most`.
Loss LocalGroups::joining(const Group& group, int row, const Loss& most) const {
  const Count size = group.size + rows_.rows(row);
  Loss all = most;
  if (most.first < kInfinite) all += loss(group);
  const Cost with = boxes_.price_with(group.box, row, dearest(size, all));
  return with >= kInfinite ? kNoLoss : loss(size, with) - loss(group);
}

bool LocalGroups::admitted(std::span<const int> rows, Count size) {
  if (size < p_.k) return false;
  if (!judge_) return true;
  judge_->clear();
  for (const int row : rows) judge_->add(row);
  return judge_->verdict(size) == Verdict::admitted;
}

bool LocalGroups::admitted_with(const Group& group, int row) {
  if (!judge_) return true;
  std::vector<int> rows = group.rows;
  rows.push_back(row);
  return admitted(rows, group.size + rows_.rows(row));
}

// What is demanded of all groups together. Groups that are printed alike are one, and then there are fewer.
bool LocalGroups::releasable(int more) const {
  return !p_.privacy || p_.privacy->holds(static_cast<Cost>(groups_.size()) + more, rows_.total() - suppressed_);
}

void LocalGroups::add(std::int32_t c, int row) {
  Group& group = groups_[c];
  group.rows.push_back(row);
  group.size += rows_.rows(row);
  group.without.clear();
  boxes_.join(group.box, row);
  group_of_[row] = c;
}

void LocalGroups::number() {
  for (std::size_t c = 0; c < groups_.size(); ++c)
    for (const int row : groups_[c].rows) group_of_[row] = static_cast<std::int32_t>(c);
}

// Groups that are printed alike become one, which they are to a reader; empty ones go.
void LocalGroups::join_alike() {
  std::vector<std::size_t> order;
  for (std::size_t c = 0; c < groups_.size(); ++c)
    if (!groups_[c].rows.empty()) order.push_back(c);
  const auto compare = [&](std::size_t x, std::size_t y) { return boxes_.compare(groups_[x].box, groups_[y].box); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return compare(x, y) < 0; });
  for (std::size_t i = 0, j; i < order.size(); i = j) {
    Group& into = groups_[order[i]];
    for (j = i + 1; j < order.size() && compare(order[i], order[j]) == 0; ++j) {
      Group& from = groups_[order[j]];
      into.rows.insert(into.rows.end(), from.rows.begin(), from.rows.end());
      from.rows.clear();
      stir_group_[order[i]] = 1;
    }
    if (j > i + 1) into = measured(std::move(into.rows));
  }
  std::size_t left = 0;
  for (std::size_t c = 0; c < groups_.size(); ++c) {
    if (groups_[c].rows.empty()) continue;
    if (left != c) groups_[left] = std::move(groups_[c]), stir_group_[left] = stir_group_[c];
    ++left;
  }
  groups_.resize(left);
  stir_group_.resize(left);
  number();
}

}  // namespace shoal
