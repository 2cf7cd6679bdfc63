#include "core/rows/local_candidates.h"

#include <algorithm>

namespace shoal {

// The attribute along which rows are far, there the value that most of them have, or the one amidst them.
Branching::Value Branching::choose(const Candidates& near) const {
  const int attributes = rows_.attributes();
  std::vector<Cost> far(attributes, 0);
  for (std::size_t i = 0; i < near.rows.size(); ++i)
    for (int a = 0; a < attributes; ++a) far[a] += near.parts[i * attributes + a];
  const auto farthest = std::max_element(far.begin(), far.end());
  if (farthest == far.end() || *farthest == 0) return {};
  const int a = static_cast<int>(farthest - far.begin());
  std::vector<int> codes;
  for (std::size_t i = 0; i < near.rows.size(); ++i)
    if (near.parts[i * attributes + a] > 0) codes.push_back(rows_.code(near.rows[i], a));
  std::sort(codes.begin(), codes.end());
  Value best{a, codes[codes.size() / 2]};
  if (boxes_.by_interval(a)) return best;
  std::size_t count = 0;
  for (std::size_t begin = 0, end; begin < codes.size(); begin = end) {
    for (end = begin; end < codes.size() && codes[end] == codes[begin];) ++end;
    if (end - begin > count) count = end - begin, best.code = codes[begin];
  }
  return best;
}

void Branching::grow(const Box& box, int a, Candidates& near) const {
  const int attributes = rows_.attributes();
  for (std::size_t i = 0; i < near.rows.size(); ++i) {
    Cost& part = near.parts[i * attributes + a];
    if (part == 0) continue;
    near.growth[i] -= part;
    part = boxes_.dearer(box, a, rows_.code(near.rows[i], a));
    near.growth[i] += part;
  }
}

void Branching::leave_out(const Box& box, const Value& value, Candidates& near) const {
  const int attributes = rows_.attributes(), a = value.attribute;
  near.keep_if(attributes, [&](std::size_t i) {
    return near.parts[i * attributes + a] <= 0 || !boxes_.implies(box, a, rows_.code(near.rows[i], a), value.code);
  });
}

}  // namespace shoal
