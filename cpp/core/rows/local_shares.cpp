#include "core/rows/local_shares.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace shoal {
namespace {

constexpr int kMostPasses = 200, kCheck = 10;  // every so many passes all boxes are looked at
constexpr int kNarrow = 30;                    // after so many passes boxes go that are far from holding exactly
constexpr double kStep = .05, kFall = .97;     // all shares are raised by a part of their mean, ever less
constexpr double kNear = .1;       // boxes with less room than this part of the mean are looked at each time
constexpr Cost kLeastGain = 8000;  // what ends the passes: gaining less than one in so many

}  // namespace

template <class Share>
Share BoxSettler::excess(std::span<const std::int32_t> rows, Cost price, const std::vector<Share>& shares) {
  auto& order = std::get<Order<Share>>(orders_);
  order.clear();
  for (const std::int32_t row : rows) order.emplace_back(shares[row], row);
  const std::size_t top = std::min<std::size_t>(order.size(), static_cast<std::size_t>(k_));
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(top);
  if (top < order.size()) std::nth_element(order.begin(), end - 1, order.end(), std::greater{});
  std::sort(order.begin(), end, std::greater{});
  Count left = k_;
  Share above = 0;
  for (taken_ = 0; taken_ < top && left > 0; ++taken_) {
    const Count some = std::min(left, counts_[order[taken_].second]);
    above += static_cast<Share>(some) * (order[taken_].first - static_cast<Share>(price));
    left -= some;
  }
  return above;
}

template double BoxSettler::excess(std::span<const std::int32_t>, Cost, const std::vector<double>&);
template Cost BoxSettler::excess(std::span<const std::int32_t>, Cost, const std::vector<Cost>&);

double BoxSettler::settle(std::span<const std::int32_t> rows, Cost price, std::vector<double>& shares) {
  constexpr int kTurns = 3;  // of those that follow, some are as dear now
  double dearest = shares[rows.front()];
  for (const std::int32_t row : rows) dearest = std::max(dearest, shares[row]);
  if (dearest <= static_cast<double>(price)) return static_cast<double>(price) - dearest;
  for (int turn = 0;; ++turn) {
    const double each = excess(rows, price, shares) / static_cast<double>(k_);
    if (each <= 0) return turn > 0 ? -1 : -each;
    for (std::size_t i = 0; i < taken_; ++i) shares[std::get<Order<double>>(orders_)[i].second] -= each;
    if (turn + 1 == kTurns) return -1;
  }
}

void BoxSettler::settle(std::span<const std::int32_t> rows, Cost price, std::vector<Cost>& shares) {
  constexpr int kTurns = 20;
  if (std::none_of(rows.begin(), rows.end(), [&](std::int32_t row) { return shares[row] > price; })) return;
  for (int turn = 0; turn < kTurns; ++turn) {
    const Cost above = excess(rows, price, shares);
    if (above <= 0) return;
    const Cost each = (above + k_ - 1) / k_;
    for (std::size_t i = 0; i < taken_; ++i) shares[std::get<Order<Cost>>(orders_)[i].second] -= each;
  }
  for (const std::int32_t row : rows) shares[row] = std::min(shares[row], price);
}

Shares::Shares(const LocalProblem& problem, MeetingBoxes boxes, std::vector<Cost> most, const Watch& watch)
    : p_(problem), boxes_(std::move(boxes)), most_(std::move(most)), watch_(watch), settler_(p_.counts, p_.k) {}

Cost total_share(const LocalProblem& problem, const std::vector<Cost>& shares) {
  Cost all = 0;
  for (std::size_t row = 0; row < shares.size(); ++row) all += shares[row] * problem.counts[row];
  return all;
}

// Where every row is raised by as much as boxes lower it, the lowerings are weights of groups that hold each row once:
// what is raised and lowered ever less comes to rest at the best shares there are.
std::vector<Cost> Shares::found(const std::vector<Cost>& begin) {
  shares_.assign(begin.begin(), begin.end());
  const double mean =
      static_cast<double>(total_share(p_, begin)) / std::accumulate(p_.counts.begin(), p_.counts.end(), 1.0);
  double step = mean * kStep;
  std::vector<Cost> best;
  Cost most = 0;
  std::vector<std::size_t> near;
  for (int pass = 0; pass < kMostPasses && !watch_.stopped(); ++pass, step *= kFall) {
    raise(step);
    if (pass % kCheck != 0) {
      for (const std::size_t box : near) settler_.settle(boxes_.of(box), boxes_.prices[box], shares_);
      continue;
    }
    if (pass == kNarrow) narrow(mean);
    near.clear();
    for (std::size_t box = 0; box < boxes_.count(); ++box)
      if (settler_.settle(boxes_.of(box), boxes_.prices[box], shares_) < kNear * mean) near.push_back(box);
    std::vector<Cost> now = settled();
    const Cost all = total_share(p_, now);
    const bool enough = !best.empty() && all - most < most / kLeastGain;
    if (best.empty() || all > most) most = all, best = std::move(now);
    if (enough) break;
  }
  return best;
}

void Shares::raise(double step) {
  for (std::size_t row = 0; row < shares_.size(); ++row)
    shares_[row] = std::min(shares_[row] + step, static_cast<double>(most_[row]));
}

// From here on no row pays much more than now, so that fewer boxes matter.
void Shares::narrow(double mean) {
  for (std::size_t row = 0; row < shares_.size(); ++row)
    most_[row] = std::min(most_[row], static_cast<Cost>(std::max(0., shares_[row]) + kNear * mean));
  std::size_t left = 0, end = 0;
  for (std::size_t box = 0; box < boxes_.count(); ++box) {
    const auto rows = boxes_.of(box);
    if (settler_.excess(rows, boxes_.prices[box], most_) <= 0) continue;
    std::copy(rows.begin(), rows.end(), boxes_.rows.begin() + static_cast<std::ptrdiff_t>(end));
    end += rows.size();
    boxes_.prices[left++] = boxes_.prices[box];
    boxes_.begins[left] = end;  // at or before the box just read
  }
  boxes_.prices.resize(left);
  boxes_.begins.resize(left + 1);
  boxes_.rows.resize(end);
}

// In whole numbers. Lowering shares breaks no box that held, so that one pass is enough.
std::vector<Cost> Shares::settled() {
  std::vector<Cost> whole(shares_.size());
  for (std::size_t row = 0; row < whole.size(); ++row)
    whole[row] = std::min(most_[row], static_cast<Cost>(std::floor(shares_[row])));
  for (std::size_t box = 0; box < boxes_.count(); ++box) settler_.settle(boxes_.of(box), boxes_.prices[box], whole);
  return whole;
}

Cost shares_bound(const LocalProblem& problem, const std::vector<Cost>& known, const Watch& watch) {
  // Eighths of what the rows cost as they are: the more a row may pay, the more boxes matter.
  for (const Cost eighths : {12, 10, 9}) {
    std::vector<Cost> most(known.size(), 0);
    for (std::size_t row = 0; row < known.size(); ++row) {
      most[row] = known[row] * eighths / 8;
      if (problem.limit > 0) most[row] = std::min(most[row], problem.suppressed_row);
    }
    std::optional<MeetingBoxes> boxes = label_boxes(problem, most, watch);
    if (watch.stopped()) return 0;
    if (!boxes) continue;
    Shares shares(problem, std::move(*boxes), std::move(most), watch);
    const std::vector<Cost> found = shares.found(known);
    return found.empty() ? 0 : std::max<Cost>(0, total_share(problem, found));
  }
  return 0;
}

}  // namespace shoal
