#include "core/histories/person_bound.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <span>
#include <utility>

#include "core/base/parallel.h"
#include "core/histories/assignment.h"

namespace shoal {
namespace {

constexpr std::size_t kHistoriesAtOnce = 256;
constexpr std::size_t kLargestAssignment = 64;  // larger ones are bounded by the best of each row

// The least costs whose persons are at least so many: the cost of the last of them.
class Nearest {
 public:
  Nearest(std::int64_t wanted, Cost most) : wanted_(wanted), most_(most) {}
  // What costs as much or more does not matter.
  Cost limit() const { return persons_ >= wanted_ ? costs_.top().first : most_; }
  void add(Cost cost, std::int64_t persons) {
    if (cost >= limit()) return;
    costs_.emplace(cost, persons);
    persons_ += persons;
    while (persons_ - costs_.top().second >= wanted_) persons_ -= costs_.top().second, costs_.pop();
  }

 private:
  const std::int64_t wanted_;
  const Cost most_;
  std::int64_t persons_ = 0;
  std::priority_queue<std::pair<Cost, std::int64_t>> costs_;
};

class PairBound {
 public:
  PairBound(const People& people, const Watch& watch) : people_(people), p_(people.problem()), watch_(watch) {
    order_.resize(people_.count());
    std::iota(order_.begin(), order_.end(), 0);
    for (const int a : people_.constant())
      if (const LocalSpan* span = p_.tables[0].span(a); span && span->ordered && first_ < 0) first_ = a;
    std::stable_sort(order_.begin(), order_.end(), [&](int x, int y) {
      if (first_ >= 0 && code(x, first_) != code(y, first_)) return code(x, first_) < code(y, first_);
      return people_.length(x) < people_.length(y);
    });
    place_.resize(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
  }

  // What one person of a history loses at least. Neighbours in the order are looked at first; where the order is that of a
  // column that does not vary within a person, those beyond some distance cost too much.
  Cost of_person(int h) const {
    const std::int64_t wanted = p_.k - people_.persons(h);
    if (wanted <= 0) return 0;
    Nearest nearest(wanted, people_.units(h));
    std::size_t down = place_[h], up = place_[h] + 1;
    for (std::size_t looked = 0; down > 0 || up < order_.size(); ++looked) {
      if (looked % 1024 == 1023 && watch_.stopped()) return 0;
      const bool go_up = down == 0 || (up < order_.size() && looked % 2 == 0);
      const int other = order_[go_up ? up++ : --down];
      if (nearest.limit() == 0) break;
      if (first_ >= 0 && of_column(h, other, first_) * people_.length(h) >= nearest.limit()) {
        // Missing values are at the end, and may be nearer.
        if (p_.tables[0].span(first_)->missing < 0) (go_up ? up : down) = go_up ? order_.size() : 0;
        continue;
      }
      nearest.add(pair(h, other, nearest.limit()), people_.persons(other));
    }
    return nearest.limit();
  }
  // The same row by row.
  Cost by_row(int h) const {
    const std::int64_t wanted = p_.k - people_.persons(h);
    if (wanted <= 0) return 0;
    Cost sum = 0;
    for (std::int64_t at = p_.first[h]; at < p_.first[h + 1]; ++at) {
      const auto row = static_cast<std::int32_t>(at);
      Nearest nearest(wanted, people_.full(people_.table(row)));
      for (int other = 0; other < people_.count() && nearest.limit() > 0; ++other) {
        if (other == h) continue;
        Cost saves = 0;
        for (std::int64_t one = p_.first[other]; one < p_.first[other + 1]; ++one)
          if (people_.table(static_cast<std::int32_t>(one)) == people_.table(row))
            saves = std::max(saves, people_.pair_saves(row, static_cast<std::int32_t>(one)));
        nearest.add(people_.full(people_.table(row)) - saves, people_.persons(other));
      }
      sum += nearest.limit();
    }
    return sum;
  }

 private:
  int code(int h, int a) const { return people_.code(people_.rows(h).front(), a); }
  // What a column that does not vary within a person costs a row of one of two persons.
  Cost of_column(int h, int other, int a) const {
    return people_.boxes(0).pair(a, code(h, a), code(other, a)) * p_.weight[0];
  }
  Cost pair(int h, int other, Cost limit) const {
    if (p_.whole && people_.length(h) != people_.length(other)) return people_.units(h);
    Cost constant = 0;
    for (const int a : people_.constant()) constant += of_column(h, other, a);
    const std::int64_t spare = std::max<std::int64_t>(0, people_.length(h) - people_.length(other));
    if (const Cost least =
            constant * (people_.length(h) - spare) + (people_.tables() == 1 ? spare * people_.full(0) : 0);
        least >= limit)
      return least;
    // First the rows each for themselves, as if several could be matched with the same row.
    const Cost apart = people_.units(h) - apart_saves(people_.rows(h), people_.rows(other));
    if (apart >= limit || (!p_.ordered && people_.length(h) > static_cast<std::int64_t>(kLargestAssignment)))
      return apart;
    return std::max(apart, people_.units(h) - saves(people_.rows(h), people_.rows(other)));
  }
  Cost apart_saves(std::span<const std::int32_t> rows, std::span<const std::int32_t> others) const {
    Cost sum = 0;
    for (const std::int32_t row : rows) {
      Cost best = 0;
      for (const std::int32_t other : others)
        if (people_.table(row) == people_.table(other))
          best = std::max(best, people_.pair_saves(row, other) + apart_saves(people_.below(row), people_.below(other)));
      sum += best;
    }
    return sum;
  }
  // The most that two lists of brothers, of all tables, save together.
  Cost saves(std::span<const std::int32_t> rows, std::span<const std::int32_t> others) const {
    Cost sum = 0;
    std::size_t r = 0, o = 0;
    for (int t = 0; t < people_.tables(); ++t) {
      const std::size_t r0 = r, o0 = o;
      while (r < rows.size() && people_.table(rows[r]) == t) ++r;
      while (o < others.size() && people_.table(others[o]) == t) ++o;
      if (r > r0 && o > o0) sum += of_brothers(rows.subspan(r0, r - r0), others.subspan(o0, o - o0));
    }
    return sum;
  }
  Cost of_brothers(std::span<const std::int32_t> rows, std::span<const std::int32_t> others) const {
    const std::size_t n = rows.size(), m = others.size();
    std::vector<Cost> values(n * m);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < m; ++j)
        values[i * m + j] =
            people_.pair_saves(rows[i], others[j]) + saves(people_.below(rows[i]), people_.below(others[j]));
    if (!p_.ordered) return best_assignment(values, n, m, nullptr);
    std::vector<Cost> best(m + 1, 0);
    for (std::size_t i = 0; i < n; ++i) {
      Cost before = 0;
      for (std::size_t j = 0; j < m; ++j) {
        const Cost here = std::max({best[j + 1], best[j], before + values[i * m + j]});
        before = best[j + 1];
        best[j + 1] = here;
      }
    }
    return best[m];
  }

  const People& people_;
  const PeopleProblem& p_;
  const Watch& watch_;
  int first_ = -1;  // a column that does not vary within a person, if there is one of numbers or dates
  std::vector<int> order_;
  std::vector<std::size_t> place_;
};

}  // namespace

PersonBound person_bound(const PeopleProblem& problem, bool by_row, const Options& options) {
  const Watch watch(options);
  const People people(problem);
  const PairBound pairs(people, watch);
  PersonBound found;
  const auto count = static_cast<std::size_t>(std::min<std::int64_t>(people.count(), options.budget.nodes));
  for (std::size_t begin = 0; begin < count && !watch.stopped(); begin += kHistoriesAtOnce) {
    const std::size_t tasks = std::min(kHistoriesAtOnce, count - begin);
    std::vector<Cost> costs(tasks, -1);
    parallel(tasks, options.threads, [&](std::size_t i, std::size_t) {
      if (watch.stopped()) return;
      const int h = static_cast<int>(begin + i);
      costs[i] = (by_row ? pairs.by_row(h) : pairs.of_person(h)) * people.persons(h);
    });
    for (const Cost cost : costs)
      if (cost >= 0) found.bound += cost, ++found.looked_at;
  }
  return found;
}

}  // namespace shoal
