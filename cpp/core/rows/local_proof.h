// local_proof.h - makes shares hold for all groups, whatever values are released as.
//
// Rows are taken in the order of their shares, the greatest first. For each, all boxes around it that rows not taken yet
// could fill are searched by branch and bound: a value of an attribute is in the box, or it is not. A box whose rows pay too
// much is settled at once, which only helps elsewhere. So every group is looked at with the first of its rows. What rows
// cost at least by themselves are shares that hold, so others are only looked for above them.
// Proof: docs/algorithms/local.md.
#pragma once

#include <vector>

#include "core/rows/local_candidates.h"
#include "core/rows/local_shares.h"

namespace shoal {

class ShareProof {
 public:
  // `least`: per row a price below which no group has it.
  ShareProof(const LocalProblem& problem, const Rows& rows, const Boxes& boxes, std::vector<Cost> least,
             const Watch& watch);

  // Lowers shares until no group pays more than it costs. False if there is no time, or if they end up at `worth` or less. Boxes in which something was lowered
  // are added to those that are `found`.
  bool prove(std::vector<Cost>& shares, Cost worth, MeetingBoxes& found);
  // The same, without a proof: some boxes are looked at.
  bool try_boxes(std::vector<Cost>& shares, MeetingBoxes& found);

 private:
  struct Scan {
    Cost most = 0;          // what rows pay too much, at most; 0 if nothing
    Cost at = 0, last = 0;  // growths: of the most, and the greatest with anything
    Cost here = 0;          // too much in the box as it is
  };
  bool pass(std::vector<Cost>& shares, Cost worth, MeetingBoxes& found);
  void look_around(int row);
  void begin(int row, Candidates& near) const;
  // What is too much at most in what the search left open; 0 if nothing.
  Cost search(int row, const Box& box, Candidates& near);
  Scan scan(int row, Cost price, const Candidates& near);
  // What a row may pay less without falling below what it costs by itself.
  Cost spare(int row) const { return std::max<Cost>(0, (*shares_)[row] - least_[row]); }
  void settle(int row, const Box& box, const Candidates& near);

  const LocalProblem& p_;
  const Rows& rows_;
  const Boxes& boxes_;
  const Branching branching_;
  const std::vector<Cost> least_;
  const Watch& watch_;
  BoxSettler settler_;
  std::vector<Cost>* shares_ = nullptr;
  MeetingBoxes* found_ = nullptr;
  std::vector<char> taken_;
  Cost greatest_ = 0;                              // share of the row that is looked at, before anything was lowered
  bool quick_ = false;                             // look at some boxes only, and leave the others open
  std::int64_t nodes_ = 0, looks_ = 0, left_ = 0;  // looks at rows, of a pass, and those left around one row
  std::vector<std::pair<Cost, int>> order_;
  std::vector<std::pair<Cost, Count>> heap_;
  std::vector<std::int32_t> inside_;
};

// Shares of all rows, whatever values are released as; empty if there are too many rows, or no time. `known` are the
// prices of the rows in some local recoding, where the search begins.
std::vector<Cost> proved_shares(const LocalProblem& problem, const Rows& rows, const Boxes& boxes,
                                const std::vector<Cost>& known, const Watch& watch);

}  // namespace shoal
