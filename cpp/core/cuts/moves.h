// moves.h - the moves of a search tree along one axis: what may join a head.
//
// A move makes all cuts that one part of a hierarchy owns and needs the move of the part around it; where an attribute
// has no hierarchy each cut is a move. It is named by its first cut in the projection's alphabet. The same moves as in
// cut_space.h, without those of the axis.
#pragma once

#include <span>
#include <vector>

#include "core/base/hierarchy.h"
#include "core/cuts/cut_set.h"
#include "core/cuts/cut_space.h"
#include "core/cuts/projection.h"

namespace shoal {

class Moves {
 public:
  // The space outlives the moves; the projection need not.
  Moves(const CutSpace& space, const Projection& projection);

  const std::vector<int>& all() const { return all_; }  // parents before children
  std::span<const int> cuts(int move) const { return std::span(cuts_).subspan(first_[move], count_[move]); }
  int parent(int move) const { return parent_[move]; }  // the move that it needs; -1 if none
  bool is_needed(int move) const { return needed_[move] != 0; }
  bool needs(int move, int other) const;  // or is the same
  bool possible(int move, const CutSet& head) const { return parent_[move] < 0 || head.has(parent_[move]); }
  // Those among some cuts that name a move.
  void among(const std::vector<int>& cuts, std::vector<int>& moves) const;

  // Makes a move, or takes it back with all that need it.
  void toggle(int move, CutSet& head) const;
  // The heads one toggle away.
  std::vector<CutSet> neighbours(const CutSet& head) const;
  // Those with one cut moved to the value next to it, where every cut is a move.
  std::vector<CutSet> shifts(const CutSet& head) const;

  // By index into the projection's attributes.
  const Hierarchy* hierarchy(int attribute) const { return hierarchies_[attribute]; }
  int opening(int attribute, int part) const { return opening_[attribute][part]; }  // -1 for a single value

 private:
  void add(std::span<const std::int32_t> codes, int first_cut, int parent);

  std::vector<const Hierarchy*> hierarchies_;
  std::vector<int> all_, cuts_;
  std::vector<int> first_, count_, parent_;  // per cut of the alphabet; count_ is 0 where it names no move
  std::vector<int> attribute_;               // per cut
  std::vector<char> needed_;
  std::vector<std::vector<int>> opening_;
};

}  // namespace shoal
