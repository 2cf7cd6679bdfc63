#include "core/cuts/head_groups.h"

#include <numeric>

#include "core/base/kernels.h"

namespace shoal {

void Intervals::set(const Projection& projection, const CutSet& head, const std::vector<int>& tail) {
  std::vector<char> in(projection.alphabet.size(), 0);
  for (int cut : head.elements()) in[cut] = 1;
  for (int cut : tail) in[cut] = 1;
  first.resize(projection.attributes.size());
  last.resize(projection.attributes.size());
  for (std::size_t a = 0; a < first.size(); ++a) {
    const int size = projection.size(static_cast<int>(a));
    first[a].assign(size, 0);
    last[a].assign(size, size);
    for (int code = 1; code < size; ++code)
      first[a][code] = in[projection.first_cut[a] + code - 1] ? code : first[a][code - 1];
    for (int code = size - 2; code >= 0; --code)
      last[a][code] = in[projection.first_cut[a] + code] ? code + 1 : last[a][code + 1];
  }
}

HeadGroups::HeadGroups(const Projection& projection)
    : pr_(projection), p_(projection.problem), block_(static_cast<std::size_t>(pr_.stride) * p_.labels),
      keys_(pr_.sizes()) {
  std::vector<Count> everything(block_, 0);
  for (int c = 0; c < pr_.columns(); ++c) {
    const auto begin = pr_.counts.begin();
    column_size_.push_back(
        std::accumulate(begin + pr_.first[c] * p_.labels, begin + pr_.first[c + 1] * p_.labels, Count{0}));
    add_column(c, everything.data());
  }
  complete(everything.data());
  whole_.assign(pr_.stride, 0);
  for (std::size_t i = 0; i < block_; ++i) whole_[i % pr_.stride] += everything[i];
  group_of_.resize(pr_.columns());
  columns_.resize(pr_.columns());
}

void HeadGroups::load(const CutSet& head) {
  intervals_.set(pr_, head, {});
  index_.clear(pr_.columns());
  like_.clear();
  count_ = 0;
  for (int c = 0; c < pr_.columns(); ++c) {
    const std::uint64_t code = key(c, intervals_);
    int group = index_.find(code, [&](int known) { return alike(c, like_[known], intervals_); });
    if (group < 0) {
      index_.add(code, group = count_++);
      like_.push_back(c);
    }
    group_of_[c] = group;
  }
  first_.assign(count_ + 1, 0);
  for (int group : group_of_) ++first_[group + 1];
  for (int g = 0; g < count_; ++g) first_[g + 1] += first_[g];
  auto next = first_;
  for (int c = 0; c < pr_.columns(); ++c) columns_[next[group_of_[c]]++] = c;

  histograms_.assign(block_ * count_, 0);
  for (int c = 0; c < pr_.columns(); ++c) add_column(c, histograms_.data() + block_ * group_of_[c]);
  closed_.resize(count_);
  for (int g = 0; g < count_; ++g) {
    complete(histograms_.data() + block_ * g);
    Count most = 0;
    for (std::size_t end = pr_.stride - 1; end < block_; end += pr_.stride) most = std::max(most, histogram(g)[end]);
    closed_[g] = kernels::closed(size(histogram(g)), most, p_.k);
  }
}

Count HeadGroups::size(const Count* histogram) const {
  Count rows = 0;
  for (std::size_t end = pr_.stride - 1; end < block_; end += pr_.stride) rows += histogram[end];
  return rows;
}

std::uint64_t HeadGroups::key(int column, const Intervals& intervals) const {
  std::uint64_t sum = 0;
  for (int a = 0; a < static_cast<int>(pr_.attributes.size()); ++a)
    sum += keys_.of(a, intervals.first[a][pr_.code(column, a)]);
  return sum;
}

bool HeadGroups::equal(int column, int other, const Intervals& intervals) const {
  for (int a = 0; a < static_cast<int>(pr_.attributes.size()); ++a)
    if (intervals.first[a][pr_.code(column, a)] != intervals.first[a][pr_.code(other, a)]) return false;
  return true;
}

Cost HeadGroups::loss(int column, const Intervals& intervals) const {
  Cost sum = 0;
  for (std::size_t a = 0; a < pr_.attributes.size(); ++a) {
    const int code = pr_.code(column, static_cast<int>(a));
    sum += p_.loss(pr_.attributes[a], intervals.first[a][code], intervals.last[a][code] - 1);
  }
  return sum;
}

void HeadGroups::add_column(int column, Count* histogram) const {
  const int stride = pr_.stride, labels = p_.labels;
  for (int e = pr_.first[column]; e < pr_.first[column + 1]; ++e)
    for (int l = 0; l < labels; ++l) histogram[l * stride + pr_.positions[e]] += pr_.counts[e * labels + l];
  if (!pr_.parts) return;
  for (int e = pr_.first[column]; e < pr_.first[column + 1]; ++e)
    for (int entry = pr_.around[pr_.positions[e]]; entry > 0; entry = pr_.around[entry])
      for (int l = 0; l < labels; ++l) histogram[l * stride + entry] += pr_.counts[e * labels + l];
}

void HeadGroups::complete(Count* histogram) const {
  if (pr_.parts) return;
  for (int l = 0; l < p_.labels; ++l, histogram += pr_.stride)
    for (int i = 0; i < pr_.length; ++i) histogram[i + 1] += histogram[i];
}

}  // namespace shoal
