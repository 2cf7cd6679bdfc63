#include "core/base/kernels.h"

#include <algorithm>

// The choice at load time needs glibc's resolvers (musl has none), and those run before sanitizers are ready.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(SHOAL_ONE_TARGET)
#define SHOAL_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define SHOAL_CLONES
#endif

namespace shoal::kernels {

SHOAL_CLONES void head_squares(Row row, const Count* group, Count k, Count* suppressed, Cost* exact) {
  const Count from = group[row.a];
  for (int b = row.low; b < row.high; ++b) {
    const Count n = group[b] - from;
    suppressed[b] += n < k ? n : 0;
    exact[b] += n < k ? 0 : Cost{n} * n;
  }
}

SHOAL_CLONES void head_losses(Row row, const Count* group, Count k, Cost loss, Count* suppressed, Cost* exact) {
  const Count from = group[row.a];
  for (int b = row.low; b < row.high; ++b) {
    const Count n = group[b] - from;
    suppressed[b] += n < k ? n : 0;
    exact[b] += (n < k ? 0 : n) * loss;
  }
}

SHOAL_CLONES void cell_squares(Row row, const Count* cell, Count k, Cost* bound) {
  const Count from = cell[row.a];
  for (int b = row.low; b < row.high; ++b) {
    const Count n = cell[b] - from;
    bound[b] += Cost{n} * std::max(n - k, 0);
  }
}

SHOAL_CLONES void union_squares(Row row, const Count* one, const Count* two, Count k, Cost* bound) {
  const Count from1 = one[row.a], from2 = two[row.a];
  for (int b = row.low; b < row.high; ++b) {
    const Count n1 = one[b] - from1, n2 = two[b] - from2, n = n1 + n2;
    bound[b] += Cost{n} * std::max(n - k, 0) - Cost{n1} * std::max(n1 - k, 0) - Cost{n2} * std::max(n2 - k, 0);
  }
}

SHOAL_CLONES bool split_squares(Row row, const Count* group, const Count* left, Count k, Count* delta) {
  const Count from = group[row.a], from1 = left[row.a];
  int both = 0;
  for (int b = row.low; b < row.high; ++b) {
    const Count n = group[b] - from, n1 = left[b] - from1, n2 = n - n1;
    const Count lost = (n1 < k ? n1 : 0) + (n2 < k ? n2 : 0);
    delta[b] += n < k ? 0 : lost;
    both |= (n1 >= k) & (n2 >= k);
  }
  return both != 0;
}

SHOAL_CLONES void head_labels(Row row, TwoLabels group, Count k, Count* suppressed, Cost* exact, Cost* closed_cost) {
  const Count x0 = group.x[row.a], y0 = group.y[row.a];
  for (int b = row.low; b < row.high; ++b) {
    const Count x = group.x[b] - x0, y = group.y[b] - y0, n = x + y, most = std::max(x, y);
    const Count minority = n < k ? 0 : n - most;
    suppressed[b] += n < k ? n : 0;
    exact[b] += minority;
    closed_cost[b] += closed(n, most, k) ? minority : 0;
  }
}

SHOAL_CLONES void cell_labels(Row row, TwoLabels group, TwoLabels cell, Count k, Cost* bound) {
  const int a = row.a;
  const Count x0 = group.x[a], y0 = group.y[a], x10 = cell.x[a], y10 = cell.y[a];
  for (int b = row.low; b < row.high; ++b) {
    const Count x = group.x[b] - x0, y = group.y[b] - y0;
    const Count minority = std::min(cell.x[b] - x10, cell.y[b] - y10);
    bound[b] += closed(x + y, std::max(x, y), k) ? 0 : minority;
  }
}

SHOAL_CLONES bool split_labels(Row row, TwoLabels group, TwoLabels left, Count k, Count* delta, Count* rows) {
  const int a = row.a;
  const Count x0 = group.x[a], y0 = group.y[a], x10 = left.x[a], y10 = left.y[a];
  int both = 0;
  for (int b = row.low; b < row.high; ++b) {
    const Count x = group.x[b] - x0, y = group.y[b] - y0, x1 = left.x[b] - x10, y1 = left.y[b] - y10;
    const Count n = x + y, n1 = x1 + y1, n2 = n - n1;
    delta[b] += split_cost(n, std::max(x, y), n1, std::max(x1, y1), n2, std::max(x - x1, y - y1), k);
    both |= (n1 >= k) & (n2 >= k);
  }
  if (rows)
    for (int b = row.low; b < row.high; ++b) {
      const Count n = group.x[b] - x0 + group.y[b] - y0, n1 = left.x[b] - x10 + left.y[b] - y10, n2 = n - n1;
      const Count lost = (n1 < k ? n1 : 0) + (n2 < k ? n2 : 0);
      rows[b] += n < k ? 0 : lost;
    }
  return both != 0;
}

SHOAL_CLONES void union_labels(Row row, TwoLabels group, TwoLabels one, TwoLabels two, Count k, Cost* bound) {
  const int a = row.a;
  const Count x0 = group.x[a], y0 = group.y[a], x10 = one.x[a], y10 = one.y[a], x20 = two.x[a], y20 = two.y[a];
  for (int b = row.low; b < row.high; ++b) {
    const Count x1 = one.x[b] - x10, y1 = one.y[b] - y10, x2 = two.x[b] - x20, y2 = two.y[b] - y20;
    const Count more = std::min(x1 + x2, y1 + y2) - std::min(x1, y1) - std::min(x2, y2);
    const Count x = group.x[b] - x0, y = group.y[b] - y0;
    bound[b] += closed(x + y, std::max(x, y), k) ? 0 : more;
  }
}

SHOAL_CLONES void sizes(Row row, const Count* histogram, int labels, int stride, Count* n, Count* most) {
  const Count from = histogram[row.a];
  for (int b = row.low; b < row.high; ++b) n[b] = most[b] = histogram[b] - from;
  for (int label = 1; label < labels; ++label) {
    const Count* h = histogram + label * stride;
    const Count start = h[row.a];
    for (int b = row.low; b < row.high; ++b) {
      const Count x = h[b] - start;
      n[b] += x;
      most[b] = std::max(most[b], x);
    }
  }
}

// Prefix sums never fall, so for each begin the intervals with k rows are those from some end on, which never falls either.
SHOAL_CLONES void keep_pieces(const Rows& rows, const Count* histogram, int last, Count k, const int* reach,
                              Count* kept) {
  int end = 0;
  for (int a = 0; a < rows.count; ++a) {
    const Count from = histogram[a], least = from + k;
    if (histogram[last] < least) return;
    while (histogram[end] < least) ++end;
    const int high = rows.high[a];
    Count* to = kept + rows.offset[a];
    for (int b = std::max({end, rows.low[a], reach ? reach[a] : 0}); b < high; ++b) to[b] += histogram[b] - from;
  }
}

SHOAL_CLONES void extend(int count, const Count* kept, const Cost* most, Cost loss, const Cost* from, Cost* to) {
  for (int i = 0; i < count; ++i) {
    const Cost sum = from[i] + kept[i] * (most[i] > loss ? most[i] - loss : 0);
    to[i] = kept[i] >= 0 && sum > to[i] ? sum : to[i];
  }
}

SHOAL_CLONES void extend_rows(int count, const Count* kept, const Cost* most, Cost loss, Path from, Path to) {
  for (int i = 0; i < count; ++i) {
    const bool pays = most[i] > loss;
    const Cost sum = from.saved[i] + kept[i] * (pays ? most[i] - loss : 0);
    const Count rows = from.rows[i] + (pays ? kept[i] : 0);
    const bool better = kept[i] >= 0 && sum > to.saved[i];
    to.saved[i] = better ? sum : to.saved[i];
    to.rows[i] = better ? rows : to.rows[i];
  }
}

SHOAL_CLONES void extend_through(int count, const Count* kept, const Cost* most, Cost loss, const Cost* from,
                                 const Cost* after, Cost* to) {
  for (int i = 0; i < count; ++i) {
    const Cost sum = from[i] + kept[i] * (most[i] > loss ? most[i] - loss : 0) + after[i];
    to[i] = kept[i] >= 0 && sum > to[i] ? sum : to[i];
  }
}

SHOAL_CLONES SizeSums size_sums(const Count* sizes, std::size_t count, Count k) {
  SizeSums sums;
  for (std::size_t g = 0; g < count; ++g) {
    const Count kept = sizes[g] >= k ? sizes[g] : 0;
    sums.groups += sizes[g] >= k;
    sums.suppressed += sizes[g] - kept;
    sums.squares += Cost{kept} * kept;
  }
  return sums;
}

}  // namespace shoal::kernels
