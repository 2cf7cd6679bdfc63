#include "core/rows/local_bound.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/rows/local_box.h"

namespace shoal {
namespace {

constexpr double kMostBoundVisits = 1e9;            // of rows at nodes
constexpr std::int64_t kMostLooks = 4'000'000'000;  // at branches of the tree of rows
constexpr std::size_t kFew = 2;                     // one in so many groups open: the others are sifted

class NodeBound {
 public:
  NodeBound(const LocalProblem& problem, const Watch& watch)
      : p_(problem), watch_(watch), lattice_({1, p_.codes, p_.counts, p_.parts}) {
    order_.resize(p_.low.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t x, std::size_t y) { return p_.parts[x][0].size() > p_.parts[y][0].size(); });
  }

  // `known`: per row the price of some box around it with k rows, or what suppressing it costs.
  Cost bound(const std::vector<Cost>& known) {
    GroupTable bottom;
    std::vector<std::uint32_t> group_of;
    lattice_.roll_up(*lattice_.groups(Levels(p_.low.size(), 0)), p_.low, bottom, &group_of);
    std::vector<Cost> most(bottom.count(), 0);
    for (std::size_t row = 0; row < known.size(); ++row)
      most[group_of[row]] = std::max(most[group_of[row]], known[row]);
    const std::vector<Cost> least = cheapest(bottom, 0, most);
    if (watch_.stopped()) return 0;
    Cost sum = 0;
    for (std::size_t row = 0; row < known.size(); ++row)
      sum += std::min(known[row], least[group_of[row]]) * p_.counts[row];
    return sum;
  }

 private:
  // Per group of a node the least price of a box with k rows around it, at the node or above it in the attributes from
  // one on: every node is reached by one way, climbing the attributes in their order. Boxes above cost no less, so a
  // group is done when its own price reaches what is `known`; a price that is not below that need not be found.
  std::vector<Cost> cheapest(const GroupTable& table, std::size_t from, const std::vector<Cost>& known) {
    std::vector<Cost> least(table.count(), kInfinite);
    std::vector<std::uint32_t> open;
    for (std::size_t g = 0; g < table.count(); ++g) {
      if (known[g] == 0) continue;
      const Cost here = price(table, g);
      if (table.sizes[g] >= p_.k) least[g] = here;
      else if (here < known[g]) open.push_back(static_cast<std::uint32_t>(g));
    }
    GroupTable near, above;
    std::vector<std::uint32_t> parent, place(table.count());
    std::vector<Cost> known_above;
    for (std::size_t i = from; i < order_.size() && !open.empty() && !watch_.stopped(); ++i) {
      const std::size_t a = order_[i];
      if (table.levels[a] == p_.high[a]) continue;
      Levels levels = table.levels;
      ++levels[a];
      // Of the first attribute, what was sifted on the way here has not grown much.
      const bool few = open.size() * (i == from ? kFew * 4 : kFew) < table.count();
      if (few) keep_near(table, open, i, near, place);
      lattice_.roll_up(few ? near : table, levels, above, &parent);
      known_above.assign(above.count(), 0);
      const auto parent_of = [&](std::uint32_t g) { return parent[few ? place[g] : g]; };
      for (const std::uint32_t g : open)
        known_above[parent_of(g)] = std::max(known_above[parent_of(g)], std::min(known[g], least[g]));
      const std::vector<Cost> found = cheapest(above, i, known_above);
      for (const std::uint32_t g : open) least[g] = std::min(least[g], found[parent_of(g)]);
    }
    return least;
  }

  // Attributes that come before are not climbed any more, so a group matters only if it agrees with an open one on them.
  // They are compared by a hash: what is kept in vain costs time alone.
  void keep_near(const GroupTable& table, const std::vector<std::uint32_t>& open, std::size_t before, GroupTable& near,
                 std::vector<std::uint32_t>& place) {
    const int words = lattice_.words();
    std::vector<std::uint64_t> bits(words, 0);
    for (std::size_t i = 0; i < before; ++i) lattice_.mark_bits(static_cast<int>(order_[i]), bits.data());
    const int shift = 64 - std::countr_zero(std::bit_ceil(open.size() * 16));
    const auto slot = [&](std::size_t g) {
      std::uint64_t hash = 0;
      for (int w = 0; w < words; ++w) hash = (hash ^ (table.keys[g * words + w] & bits[w])) * 0x9E3779B97F4A7C15u;
      return hash >> shift;
    };
    marks_.assign(std::size_t{1} << (64 - shift), 0);
    for (const std::uint32_t g : open) marks_[slot(g)] = 1;
    near.levels = table.levels;
    near.keys.clear();
    near.sizes.clear();
    for (std::size_t g = 0; g < table.count(); ++g) {
      if (!marks_[slot(g)]) continue;
      place[g] = static_cast<std::uint32_t>(near.sizes.size());
      near.sizes.push_back(table.sizes[g]);
      for (int w = 0; w < words; ++w) near.keys.push_back(table.keys[g * words + w]);
    }
  }
  Cost price(const GroupTable& table, std::size_t group) const {
    Cost sum = 0;
    for (std::size_t a = 0; a < p_.low.size(); ++a)
      sum += p_.units[a][table.levels[a]][lattice_.part(table, group, static_cast<int>(a))];
    return sum;
  }

  const LocalProblem& p_;
  const Watch& watch_;
  const Lattice lattice_;
  std::vector<std::size_t> order_;  // the attributes, those of many values first: groups are then told apart early
  std::vector<char> marks_;
};

// The nearest rows of each row, by the price of a box of the two. Rows are the leaves of a tree over their codes; what a
// branch costs already is what all below it cost at least, so most branches are never entered.
class NearestBound {
 public:
  NearestBound(const LocalProblem& problem, const Watch& watch)
      : p_(problem), watch_(watch), rows_(problem), boxes_(problem, rows_) {
    const int attributes = rows_.attributes();
    order_.resize(attributes);
    std::iota(order_.begin(), order_.end(), 0);
    // What is dear to differ in comes first.
    std::vector<Cost> dear(attributes, kInfinite);
    for (int a = 0; a < attributes; ++a) {
      const int size = static_cast<int>(p_.parts[a][0].size());
      for (int code = 1; code < size; ++code) dear[a] = std::min(dear[a], boxes_.pair(a, code - 1, code));
    }
    std::stable_sort(order_.begin(), order_.end(), [&](int x, int y) { return dear[x] > dear[y]; });
    sorted_.resize(rows_.count());
    std::iota(sorted_.begin(), sorted_.end(), 0);
    std::erase_if(sorted_, [&](int row) { return rows_.rows(row) == 0; });
    std::sort(sorted_.begin(), sorted_.end(), [&](int x, int y) {
      for (const int a : order_)
        if (rows_.code(x, a) != rows_.code(y, a)) return rows_.code(x, a) < rows_.code(y, a);
      return false;
    });
    branches_.resize(attributes);
    if (!sorted_.empty()) grow(0, 0, sorted_.size());
  }

  // `known`: per row what it costs in some group of k, or suppressed. No row is looked for that is as far.
  Cost bound(const std::vector<Cost>& known) {
    Cost sum = 0;
    for (const int row : sorted_) {
      if (watch_.stopped() || looks_ > kMostLooks) return sum;  // rows that there is no time for are bounded by 0
      held_ = rows_.rows(row);
      heap_.clear();
      limit_ = std::min(known[row], p_.suppressed_row);
      Cost least = limit_;
      if (held_ >= p_.k) least = alone(row);
      else if (enter(row, 0, 0, branches_[0].size(), 0); held_ >= p_.k) least = heap_.front().first;
      sum += std::min(least, limit_) * rows_.rows(row);
    }
    return sum;
  }

 private:
  struct Branch {
    int code;
    std::uint32_t first, last;  // its branches in the next attribute; of the last attribute, or if `row`, its row
    bool row;                   // it has one row only
  };
  void grow(std::size_t depth, std::size_t begin, std::size_t end) {
    for (std::size_t next; begin < end; begin = next) {
      const int code = rows_.code(sorted_[begin], order_[depth]);
      for (next = begin + 1; next < end && rows_.code(sorted_[next], order_[depth]) == code;) ++next;
      const std::size_t at = branches_[depth].size();
      const bool row = next == begin + 1 || depth + 1 == branches_.size();
      const std::size_t first = row ? begin : branches_[depth + 1].size();
      branches_[depth].push_back({code, static_cast<std::uint32_t>(first), 0, row});
      if (!row) grow(depth + 1, begin, next);
      branches_[depth][at].last = static_cast<std::uint32_t>(row ? begin + 1 : branches_[depth + 1].size());
    }
  }
  // What a row costs with its copies: nothing, unless the least levels cost something.
  Cost alone(int row) const {
    Cost sum = 0;
    for (int a = 0; a < rows_.attributes(); ++a) sum += boxes_.pair(a, rows_.code(row, a), rows_.code(row, a));
    return sum;
  }
  // Cheapest first: the row's own branch, then the others.
  void enter(int row, std::size_t depth, std::size_t first, std::size_t last, Cost so_far) {
    const int own = rows_.code(row, order_[depth]);
    std::size_t same = last;
    for (std::size_t b = first; b < last; ++b)
      if (branches_[depth][b].code == own) follow(row, depth, same = b, so_far + boxes_.pair(order_[depth], own, own));
    for (std::size_t b = first; b < last; ++b)
      if (b != same) follow(row, depth, b, so_far + boxes_.pair(order_[depth], own, branches_[depth][b].code));
  }
  void follow(int row, std::size_t depth, std::size_t b, Cost cost) {
    ++looks_;
    const Cost most = held_ >= p_.k ? std::min(limit_, heap_.front().first) : limit_;
    if (cost >= most) return;
    const Branch& branch = branches_[depth][b];
    if (!branch.row) return enter(row, depth + 1, branch.first, branch.last, cost);
    const int other = sorted_[branch.first];
    if (other == row) return;
    for (++depth; depth < branches_.size(); ++depth) {
      ++looks_;
      cost += boxes_.pair(order_[depth], rows_.code(row, order_[depth]), rows_.code(other, order_[depth]));
      if (cost >= most) return;
    }
    heap_.emplace_back(cost, rows_.rows(other));
    std::push_heap(heap_.begin(), heap_.end());
    held_ += rows_.rows(other);
    while (held_ - heap_.front().second >= p_.k) {
      held_ -= heap_.front().second;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    }
  }

  const LocalProblem& p_;
  const Watch& watch_;
  const Rows rows_;
  const Boxes boxes_;
  std::vector<int> order_, sorted_;
  std::vector<std::vector<Branch>> branches_;  // per attribute in the order
  std::vector<std::pair<Cost, Count>> heap_;   // the nearest rows so far, the dearest first
  std::int64_t looks_ = 0;
  Cost limit_ = 0;  // prices from here on are of no interest
  Count held_ = 0;  // rows in it, the row's own copies included
};

}  // namespace

Cost local_bound(const LocalProblem& problem, const std::vector<Cost>& known, const Watch& watch) {
  if (!known.empty()) return NodeBound(problem, watch).bound(known);
  return NodeBound(problem, watch).bound(std::vector<Cost>(problem.counts.size(), problem.suppressed_row));
}

Cost squares_bound(const LocalProblem& problem) {
  Cost sum = 0;
  for (const Count count : problem.counts) sum += static_cast<Cost>(count) * std::max(count, problem.k);
  return sum;
}

Cost nearest_bound(const LocalProblem& problem, const std::vector<Cost>& known, const Watch& watch) {
  if (!known.empty()) return NearestBound(problem, watch).bound(known);
  return NearestBound(problem, watch).bound(std::vector<Cost>(problem.counts.size(), problem.suppressed_row));
}

bool has_few_nodes(const LocalProblem& problem) {
  double visits = static_cast<double>(problem.counts.size());
  for (std::size_t a = 0; a < problem.low.size(); ++a) visits *= problem.high[a] - problem.low[a] + 1;
  return visits <= kMostBoundVisits;
}

}  // namespace shoal
