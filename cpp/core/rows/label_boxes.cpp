#include <algorithm>

#include "core/rows/local_shares.h"

namespace shoal {
namespace {

constexpr std::size_t kMostMembers = 50'000'000;  // rows in boxes
constexpr double kMostBoxVisits = 3e8;            // of rows at nodes

class LabelBoxes {
 public:
  LabelBoxes(const LocalProblem& problem, const std::vector<Cost>& most, const Watch& watch)
      : p_(problem), most_(most), watch_(watch), lattice_({1, p_.codes, p_.counts, p_.parts}),
        settler_(p_.counts, p_.k) {}

  std::optional<MeetingBoxes> found() {
    GroupTable bottom;
    std::vector<std::uint32_t> group_of;
    lattice_.roll_up(*lattice_.groups(Levels(p_.low.size(), 0)), p_.low, bottom, &group_of);
    climb(bottom, group_of, std::vector<char>(bottom.count(), 0), 0);
    if (found_.rows.size() > kMostMembers || watch_.stopped()) return std::nullopt;
    return std::move(found_);
  }

 private:
  // Every node is reached by one way, climbing the attributes in their order. Boxes above cost no less, so a climb ends
  // where no box is cheaper than the most that one of its rows may pay. `told`: boxes with the rows of a cheaper one.
  void climb(const GroupTable& table, const std::vector<std::uint32_t>& group_of, const std::vector<char>& told,
             std::size_t from) {
    if (watch_.stopped() || found_.rows.size() > kMostMembers) return;
    std::vector<Cost> most(table.count(), 0);
    for (std::size_t row = 0; row < group_of.size(); ++row)
      most[group_of[row]] = std::max(most[group_of[row]], most_[row]);
    bool open = false;
    std::vector<std::int32_t> place(table.count(), -1);
    const std::size_t first = found_.count();
    for (std::size_t g = 0; g < table.count(); ++g) {
      const Cost price = price_of(table, g);
      if (price >= most[g]) continue;
      open = true;
      if (told[g] || table.sizes[g] < p_.k) continue;
      place[g] = static_cast<std::int32_t>(found_.count() - first);
      found_.prices.push_back(price);
    }
    if (!open) {
      found_.prices.resize(first);
      return;
    }
    keep(group_of, place, first);
    for (std::size_t a = from; a < p_.low.size(); ++a) {
      if (table.levels[a] == p_.high[a]) continue;
      Levels levels = table.levels;
      ++levels[a];
      GroupTable above;
      std::vector<std::uint32_t> parent;
      lattice_.roll_up(table, levels, above, &parent);
      std::vector<char> told_above(above.count(), 0);
      for (std::size_t g = 0; g < table.count(); ++g)
        if (above.sizes[parent[g]] == table.sizes[g] && table.sizes[g] >= p_.k) told_above[parent[g]] = 1;
      std::vector<std::uint32_t> of_row(group_of.size());
      for (std::size_t row = 0; row < group_of.size(); ++row) of_row[row] = parent[group_of[row]];
      climb(above, of_row, told_above, a);
    }
  }
  // The rows of the boxes from `first` on; those go whose rows may not pay more than the box costs anyway.
  void keep(const std::vector<std::uint32_t>& group_of, const std::vector<std::int32_t>& place, std::size_t first) {
    members_.resize(std::max(members_.size(), found_.count() - first));
    for (std::size_t box = 0; box < found_.count() - first; ++box) members_[box].clear();
    for (std::size_t row = 0; row < group_of.size(); ++row)
      if (place[group_of[row]] >= 0 && p_.counts[row] > 0)
        members_[place[group_of[row]]].push_back(static_cast<std::int32_t>(row));
    std::size_t left = first;
    for (std::size_t box = 0; box < found_.count() - first; ++box) {
      const Cost price = found_.prices[first + box];
      if (settler_.excess(members_[box], price, most_) <= 0) continue;
      found_.prices[left++] = price;
      found_.rows.insert(found_.rows.end(), members_[box].begin(), members_[box].end());
      found_.begins.push_back(found_.rows.size());
    }
    found_.prices.resize(left);
  }
  Cost price_of(const GroupTable& table, std::size_t group) const {
    Cost sum = 0;
    for (std::size_t a = 0; a < p_.low.size(); ++a)
      sum += p_.units[a][table.levels[a]][lattice_.part(table, group, static_cast<int>(a))];
    return sum;
  }

  const LocalProblem& p_;
  const std::vector<Cost>& most_;
  const Watch& watch_;
  const Lattice lattice_;
  MeetingBoxes found_;
  std::vector<std::vector<std::int32_t>> members_;
  BoxSettler settler_;
};

}  // namespace

std::optional<MeetingBoxes> label_boxes(const LocalProblem& problem, const std::vector<Cost>& most,
                                        const Watch& watch) {
  double visits = static_cast<double>(problem.counts.size());
  for (std::size_t a = 0; a < problem.low.size(); ++a) visits *= problem.high[a] - problem.low[a] + 1;
  if (visits > kMostBoxVisits) return std::nullopt;
  return LabelBoxes(problem, most, watch).found();
}

}  // namespace shoal
