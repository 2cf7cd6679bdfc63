// bindings.h - the parts of the module `_core`, one file each.
#pragma once

#include <nanobind/nanobind.h>

namespace shoal::bindings {

void bind_cells(nanobind::module_& module);
void bind_cuts(nanobind::module_& module);
void bind_forest(nanobind::module_& module);
void bind_histories(nanobind::module_& module);
void bind_lattice(nanobind::module_& module);
void bind_local(nanobind::module_& module);
void bind_microaggregation(nanobind::module_& module);
void bind_mondrian(nanobind::module_& module);
void bind_person_levels(nanobind::module_& module);
void bind_privacy(nanobind::module_& module);
void bind_profile(nanobind::module_& module);

}  // namespace shoal::bindings
