#include "core/rows/local_proof.h"

#include <algorithm>

#include "core/rows/local_alone.h"

namespace shoal {
namespace {

constexpr std::int64_t kRowLooks = 200'000;        // at rows, in the search around one row ...
constexpr std::int64_t kProofLooks = 150'000'000;  // ... and around all of them; then a proof is given up
constexpr int kTries = 6;                          // each with shares that are lower by an eighth
constexpr std::int64_t kQuickRowLooks = 2'000;
constexpr std::int64_t kQuickLooks = 20'000'000;
constexpr std::size_t kQuickRows = 1000;  // the nearest
constexpr int kQuickRounds = 3;
constexpr int kCheckRows = 64;
constexpr Cost kRooms[] = {2, 4, 8, 32};        // a proof is easier for shares that are lower by one in so many
constexpr std::int64_t kMostDistinct = 40'000;  // all pairs of distinct rows are looked at

}  // namespace

ShareProof::ShareProof(const LocalProblem& problem, const Rows& rows, const Boxes& boxes, std::vector<Cost> least,
                       const Watch& watch)
    : p_(problem), rows_(rows), boxes_(boxes), branching_(problem, rows, boxes), least_(std::move(least)),
      watch_(watch), settler_(p_.counts, p_.k) {}

bool ShareProof::try_boxes(std::vector<Cost>& shares, MeetingBoxes& found) {
  quick_ = true;
  return pass(shares, 0, found);
}

bool ShareProof::prove(std::vector<Cost>& shares, Cost worth, MeetingBoxes& found) {
  quick_ = false;
  return pass(shares, worth, found);
}

bool ShareProof::pass(std::vector<Cost>& shares, Cost worth, MeetingBoxes& found) {
  shares_ = &shares;
  found_ = &found;
  looks_ = 0;
  taken_.assign(rows_.count(), 1);
  std::vector<int> order;
  for (int row = 0; row < rows_.count(); ++row)
    if (rows_.rows(row) > 0) order.push_back(row), taken_[row] = 0;
  const std::vector<Cost> before = shares;
  std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return before[x] > before[y]; });
  int done = 0;
  for (const int row : order) {
    greatest_ = before[row];
    look_around(row);
    taken_[row] = 1;
    if (watch_.stopped() || looks_ > kProofLooks) return false;
    // Shares only fall, so what is no better than another proof by now will not be.
    if (!quick_ && ++done % kCheckRows == 0 && total_share(p_, shares) <= worth) return false;
    if (quick_ && looks_ > kQuickLooks) return true;
  }
  return true;
}

// All boxes around a row; if they are too many, shares are lowered until they are not, or the row alone pays what is open.
void ShareProof::look_around(int row) {
  std::vector<Cost>& shares = *shares_;
  Candidates near, all;
  begin(row, all);
  for (int turn = 0;; ++turn) {
    near = all;
    left_ = quick_ ? kQuickRowLooks : kRowLooks;
    const Cost open = search(row, boxes_.around(row), near);
    if (open <= 0 || quick_) return;
    Cost eighth = 0;  // what the others pay less after the next try
    for (const int other : all.rows) eighth += spare(other) / 8 * rows_.rows(other);
    if (turn == kTries || open <= eighth / rows_.rows(row)) {
      shares[row] -= open;
      return;
    }
    all.rows.push_back(row);
    for (const int other : all.rows) shares[other] -= spare(other) / 8;
    all.rows.pop_back();
  }
}

// Rows that are not taken and near enough to be in a group that pays too much: none pays more than this one did.
void ShareProof::begin(int row, Candidates& near) const {
  branching_.around(row, greatest_, [&](int other) { return !taken_[other] && least_[other] < greatest_; }, near);
  const std::size_t most = std::max<std::size_t>(kQuickRows, 4 * static_cast<std::size_t>(p_.k));
  if (!quick_ || near.rows.size() <= most) return;
  std::vector<Cost> growth = near.growth;
  const auto last = growth.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(growth.begin(), last, growth.end());
  near.keep_if(rows_.attributes(), [&](std::size_t i) { return near.growth[i] <= *last; });
}

Cost ShareProof::search(int row, const Box& box, Candidates& near) {
  const auto looks = static_cast<std::int64_t>(near.rows.size()) + 1;
  looks_ += looks;
  left_ -= looks;
  if (++nodes_ % 128 == 0 && watch_.stopped()) left_ = 0;
  Scan seen = scan(row, box.price, near);
  while (seen.here > 0) {
    settle(row, box, near);
    seen = scan(row, box.price, near);
  }
  if (seen.most <= 0) return 0;
  if (left_ <= 0) return seen.most;
  // Rows that are farther are in no group that pays too much; to find some box, the best so far will do.
  near.keep_if(rows_.attributes(), [&, far = quick_ ? seen.at : seen.last](std::size_t i) {
    return std::max(near.growth[i], least_[near.rows[i]] - box.price) <= far;
  });
  const Branching::Value value = branching_.choose(near);
  if (value.attribute < 0) return seen.most;
  Candidates next = near;
  Box grown = box;
  boxes_.admit(grown, value.attribute, value.code);
  branching_.grow(grown, value.attribute, next);
  const Cost with = search(row, grown, next);
  branching_.leave_out(box, value, near);
  return std::max(with, search(row, box, near));
}

// By their growth: the k - 1 rows that pay most of those that are as near, and the row itself. A group costs no less than
// any of its rows does by itself, so that is growth, too.
ShareProof::Scan ShareProof::scan(int row, Cost price, const Candidates& near) {
  const std::vector<Cost>& shares = *shares_;
  const Cost least = std::max<Cost>(0, least_[row] - price);
  order_.clear();
  for (std::size_t i = 0; i < near.rows.size(); ++i)
    order_.emplace_back(std::max({least, near.growth[i], least_[near.rows[i]] - price}), near.rows[i]);
  std::sort(order_.begin(), order_.end());
  heap_.clear();
  Scan seen;
  const Count wanted = p_.k - 1;
  Count held = 0;
  Cost sum = 0;
  const auto add = [&](int other, Count rows) {
    if (rows == 0 || wanted == 0) return;
    heap_.emplace_back(-shares[other], rows);
    std::push_heap(heap_.begin(), heap_.end());
    held += rows;
    sum += shares[other] * rows;
    while (held - heap_.front().second >= wanted) {
      held -= heap_.front().second;
      sum += heap_.front().first * heap_.front().second;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    }
  };
  const auto look = [&](Cost growth) {
    if (held < wanted) return;
    const Cost pays = shares[row] + sum + (held > wanted ? (held - wanted) * heap_.front().first : 0);
    const Cost more = pays - p_.k * (price + growth);
    if (more <= 0) return;
    seen.last = growth;
    if (growth == 0) seen.here = more;
    if (more > seen.most) seen.most = more, seen.at = growth;
  };
  add(row, rows_.rows(row) - 1);
  if (order_.empty() || order_.front().first > least) look(least);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    add(order_[i].second, rows_.rows(order_[i].second));
    if (i + 1 == order_.size() || order_[i + 1].first > order_[i].first) look(order_[i].first);
  }
  return seen;
}

void ShareProof::settle(int row, const Box& box, const Candidates& near) {
  inside_.assign(1, row);
  for (std::size_t i = 0; i < near.rows.size(); ++i)
    if (near.growth[i] == 0) inside_.push_back(near.rows[i]);
  settler_.settle(inside_, box.price, *shares_);
  found_->prices.push_back(box.price);
  found_->rows.insert(found_->rows.end(), inside_.begin(), inside_.end());
  found_->begins.push_back(found_->rows.size());
}

std::vector<Cost> proved_shares(const LocalProblem& problem, const Rows& rows, const Boxes& boxes,
                                const std::vector<Cost>& known, const Watch& watch) {
  if (rows.count() > kMostDistinct) return {};
  std::vector<Cost> most = known;
  for (Cost& each : most) each = problem.limit > 0 ? std::min(each * 3 / 2, problem.suppressed_row) : each * 3 / 2;
  std::vector<Cost> shares = known;
  MeetingBoxes found;
  // What each row costs by itself is no more than any group costs it, so these are shares, too.
  std::vector<Cost> best = CheapestBoxes(problem, rows, boxes, known, watch).least();
  if (best.empty()) return {};
  if (problem.limit > 0)
    for (Cost& each : best) each = std::min(each, problem.suppressed_row);
  const std::vector<Cost> least = best;
  Cost sum = total_share(problem, best);
  ShareProof proof(problem, rows, boxes, least, watch);
  for (int round = 0; round < kQuickRounds && !shares.empty(); ++round) {
    if (!proof.try_boxes(shares, found)) return best;
    shares = Shares(problem, found, most, watch).found(known);
  }
  for (const Cost room : kRooms) {
    if (shares.empty()) break;
    for (std::size_t row = 0; row < shares.size(); ++row)
      shares[row] -= std::max<Cost>(0, shares[row] - least[row]) / room;
    if (!proof.prove(shares, sum, found)) break;
    if (const Cost all = total_share(problem, shares); all > sum) sum = all, best = shares;
    shares = Shares(problem, found, most, watch).found(known);
  }
  return best;
}

}  // namespace shoal
