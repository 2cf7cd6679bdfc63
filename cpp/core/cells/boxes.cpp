#include <bit>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "core/cells/patterns.h"

namespace shoal {
namespace {

// The cheapest boxes of each row; among equal prices those with fewest stars.
class Boxes {
 public:
  Boxes(const CellProblem& problem, const Options& options)
      : p_(problem), options_(options), watch_(options), rows_(problem),
        everything_((Pattern{1} << rows_.attributes()) - 1), best_(rows_.count()), boxes_(rows_.count()) {}

  CellOutcome run() {
    CellOutcome out;
    for (int row = 0; row < rows_.count(); ++row) offer(row, everything_, 0);
    look_at_patterns(out);
    out.found = true;
    out.cost = out.bound = 0;
    for (int row = 0; row < rows_.count(); ++row) {
      const Cost price = best_[row].first;
      out.cost += price * rows_.copies(row);
      out.bound += (out.proved ? price : std::min(price, reached_)) * rows_.copies(row);
    }
    choose(out);
    return out;
  }

 private:
  void look_at_patterns(CellOutcome& out) {
    std::vector<std::uint32_t> box_of;
    std::vector<Count> sizes;
    std::vector<int> open(rows_.count());
    for (int row = 0; row < rows_.count(); ++row) open[row] = row;
    for (PatternOrder order(p_); !order.empty() && !open.empty();) {
      reached_ = order.price();
      std::erase_if(open, [&](int row) { return best_[row].first < reached_; });
      if (open.empty() || watch_.stopped() || out.nodes >= options_.budget.nodes) break;
      const Pattern pattern = order.next();
      ++out.nodes;
      sizes.assign(rows_.group(pattern, box_of), 0);
      for (int row = 0; row < rows_.count(); ++row) sizes[box_of[row]] += rows_.copies(row);
      for (const int row : open)
        if (sizes[box_of[row]] >= p_.k && pattern != everything_) offer(row, pattern, box_of[row]);
      if (order.empty()) open.clear();
    }
    out.proved = open.empty();
  }
  void offer(int row, Pattern pattern, std::uint32_t group) {
    const std::pair here{rows_.price(row, pattern), std::popcount(pattern)};
    if (!boxes_[row].empty() && here > best_[row]) return;
    if (boxes_[row].empty() || here < best_[row]) boxes_[row].clear(), best_[row] = here;
    const auto [at, fresh] =
        number_.try_emplace(std::uint64_t{pattern} << 32 | group, static_cast<std::uint32_t>(patterns_.size()));
    if (fresh) patterns_.push_back(pattern);
    boxes_[row].push_back(at->second);
  }

  // Of a row's cheapest boxes the one that most others take, too: fewer rows are then alone with their stars. The box
  // with most rows left is taken first, among equals the first pattern.
  void choose(CellOutcome& out) {
    std::vector<Count> left(patterns_.size(), 0);
    std::vector<std::vector<int>> takers(patterns_.size());
    for (int row = 0; row < rows_.count(); ++row)
      for (const std::uint32_t box : boxes_[row]) left[box] += rows_.copies(row), takers[box].push_back(row);
    using Entry = std::tuple<Count, Pattern, std::uint32_t>;
    std::priority_queue<Entry> heap;
    const auto entry = [&](std::uint32_t box) { return Entry{left[box], ~patterns_[box], ~box}; };
    for (std::uint32_t box = 0; box < patterns_.size(); ++box)
      if (left[box] > 0) heap.push(entry(box));
    std::vector<char> done(rows_.count(), 0);
    out.pieces.resize(rows_.count());
    while (!heap.empty()) {
      const std::uint32_t box = ~std::get<2>(heap.top());
      const Count size = std::get<0>(heap.top());
      heap.pop();
      if (left[box] < size) {  // others took some of its rows meanwhile
        if (left[box] > 0) heap.push(entry(box));
        continue;
      }
      for (const int row : takers[box]) {
        if (done[row]) continue;
        done[row] = 1;
        out.pieces[row] = {row, patterns_[box], rows_.copies(row)};
        for (const std::uint32_t each : boxes_[row]) left[each] -= rows_.copies(row);
      }
    }
  }

  const CellProblem& p_;
  const Options& options_;
  const Watch watch_;
  CellRows rows_;
  const Pattern everything_;
  Cost reached_ = 0;                                         // no pattern that is yet to come costs any row less
  std::vector<std::pair<Cost, int>> best_;                   // per row the least price, and its stars
  std::vector<std::vector<std::uint32_t>> boxes_;            // per row those of that price
  std::vector<Pattern> patterns_;                            // per box
  std::unordered_map<std::uint64_t, std::uint32_t> number_;  // pattern and group -> box
};

}  // namespace

CellOutcome cheapest_boxes(const CellProblem& problem, const Options& options) { return Boxes(problem, options).run(); }

}  // namespace shoal
