// level_proof.cpp - boxes of levels that are halved until each is closed.
#include <algorithm>
#include <utility>

#include "checker/problem.h"
#include "checker/refine.h"

namespace shoal_checker {
namespace {

class LevelProof {
 public:
  LevelProof(const Problem& problem, Number bound) : p_(problem), bound_(bound), rows_(problem.rows(), 0) {
    for (int r = 0; r < p_.rows(); ++r)
      for (int l = 0; l < p_.labels; ++l) rows_[r] += p_.counts[static_cast<std::size_t>(r) * p_.labels + l];
  }

  // Whether no node of the box is admissible and below the bound.
  bool closed(const std::vector<int>& low, const std::vector<int>& high) {
    const int groups = group(high, top_);
    find_bad(groups, low == high);
    Number lost = 0;
    for (int r = 0; r < p_.rows(); ++r) lost += bad_[top_[r]] ? rows_[r] : 0;
    if (lost > p_.limit) return true;
    const Number cost = p_.suppressed_cost() * lost;
    return cost + (p_.metric == Metric::cells ? kept_cells(low) : kept_groups(low)) >= bound_;
  }

 private:
  // Per distinct row the number of its group; returns how many there are.
  int group(const std::vector<int>& levels, std::vector<int>& of_row) {
    of_row.assign(p_.rows(), 0);
    int groups = 1;
    for (int a = 0; a < p_.attributes(); ++a) {
      const auto& parts = p_.levels[a][levels[a]];
      const int count = *std::max_element(parts.begin(), parts.end()) + 1;
      groups = refine_.by(of_row, groups, count, [&](std::size_t r) { return parts[p_.code(static_cast<int>(r), a)]; });
    }
    return groups;
  }

  // Per group whether neither it nor a part of it is released; with `exact`, whether it is not.
  void find_bad(int groups, bool exact) {
    std::vector<Number> sizes(groups, 0);
    for (int r = 0; r < p_.rows(); ++r) sizes[top_[r]] += rows_[r];
    bad_.resize(groups);
    for (int g = 0; g < groups; ++g) bad_[g] = sizes[g] < p_.k;
    for (const Demand& demand : p_.demands) {
      std::vector<Number> counts(static_cast<std::size_t>(groups) * demand.values, 0);
      for (int r = 0; r < p_.rows(); ++r)
        for (int v = 0; v < demand.values; ++v)
          counts[static_cast<std::size_t>(top_[r]) * demand.values + v] +=
              demand.rows[static_cast<std::size_t>(r) * demand.values + v];
      for (int g = 0; g < groups; ++g) {
        const Number* own = counts.data() + static_cast<std::size_t>(g) * demand.values;
        bad_[g] = bad_[g] || demand.hopeless(own) || ((exact || p_.limit == 0) && !demand.admits(own));
      }
    }
  }

  Number kept_cells(const std::vector<int>& low) const {
    Number sum = 0;
    for (int r = 0; r < p_.rows(); ++r)
      for (int a = 0; !bad_[top_[r]] && a < p_.attributes(); ++a) sum += rows_[r] * p_.units[a][low[a]][p_.code(r, a)];
    return sum;
  }

  Number kept_groups(const std::vector<int>& low) {
    const int groups = group(low, below_);
    std::vector<Number> kept(static_cast<std::size_t>(groups) * p_.labels, 0);
    for (int r = 0; r < p_.rows(); ++r)
      for (int l = 0; !bad_[top_[r]] && l < p_.labels; ++l)
        kept[static_cast<std::size_t>(below_[r]) * p_.labels + l] +=
            p_.counts[static_cast<std::size_t>(r) * p_.labels + l];
    Number sum = 0;
    for (int g = 0; g < groups; ++g) {
      Number n = 0, most = 0;
      for (int l = 0; l < p_.labels; ++l) {
        const Number own = kept[static_cast<std::size_t>(g) * p_.labels + l];
        n += own;
        most = std::max(most, own);
      }
      sum += p_.metric == Metric::squares ? n * std::max(n, n > 0 ? p_.k : 0) : n - most;
    }
    return sum;
  }

  const Problem& p_;
  const Number bound_;
  std::vector<Number> rows_;
  std::vector<int> top_, below_;
  std::vector<char> bad_;
  Refine refine_;
};

}  // namespace

void check_levels(const Problem& problem, Number bound, Lines& lines) {
  LevelProof proof(problem, bound);
  std::vector<std::pair<std::vector<int>, std::vector<int>>> boxes{{problem.low, problem.high}};
  while (!boxes.empty()) {
    auto [low, high] = std::move(boxes.back());
    boxes.pop_back();
    const auto words = lines.next();
    if (words.size() == 1 && words[0] == "x") {
      if (!proof.closed(low, high)) throw Refuted("a box may have levels that cost less than the bound");
      continue;
    }
    if (words.size() != 2) throw Refuted("a box is neither halved nor closed");
    const Number a = whole(words[0]), middle = whole(words[1]);
    if (a >= problem.attributes() || middle < low[a] || middle >= high[a])
      throw Refuted("a box is halved where it has no levels");
    auto upper = low, lower = high;
    upper[a] = static_cast<int>(middle) + 1;
    lower[a] = static_cast<int>(middle);
    boxes.emplace_back(std::move(upper), high);
    boxes.emplace_back(std::move(low), std::move(lower));
  }
  lines.finish();
}

}  // namespace shoal_checker
