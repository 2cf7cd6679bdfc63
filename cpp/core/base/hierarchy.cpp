#include "core/base/hierarchy.h"

#include <algorithm>
#include <stdexcept>

namespace shoal {
namespace {

void check(const std::vector<std::vector<std::int32_t>>& levels) {
  if (levels.empty() || levels.front().empty()) throw std::invalid_argument("a hierarchy has no values");
  const std::size_t size = levels.front().size();
  for (std::size_t l = 0; l < levels.size(); ++l) {
    if (levels[l].size() != size) throw std::invalid_argument("the levels of a hierarchy differ in length");
    for (std::size_t code = 0; code < size; ++code) {
      const int step = levels[l][code] - (code > 0 ? levels[l][code - 1] : 0);
      if (step < 0 || step > (code > 0))
        throw std::invalid_argument("parts are not numbered in the order of the codes");
      if (l == 0 && code > 0 && step == 0) throw std::invalid_argument("level 0 joins values");
      if (l > 0 && step == 1 && levels[l - 1][code] == levels[l - 1][code - 1])
        throw std::invalid_argument("a level splits a part of the level below");
    }
  }
  if (levels.back().back() != 0) throw std::invalid_argument("the last level has more than one part");
}

}  // namespace

Hierarchy::Hierarchy(const std::vector<std::vector<std::int32_t>>& levels) {
  check(levels);
  const int values = static_cast<int>(levels.front().size());
  for (const auto& level : levels)
    for (int code = 0; code < values; ++code) {
      if (code == 0 || level[code] != level[code - 1]) parts.push_back({code, code, -1, {}});
      parts.back().end = code + 1;
    }
  // Nested intervals in the order of their ends, the smaller of two first: children before parents.
  const auto key = [](const Part& part) { return std::pair(part.end, -part.begin); };
  std::sort(parts.begin(), parts.end(), [&](const Part& x, const Part& y) { return key(x) < key(y); });
  const auto same = [&](const Part& x, const Part& y) { return key(x) == key(y); };
  parts.erase(std::unique(parts.begin(), parts.end(), same), parts.end());

  value.resize(values);
  owner.assign(values, -1);
  std::vector<std::int32_t> waiting;  // parts that still lack a parent, by their codes
  for (int i = 0; i < count(); ++i) {
    Part& part = parts[i];
    if (part.end - part.begin == 1) value[part.begin] = i;
    const auto first = std::lower_bound(waiting.begin(), waiting.end(), part.begin,
                                        [&](int w, int begin) { return parts[w].begin < begin; });
    for (auto child = first; child != waiting.end(); ++child) {
      parts[*child].parent = i;
      if (child == first) continue;
      part.cuts.push_back(parts[*child].begin);
      owner[parts[*child].begin] = i;
    }
    waiting.erase(first, waiting.end());
    waiting.push_back(i);
  }

  by_begin_.resize(parts.size());
  for (int i = 0; i < count(); ++i) by_begin_[i] = i;
  std::stable_sort(by_begin_.begin(), by_begin_.end(), [&](int x, int y) { return parts[x].begin < parts[y].begin; });
  first_at_.assign(values + 1, 0);
  for (const Part& part : parts) ++first_at_[part.begin + 1];
  for (int code = 0; code < values; ++code) first_at_[code + 1] += first_at_[code];
}

bool Hierarchy::opens(std::span<const std::int32_t> cuts) const {
  const auto has = [&](std::int32_t cut) { return std::binary_search(cuts.begin(), cuts.end(), cut); };
  return std::all_of(cuts.begin(), cuts.end(), [&](std::int32_t cut) {
    const Part& part = parts[owner[cut]];
    return std::all_of(part.cuts.begin(), part.cuts.end(), has) &&
           (part.parent < 0 || has(parts[part.parent].cuts.front()));
  });
}

}  // namespace shoal
