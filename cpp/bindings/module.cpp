// module.cpp - the module `_core`: what all searches share, and the parts that bind them.
#include "bindings/bindings.h"
#include "core/base/clock.h"
#include "core/base/search.h"
#include "core/cuts/best_first.h"

namespace nb = nanobind;

NB_MODULE(_core, module) {
  module.doc() = "Shoal's search core. Costs are exact integers; INFINITE stands for none.";
  module.attr("INFINITE") = shoal::kInfinite;
  module.attr("LONGEST_AXIS") = shoal::kLongestAxis;
  module.attr("MOST_ROWS") = shoal::kMostRows;
  module.def("now", &shoal::Clock::now, "The clock of searches, in seconds.");
  module.def("hold_clock", &shoal::Clock::hold, "Let the clock of searches stand still.");
  module.def("release_clock", &shoal::Clock::go_on, "Let the clock of searches go on from where it stands.");

  nb::class_<shoal::Progress>(module, "Progress", "A moment of a search.")
      .def_ro("cost", &shoal::Progress::cost)
      .def_ro("bound", &shoal::Progress::bound)
      .def_ro("nodes", &shoal::Progress::nodes)
      .def_ro("seconds", &shoal::Progress::seconds);

  using namespace shoal::bindings;
  bind_privacy(module);
  bind_cuts(module);
  bind_forest(module);
  bind_histories(module);
  bind_lattice(module);
  bind_cells(module);
  bind_local(module);
  bind_microaggregation(module);
  bind_mondrian(module);
  bind_person_levels(module);
  bind_profile(module);
}
