#include "core/cuts/projection.h"

#include <algorithm>
#include <numeric>

namespace shoal {

Projection::Projection(const Problem& p, int chosen, const Hierarchy* allowed)
    : problem(p), axis(chosen), parts(allowed), length(p.sizes[chosen]), stride((parts ? parts->count() : length) + 1) {
  for (int a = 0; a < p.attributes; ++a)
    if (a != axis) attributes.push_back(a);
  around.assign(stride, 0);
  for (int i = 1; parts && i < stride; ++i) around[i] = parts->parts[i - 1].parent + 1;

  std::vector<int> order(p.distinct());
  std::iota(order.begin(), order.end(), 0);
  auto compare = [&](int x, int y) {
    for (int a : attributes)
      if (p.code(x, a) != p.code(y, a)) return p.code(x, a) < p.code(y, a) ? -1 : 1;
    return 0;
  };
  std::sort(order.begin(), order.end(), [&](int x, int y) {
    const int sign = compare(x, y);
    return sign ? sign < 0 : p.code(x, axis) < p.code(y, axis);
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || compare(order[i - 1], order[i])) {
      first.push_back(static_cast<std::int32_t>(i));
      for (int a : attributes) codes.push_back(p.code(order[i], a));
    }
    const int code = p.code(order[i], axis);
    positions.push_back((parts ? parts->value[code] : code) + 1);
    rows.push_back(order[i]);
    for (int label = 0; label < p.labels; ++label) counts.push_back(p.count(order[i], label));
  }
  first.push_back(static_cast<std::int32_t>(order.size()));

  for (std::size_t a = 0; a < attributes.size(); ++a) {
    first_cut.push_back(static_cast<std::int32_t>(alphabet.size()));
    for (int code = 1; code < size(static_cast<int>(a)); ++code)
      alphabet.push_back({static_cast<std::int32_t>(a), code});
  }
}

}  // namespace shoal
