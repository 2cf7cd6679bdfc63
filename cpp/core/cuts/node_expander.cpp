#include "core/cuts/node_expander.h"

#include "core/cuts/cut_expander.h"
#include "core/cuts/nested.h"
#include "core/cuts/nested_expander.h"
#include "core/cuts/part_expander.h"

namespace shoal {

Cuts cuts_of(const Projection& projection, const Incumbent& incumbent) {
  Cuts cuts(projection.problem.attributes);
  cuts[projection.axis] = incumbent.axis_cuts;
  for (int cut : incumbent.head.elements()) {
    const auto [attribute, code] = projection.alphabet[cut];
    cuts[projection.attributes[attribute]].push_back(code);
  }
  return cuts;
}

CutSet head_of(const Projection& projection, const Cuts& cuts) {
  CutSet head(static_cast<int>(projection.alphabet.size()));
  for (std::size_t a = 0; a < projection.attributes.size(); ++a)
    for (int code : cuts[projection.attributes[a]]) head.add(projection.first_cut[a] + code - 1);
  return head;
}

std::unique_ptr<NodeExpander> make_expander(const Projection& projection, const Moves& moves) {
  if (projection.parts) return make_part_expander(projection, moves);
  const bool loss = projection.problem.metric == Metric::general_loss;
  return loss && Nested::fits(projection) ? make_nested_expander(projection) : make_cut_expander(projection, moves);
}

}  // namespace shoal
