// head_groups.h - the groups that a head makes of a projection's columns, each a histogram over the axis.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/group_keys.h"
#include "core/base/hash_index.h"
#include "core/cuts/cut_set.h"
#include "core/cuts/projection.h"

namespace shoal {

// For every attribute and code the first code of its interval and one past the last.
struct Intervals {
  std::vector<std::vector<std::int32_t>> first, last;
  void set(const Projection& projection, const CutSet& head, const std::vector<int>& tail);
};

// What a node needs of a projection, in a form that is quick to regroup.
class HeadGroups {
 public:
  explicit HeadGroups(const Projection& projection);

  void load(const CutSet& head);

  int count() const { return count_; }
  int group_of(int column) const { return group_of_[column]; }
  const Count* histogram(int group) const { return histograms_.data() + block_ * group; }
  std::span<const int> columns(int group) const {
    return std::span(columns_).subspan(first_[group], first_[group + 1] - first_[group]);
  }
  const Intervals& intervals() const { return intervals_; }
  bool closed(int group) const { return closed_[group] != 0; }  // for CM, on the whole axis and so on all of it
  Count size(const Count* histogram) const;                     // all its rows

  // Columns, histograms and keys of any set of intervals. A histogram is completed after its last column: prefix
  // sums are made then. Parts have few rows per group and few parts around them, so rows are counted there at once.
  std::uint64_t key(int column, const Intervals& intervals) const;
  std::uint64_t key(int attribute, int code) const { return keys_.of(attribute, code); }
  // Whether two columns with equal keys are in one group: they may differ where keys are not exact.
  bool alike(int column, int other, const Intervals& intervals) const {
    return keys_.exact() || equal(column, other, intervals);
  }
  Cost loss(int column, const Intervals& intervals) const;
  void add_column(int column, Count* histogram) const;
  void complete(Count* histogram) const;
  std::size_t block() const { return block_; }
  Count column_size(int column) const { return column_size_[column]; }
  const std::vector<Count>& whole() const { return whole_; }  // histogram of all rows, whatever their label

 private:
  bool equal(int column, int other, const Intervals& intervals) const;

  const Projection& pr_;
  const Problem& p_;
  const std::size_t block_;
  const GroupKeys keys_;
  std::vector<Count> column_size_, whole_, histograms_;
  std::vector<int> group_of_, first_, columns_, like_;  // like_: per group any of its columns
  std::vector<char> closed_;
  Intervals intervals_;
  HashIndex index_;
  int count_ = 0;
};

}  // namespace shoal
