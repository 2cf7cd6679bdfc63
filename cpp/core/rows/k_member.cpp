#include "core/rows/k_member.h"

#include <algorithm>
#include <numeric>

#include "core/rows/local_box.h"

namespace shoal {
namespace {

class KMember {
 public:
  KMember(const LocalProblem& problem, const Options& options)
      : p_(problem), options_(options), watch_(options), rows_(problem), boxes_(problem, rows_), rest_(rows_.count()),
        total_(rows_.total()) {
    std::iota(rest_.begin(), rest_.end(), 0);
  }

  LocalOutcome run() {
    LocalOutcome out;
    out.groups.assign(rows_.count(), -1);
    int last = rows_.count() > 0 ? static_cast<int>(options_.seed % static_cast<std::uint64_t>(rows_.count())) : 0;
    while (total_ > 0 && total_ >= p_.k && (groups_.empty() || !stopped())) {
      last = form(last, out);
      if (++out.nodes; out.nodes % 64 == 0) watch_.report(kInfinite, 0, out.nodes);
    }
    if (groups_.empty()) return out;  // fewer rows than a group needs
    for (const int row : rest_) join(row, out);
    out.found = true;
    out.cost = 0;
    for (const Group& group : groups_) out.cost += group.price() * group.size;
    return out;
  }

 private:
  struct Group {
    Box box;
    Count size = 0;
    Cost price() const { return box.price; }
  };

  bool stopped() const {
    return static_cast<std::int64_t>(groups_.size()) >= options_.budget.nodes || watch_.stopped();
  }

  // One group from the rows that are left; tells the row that was added last.
  int form(int last, LocalOutcome& out) {
    distances(last);
    std::size_t next = static_cast<std::size_t>(std::max_element(least_.begin(), least_.end()) - least_.begin());
    Group group{boxes_.around(rest_[next])};
    distances(rest_[next]);
    while (true) {
      last = rest_[next];
      out.groups[last] = static_cast<std::int32_t>(groups_.size());
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
      for (int a = 0; a < rows_.attributes(); ++a)
        sum += boxes_.pair(a, rows_.code(from, a), rows_.code(rest_[i], a));
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
  void join(int row, LocalOutcome& out) {
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
    out.groups[row] = static_cast<std::int32_t>(best);
  }

  const LocalProblem& p_;
  const Options& options_;
  const Watch watch_;
  const Rows rows_;
  const Boxes boxes_;
  std::vector<int> rest_;    // rows without a group, in the order of the table
  std::vector<Cost> least_;  // per one of them what the present group's box costs with it, at least
  std::vector<Group> groups_;
  std::int64_t total_;  // rows of the source without a group
};

}  // namespace

LocalOutcome k_member(const LocalProblem& problem, const Options& options) {
  return KMember(problem, options).run();
}

}  // namespace shoal
