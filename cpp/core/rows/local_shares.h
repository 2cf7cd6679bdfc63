// local_shares.h - shares of the cost: what each row pays, so that no group costs less than its rows pay together.
//
// Every group of rows lies in a box, and costs its size times the price of the box. If in every box the k rows that pay
// most pay on average no more than the box costs a row, then no group costs less than what its rows pay, and no partition
// less than what all rows pay. Good shares are looked for in floating point, by raising all of them a little and lowering
// them in the boxes where that was too much, again and again; the last lowering is in whole numbers, and is the proof.
#pragma once

#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/rows/local.h"

namespace shoal {

// Boxes that groups can lie in, with all rows that do.
struct MeetingBoxes {
  std::vector<Cost> prices;            // of one row
  std::vector<std::size_t> begins{0};  // of the rows of each box, and the end of the last
  std::vector<std::int32_t> rows;      // distinct rows
  std::size_t count() const { return prices.size(); }
  std::span<const std::int32_t> of(std::size_t box) const {
    return std::span(rows).subspan(begins[box], begins[box + 1] - begins[box]);
  }
};

// What all rows pay.
Cost total_share(const LocalProblem& problem, const std::vector<Cost>& shares);

// All boxes of labels that can matter while no row pays more than `most`; nothing if there are too many, or no time.
std::optional<MeetingBoxes> label_boxes(const LocalProblem& problem, const std::vector<Cost>& most, const Watch& watch);

// Lowers what the rows of a box pay, those that pay most first, until no group in it pays more than it costs.
class BoxSettler {
 public:
  BoxSettler(std::span<const Count> counts, Count k) : counts_(counts), k_(k) {}

  // How much less than the price its k dearest rows paid on average; negative if something was lowered.
  double settle(std::span<const std::int32_t> rows, Cost price, std::vector<double>& shares);
  // The same in whole numbers, until it holds.
  void settle(std::span<const std::int32_t> rows, Cost price, std::vector<Cost>& shares);
  // What the k rows of most shares pay in all beyond so many times the price.
  template <class Share>
  Share excess(std::span<const std::int32_t> rows, Cost price, const std::vector<Share>& shares);

 private:
  template <class Share>
  using Order = std::vector<std::pair<Share, std::int32_t>>;
  std::span<const Count> counts_;
  Count k_;
  std::tuple<Order<double>, Order<Cost>> orders_;
  std::size_t taken_ = 0;  // of the order, the rows that pay most
};

class Shares {
 public:
  // `most`: what a row may pay at most, as when the boxes were looked for.
  Shares(const LocalProblem& problem, MeetingBoxes boxes, std::vector<Cost> most, const Watch& watch);

  // Good shares, beginning with some; empty if there is no time.
  std::vector<Cost> found(const std::vector<Cost>& begin);

 private:
  void raise(double step);
  void narrow(double mean);
  std::vector<Cost> settled();

  const LocalProblem& p_;
  MeetingBoxes boxes_;
  std::vector<Cost> most_;
  const Watch& watch_;
  BoxSettler settler_;
  std::vector<double> shares_;
};

// What all rows pay by labels; 0 if there are too many boxes, or no time. `known` are the prices of the rows in some
// local recoding: they direct the search, so that the bound depends on them.
Cost shares_bound(const LocalProblem& problem, const std::vector<Cost>& known, const Watch& watch);

}  // namespace shoal
