// local_groups.h - a partition of rows into groups, and its improvement by local search.
//
// Rows move to groups of rows near them, groups are dissolved into others, and groups with room for two are split, while
// the loss falls. What was looked at in vain is looked at again only after something near has changed, so a pass over a
// settled partition costs next to nothing.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "core/privacy/privacy.h"
#include "core/rows/local_box.h"

namespace shoal {

class LocalGroups {
 public:
  struct Group {
    std::vector<int> rows;
    Count size = 0;
    Box box;
    Cost price() const { return box.price; }  // of one row
  };

  LocalGroups(const LocalProblem& problem, const Rows& rows, const Watch& watch, std::uint64_t seed)
      : p_(problem), rows_(rows), watch_(watch), boxes_(problem, rows), random_(seed), group_of_(rows.count(), kNone) {
    if (p_.privacy) judge_.emplace(*p_.privacy);
  }

  static constexpr std::int32_t kNone = -1;
  const std::vector<Group>& groups() const { return groups_; }
  const Boxes& boxes() const { return boxes_; }
  const std::vector<std::int32_t>& group_of() const { return group_of_; }
  Count suppressed() const { return suppressed_; }
  Loss loss() const {
    Loss sum;
    for (const Group& group : groups_) sum += loss(group.size, group.price());
    const Cost cells = suppressed_ * p_.suppressed_row, squares = static_cast<Cost>(suppressed_) * rows_.total();
    return sum += p_.squares ? Loss{squares, cells} : Loss{cells, squares};
  }

  // Takes rows as a group, if it may be released.
  bool take(std::vector<int> rows) {
    Group group = measured(std::move(rows));
    if (!admitted(group)) return false;
    for (const int row : group.rows) group_of_[row] = static_cast<std::int32_t>(groups_.size());
    groups_.push_back(std::move(group));
    return true;
  }

  // Rows that found no group join the one where they cost least; if none takes them they are suppressed, and if that is
  // forbidden everything becomes one group. False if even that is refused.
  bool place(const std::vector<int>& rest) {
    for (const int row : rest) {
      Target best;
      for (std::size_t c = 0; c < groups_.size(); ++c)
        if (const Loss more = joining(groups_[c], row, best.loss); more < best.loss && admitted_with(groups_[c], row))
          best = {static_cast<std::int32_t>(c), more};
      if (best.group == kNone) suppressed_ += rows_.rows(row);
      else add(best.group, row);
    }
    if (suppressed_ <= p_.limit && !groups_.empty() && releasable(0)) return true;
    std::vector<int> all;
    for (int row = 0; row < rows_.count(); ++row)
      if (rows_.rows(row) > 0) all.push_back(row);
    suppressed_ = 0;
    groups_.clear();
    return take(std::move(all)) && releasable(0);
  }

  // `report` is told the loss after each pass.
  template <class Report>
  void improve(Report report) {
    stir_group_.assign(groups_.size(), 1);
    join_alike();
    if (groups_.size() < 2 || watch_.stopped()) return;
    find_near();
    stir_row_.assign(rows_.count(), 1);
    std::vector<Group> best = groups_;
    Loss least = loss();
    while (!watch_.stopped()) {
      move_rows();
      dissolve_groups();
      split_groups();
      join_alike();
      const Loss now = loss();
      if (now >= least) break;
      least = now;
      best = groups_;
      report(least);
    }
    groups_ = std::move(best);
    number();
  }

 private:
  // ---- groups ---------------------------------------------------------------------------------------------
  Loss loss(Count size, Cost price) const {
    const Cost cells = size * price, squares = static_cast<Cost>(size) * size;
    return p_.squares ? Loss{squares, cells} : Loss{cells, squares};
  }
  Loss loss(const Group& group) const { return loss(group.size, group.price()); }
  Group measured(std::vector<int> rows) const {
    Group group{std::move(rows), 0, {}};
    if (group.rows.empty()) return group;
    group.box = boxes_.around(group.rows.front());
    for (const int row : group.rows) {
      group.size += rows_.rows(row);
      boxes_.join(group.box, row);
    }
    return group;
  }
  // How much more everything loses if a row, so far in no group, joins this one; kNoLoss if it cannot, or if that is more
  // than `most`.
  Loss joining(const Group& group, int row, const Loss& most) const {
    const Count size = group.size + rows_.rows(row);
    Cost dearest = kInfinite - 1;
    if (!p_.squares && most.first < kInfinite) dearest = (most.first + group.size * group.price()) / size;
    const Cost with = boxes_.price_with(group.box, row, dearest);
    return with >= kInfinite ? kNoLoss : loss(size, with) - loss(group);
  }
  bool admitted(std::span<const int> rows, Count size) {
    if (size < p_.k) return false;
    if (!judge_) return true;
    judge_->clear();
    for (const int row : rows) judge_->add(row);
    return judge_->verdict(size) == Verdict::admitted;
  }
  bool admitted(const Group& group) { return admitted(group.rows, group.size) && boxes_.allowed(group.box); }
  bool admitted_with(const Group& group, int row) {
    if (!judge_) return true;
    std::vector<int> rows = group.rows;
    rows.push_back(row);
    return admitted(rows, group.size + rows_.rows(row));
  }
  // What is demanded of all groups together. Groups that are printed alike are one, and then there are fewer.
  bool releasable(int more) const {
    return !p_.privacy || p_.privacy->holds(static_cast<Cost>(groups_.size()) + more, rows_.total() - suppressed_);
  }
  void add(std::int32_t c, int row) {
    Group& group = groups_[c];
    group.rows.push_back(row);
    group.size += rows_.rows(row);
    boxes_.join(group.box, row);
    group_of_[row] = c;
  }
  void number() {
    for (std::size_t c = 0; c < groups_.size(); ++c)
      for (const int row : groups_[c].rows) group_of_[row] = static_cast<std::int32_t>(c);
  }
  // Groups that are printed alike become one, which they are to a reader; empty ones go.
  void join_alike() {
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
        from = Group{};
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

  // ---- what is near -----------------------------------------------------------------------------------------
  // Rows that are near in some lexicographic order; their groups are where a row may move. Nearness is mutual.
  void find_near() {
    const int attributes = rows_.attributes();
    std::vector<int> order, priority(attributes);
    for (int row = 0; row < rows_.count(); ++row)
      if (group_of_[row] != kNone) order.push_back(row);
    const int count = static_cast<int>(order.size());
    stride_ = static_cast<std::size_t>(2 * kNear * attributes);
    near_.assign(rows_.count() * stride_, kNone);
    std::vector<std::pair<std::uint64_t, int>> keyed(count);
    for (int last = 0; last < attributes; ++last) {
      // The last attribute varies fastest, so each of them is the last once.
      std::iota(priority.begin(), priority.end(), 0);
      shuffle(priority);
      std::iter_swap(std::find(priority.begin(), priority.end(), last), priority.end() - 1);
      sort_rows(priority, order, keyed);
      for (int i = 0; i < count; ++i) {
        std::int32_t* into = near_.data() + order[i] * stride_ + static_cast<std::size_t>(2 * kNear * last);
        for (int j = std::max(0, i - kNear); j <= std::min(count - 1, i + kNear); ++j)
          if (j != i) *into++ = order[j];
      }
    }
  }
  // By the attributes in an order; keys of 64 bits hold most tables whole, and ties are compared in full.
  void sort_rows(const std::vector<int>& priority, std::vector<int>& order,
                 std::vector<std::pair<std::uint64_t, int>>& keyed) const {
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::uint64_t key = 0;
      int left = 64;
      for (const int a : priority) {
        const auto bits = static_cast<int>(std::bit_width(p_.parts[a][0].size()));
        if ((left -= bits) < 0) break;
        key |= static_cast<std::uint64_t>(rows_.code(order[i], a)) << left;
      }
      keyed[i] = {key, order[i]};
    }
    std::sort(keyed.begin(), keyed.end(), [&](const auto& x, const auto& y) {
      if (x.first != y.first) return x.first < y.first;
      for (const int a : priority)
        if (rows_.code(x.second, a) != rows_.code(y.second, a))
          return rows_.code(x.second, a) < rows_.code(y.second, a);
      return x.second < y.second;
    });
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = keyed[i].second;
  }
  std::span<const std::int32_t> near(int row) const { return {near_.data() + row * stride_, stride_}; }
  // A group has changed: whoever could join it, or whose rows could, is looked at again.
  void stir(std::int32_t c) {
    stir_group_[c] = 1;
    for (const int row : groups_[c].rows) {
      stir_row_[row] = 1;
      for (const std::int32_t other : near(row))
        if (other != kNone) stir_row_[other] = stir_group_[group_of_[other]] = 1;
    }
  }
  // The library's own shuffle differs between compilers.
  void shuffle(std::vector<int>& order) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
  }

  struct Target {
    std::int32_t group = kNone;
    Loss loss = kNoLoss;
  };
  // The group near a row, other than its own, in which it loses least; none if that is not below `most`.
  Target best_target(int row, Loss most = kNoLoss) {
    Target best{kNone, most};
    seen_.resize(groups_.size(), 0);
    ++turn_;
    seen_[group_of_[row]] = turn_;
    for (const std::int32_t other : near(row)) {
      if (other == kNone) continue;
      const std::int32_t c = group_of_[other];
      if (seen_[c] == turn_) continue;
      seen_[c] = turn_;
      if (const Loss more = joining(groups_[c], row, best.loss); more < best.loss) best = {c, more};
    }
    return best;
  }

  // Whether a pass shall end where it is; one over many rows takes seconds. The clock is read now and then.
  bool stopped() { return ++looks_ % kLooks == 0 && watch_.stopped(); }

  // ---- moves ------------------------------------------------------------------------------------------------
  void move_rows() {
    std::vector<int> order;
    for (int row = 0; row < rows_.count(); ++row)
      if (group_of_[row] != kNone && stir_row_[row]) order.push_back(row);
    shuffle(order);
    for (const int row : order) {
      if (stopped()) return;
      stir_row_[row] = 0;
      const std::int32_t own = group_of_[row];
      const Group& group = groups_[own];
      if ((group.price() == 0 && !p_.squares) || group.size - rows_.rows(row) < p_.k) continue;
      const Loss all = loss(group);
      const Target target = best_target(row, all);
      if (target.group == kNone) continue;
      std::vector<int> others;
      others.reserve(group.rows.size());
      std::copy_if(group.rows.begin(), group.rows.end(), std::back_inserter(others),
                   [row](int each) { return each != row; });
      Group without = measured(std::move(others));
      if (target.loss >= all - loss(without)) continue;
      if (judge_ && !(admitted(without) && admitted_with(groups_[target.group], row))) continue;
      groups_[own] = std::move(without);
      add(target.group, row);
      stir(own);
      stir(target.group);
    }
  }

  // Every row of a group joins another one, if that loses less in all.
  void dissolve_groups() {
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
  bool dissolving_pays(int c, const Loss& gain) {
    Loss left = gain;
    for (const int row : groups_[c].rows) {
      const Target target = best_target(row, left);
      if (target.group == kNone) return false;
      left = left - target.loss;
    }
    return true;
  }

  // A group with room for two: along an attribute, or around a row.
  void split_groups() {
    for (std::size_t c = 0; c < groups_.size() && !stopped(); ++c) {
      if (groups_[c].size < 2 * p_.k || groups_[c].rows.size() < 2 || groups_[c].price() == 0) continue;
      Split best{{}, {}, loss(groups_[c])};
      for (int a = 0; a < rows_.attributes(); ++a) split_along(groups_[c], a, best);
      for (int seed = 0; seed < kSeeds; ++seed) split_around(groups_[c], random_() % groups_[c].rows.size(), best);
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
  static constexpr int kSeeds = 4;
  struct Split {
    Group one, two;
    Loss loss;
  };
  void offer(std::vector<int> first, std::vector<int> second, Split& best) {
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
  void split_along(const Group& group, int a, Split& best) {
    std::vector<std::pair<std::int32_t, int>> parted;
    const bool by_node = boxes_.by_node(a);
    const std::int32_t* parts =
        by_node ? p_.parts[a][std::max<int>(p_.low[a], boxes_.level(group.box, a) - 1)].data() : nullptr;
    for (const int row : group.rows) parted.emplace_back(by_node ? parts[rows_.code(row, a)] : rows_.code(row, a), row);
    std::sort(parted.begin(), parted.end());
    if (parted.front().first == parted.back().first) return;
    for (std::size_t begin = 0, end; begin < parted.size(); begin = end) {
      for (end = begin; end < parted.size() && parted[end].first == parted[begin].first;) ++end;
      std::vector<int> one, two;
      for (std::size_t i = 0; i < parted.size(); ++i)
        (i < end && (!by_node || i >= begin) ? one : two).push_back(parted[i].second);
      offer(std::move(one), std::move(two), best);
    }
  }
  void split_around(const Group& group, std::size_t seed, Split& best) {
    std::vector<int> others = group.rows;
    Group one = measured({others[seed]});
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(seed));
    while (one.size < p_.k && !others.empty()) {
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

  static constexpr int kNear = 4;  // neighbours on each side in each order
  static constexpr std::int64_t kLooks = 64;
  const LocalProblem& p_;
  const Rows& rows_;
  const Watch& watch_;
  const Boxes boxes_;
  std::mt19937_64 random_;
  std::optional<Judge> judge_;
  std::vector<Group> groups_;
  std::vector<std::int32_t> group_of_;  // per row; kNone if it is suppressed
  Count suppressed_ = 0;
  std::size_t stride_ = 0;
  std::vector<std::int32_t> near_;  // per row its neighbours, kNone in place of missing ones
  std::vector<char> stir_row_, stir_group_;
  std::vector<std::int64_t> seen_;
  std::int64_t turn_ = 0, looks_ = 0;
};

}  // namespace shoal
