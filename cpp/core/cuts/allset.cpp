#include "core/cuts/allset.h"

#include <algorithm>
#include <functional>

namespace shoal {

template <Metric M>
Allset<M>::Allset(const Projection& projection, const HeadGroups& groups, const HeadJudge* judge)
    : pr_(projection), p_(projection.problem), groups_(groups), judge_(judge), stride_(projection.stride),
      members_(projection.attributes.size()), names_(projection.attributes.size()), next_(projection.columns()) {
  for (auto* histogram : {&one_, &two_, &both_}) histogram->resize(groups.block());
  apart_.resize(stride_);
  for (auto* sizes : {&group_n_, &group_m_, &n1_, &m1_, &n2_, &m2_, &n_, &m_}) sizes->resize(stride_);
}

template <Metric M>
void Allset<M>::load(const CutSet& head, const std::vector<int>& tail, const Spans& spans, std::vector<Cost>& bound) {
  intervals_.set(pr_, head, tail);
  cells_.clear();
  index_.clear(pr_.columns());
  for (std::size_t a = 0; a < members_.size(); ++a) {
    const int size = pr_.size(static_cast<int>(a));
    members_[a].resize(size);
    names_[a].resize(size);
    for (int code = 0; code < size; ++code) members_[a][code].clear(), names_[a][code] = code;
  }
  for (int c = 0; c < pr_.columns(); ++c) {
    const std::uint64_t key = groups_.key(c, intervals_);
    const int id = index_.find(key, [&](int known) { return groups_.alike(c, cells_[known].first, intervals_); });
    next_[c] = -1;
    if (id >= 0) {
      append(cells_[id], c, c, groups_.column_size(c));
      continue;
    }
    const int fresh = static_cast<int>(cells_.size());
    index_.add(key, fresh);
    for (std::size_t a = 0; a < members_.size(); ++a)
      members_[a][intervals_.first[a][pr_.code(c, static_cast<int>(a))]].push_back(fresh);
    const Cost loss = M == Metric::general_loss ? groups_.loss(c, intervals_) : 0;
    cells_.push_back({key, loss, c, c, groups_.group_of(c), groups_.column_size(c), true});
  }
  for (const Cell& cell : cells_) add_cell(cell, spans, bound);
}

template <Metric M>
void Allset<M>::remove(int cut, const Spans& spans, std::vector<Cost>& bound) {
  const auto [attribute, code] = pr_.alphabet[cut];
  auto& first = intervals_.first[attribute];
  auto& last = intervals_.last[attribute];
  const int left = first[code - 1], end = last[code];
  auto& stay = members_[attribute][left];
  auto& move = members_[attribute][code];
  if constexpr (M == Metric::general_loss) {
    const int a = pr_.attributes[attribute];
    const Cost wide = p_.loss(a, left, end - 1);
    for (int id : stay) widen(cells_[id], wide - p_.loss(a, left, code - 1), spans, bound);
    for (int id : move) widen(cells_[id], wide - p_.loss(a, code, end - 1), spans, bound);
  }
  auto& names = names_[attribute];
  if (move.size() > stay.size()) std::swap(move, stay), std::swap(names[left], names[code]);
  const std::uint64_t change = groups_.key(attribute, names[left]) - groups_.key(attribute, names[code]);
  std::fill(first.begin() + code, first.begin() + end, left);
  std::fill(last.begin() + left, last.begin() + end, end);
  for (int id : move) {
    Cell& cell = cells_[id];
    if (!cell.alive) continue;
    cell.key += change;
    // The cell itself can be under its new key by accident, and its partner is another.
    const int partner = index_.find(cell.key, [&](int known) {
      return known != id && cells_[known].alive && groups_.alike(cell.first, cells_[known].first, intervals_);
    });
    if (partner >= 0) {
      merge(cells_[partner], cell, spans, bound);
    } else {
      index_.add(cell.key, id);  // the old key's entry stays: its interval is gone, nobody asks again
      stay.push_back(id);
    }
  }
  move.clear();
}

template <Metric M>
void Allset<M>::append(Cell& cell, int from, int to, Count size) {
  next_[cell.last] = from;
  cell.last = to;
  cell.size += size;
}

template <Metric M>
void Allset<M>::merge(Cell& into, Cell& cell, const Spans& spans, std::vector<Cost>& bound) {
  if constexpr (M != Metric::general_loss) add_union(into, cell, spans, bound);
  append(into, cell.first, cell.last, cell.size);
  cell.alive = false;
}

template <Metric M>
void Allset<M>::widen(Cell& cell, Cost by, const Spans& spans, std::vector<Cost>& bound) {
  if (!cell.alive) return;
  const Cost loss = cell.loss;
  cell.loss = by;
  add_cell(cell, spans, bound);
  cell.loss = loss + by;
}

template <Metric M>
void Allset<M>::histogram_of(const Cell& cell, std::vector<Count>& histogram) const {
  std::fill(histogram.begin(), histogram.end(), 0);
  for (int c = cell.first; c >= 0; c = next_[c]) groups_.add_column(c, histogram.data());
  groups_.complete(histogram.data());
}

// Histograms are prefix sums. Parts have one sweep for all, and those without rows add nothing to it.
template <Metric M>
typename Allset<M>::Extent Allset<M>::extent(const std::vector<Count>& histogram) const {
  if (pr_.parts) return {0, 0};
  Extent found{pr_.length, -1};
  for (auto begin = histogram.begin(); begin != histogram.end(); begin += stride_) {
    const auto end = begin + stride_;
    if (end[-1] == 0) continue;
    found.first = std::min(found.first, static_cast<int>(std::upper_bound(begin, end, 0) - begin) - 1);
    found.last = std::max(found.last, static_cast<int>(std::lower_bound(begin, end, end[-1]) - begin) - 1);
  }
  return found;
}

// Whether rows have several labels.
template <Metric M>
bool Allset<M>::mixed(const std::vector<Count>& histogram) const {
  int present = 0;
  for (std::size_t end = stride_ - 1; end < histogram.size(); end += stride_) present += histogram[end] > 0;
  return present > 1;
}

template <Metric M>
void Allset<M>::sizes(kernels::Row row, const Count* histogram, std::vector<Count>& n, std::vector<Count>& most) const {
  kernels::sizes(row, histogram, p_.labels, stride_, n.data(), most.data());
}

// The row without what the head gives up in a group, in front of its other intervals.
template <Metric M>
kernels::Row Allset<M>::viable(kernels::Row row, int group) const {
  if (const int* reach = judge_ ? judge_->reach(group) : nullptr) row.low = std::max(row.low, reach[row.a]);
  return row;
}

// Where the sweep over a row may add to the bound. What the head gives up among parts lies anywhere: if there is some,
// the sweep adds to an array of its own, of which settle() takes the rest.
template <Metric M>
Cost* Allset<M>::target(kernels::Row row, int group, const Spans& spans, std::vector<Cost>& bound) {
  if (!judge_ || !judge_->hopeless(group)) return bound.data() + spans.offset[row.a];
  std::fill(apart_.begin(), apart_.end(), 0);
  return apart_.data();
}

template <Metric M>
void Allset<M>::settle(kernels::Row row, int group, const Spans& spans, std::vector<Cost>& bound) const {
  const char* hopeless = judge_ ? judge_->hopeless(group) : nullptr;
  for (int b = row.low; hopeless && b < row.high; ++b)
    if (!hopeless[b]) bound[spans.at(row.a, b)] += apart_[b];
}

// What one cell contributes to the bound of every interval.
template <Metric M>
void Allset<M>::add_cell(const Cell& cell, const Spans& spans, std::vector<Cost>& bound) {
  if (M == Metric::discernibility && cell.size <= p_.k) return;
  if (M == Metric::classification && groups_.closed(cell.group)) return;
  histogram_of(cell, one_);
  if (M == Metric::classification && !mixed(one_)) return;  // a cell of one label has no minority
  const Count* group = groups_.histogram(cell.group);
  const Extent rows = extent(one_);
  for (int a = 0; a <= rows.last; ++a) {
    const kernels::Row row = viable({a, std::max(spans.low[a], rows.first + 1), spans.high[a]}, cell.group);
    if (row.low >= row.high) continue;
    Cost* to = target(row, cell.group, spans, bound);
    if constexpr (M == Metric::discernibility) {
      kernels::cell_squares(row, one_.data(), p_.k, to);
    } else if constexpr (M == Metric::classification) {
      if (p_.labels == 2) {
        kernels::cell_labels(row, {group, group + stride_}, {one_.data(), one_.data() + stride_}, p_.k, to);
      } else {
        sizes(row, group, group_n_, group_m_);
        sizes(row, one_.data(), n1_, m1_);
        for (int b = row.low; b < row.high; ++b)
          to[b] += kernels::closed(group_n_[b], group_m_[b], p_.k) ? 0 : n1_[b] - m1_[b];
      }
    } else {
      for (int b = row.low; b < row.high; ++b)
        to[b] += group[b] - group[a] >= p_.k ? cell.loss * (one_[b] - one_[a]) : 0;
    }
    settle(row, cell.group, spans, bound);
  }
}

// What the union of two cells contributes more than the two did: nothing for an interval that lacks rows
// of either, so only the others are swept.
template <Metric M>
void Allset<M>::add_union(const Cell& cell, const Cell& with, const Spans& spans, std::vector<Cost>& bound) {
  if (M == Metric::discernibility && cell.size + with.size <= p_.k) return;
  if (M == Metric::classification && groups_.closed(cell.group)) return;
  histogram_of(cell, one_);
  histogram_of(with, two_);
  if (M == Metric::classification) {
    std::transform(one_.begin(), one_.end(), two_.begin(), both_.begin(), std::plus<>());
    if (!mixed(both_)) return;
  }
  const Extent first = extent(one_), second = extent(two_);
  const Count* group = groups_.histogram(cell.group);
  for (int a = 0; a <= std::min(first.last, second.last); ++a) {
    const kernels::Row row =
        viable({a, std::max(spans.low[a], std::max(first.first, second.first) + 1), spans.high[a]}, cell.group);
    if (row.low >= row.high) continue;
    Cost* to = target(row, cell.group, spans, bound);
    if constexpr (M == Metric::discernibility) {
      kernels::union_squares(row, one_.data(), two_.data(), p_.k, to);
    } else if (p_.labels == 2) {
      kernels::union_labels(row, {group, group + stride_}, {one_.data(), one_.data() + stride_},
                            {two_.data(), two_.data() + stride_}, p_.k, to);
    } else {
      sizes(row, group, group_n_, group_m_);
      sizes(row, one_.data(), n1_, m1_);
      sizes(row, two_.data(), n2_, m2_);
      sizes(row, both_.data(), n_, m_);
      for (int b = row.low; b < row.high; ++b)
        to[b] += kernels::closed(group_n_[b], group_m_[b], p_.k) ? 0 : m1_[b] + m2_[b] - m_[b];
    }
    settle(row, cell.group, spans, bound);
  }
}

template class Allset<Metric::discernibility>;
template class Allset<Metric::classification>;
template class Allset<Metric::general_loss>;

}  // namespace shoal
