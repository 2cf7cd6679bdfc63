// node_expander.h - bounding and branching at one node of the best-first search.
//
// A node is a head (cuts that are in), a tail (cuts that are still open) and, implicitly, the cuts that are
// out. The axis attribute is in neither: at every node its best partition is found by dynamic programming,
// for the cost of the head (exactly) and for the lower bound of everything below (docs/algorithms/exact.md).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/search.h"
#include "core/cuts/cut_set.h"
#include "core/cuts/moves.h"
#include "core/cuts/projection.h"

namespace shoal {

struct Node {
  CutSet head;
  CutSet tail;
  Cost bound = 0;   // no descendant costs less
  Cost price = -1;  // under a limit, with which the node above had its best bound; below 0 at the root
};

struct Incumbent {
  Cost cost = kInfinite;
  CutSet head;
  std::vector<std::int32_t> axis_cuts;
  Cost unsettled = kInfinite;  // what the head may cost, if not all ways to give up groups were looked at
};

// The recoding of an incumbent; nothing is cut if there is none.
Cuts cuts_of(const Projection& projection, const Incumbent& incumbent);
// The head of a recoding: its cuts without those of the axis.
CutSet head_of(const Projection& projection, const Cuts& cuts);

struct Expansion {
  Incumbent best;              // the head with its best axis; cost kInfinite if not below what was known
  std::vector<Node> children;  // together with `best` they cover every descendant that could be better
};

// Why a cut left the tail of a node: bounded, useless, a child was made of it, or it is needed and the last child, which
// has all needed cuts, is all that is left of the node.
struct Step {
  std::int32_t cut;
  char reason;  // 'b', 'u', 'c' or 'o': docs/proofs.md
};

// Holds the scratch memory for expanding nodes; one per thread.
class NodeExpander {
 public:
  virtual ~NodeExpander() = default;
  // `known` is a cost that is already achieved: only cheaper descendants matter. Nothing if the watch ended it: a node
  // with a thousand open cuts takes many seconds.
  virtual std::optional<Expansion> expand(const Node& node, Cost known, const Watch* watch = nullptr) = 0;
  // The head alone with its best axis partition, if cheaper than `known`.
  virtual Incumbent solve_head(const CutSet& head, Cost known) = 0;
  // From now on expand() also lists its steps there, and takes none that docs/proofs.md has no rule for.
  void record(std::vector<Step>* steps) { steps_ = steps; }

 protected:
  std::vector<Step>* steps_ = nullptr;
};

// The expander of a space without hierarchies, or of one with a hierarchy per attribute. What it is given outlives it.
std::unique_ptr<NodeExpander> make_expander(const Projection& projection, const Moves& moves);

}  // namespace shoal
