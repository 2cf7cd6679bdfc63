#include "core/histories/assignment.h"

namespace shoal {

Cost best_assignment(const std::vector<Cost>& values, std::size_t first, std::size_t second,
                     std::vector<std::pair<int, int>>* pairs, Cost least_sum) {
  const bool turned = first > second;
  const std::size_t n = turned ? second : first, m = turned ? first : second;
  const auto cost = [&](std::size_t i, std::size_t j) { return -values[turned ? j * second + i : i * second + j]; };
  // Most often the best of each are different ones.
  thread_local std::vector<std::size_t> best, taken;
  best.assign(n, 0);
  taken.assign(m, 0);
  bool apart = true;
  Cost all = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 1; j < m; ++j)
      if (cost(i, j) < cost(i, best[i]) || (cost(i, j) == cost(i, best[i]) && taken[best[i]])) best[i] = j;
    apart = apart && !taken[best[i]]++;
    all -= cost(i, best[i]);
  }
  if (apart) {
    for (std::size_t i = 0; pairs && i < n; ++i) {
      const int x = static_cast<int>(i), y = static_cast<int>(best[i]);
      pairs->push_back(turned ? std::pair{y, x} : std::pair{x, y});
    }
    return all;
  }
  if (!pairs && all < least_sum) return all;
  // Potentials of both sides; index 0 is nobody.
  thread_local std::vector<Cost> u, v, least;
  thread_local std::vector<std::size_t> of, way;
  thread_local std::vector<char> used;
  u.assign(n + 1, 0), v.assign(m + 1, 0), of.assign(m + 1, 0), way.assign(m + 1, 0);
  for (std::size_t i = 1; i <= n; ++i) {
    of[0] = i;
    std::size_t column = 0;
    least.assign(m + 1, INT64_MAX);
    used.assign(m + 1, 0);
    do {
      used[column] = 1;
      const std::size_t row = of[column];
      Cost delta = INT64_MAX;
      std::size_t next = 0;
      for (std::size_t j = 1; j <= m; ++j) {
        if (used[j]) continue;
        if (const Cost reduced = cost(row - 1, j - 1) - u[row] - v[j]; reduced < least[j])
          least[j] = reduced, way[j] = column;
        if (least[j] < delta) delta = least[j], next = j;
      }
      for (std::size_t j = 0; j <= m; ++j) {
        if (used[j]) u[of[j]] += delta, v[j] -= delta;
        else if (j > 0) least[j] -= delta;
      }
      column = next;
    } while (of[column] != 0);
    for (; column != 0; column = way[column]) of[column] = of[way[column]];
  }
  Cost sum = 0;
  for (std::size_t j = 1; j <= m; ++j) {
    if (of[j] == 0) continue;
    sum -= cost(of[j] - 1, j - 1);
    const int x = static_cast<int>(of[j] - 1), y = static_cast<int>(j - 1);
    if (pairs) pairs->push_back(turned ? std::pair{y, x} : std::pair{x, y});
  }
  return sum;
}

}  // namespace shoal
