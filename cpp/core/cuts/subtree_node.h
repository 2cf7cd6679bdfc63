// subtree_node.h - nodes of the search `subtree`: a head grows by opening parts of the hierarchies.
#pragma once

#include <vector>

#include "core/base/hierarchy.h"
#include "core/cuts/node_expander.h"

namespace shoal {

// The moves of a projection: each opens one part and is named by the first of the part's cuts.
class PartMoves {
 public:
  // `hierarchies` has one entry per attribute of the problem and outlives this object.
  PartMoves(const Projection& projection, const std::vector<Hierarchy>& hierarchies);

  const std::vector<int>& all() const { return all_; }                         // parents before children
  bool is_move(int cut) const { return !cuts_[cut].empty(); }
  std::span<const int> cuts(int move) const { return cuts_[move]; }
  int parent(int move) const { return parent_[move]; }                         // opens the part around it; -1 if none
  bool within(int move, int other) const;                                      // the same part or inside it
  bool possible(int move, const CutSet& head) const { return parent_[move] < 0 || head.has(parent_[move]); }
  int opening(int attribute, int part) const { return opening_[attribute][part]; }  // -1 for a single value
  const Hierarchy& hierarchy(int attribute) const { return *hierarchies_[attribute]; }

  // Opens a part, or closes it with everything inside.
  void toggle(int move, CutSet& head) const;

 private:
  std::vector<const Hierarchy*> hierarchies_;  // by index into the projection's attributes, as in all of these
  std::vector<int> all_, parent_;
  std::vector<std::vector<int>> cuts_;
  std::vector<std::vector<int>> opening_;
};

std::unique_ptr<NodeExpander> make_part_expander(const Projection& projection,
                                                 const std::vector<Hierarchy>& hierarchies);

}  // namespace shoal
