#include "core/local_bound.h"

#include <algorithm>

namespace shoal {
namespace {

constexpr double kMostVisits = 1e9;  // of rows at nodes

class Boxes {
 public:
  // Attributes are left out while there are too many nodes: they are grouped on their top and priced on their bottom, so
  // boxes only grow and prices only fall.
  Boxes(const LocalProblem& problem, const Watch& watch)
      : p_(problem), watch_(watch), lattice_({1, p_.codes, p_.counts, p_.parts}), low_(p_.low), high_(p_.high),
        left_out_(p_.parts.size(), -1) {
    const auto visits = [&] {
      double product = static_cast<double>(p_.counts.size());
      for (std::size_t a = 0; a < low_.size(); ++a) product *= high_[a] - low_[a] + 1;
      return product;
    };
    for (std::size_t a = low_.size(); a-- > 0 && visits() > kMostVisits;) {
      const auto& units = p_.units[a][p_.low[a]];
      left_out_[a] = *std::min_element(units.begin(), units.end());
      low_[a] = high_[a] = static_cast<std::uint8_t>(p_.parts[a].size() - 1);
    }
  }

  // `known`: per row the price of some box around it with k rows, or what suppressing it costs.
  Cost bound(const std::vector<Cost>& known) {
    GroupTable bottom;
    std::vector<std::uint32_t> group_of;
    lattice_.roll_up(*lattice_.groups(Levels(low_.size(), 0)), low_, bottom, &group_of);
    std::vector<Cost> most(bottom.count(), 0);
    for (std::size_t row = 0; row < known.size(); ++row) most[group_of[row]] = std::max(most[group_of[row]], known[row]);
    const std::vector<Cost> least = cheapest(bottom, 0, most);
    if (watch_.stopped()) return 0;
    Cost sum = 0;
    for (std::size_t row = 0; row < known.size(); ++row) sum += std::min(known[row], least[group_of[row]]) * p_.counts[row];
    return sum;
  }

 private:
  // Per group of a node the least price of a box with k rows around it, at the node or above it in the attributes from
  // one on: every node is reached by one way, climbing the attributes in their order. Boxes above cost no less, so a
  // group is done when its own price reaches what is `known`; a price that is not below that need not be found.
  std::vector<Cost> cheapest(const GroupTable& table, std::size_t from, const std::vector<Cost>& known) {
    std::vector<Cost> least(table.count(), kInfinite);
    std::vector<char> open(table.count(), 0);
    bool any = false;
    for (std::size_t g = 0; g < table.count(); ++g) {
      if (known[g] == 0) continue;
      const Cost here = price(table, g);
      if (table.sizes[g] >= p_.k) least[g] = here;
      else any |= open[g] = here < known[g];
    }
    if (!any) return least;
    GroupTable above;
    std::vector<std::uint32_t> parent;
    std::vector<Cost> known_above;
    for (std::size_t a = from; a < low_.size() && !watch_.stopped(); ++a) {
      if (table.levels[a] == high_[a]) continue;
      Levels levels = table.levels;
      ++levels[a];
      lattice_.roll_up(table, levels, above, &parent);
      known_above.assign(above.count(), 0);
      for (std::size_t g = 0; g < table.count(); ++g)
        if (open[g]) known_above[parent[g]] = std::max(known_above[parent[g]], std::min(known[g], least[g]));
      const std::vector<Cost> found = cheapest(above, a, known_above);
      for (std::size_t g = 0; g < table.count(); ++g)
        if (open[g]) least[g] = std::min(least[g], found[parent[g]]);
    }
    return least;
  }
  Cost price(const GroupTable& table, std::size_t group) const {
    Cost sum = 0;
    for (std::size_t a = 0; a < low_.size(); ++a)
      sum += left_out_[a] >= 0 ? left_out_[a] : p_.units[a][table.levels[a]][lattice_.part(table, group, static_cast<int>(a))];
    return sum;
  }

  const LocalProblem& p_;
  const Watch& watch_;
  const Lattice lattice_;
  Levels low_, high_;
  std::vector<Cost> left_out_;  // per attribute what its cells cost at least, if it is left out; -1 if not
};

}  // namespace

Cost local_bound(const LocalProblem& problem, const std::vector<Cost>& known, const Watch& watch) {
  return Boxes(problem, watch).bound(known);
}

}  // namespace shoal
