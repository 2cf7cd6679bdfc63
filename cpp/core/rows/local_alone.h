// local_alone.h - what each row costs at least, whatever values are released as: the cheapest box around it with k rows.
//
// All boxes around a row that are cheaper than one that is known are searched by branch and bound. If they are too many,
// only those below some lesser price are, and that price is the bound. Proof: docs/algorithms/local.md.
#pragma once

#include <vector>

#include "core/rows/local_candidates.h"

namespace shoal {

class CheapestBoxes {
 public:
  // `known`: per row the price of some box around it with k rows, or what suppressing it costs.
  CheapestBoxes(const LocalProblem& problem, const Rows& rows, const Boxes& boxes, std::vector<Cost> known,
                const Watch& watch);

  // Per row a price below which no group has it; empty if there is no time.
  std::vector<Cost> least();

 private:
  Cost around(int row);
  // Looks for a box cheaper than `below_`, and lowers it to the price of any that is found. False if there was too much to look at.
  bool search(int row, const Box& box, Candidates& near);
  // What a box must grow by at least, attribute by attribute, to hold k rows.
  Cost growth_of_all(const Candidates& near, Count wanted);
  Cost nearest(const Candidates& near, Count wanted);

  const LocalProblem& p_;
  const Rows& rows_;
  const Watch& watch_;
  const Boxes& boxes_;
  const Branching branching_;
  std::vector<Cost> known_;  // prices of boxes that were found
  std::vector<Cost> least_;  // of rows that are done; else 0
  Cost below_ = 0;
  std::int64_t left_ = 0, looks_ = 0, nodes_ = 0;
  std::vector<std::pair<Cost, Count>> order_;
};

}  // namespace shoal
