// patterns.h - patterns of suppressed attributes in the order of their prices, and how rows fall into boxes there.
#pragma once

#include <algorithm>
#include <queue>

#include "core/base/group_keys.h"
#include "core/base/slots.h"
#include "core/cells/suppression.h"

namespace shoal {

// Patterns by the least that any row pays for them, from nothing on; each is made when it is asked for.
class PatternOrder {
 public:
  explicit PatternOrder(const CellProblem& problem) {
    for (std::size_t a = 0; a < problem.units.size(); ++a)
      least_.emplace_back(*std::min_element(problem.units[a].begin(), problem.units[a].end()), static_cast<int>(a));
    std::sort(least_.begin(), least_.end());
    heap_.push({0, 0, -1});
  }
  bool empty() const { return heap_.empty(); }
  Cost price() const { return heap_.top().price; }
  // Every set of attributes, sorted by price, is made once: from the one without its last, or with its last one earlier.
  Pattern next() {
    const Entry entry = heap_.top();
    heap_.pop();
    const int after = entry.last + 1;
    if (after < static_cast<int>(least_.size())) {
      heap_.push({entry.price + least_[after].first, entry.pattern | bit(after), after});
      if (entry.last >= 0)
        heap_.push({entry.price + least_[after].first - least_[entry.last].first,
                    (entry.pattern & ~bit(entry.last)) | bit(after), after});
    }
    return entry.pattern;
  }

 private:
  struct Entry {
    Cost price;
    Pattern pattern;
    int last;  // the dearest attribute, by its place in the order
    bool operator<(const Entry& other) const {
      return price != other.price ? price > other.price : pattern > other.pattern;
    }
  };
  Pattern bit(int place) const { return Pattern{1} << least_[place].second; }
  std::vector<std::pair<Cost, int>> least_;
  std::priority_queue<Entry> heap_;
};

// The distinct rows, and what they pay.
class CellRows {
 public:
  explicit CellRows(const CellProblem& problem)
      : p_(problem), attributes_(static_cast<int>(problem.units.size())),
        count_(static_cast<int>(problem.counts.size())), keys_(sizes(problem)) {}
  int count() const { return count_; }
  int attributes() const { return attributes_; }
  Count copies(int row) const { return p_.counts[row]; }
  int code(int row, int a) const { return p_.codes[static_cast<std::size_t>(row) * attributes_ + a]; }
  Cost price(int row, Pattern pattern) const {
    Cost sum = 0;
    for (Pattern left = pattern; left != 0; left &= left - 1) {
      const int a = std::countr_zero(left);
      sum += p_.units[a][code(row, a)];
    }
    return sum;
  }
  // Per row the number of its box; returns how many boxes there are.
  std::uint32_t group(Pattern pattern, std::vector<std::uint32_t>& box_of) {
    sums_.assign(count_, 0);
    for (int a = 0; a < attributes_; ++a)
      if (!(pattern >> a & 1))
        for (int row = 0; row < count_; ++row) sums_[row] += keys_.of(a, code(row, a));
    slots_.clear(count_);
    found_.resize(count_);
    like_.resize(count_);
    box_of.resize(count_);
    std::uint32_t boxes = 0;
    for (int row = 0; row < count_; ++row) {
      like_[boxes] = row;
      box_of[row] = slots_.find(&sums_[row], found_.data(), boxes,
                                [&](std::uint32_t box) { return keys_.exact() || alike(row, like_[box], pattern); });
      boxes += box_of[row] == boxes;
    }
    return boxes;
  }

 private:
  static std::vector<std::size_t> sizes(const CellProblem& problem) {
    std::vector<std::size_t> found;
    for (const auto& units : problem.units) found.push_back(units.size());
    return found;
  }
  bool alike(int row, int other, Pattern pattern) const {
    for (int a = 0; a < attributes_; ++a)
      if (!(pattern >> a & 1) && code(row, a) != code(other, a)) return false;
    return true;
  }

  const CellProblem& p_;
  const int attributes_, count_;
  const GroupKeys keys_;
  std::vector<std::uint64_t> sums_, found_;
  std::vector<int> like_;  // per box any of its rows
  Slots<1> slots_;
};

}  // namespace shoal
