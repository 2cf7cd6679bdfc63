#include "core/histories/people.h"

#include <algorithm>
#include <numeric>

namespace shoal {

People::People(const PeopleProblem& problem) : p_(problem) {
  for (const LocalProblem& table : p_.tables) {
    rows_.push_back(std::make_unique<Rows>(table));
    boxes_.push_back(std::make_unique<Boxes>(table, *rows_.back()));
  }
  units_.resize(count());
  for (int h = 0; h < count(); ++h)
    for (std::int64_t row = p_.first[h]; row < p_.first[h + 1]; ++row)
      units_[h] += full(p_.table_of[static_cast<std::size_t>(row)]);
  forest_ = std::any_of(p_.parent.begin(), p_.parent.end(), [](std::int32_t parent) { return parent >= 0; });
  sort();
  if (!forest_ && tables() == 1) find_constant();
  for (int t = 0; t < tables(); ++t) {
    varying_.emplace_back();
    for (int a = 0; a < attributes(t); ++a)
      if (std::find(constant_.begin(), constant_.end(), a) == constant_.end()) varying_[t].push_back(a);
  }
}

void People::find_constant() {
  for (int a = 0; a < attributes(0); ++a) {
    bool same = true;
    for (int h = 0; h < count() && same; ++h)
      for (const std::int32_t row : rows(h)) same = same && code(row, a) == code(rows(h).front(), a);
    if (same) constant_.push_back(a);
  }
}

void People::sort() {
  order_.resize(p_.row_of.size());
  std::iota(order_.begin(), order_.end(), 0);
  if (forest_) roots_.resize(count()), below_.assign(order_.size(), 0), below_end_.assign(order_.size(), 0);
  for (int h = 0; h < count(); ++h) {
    const auto first = static_cast<std::int32_t>(p_.first[h]);
    const auto less = [&](std::int32_t x, std::int32_t y) {
      if (p_.parent[x] != p_.parent[y]) return p_.parent[x] < p_.parent[y];
      if (table(x) != table(y)) return table(x) < table(y);
      if (!p_.ordered && distinct(x) != distinct(y))
        for (const int a : p_.sort_by[table(x)])
          if (code(x, a) != code(y, a)) return code(x, a) < code(y, a);
      return x < y;
    };
    const auto begin = order_.begin() + first, end = order_.begin() + p_.first[h + 1];
    std::sort(begin, end, less);
    if (!forest_) continue;
    roots_[h] = p_.first[h + 1];
    for (auto at = begin; at != end;) {
      const std::int32_t parent = p_.parent[*at];
      auto last = at;
      while (last != end && p_.parent[*last] == parent) ++last;
      if (parent < 0) roots_[h] = last - order_.begin();
      else below_[first + parent] = at - order_.begin(), below_end_[first + parent] = last - order_.begin();
      at = last;
    }
  }
}

}  // namespace shoal
