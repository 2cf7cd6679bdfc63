#include "checker/cut_nested.h"

#include <algorithm>

namespace shoal_checker {

CutNested::CutNested(const CutTable& table, const Spans& spans, const State& state)
    : t_(table), count_(spans.count), all_(spans.count, 0), attributes_(table.others.size()) {
  const Problem& p = t_.problem;
  for (std::size_t a = 0; a < attributes_.size(); ++a) {
    Attribute& own = attributes_[a];
    const int size = p.sizes[t_.others[a]];
    const auto& losses = p.losses[t_.others[a]];
    own.end_of.assign(size + 1, -1);
    for (int code = 0; code <= size; ++code) {
      const bool outer = code == 0 || code == size;
      const Mark mark = outer ? Mark::in : state[t_.first_cut[a] + code - 1];
      if (mark == Mark::out) continue;
      own.end_of[code] = static_cast<int>(own.ends.size());
      own.ends.push_back(code);
      own.fixed.push_back(mark == Mark::in);
    }
    own.usable.assign(own.ends.size(), 1);
    own.pair.assign(own.ends.size(), std::vector<int>(own.ends.size(), -1));
    for (std::size_t c = 0; c < own.ends.size(); ++c)
      for (std::size_t d = c + 1; d < own.ends.size(); ++d) {
        own.pair[c][d] = static_cast<int>(own.loss.size());
        own.loss.push_back(losses[static_cast<std::size_t>(own.ends[c]) * size + own.ends[d] - 1]);
        if (own.fixed[d]) break;
      }
    own.kept.assign(own.loss.size(), std::vector<Number>(count_, 0));
    own.rows = own.kept;
  }
  // What a row saves that loses nothing but its label on the axis is shared out evenly.
  const auto others = static_cast<Number>(attributes_.size());
  for (Attribute& own : attributes_) own.share.resize(count_);
  spans.each([&](int a, int b, int i) {
    const Number saved = p.row_units - t_.axis_units[static_cast<std::size_t>(a) * t_.length + b - 1];
    for (Attribute& own : attributes_) own.share[i] = saved / others;
    if (others > 0) attributes_.front().share[i] += saved % others;
  });
}

void CutNested::count(const Spans& spans, const Pieces& groups, int group, const Count* histogram,
                      const std::vector<char>& bad) {
  const Number k = t_.problem.k;
  std::vector<Count> sums;
  for (std::size_t a = 0; a < attributes_.size(); ++a) {
    Attribute& own = attributes_[a];
    // Histograms up to each end.
    sums.assign(own.ends.size() * t_.stride, 0);
    const int begin = groups.first[group], end = groups.first[group + 1];
    int low = static_cast<int>(own.ends.size()), high = 0;
    for (int c = begin; c < end; ++c) {
      const int code = t_.code(groups.columns[c], static_cast<int>(a));
      const int e = static_cast<int>(std::upper_bound(own.ends.begin(), own.ends.end(), code) - own.ends.begin());
      t_.add(groups.columns[c], sums.data() + static_cast<std::size_t>(e) * t_.stride);
      low = std::min(low, e - 1);
      high = std::max(high, e);
    }
    for (std::size_t e = 0; e < own.ends.size(); ++e) {
      Count* here = sums.data() + e * t_.stride;
      for (int i = 1; i < t_.stride; ++i) here[i] += here[i - 1];
      for (int i = 0; e > 0 && i < t_.stride; ++i) here[i] += here[i - t_.stride];
    }
    while (low > 0 && !own.fixed[low]) --low;
    while (!own.fixed[high]) ++high;
    for (int c = low; c < high; ++c)
      for (int d = c + 1; d <= high; ++d) {
        const Count *from = sums.data() + static_cast<std::size_t>(c) * t_.stride,
                    *to = sums.data() + static_cast<std::size_t>(d) * t_.stride;
        if (to[t_.length] == from[t_.length]) continue;
        Number *kept = own.kept[own.pair[c][d]].data(), *rows = own.rows[own.pair[c][d]].data();
        spans.each([&](int x, int y, int i) {
          const Number n = (to[y] - to[x]) - (from[y] - from[x]);
          rows[i] += n;
          if (n >= k && !bad[i]) kept[i] += n;
        });
      }
  }
  spans.each([&](int x, int y, int i) { all_[i] += histogram[y] - histogram[x]; });
}

void CutNested::evaluate(const State& state, const std::vector<Number>& suppressed) {
  values_.cost.assign(count_, 0);
  values_.suppressed = suppressed;
  for (int i = 0; i < count_; ++i) values_.cost[i] = attributes_.empty() ? 0 : t_.problem.row_units * all_[i];
  for (std::size_t a = 0; a < attributes_.size(); ++a) {
    Attribute& own = attributes_[a];
    for (std::size_t e = 1; e + 1 < own.ends.size(); ++e)
      own.usable[e] = state[t_.first_cut[a] + own.ends[e] - 1] != Mark::out;
    find_paths(own);
    for (int i = 0; i < count_; ++i) {
      const Number gain = own.left.back()[i];
      values_.cost[i] -= std::max<Number>(gain, 0);
      values_.suppressed[i] = gain < 0 ? kNone : std::max(values_.suppressed[i], all_[i] - own.most_left.back()[i]);
    }
  }
  for (int i = 0; i < count_; ++i)
    values_.cost[i] = values_.suppressed[i] > t_.problem.limit ? kNone : std::max<Number>(values_.cost[i], 0);
}

// Longest paths over the ends, for all intervals of the axis at once.
void CutNested::find_paths(Attribute& own) {
  const int ends = static_cast<int>(own.ends.size());
  own.left.assign(ends, std::vector<Number>(count_, -1));
  own.right = own.most_left = own.left;
  std::fill(own.left[0].begin(), own.left[0].end(), 0);
  std::fill(own.most_left[0].begin(), own.most_left[0].end(), 0);
  std::fill(own.right[ends - 1].begin(), own.right[ends - 1].end(), 0);
  for (int d = 1; d < ends; ++d)
    for (int c = 0; own.usable[d] && c < d; ++c) {
      const int pair = own.pair[c][d];
      if (pair < 0 || !own.usable[c]) continue;
      for (int i = 0; i < count_; ++i) {
        if (own.left[c][i] < 0 || !allowed(own, pair, i)) continue;
        own.left[d][i] = std::max(own.left[d][i], own.left[c][i] + saved(own, pair, i));
        own.most_left[d][i] = std::max(own.most_left[d][i], own.most_left[c][i] + own.kept[pair][i]);
      }
    }
  for (int c = ends - 2; c >= 0; --c)
    for (int d = c + 1; own.usable[c] && d < ends; ++d) {
      const int pair = own.pair[c][d];
      if (pair < 0 || !own.usable[d]) continue;
      for (int i = 0; i < count_; ++i)
        if (own.right[d][i] >= 0 && allowed(own, pair, i))
          own.right[c][i] = std::max(own.right[c][i], own.right[d][i] + saved(own, pair, i));
    }
}

void CutNested::with(int cut, Values& found) const {
  const Attribute& own = attributes_[t_.attribute_of[cut]];
  const int e = own.end_of[t_.code_of(cut)];
  std::vector<Number> gain(count_);
  for (int i = 0; i < count_; ++i)
    gain[i] = own.left[e][i] < 0 || own.right[e][i] < 0 ? -1 : own.left[e][i] + own.right[e][i];
  replace_gain(own, gain, found);
}

void CutNested::without(int cut, Values& found) const {
  const Attribute& own = attributes_[t_.attribute_of[cut]];
  const int e = own.end_of[t_.code_of(cut)], ends = static_cast<int>(own.ends.size());
  std::vector<Number> gain(count_, -1);
  for (int c = 0; c < e; ++c)
    for (int d = e + 1; d < ends; ++d) {
      const int pair = own.pair[c][d];
      if (pair < 0 || !own.usable[c] || !own.usable[d]) continue;
      for (int i = 0; i < count_; ++i)
        if (own.left[c][i] >= 0 && own.right[d][i] >= 0 && allowed(own, pair, i))
          gain[i] = std::max(gain[i], own.left[c][i] + saved(own, pair, i) + own.right[d][i]);
    }
  replace_gain(own, gain, found);
}

void CutNested::replace_gain(const Attribute& own, const std::vector<Number>& gain, Values& found) const {
  found = values_;
  for (int i = 0; i < count_; ++i) {
    if (found.cost[i] >= kNone) continue;
    found.cost[i] = gain[i] < 0 ? kNone : found.cost[i] + own.left.back()[i] - gain[i];
  }
}

}  // namespace shoal_checker
