#include "core/rows/local_alone.h"

#include <algorithm>
#include <numeric>

namespace shoal {
namespace {

constexpr std::int64_t kBoxLooks = 30'000;  // at rows, in one search around a row ...
constexpr std::int64_t kAllBoxLooks =
    200'000'000;                           // ... and around all of them; then only the nearest rows are looked at
constexpr std::size_t kFewCandidates = 8;  // times k: candidates that are few enough to look at each attribute

}  // namespace

CheapestBoxes::CheapestBoxes(const LocalProblem& problem, const Rows& rows, const Boxes& boxes, std::vector<Cost> known,
                             const Watch& watch)
    : p_(problem), rows_(rows), watch_(watch), boxes_(boxes), branching_(problem, rows, boxes),
      known_(std::move(known)), least_(rows.count(), 0) {}

std::vector<Cost> CheapestBoxes::least() {
  std::vector<int> order;
  for (int row = 0; row < rows_.count(); ++row)
    if (rows_.rows(row) > 0) order.push_back(row);
  // The dear ones first: where they cost too much, they are in no box of those that follow.
  const std::vector<Cost> before = known_;
  std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return before[x] > before[y]; });
  for (const int row : order) {
    if (watch_.stopped()) return {};
    least_[row] = around(row);
  }
  return std::move(least_);
}

Cost CheapestBoxes::around(int row) {
  const Box box = boxes_.around(row);
  const Count wanted = p_.k - rows_.rows(row);
  if (wanted <= 0) return std::min(known_[row], box.price);
  below_ = known_[row];
  Candidates all, near;
  // A row that no box below this price has is of no use.
  branching_.around(row, below_, [&](int other) { return least_[other] < below_; }, all);
  const Cost floor = box.price + nearest(all, wanted);
  if (looks_ > kAllBoxLooks) return std::min(below_, floor);
  while (below_ > floor) {
    near = all;
    left_ = looks_ > kAllBoxLooks ? 0 : kBoxLooks;
    if (search(row, box, near)) break;
    below_ = std::max(floor, below_ - (below_ - floor + 3) / 4);
    all.keep_if(rows_.attributes(), [&](std::size_t i) { return box.price + all.growth[i] < below_; });
  }
  return below_;
}

bool CheapestBoxes::search(int row, const Box& box, Candidates& near) {
  near.keep_if(rows_.attributes(),
               [&](std::size_t i) { return box.price + near.growth[i] < below_ && least_[near.rows[i]] < below_; });
  const auto looks = static_cast<std::int64_t>(near.rows.size()) + 1;
  looks_ += looks;
  left_ -= looks;
  Count inside = rows_.rows(row), all = inside;
  for (std::size_t i = 0; i < near.rows.size(); ++i) {
    all += rows_.rows(near.rows[i]);
    if (near.growth[i] == 0) inside += rows_.rows(near.rows[i]);
  }
  if (all < p_.k || box.price >= below_) return true;
  if (inside >= p_.k) {
    below_ = box.price;
    known_[row] = below_;
    for (std::size_t i = 0; i < near.rows.size(); ++i)
      if (near.growth[i] == 0) known_[near.rows[i]] = std::min(known_[near.rows[i]], below_);
    return true;
  }
  if (++nodes_ % 128 == 0 && watch_.stopped()) left_ = 0;
  if (left_ <= 0) return false;
  const Count wanted = p_.k - rows_.rows(row);
  if (near.rows.size() <= kFewCandidates * static_cast<std::size_t>(p_.k) &&
      box.price + growth_of_all(near, wanted) >= below_)
    return true;
  const Branching::Value value = branching_.choose(near);
  if (value.attribute < 0) return false;  // all of them are inside, and then they are k
  Candidates next = near;
  Box grown = box;
  boxes_.admit(grown, value.attribute, value.code);
  branching_.grow(grown, value.attribute, next);
  if (!search(row, grown, next)) return false;
  branching_.leave_out(box, value, near);
  return search(row, box, near);
}

Cost CheapestBoxes::growth_of_all(const Candidates& near, Count wanted) {
  const auto attributes = static_cast<std::size_t>(rows_.attributes());
  Cost sum = 0;
  for (std::size_t a = 0; a < attributes; ++a) {
    order_.clear();
    Count free = 0;
    for (std::size_t i = 0; i < near.rows.size(); ++i)
      if (const Cost part = near.parts[i * attributes + a]; part > 0)
        order_.emplace_back(part, rows_.rows(near.rows[i]));
      else free += rows_.rows(near.rows[i]);
    if (free >= wanted) continue;
    std::sort(order_.begin(), order_.end());
    for (std::size_t i = 0; i < order_.size() && free < wanted; ++i) {
      free += order_[i].second;
      if (free >= wanted) sum += order_[i].first;
    }
  }
  return sum;
}

// The growth that the nearest rows need, so many of them; what is above all prices of interest if there are too few.
Cost CheapestBoxes::nearest(const Candidates& near, Count wanted) {
  order_.clear();
  for (std::size_t i = 0; i < near.rows.size(); ++i) order_.emplace_back(near.growth[i], rows_.rows(near.rows[i]));
  std::sort(order_.begin(), order_.end());
  for (const auto& [growth, count] : order_)
    if ((wanted -= count) <= 0) return growth;
  return below_;
}

}  // namespace shoal
