#include "core/rows/local_box.h"

namespace shoal {

void Boxes::without(std::span<const int> rows, std::vector<Cost>& prices) const {
  prices.assign(rows.size(), 0);
  for (int a = 0; a < rows_.attributes(); ++a) {
    if (columns_[a].kind == Kind::node) without_node(rows, a, prices);
    else if (columns_[a].kind == Kind::interval) without_end(rows, a, prices);
    else without_value(rows, a, prices);
  }
}

// The rows before one and those after it meet somewhere.
void Boxes::without_node(std::span<const int> rows, int a, std::vector<Cost>& prices) const {
  const std::size_t count = rows.size();
  const int first = rows_.code(rows.front(), a), last = rows_.code(rows.back(), a);
  std::vector<int> after(count + 1, p_.low[a]);  // per row the level on which it and those after it meet
  for (std::size_t i = count; i-- > 0;) after[i] = rows_.meet(a, after[i + 1], last, rows_.code(rows[i], a));
  int before = p_.low[a];
  for (std::size_t i = 0; i < count; ++i) {
    const int like = i == 0 ? last : first;
    int level = i == 0 ? after[1] : before;
    if (i > 0 && i + 1 < count) level = rows_.meet(a, std::max(before, after[i + 1]), first, last);
    prices[i] += rows_.units(a, level, like);
    before = rows_.meet(a, before, first, rows_.code(rows[i], a));
  }
}

// A value that only one row has goes with it.
void Boxes::without_value(std::span<const int> rows, int a, std::vector<Cost>& prices) const {
  std::vector<std::int32_t> codes;
  codes.reserve(rows.size());
  for (const int row : rows) codes.push_back(rows_.code(row, a));
  std::vector<std::int32_t> sorted = codes;
  std::sort(sorted.begin(), sorted.end());
  std::size_t values = 0;
  std::vector<std::int32_t> once;
  for (std::size_t begin = 0, end; begin < sorted.size(); begin = end, ++values) {
    for (end = begin; end < sorted.size() && sorted[end] == sorted[begin];) ++end;
    if (end == begin + 1) once.push_back(sorted[begin]);
  }
  const auto& of_count = columns_[a].span->of_count;
  for (std::size_t i = 0; i < rows.size(); ++i)
    prices[i] += of_count[values - std::binary_search(once.begin(), once.end(), codes[i])];
}

// An end of the interval that only one row has goes with it, and the second takes its place.
void Boxes::without_end(std::span<const int> rows, int a, std::vector<Cost>& prices) const {
  const LocalSpan& span = *columns_[a].span;
  std::int32_t low = kNothing, second_low = kNothing, high = -1, second_high = -1, missing = 0;
  for (const int row : rows) {  // the second end equals the first if two rows have it
    const int code = rows_.code(row, a);
    if (code == span.missing) {
      ++missing;
      continue;
    }
    if (code <= low) second_low = low, low = code;
    else second_low = std::min(second_low, code);
    if (code >= high) second_high = high, high = code;
    else second_high = std::max(second_high, code);
  }
  const Cost whole = interval_price(span, low, high, missing > 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int code = rows_.code(rows[i], a);
    if (code == span.missing) prices[i] += missing > 1 ? whole : interval_price(span, low, high, false);
    else if (code != low && code != high) prices[i] += whole;
    else
      prices[i] += interval_price(span, code == low ? second_low : low, code == high ? second_high : high, missing > 0);
  }
}

}  // namespace shoal
