#include "core/rows/microaggregation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace shoal {
namespace {

using Point = std::vector<double>;  // per attribute a position, NaN if it is missing; of a mode the code

constexpr double kFar = std::numeric_limits<double>::infinity();

// The rows that no group has yet, column by column so that distances are computed in strips.
class FreeRows {
 public:
  explicit FreeRows(const MicroaggregationProblem& problem)
      : p_(problem), columns_(problem.attributes.size()), histograms_(problem.attributes.size()) {
    for (std::size_t row = 0; row < p_.counts.size(); ++row) {
      rows_.push_back(static_cast<int>(row));
      total_ += p_.counts[row];
    }
    for (std::size_t a = 0; a < columns_.size(); ++a) {
      std::int32_t most = 0;
      for (const int row : rows_) most = std::max(most, code(row, a));
      histograms_[a].assign(static_cast<std::size_t>(most) + 1, 0);
      for (const int row : rows_) {
        columns_[a].push_back(position(a, code(row, a)));
        histograms_[a][code(row, a)] += p_.counts[row];
      }
    }
  }

  std::size_t size() const { return rows_.size(); }
  std::int64_t total() const { return total_; }  // rows of the source
  int row(std::size_t i) const { return rows_[i]; }
  const std::vector<int>& rows() const { return rows_; }

  Point point(int row) const {
    Point found(columns_.size());
    for (std::size_t a = 0; a < found.size(); ++a) found[a] = position(a, code(row, a));
    return found;
  }
  // The center of all rows that are left.
  Point center() const {
    Point found(columns_.size());
    std::vector<std::pair<std::int32_t, std::int64_t>> codes;
    for (std::size_t a = 0; a < found.size(); ++a) {
      codes.clear();
      for (std::size_t c = 0; c < histograms_[a].size(); ++c)
        if (histograms_[a][c] > 0) codes.emplace_back(static_cast<std::int32_t>(c), histograms_[a][c]);
      found[a] = center(a, codes);
    }
    return found;
  }
  Point center(const std::vector<int>& rows) const {
    Point found(columns_.size());
    std::vector<std::pair<std::int32_t, std::int64_t>> codes;
    for (std::size_t a = 0; a < found.size(); ++a) {
      codes.clear();
      for (const int row : rows) codes.emplace_back(code(row, a), p_.counts[row]);
      std::sort(codes.begin(), codes.end());
      std::size_t last = 0;
      for (std::size_t i = 1; i < codes.size(); ++i) {
        if (codes[i].first == codes[last].first) codes[last].second += codes[i].second;
        else codes[++last] = codes[i];
      }
      codes.resize(std::min(codes.size(), last + 1));
      found[a] = center(a, codes);
    }
    return found;
  }

  // Squares of the distances of all rows that are left to a point.
  void distances(const Point& to, std::vector<double>& found) const {
    found.assign(rows_.size(), 0);
    for (std::size_t a = 0; a < columns_.size(); ++a) {
      const double* const at = columns_[a].data();
      const double here = to[a];
      if (p_.attributes[a].center == Center::mode)
        for (std::size_t i = 0; i < found.size(); ++i) found[i] += at[i] != here ? 1.0 : 0.0;
      else if (p_.attributes[a].missing < 0)
        for (std::size_t i = 0; i < found.size(); ++i) found[i] += (at[i] - here) * (at[i] - here);
      else
        for (std::size_t i = 0; i < found.size(); ++i) found[i] += apart(at[i], here);
    }
  }
  double distance(const Point& x, const Point& y) const {
    double sum = 0;
    for (std::size_t a = 0; a < columns_.size(); ++a)
      sum += p_.attributes[a].center == Center::mode ? (x[a] != y[a] ? 1.0 : 0.0) : apart(x[a], y[a]);
    return sum;
  }

  // Takes rows at some places out of the rest.
  std::vector<int> take(std::vector<std::size_t> places) {
    std::vector<int> taken;
    for (const std::size_t i : places) taken.push_back(rows_[i]);
    std::sort(places.begin(), places.end(), std::greater<>());
    for (const std::size_t i : places) {
      total_ -= p_.counts[rows_[i]];
      for (std::size_t a = 0; a < columns_.size(); ++a) {
        histograms_[a][code(rows_[i], a)] -= p_.counts[rows_[i]];
        columns_[a][i] = columns_[a].back();
        columns_[a].pop_back();
      }
      rows_[i] = rows_.back();
      rows_.pop_back();
    }
    return taken;
  }

 private:
  std::int32_t code(int row, std::size_t a) const {
    return p_.codes[static_cast<std::size_t>(row) * p_.attributes.size() + a];
  }
  double position(std::size_t a, std::int32_t code) const {
    const Positions& positions = p_.attributes[a];
    if (positions.center == Center::mode) return code;
    return code == positions.missing ? std::numeric_limits<double>::quiet_NaN() : positions.of_code[code];
  }
  static double apart(double x, double y) {
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y) ? 0.0 : 1.0;
    return (x - y) * (x - y);
  }
  // Of codes in their order, each once with its rows. The missing value counts only where there is no other.
  double center(std::size_t a, const std::vector<std::pair<std::int32_t, std::int64_t>>& codes) const {
    const Positions& positions = p_.attributes[a];
    if (positions.center == Center::mode) {
      const auto most = std::max_element(codes.begin(), codes.end(),
                                         [](const auto& x, const auto& y) { return x.second < y.second; });
      return most == codes.end() ? -1 : most->first;
    }
    std::int64_t known = 0;
    double sum = 0;
    for (const auto& [code, rows] : codes)
      if (code != positions.missing) known += rows, sum += static_cast<double>(rows) * positions.of_code[code];
    if (known == 0) return std::numeric_limits<double>::quiet_NaN();
    if (positions.center == Center::mean) return sum / static_cast<double>(known);
    std::int64_t below = 0;
    for (const auto& [code, rows] : codes)
      if (code != positions.missing && 2 * (below += rows) >= known) return positions.of_code[code];
    return 0;  // not reached: the last known code has all below it
  }

  const MicroaggregationProblem& p_;
  std::vector<int> rows_;
  std::int64_t total_ = 0;
  std::vector<std::vector<double>> columns_;           // [attribute][place]
  std::vector<std::vector<std::int64_t>> histograms_;  // [attribute][code], rows of the source
};

class Microaggregation {
 public:
  Microaggregation(const MicroaggregationProblem& problem, const Options& options)
      : p_(problem), options_(options), watch_(options), rest_(problem) {}

  MicroaggregationOutcome run() {
    const Point middle = rest_.center();
    take_alone();
    if (p_.variable) grow_variable(middle);
    else grow_fixed();
    if (rest_.total() >= p_.k && !stopped()) add(rest_.take(places()));
    join_rest();
    MicroaggregationOutcome out;
    out.groups.assign(p_.counts.size(), -1);
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (const int row : groups_[g]) out.groups[row] = static_cast<std::int32_t>(g);
    out.nodes = nodes_;
    return out;
  }

 private:
  bool stopped() const { return nodes_ >= options_.budget.nodes || watch_.stopped(); }
  std::vector<std::size_t> places() const {
    std::vector<std::size_t> all(rest_.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  void add(std::vector<int> rows) {
    if (!rows.empty()) groups_.push_back(std::move(rows));
  }
  void take_alone() {
    std::vector<std::size_t> alone;
    for (std::size_t i = 0; i < rest_.size(); ++i)
      if (p_.counts[rest_.row(i)] >= p_.k) alone.push_back(i);
    for (const int row : rest_.take(alone)) add({row});
  }

  // MDAV: two groups at a time, at opposite ends of what is left.
  void grow_fixed() {
    while (rest_.total() >= 3 * std::int64_t{p_.k} && !stopped()) {
      rest_.distances(rest_.center(), far_);
      const Point first = rest_.point(rest_.row(farthest(far_)));
      rest_.distances(first, near_);
      const Point second = rest_.point(rest_.row(farthest(near_)));
      add(rest_.take(nearest(near_)));
      rest_.distances(second, near_);
      add(rest_.take(nearest(near_)));
      advance(2);
    }
    if (rest_.total() < 2 * std::int64_t{p_.k} || stopped()) return;
    rest_.distances(rest_.center(), far_);
    rest_.distances(rest_.point(rest_.row(farthest(far_))), near_);
    add(rest_.take(nearest(near_)));
    advance(1);
  }

  // V-MDAV: a group at a time, around the row farthest from the middle of the table.
  void grow_variable(const Point& middle) {
    while (rest_.total() >= p_.k && !stopped()) {
      rest_.distances(middle, far_);
      rest_.distances(rest_.point(rest_.row(farthest(far_))), near_);
      std::vector<int> group = rest_.take(nearest(near_));
      std::int64_t size = 0;
      std::vector<double> closest(rest_.size(), kFar);
      for (const int row : group) size += p_.counts[row], approach(closest, row);
      while (rest_.size() > 0 && !watch_.stopped()) {
        const std::size_t next = least(closest);
        const int row = rest_.row(next);
        if (size + p_.counts[row] > 2 * std::int64_t{p_.k} - 1) break;
        rest_.distances(rest_.point(row), near_);
        near_[next] = kFar;
        const double others = near_[least(near_)];
        if (!(closest[next] < p_.gamma * p_.gamma * others)) break;
        size += p_.counts[row];
        closest[next] = closest.back();
        closest.pop_back();
        group.push_back(rest_.take({next}).front());
        approach(closest, row);
      }
      add(std::move(group));
      advance(1);
    }
  }
  void approach(std::vector<double>& closest, int row) {
    rest_.distances(rest_.point(row), near_);
    for (std::size_t i = 0; i < closest.size(); ++i) closest[i] = std::min(closest[i], near_[i]);
  }

  // Fewer than k rows, or what a budget left: each goes to the group whose center is nearest.
  void join_rest() {
    const std::vector<int> rows = rest_.take(places());
    if (rows.empty()) return;
    if (groups_.empty()) return add(rows);
    std::vector<Point> centers;
    for (const auto& group : groups_) centers.push_back(rest_.center(group));
    std::vector<int> sorted = rows;
    std::sort(sorted.begin(), sorted.end());
    for (const int row : sorted) {
      const Point here = rest_.point(row);
      std::size_t best = 0;
      double least = kFar;
      for (std::size_t g = 0; g < centers.size(); ++g)
        if (const double distance = rest_.distance(here, centers[g]); distance < least) least = distance, best = g;
      groups_[best].push_back(row);
    }
  }

  // Ties go to the row that comes first in the table, wherever it lies in the rest.
  std::size_t farthest(const std::vector<double>& distances) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < distances.size(); ++i)
      if (distances[i] > distances[best] || (distances[i] == distances[best] && rest_.row(i) < rest_.row(best)))
        best = i;
    return best;
  }
  std::size_t least(const std::vector<double>& distances) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < distances.size(); ++i)
      if (distances[i] < distances[best] || (distances[i] == distances[best] && rest_.row(i) < rest_.row(best)))
        best = i;
    return best;
  }
  // Places of the nearest rows that make k rows of the source.
  std::vector<std::size_t> nearest(const std::vector<double>& distances) const {
    const auto before = [&](std::size_t x, std::size_t y) {
      return distances[x] < distances[y] || (distances[x] == distances[y] && rest_.row(x) < rest_.row(y));
    };
    std::vector<std::size_t> heap;  // at most k, the farthest on top
    for (std::size_t i = 0; i < distances.size(); ++i) {
      if (heap.size() >= static_cast<std::size_t>(p_.k)) {
        if (distances[i] > distances[heap.front()] || !before(i, heap.front())) continue;
        std::pop_heap(heap.begin(), heap.end(), before);
        heap.pop_back();
      }
      heap.push_back(i);
      std::push_heap(heap.begin(), heap.end(), before);
    }
    std::sort_heap(heap.begin(), heap.end(), before);
    std::int64_t rows = 0;
    std::size_t taken = 0;
    while (taken < heap.size() && rows < p_.k) rows += p_.counts[rest_.row(heap[taken++])];
    heap.resize(taken);
    return heap;
  }
  void advance(int groups) {
    nodes_ += groups;
    if (nodes_ % 64 < groups) watch_.report(kInfinite, 0, nodes_);
  }

  const MicroaggregationProblem& p_;
  const Options& options_;
  const Watch watch_;
  FreeRows rest_;
  std::vector<std::vector<int>> groups_;
  std::vector<double> far_, near_;
  std::int64_t nodes_ = 0;
};

}  // namespace

MicroaggregationOutcome microaggregation(const MicroaggregationProblem& problem, const Options& options) {
  return Microaggregation(problem, options).run();
}

}  // namespace shoal
