#include "core/rows/local_proof.h"

#include <algorithm>

namespace shoal {
namespace {

constexpr std::int64_t kRowLooks = 200'000;        // at rows, in the search around one row ...
constexpr std::int64_t kProofLooks = 150'000'000;  // ... and around all of them; then a proof is given up
constexpr int kTries = 6;                          // each with shares that are lower by an eighth
constexpr std::int64_t kQuickRowLooks = 2'000;
constexpr std::int64_t kQuickLooks = 20'000'000;
constexpr std::size_t kQuickRows = 1000;  // the nearest
constexpr int kQuickRounds = 3;
constexpr Cost kRooms[] = {2, 4, 8, 32};        // a proof is easier for shares that are lower by one in so many
constexpr std::int64_t kMostDistinct = 40'000;  // all pairs of distinct rows are looked at

}  // namespace

ShareProof::ShareProof(const LocalProblem& problem, const Rows& rows, const Boxes& boxes, const Watch& watch)
    : p_(problem), rows_(rows), boxes_(boxes), watch_(watch), settler_(p_.counts, p_.k) {}

template <class Keep>
void ShareProof::keep_if(Candidates& near, const Keep& keep) const {
  const std::size_t attributes = rows_.attributes();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < near.rows.size(); ++i) {
    if (!keep(i)) continue;
    if (kept < i) {
      near.rows[kept] = near.rows[i];
      near.growth[kept] = near.growth[i];
      std::copy_n(near.parts.begin() + static_cast<std::ptrdiff_t>(i * attributes), attributes,
                  near.parts.begin() + static_cast<std::ptrdiff_t>(kept * attributes));
    }
    ++kept;
  }
  near.rows.resize(kept), near.growth.resize(kept), near.parts.resize(kept * attributes);
}

bool ShareProof::try_boxes(std::vector<Cost>& shares, MeetingBoxes& found) {
  quick_ = true;
  return pass(shares, found);
}

bool ShareProof::prove(std::vector<Cost>& shares, MeetingBoxes& found) {
  quick_ = false;
  return pass(shares, found);
}

bool ShareProof::pass(std::vector<Cost>& shares, MeetingBoxes& found) {
  shares_ = &shares;
  found_ = &found;
  looks_ = 0;
  taken_.assign(rows_.count(), 1);
  std::vector<int> order;
  for (int row = 0; row < rows_.count(); ++row)
    if (rows_.rows(row) > 0) order.push_back(row), taken_[row] = 0;
  const std::vector<Cost> before = shares;
  std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return before[x] > before[y]; });
  for (const int row : order) {
    greatest_ = before[row];
    look_around(row);
    taken_[row] = 1;
    if (watch_.stopped() || looks_ > kProofLooks) return false;
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
    for (const int other : all.rows) eighth += std::max<Cost>(0, shares[other]) / 8 * rows_.rows(other);
    if (turn == kTries || open <= eighth / rows_.rows(row)) {
      shares[row] -= open;
      return;
    }
    all.rows.push_back(row);
    for (const int other : all.rows) shares[other] -= std::max<Cost>(0, shares[other]) / 8;
    all.rows.pop_back();
  }
}

// Rows that are not taken and near enough to be in a group that pays too much: none pays more than this one did.
void ShareProof::begin(int row, Candidates& near) const {
  near.clear();
  const int attributes = rows_.attributes();
  const Box box = boxes_.around(row);
  std::vector<std::vector<Cost>> apart(attributes);
  for (int a = 0; a < attributes; ++a)
    for (int code = 0; code < static_cast<int>(p_.parts[a][0].size()); ++code)
      apart[a].push_back(boxes_.dearer(box, a, code));
  const Cost room = greatest_ - box.price;
  for (int other = 0; other < rows_.count(); ++other) {
    if (taken_[other] || other == row) continue;
    Cost sum = 0;
    for (int a = 0; a < attributes && sum < room; ++a) sum += apart[a][rows_.code(other, a)];
    if (sum >= room) continue;
    near.rows.push_back(other);
    near.growth.push_back(sum);
    for (int a = 0; a < attributes; ++a) near.parts.push_back(apart[a][rows_.code(other, a)]);
  }
  const std::size_t most = std::max<std::size_t>(kQuickRows, 4 * static_cast<std::size_t>(p_.k));
  if (!quick_ || near.rows.size() <= most) return;
  std::vector<Cost> growth = near.growth;
  const auto last = growth.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(growth.begin(), last, growth.end());
  keep_if(near, [&](std::size_t i) { return near.growth[i] <= *last; });
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
  keep_if(near, [&, far = quick_ ? seen.at : seen.last](std::size_t i) { return near.growth[i] <= far; });
  const Branch branch = choose(near);
  Candidates next = near;
  Box grown = box;
  boxes_.admit(grown, branch.attribute, branch.code);
  grow(grown, branch.attribute, next);
  const Cost with = search(row, grown, next);
  const int attributes = rows_.attributes(), a = branch.attribute;
  keep_if(near, [&](std::size_t i) {
    return near.parts[i * attributes + a] <= 0 || !boxes_.implies(box, a, rows_.code(near.rows[i], a), branch.code);
  });
  return std::max(with, search(row, box, near));
}

// By their growth: the k - 1 rows that pay most of those that are as near, and the row itself.
ShareProof::Scan ShareProof::scan(int row, Cost price, const Candidates& near) {
  const std::vector<Cost>& shares = *shares_;
  order_.clear();
  for (std::size_t i = 0; i < near.rows.size(); ++i) order_.emplace_back(near.growth[i], near.rows[i]);
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
  if (order_.empty() || order_.front().first > 0) look(0);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    add(order_[i].second, rows_.rows(order_[i].second));
    if (i + 1 == order_.size() || order_[i + 1].first > order_[i].first) look(order_[i].first);
  }
  return seen;
}

// What tells most: the attribute along which rows are far, there the value that most of them have, or the one amidst
// them. All that is asked for is that some row is beyond the box there.
ShareProof::Branch ShareProof::choose(const Candidates& near) const {
  const int attributes = rows_.attributes();
  std::vector<Cost> far(attributes, 0);
  for (std::size_t i = 0; i < near.rows.size(); ++i)
    for (int a = 0; a < attributes; ++a) far[a] += near.parts[i * attributes + a];
  Branch best;
  best.attribute = static_cast<int>(std::max_element(far.begin(), far.end()) - far.begin());
  const int a = best.attribute;
  std::vector<int> codes;
  for (std::size_t i = 0; i < near.rows.size(); ++i)
    if (near.parts[i * attributes + a] > 0) codes.push_back(rows_.code(near.rows[i], a));
  std::sort(codes.begin(), codes.end());
  best.code = codes[codes.size() / 2];
  if (boxes_.by_interval(a)) return best;
  std::size_t count = 0;
  for (std::size_t begin = 0, end; begin < codes.size(); begin = end) {
    for (end = begin; end < codes.size() && codes[end] == codes[begin];) ++end;
    if (end - begin > count) count = end - begin, best.code = codes[begin];
  }
  return best;
}

// What the box must still grow, after it grew along one attribute.
void ShareProof::grow(const Box& box, int a, Candidates& near) const {
  const int attributes = rows_.attributes();
  for (std::size_t i = 0; i < near.rows.size(); ++i) {
    Cost& part = near.parts[i * attributes + a];
    if (part == 0) continue;
    near.growth[i] -= part;
    part = boxes_.dearer(box, a, rows_.code(near.rows[i], a));
    near.growth[i] += part;
  }
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
  std::vector<Cost> best;
  Cost sum = 0;
  ShareProof proof(problem, rows, boxes, watch);
  for (int round = 0; round < kQuickRounds && !shares.empty(); ++round) {
    if (!proof.try_boxes(shares, found)) return {};
    shares = Shares(problem, found, most, watch).found(known);
  }
  for (const Cost room : kRooms) {
    if (shares.empty()) break;
    for (Cost& each : shares) each -= std::max<Cost>(0, each) / room;
    if (!proof.prove(shares, found)) break;
    if (const Cost all = total_share(problem, shares); all > sum) sum = all, best = shares;
    shares = Shares(problem, found, most, watch).found(known);
  }
  return best;
}

}  // namespace shoal
