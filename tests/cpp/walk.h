// walk.h - whole search trees, every bound compared with every descendant.
#pragma once

#include <algorithm>
#include <vector>

#include "core/cuts/node_expander.h"
#include "random_case.h"

namespace shoal::testing {

struct Priced {
  Cuts cuts;
  Cost cost;
};

inline bool below(const Projection& pr, const Node& node, const Cuts& cuts) {
  for (int cut = 0; cut < static_cast<int>(pr.alphabet.size()); ++cut) {
    const auto& own = cuts[pr.attributes[pr.alphabet[cut].attribute]];
    const bool in = std::find(own.begin(), own.end(), pr.alphabet[cut].code) != own.end();
    if (in ? !node.head.has(cut) && !node.tail.has(cut) : node.head.has(cut)) return false;
  }
  return true;
}

// Walks the whole tree with a worthless incumbent, so that bounds, not luck, decide what is left out.
inline void walk(const Projection& pr, NodeExpander& expander, const std::vector<Priced>& all, Cost optimum,
                 unsigned seed) {
  const int alphabet = static_cast<int>(pr.alphabet.size());
  Node root{CutSet(alphabet), CutSet(alphabet), 0};
  for (int cut = 0; cut < alphabet; ++cut) root.tail.add(cut);
  const Cost known = optimum < kInfinite ? optimum + 1 + static_cast<Cost>(seed % 7) * optimum / 4 : kInfinite;
  std::vector<Node> open{root};
  Cost best = kInfinite;
  Options none;
  none.budget.seconds = 0;
  const Watch over(none);  // its time is up
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    for (const Priced& each : all)
      if (each.cost < kInfinite && below(pr, node, each.cuts))
        check(node.bound <= each.cost, "a bound never exceeds a descendant", seed);
    Expansion expansion = expander.expand(node, known).value();
    const auto late = expander.expand(node, known, &over);
    check(late ? expansion.children.empty() && late->best.cost == expansion.best.cost : true,
          "a node that the clock ends has nothing, and one that branches is ended", seed);
    best = std::min(best, expansion.best.cost);
    for (Node& child : expansion.children) open.push_back(std::move(child));
  }
  check(best == optimum, "the tree keeps an optimum below a known cost, on every axis", seed);
}

}  // namespace shoal::testing
