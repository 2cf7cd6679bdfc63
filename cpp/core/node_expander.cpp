#include "core/node_expander.h"

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

}  // namespace shoal
