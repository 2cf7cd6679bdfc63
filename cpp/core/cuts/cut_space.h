// cut_space.h - which sets of cuts a search may look at.
//
// A move makes all cuts that one part of a hierarchy owns, and needs the move of the part around it. Where an attribute
// has no hierarchy every cut is a move by itself. A choice of moves that holds with each move the one it needs is a
// recoding, and every recoding is one choice. The searches with a proof take the moves of one axis out (moves.h).
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "core/base/hierarchy.h"
#include "core/base/problem.h"
#include "core/cuts/projection.h"

namespace shoal {

// One entry per move: whether it is made.
using Choice = std::vector<char>;

class CutSpace {
 public:
  // One hierarchy per attribute, or none where all cuts are allowed; no list at all if they are everywhere. The problem
  // outlives the space.
  explicit CutSpace(const Problem& problem, std::vector<std::optional<Hierarchy>> hierarchies = {});

  const Problem& problem() const { return *problem_; }
  // Null where all cuts are allowed.
  const Hierarchy* hierarchy(int attribute) const {
    return hierarchies_.empty() || !hierarchies_[attribute] ? nullptr : &*hierarchies_[attribute];
  }
  // The table along one attribute; it looks at the space.
  Projection project(int axis) const { return {*problem_, axis, hierarchy(axis)}; }

  int moves() const { return static_cast<int>(parent_.size()); }
  int parent(int move) const { return parent_[move]; }  // the move that it needs, a smaller number; -1 if none
  // Takes out every move whose own need is not met: the largest recoding within.
  void repair(Choice& choice) const;
  // Makes a move that is out, with all that it needs; or takes it out with all that need it.
  void toggle(Choice& choice, int move) const;
  // The cuts as CutGroups numbers them.
  std::vector<char> cuts(const Choice& choice) const;
  Choice choice(const Cuts& cuts) const;

  // Moves drawn with one chance for all, the chance being drawn too, and repaired.
  Choice random(std::mt19937_64& random) const;

 private:
  const Problem* problem_;
  std::vector<std::optional<Hierarchy>> hierarchies_;
  std::vector<int> parent_;
  std::vector<std::vector<int>> cuts_;  // per move
  std::vector<int> first_cut_;          // per attribute
  int all_cuts_ = 0;
};

// A number in 0 .. below - 1, the same on every platform.
inline int draw(std::mt19937_64& random, int below) {
  return static_cast<int>(random() % static_cast<std::uint64_t>(below));
}
// A number in [0, 1).
inline double draw(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

}  // namespace shoal
