#include "core/rows/k_member.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "core/base/parallel.h"
#include "core/rows/local_box.h"

namespace shoal {
namespace {

// What is the same for all blocks. `group_of` has a place for every row, so that threads never meet there.
struct Setting {
  const LocalProblem& problem;
  const Options& options;
  const Watch& watch;
  const Rows& rows;
  const Boxes& boxes;
  std::vector<std::int32_t>& group_of;
  std::atomic<std::int64_t>& nodes;
};

// The groups of one block.
class KMember {
 public:
  KMember(const Setting& setting, std::vector<int> chosen)
      : p_(setting.problem), setting_(setting), rows_(setting.rows), boxes_(setting.boxes), rest_(std::move(chosen)) {
    for (const int row : rest_) total_ += rows_.rows(row);
  }

  // Numbers the groups of its rows from 0. False if there are fewer rows than a group needs.
  bool run() {
    int last = rest_.empty() ? 0 : rest_[setting_.options.seed % static_cast<std::uint64_t>(rest_.size())];
    while (total_ > 0 && total_ >= p_.k && (groups_.empty() || !stopped())) {
      last = form(last);
      if (const std::int64_t nodes = ++setting_.nodes; nodes % 64 == 0) setting_.watch.report(kInfinite, 0, nodes);
    }
    if (groups_.empty()) return false;
    for (const int row : rest_) join(row);
    return true;
  }
  std::int32_t count() const { return static_cast<std::int32_t>(groups_.size()); }
  Cost cost() const {
    Cost sum = 0;
    for (const Group& group : groups_) sum += group.price() * group.size;
    return sum;
  }

 private:
  struct Group {
    Box box;
    Count size = 0;
    Cost price() const { return box.price; }
  };

  bool stopped() const {
    return static_cast<std::int64_t>(groups_.size()) >= setting_.options.budget.nodes || setting_.watch.stopped();
  }

  // One group from the rows that are left; tells the row that was added last.
  int form(int last) {
    distances(last);
    std::size_t next = static_cast<std::size_t>(std::max_element(least_.begin(), least_.end()) - least_.begin());
    Group group{boxes_.around(rest_[next])};
    distances(rest_[next]);
    while (true) {
      last = rest_[next];
      setting_.group_of[last] = static_cast<std::int32_t>(groups_.size());
      group.size += rows_.rows(last);
      total_ -= rows_.rows(last);
      // Order is kept: ties go to the row that comes first in the table.
      rest_.erase(rest_.begin() + static_cast<std::ptrdiff_t>(next));
      least_.erase(least_.begin() + static_cast<std::ptrdiff_t>(next));
      if (group.size >= p_.k || rest_.empty()) break;
      next = cheapest(group.box);
      boxes_.join(group.box, rest_[next]);
    }
    groups_.push_back(std::move(group));
    return last;
  }
  // What each row that is left and this one cost together.
  void distances(int from) {
    least_.resize(rest_.size());
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      Cost sum = 0;
      for (int a = 0; a < rows_.attributes(); ++a) sum += boxes_.pair(a, rows_.code(from, a), rows_.code(rest_[i], a));
      least_[i] = sum;
    }
  }
  // The row with which a box costs least. A price never falls as the box grows, so `least_` stays below it.
  std::size_t cheapest(const Box& box) {
    std::size_t best = 0;
    Cost least = kInfinite;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      if (least_[i] >= least) continue;
      const Cost price = boxes_.price_with(box, rest_[i], least - 1);
      least_[i] = std::min(price, least);
      if (price < least) least = price, best = i;
    }
    return best;
  }
  void join(int row) {
    std::size_t best = 0;
    Cost least = kInfinite;
    const Count rows = rows_.rows(row);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const Group& group = groups_[g];
      // rows * price + size * (price - before) < least, solved for the price.
      const Cost most =
          least == kInfinite ? kInfinite - 1 : (least - 1 + group.size * group.price()) / (group.size + rows);
      const Cost price = boxes_.price_with(group.box, row, most);
      if (price > most) continue;
      const Cost more = (group.size + rows) * price - group.size * group.price();
      if (more < least) least = more, best = g;
    }
    Group& group = groups_[best];
    boxes_.join(group.box, row);
    group.size += rows;
    setting_.group_of[row] = static_cast<std::int32_t>(best);
  }

  const LocalProblem& p_;
  const Setting& setting_;
  const Rows& rows_;
  const Boxes& boxes_;
  std::vector<int> rest_;    // rows without a group, in the order of the table
  std::vector<Cost> least_;  // per one of them what the present group's box costs with it, at least
  std::vector<Group> groups_;
  std::int64_t total_ = 0;  // rows of the source without a group
};

// What became of a block.
struct Made {
  bool found = false;
  std::int32_t count = 0;
  Cost cost = 0;
};

}  // namespace

LocalOutcome k_member(const LocalProblem& problem, std::span<const std::int32_t> blocks, const Options& options) {
  const Watch watch(options);
  const Rows rows(problem);
  const Boxes boxes(problem, rows);
  std::vector<std::vector<int>> chosen(1);
  for (int row = 0; row < rows.count(); ++row) {
    const std::size_t block = blocks.empty() ? 0 : static_cast<std::size_t>(blocks[row]);
    if (block >= chosen.size()) chosen.resize(block + 1);
    chosen[block].push_back(row);
  }
  LocalOutcome out;
  out.groups.assign(rows.count(), -1);
  std::atomic<std::int64_t> nodes{0};
  const Setting setting{problem, options, watch, rows, boxes, out.groups, nodes};
  std::vector<Made> made(chosen.size());
  parallel(chosen.size(), options.threads, [&](std::size_t i, std::size_t) {
    KMember groups(setting, chosen[i]);
    made[i] = {groups.run(), groups.count(), groups.cost()};
  });
  out.nodes = nodes;
  out.found = std::ranges::all_of(made, &Made::found);
  out.cost = out.found ? 0 : kInfinite;
  std::int32_t before = 0;
  for (std::size_t i = 0; out.found && i < made.size(); ++i) {
    for (const int row : chosen[i]) out.groups[row] += before;
    before += made[i].count;
    out.cost += made[i].cost;
  }
  return out;
}

}  // namespace shoal
