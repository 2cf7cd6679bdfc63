// kernels.h - inner loops; of the exact search: one row of axis intervals [a, b), a fixed, b in low .. high.
//
// Histograms over the axis are prefix sums, so an interval's count is one subtraction. All arrays are indexed
// by b. On x86-64 with glibc each loop is compiled twice and the processor chooses when the library is loaded;
// with AVX2 whole searches on Adult run 1.2 to 1.4 times as fast.
#pragma once

#include <cstddef>

#include "core/base/problem.h"

namespace shoal::kernels {

struct Row {
  int a, low, high;
};

// Rows below k and squares of groups of at least k rows (DM).
void head_squares(Row row, const Count* group, Count k, Count* suppressed, Cost* exact);

// Rows below k, and what groups of at least k rows lose at `loss` a row (general loss).
void head_losses(Row row, const Count* group, Count k, Cost loss, Count* suppressed, Cost* exact);

// A cell of n > k rows costs n * (n - k) more than k per row.
void cell_squares(Row row, const Count* cell, Count k, Cost* bound);
// The same for the union of two cells, less what the two contribute already.
void union_squares(Row row, const Count* one, const Count* two, Count k, Cost* bound);

// Rows that a split of `group` into `left` and the rest newly suppresses. Returns whether some interval has
// at least k rows on both sides.
bool split_squares(Row row, const Count* group, const Count* left, Count k, Count* delta);

// CM with two labels, the common case.
struct TwoLabels {
  const Count *x, *y;
};
// Rows below k, minorities of groups of at least k rows, and those of closed groups.
void head_labels(Row row, TwoLabels group, Count k, Count* suppressed, Cost* exact, Cost* closed_cost);
// Minority of a cell, where its group is still open.
void cell_labels(Row row, TwoLabels group, TwoLabels cell, Count k, Cost* bound);
// The same for the union of two cells, less what the two contribute already.
void union_labels(Row row, TwoLabels group, TwoLabels one, TwoLabels two, Count k, Cost* bound);
// What a split of `group` into `left` and the rest adds to the bound, and the rows it newly suppresses.
// Returns whether some interval has at least k rows on both sides.
bool split_labels(Row row, TwoLabels group, TwoLabels left, Count k, Count* delta, Count* rows);

// Rows in each interval and those of the most frequent label, any number of labels.
void sizes(Row row, const Count* histogram, int labels, int stride, Count* n, Count* most);

// Rows of the intervals in which a histogram has at least k: they are added to `kept`. Per row of intervals its entries
// low .. high and where they lie, and, if `reach` is given, the first end that counts.
struct Rows {
  int count;
  const int *low, *high, *offset;
};
void keep_pieces(const Rows& rows, const Count* histogram, int last, Count k, const int* reach, Count* kept);
// A path goes on: to = max(to, from + kept * (most - loss)), entry by entry. A row that would save less than nothing is
// not released; where kept is below 0 there is no way on.
void extend(int count, const Count* kept, const Cost* most, Cost loss, const Cost* from, Cost* to);
// The same, with the rows that are released along the way.
struct Path {
  Cost* saved;
  Count* rows;
};
void extend_rows(int count, const Count* kept, const Cost* most, Cost loss, Path from, Path to);
// The first with what follows: to = max(to, from + kept * (most - loss) + after).
void extend_through(int count, const Count* kept, const Cost* most, Cost loss, const Cost* from, const Cost* after,
                    Cost* to);

// Groups of at least k rows and their squares; rows of the others.
struct SizeSums {
  Count groups = 0, suppressed = 0;
  Cost squares = 0;
};
SizeSums size_sums(const Count* sizes, std::size_t count, Count k);

// CM: a group of n rows, `most` of one label, costs its minority however it is split further. Fewer than 2k
// rows leave one released piece; and a piece with another majority has at least k rows of which at most the
// minority is right, so it pays only if twice the minority exceeds k. Proof: docs/algorithms/exact.md.
inline bool closed(Count n, Count most, Count k) { return (n < 2 * k) | (2 * (n - most) <= k); }

// CM: what a split adds to the bound. The sides of a closed group are closed, so both values are exact. In an
// open group the cells of a side contributed at most its minority: suppressing it adds at least its majority.
inline Count split_cost(Count n, Count most, Count n1, Count most1, Count n2, Count most2, Count k) {
  const Count one = n1 < k ? n1 : n1 - most1, two = n2 < k ? n2 : n2 - most2;
  const Count exact = one + two - (n - most), least = (n1 < k ? most1 : 0) + (n2 < k ? most2 : 0);
  return n < k ? 0 : closed(n, most, k) ? exact : least;
}

}  // namespace shoal::kernels
