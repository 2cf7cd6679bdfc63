// nested.h - general loss over cuts: what each attribute can save at most, given the interval of the axis.
//
// Per attribute a longest path over its cuts, for all intervals of the axis at once; the node's bound is the shortest path
// over the intervals, with what a row costs that is suppressed less what all attributes save. Formula and proof:
// docs/algorithms/exact.md, "General loss: nested shortest paths".
// Cost: head groups x pairs of cuts x intervals for load(), pairs of cuts x intervals for a cut that leaves.
// Invariant: no descendant that costs less than what was known pays less than values() for the rows of an interval, the price
// of those that it suppresses included, and each uses intervals of spans() only.
#pragma once

#include <vector>

#include "core/cuts/head.h"
#include "core/cuts/setting.h"

namespace shoal {

// An open cut, and what descendants cost at least that have it, or do not.
struct OpenCut {
  int cut;
  Cost in = 0, out = 0;
  bool useful = true;
};

class Nested {
 public:
  Nested(const Setting& setting, const Head<Metric::general_loss>& head);

  // Whether the numbers of a projection are few enough to be held.
  static bool fits(const Projection& projection);

  // The pieces of the solved head with the cuts of the tail open. `floor` is known to be paid per interval of `spans`.
  void load(const CutSet& head, const std::vector<int>& tail, const Spans& spans, const std::vector<Cost>& floor);
  // Under a limit: suppressed rows cost a price more, and that of all rows of the limit is taken off at the end. Any price
  // gives a true bound. Right after load().
  void set_price(Cost price);
  // Sets the price with the best bound of those that are tried, from the one of the node above. Returns it.
  Cost find_price(Cost before);

  // The bound of the node; finds the paths of attributes that lost a cut again.
  Cost least();
  // Keeps the intervals that lie on a partition below `known`. After least(). False when none is left.
  bool narrow(Cost known);
  // Looks for shares of the attributes in what a row saves that give a better bound. After least().
  void reshare(int times);
  // Bounds for every open cut. After narrow().
  std::vector<OpenCut>& look();
  // Adds a guess at a good recoding to a head.
  void suggest(CutSet& head);
  // Takes a cut out of the tail.
  void drop(int cut);

 private:
  static constexpr Cost kNone = -kInfinite;  // of a path that does not exist

  enum class Use : char { always, open, never };
  // One attribute but the axis. Ends are its cuts in head and tail, with 0 and the size of the domain; pairs of them
  // with no end between that is always used are intervals. Arrays of intervals of the axis lie one after the other.
  struct Attribute {
    std::vector<Cost> most;       // its share: what a row saves that loses nothing here
    std::vector<Count> released;  // on the path that saves most
    struct {
      std::vector<Cost> most, gain;
      std::vector<Count> released;
    } before;                             // shares were moved
    std::vector<Count> rows;              // of the table: per code those below it, a histogram over the axis
    std::vector<int> ends, names;         // the code of each, and its cut in the alphabet
    std::vector<Use> use;                 // per end
    std::vector<int> segment;             // per code the number of ends up to it, less one
    std::vector<int> furthest;            // per end the last one of a pair
    std::vector<int> first;               // per end c: pair (c, d) is first[c] + d
    std::vector<Cost> loss;               // per pair
    std::vector<Count> kept;              // per pair; below 0 where it would suppress too many rows
    std::vector<Cost> left, right;        // per end the best that can be saved on either side
    std::vector<Cost> passing, spanning;  // per end the best on paths that use it, or do not
    std::vector<Cost> gain;
    std::vector<Count> most_kept;      // under a limit
    bool stale = true, unseen = true;  // paths must be found again

    int pairs() const { return static_cast<int>(loss.size()); }
  };

  void charge();
  void share_out();
  void shift_shares(int interval);
  void find_released(Attribute& own);
  void set_ends(int attribute, const CutSet& head, const std::vector<int>& tail);
  void count(int attribute);
  void count_group(Attribute& own, int attribute, int group);
  void forbid(Attribute& own);
  void find_paths(Attribute& own);
  void find_right(Attribute& own);
  void find_most_kept(Attribute& own);
  void find_values();
  bool find_live(Cost known);
  void keep_live();
  void find_ways(Attribute& own);
  Cost least_with(const Cost* saved, const std::vector<Cost>& gain);
  bool is_useful(const Attribute& own, int end) const;
  Cost less_owed(Cost path) const { return path >= kInfinite ? kInfinite : path - owed_; }

  template <class Number>
  Number* at(std::vector<Number>& values, int row) const {
    return values.data() + static_cast<std::size_t>(row) * spans_.count;
  }

  const Setting& s_;
  const Head<Metric::general_loss>& head_;
  std::vector<Attribute> attributes_;
  Spans spans_, narrowed_;
  // Per interval: what is known to be paid, what it costs to suppress all rows, what a row saves that loses nothing but its
  // label on the axis, what the paths say, and the bound, the larger of that and the floor.
  std::vector<Cost> floor_, fixed_, saved_, nested_, values_;
  Cost price_ = 0, owed_ = 0;             // of a suppressed row, and of as many as may be
  std::vector<Count> suppressed_, rows_;  // by every descendant; of each interval
  std::vector<Count> certain_;            // suppressed by every descendant, as known from the head: under the price
  std::vector<char> live_;
  std::vector<Cost> forward_, backward_, few_, fewest_;  // per position
  std::vector<Count> histogram_, piece_;
  std::vector<Cost> ways_, path_, one_;
  std::vector<OpenCut> cuts_;
  std::vector<Count> path_rows_;
  std::vector<Cost> before_;  // values, before shares were moved
  std::vector<double> step_;  // per interval
  bool changed_ = true;
};

}  // namespace shoal
