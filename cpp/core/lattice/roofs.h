// roofs.h - nodes that were measured, as bounds for all nodes below them.
//
// What must be suppressed at a node must be so at every more specific one; proof in docs/algorithms/lattice.md. Only
// nodes that forbid or cost something are held, and of those the last ones.
#pragma once

#include <vector>

#include "core/lattice/looks.h"

namespace shoal {

class Roofs {
 public:
  explicit Roofs(const Looks& looks) : looks_(looks) {}

  void add(const Levels& levels, const NodeMeasure& node) {
    const bool futile = looks_.futile(node);
    if (!futile && node.must_cost == 0) return;
    if (roofs_.size() < kMost) roofs_.push_back({levels, futile ? kInfinite : node.must_cost});
    else roofs_[next_++ % kMost] = {levels, futile ? kInfinite : node.must_cost};
  }

  // No less does a node cost; kInfinite if it is not admissible.
  Cost bound(const Levels& levels, Cost enough) const {
    const bool cells = looks_.problem.price.kind == Price::Kind::cells;
    const Cost fixed = cells ? Lattice::fixed_price(looks_.problem.price, levels) : 0;
    Cost bound = fixed;
    // The last ones are the nearest.
    for (std::size_t i = roofs_.size(); i > 0 && bound < enough; --i) {
      const auto& [roof, must] = roofs_[(next_ + i - 1) % roofs_.size()];
      if (must == kInfinite || cells)
        if (must > bound - fixed && below(levels, roof)) bound = must == kInfinite ? kInfinite : fixed + must;
    }
    return bound;
  }

 private:
  static constexpr std::size_t kMost = 2048;
  const Looks& looks_;
  std::vector<std::pair<Levels, Cost>> roofs_;  // with what must be suppressed below costs more than if it were kept
  std::size_t next_ = 0;
};

}  // namespace shoal
