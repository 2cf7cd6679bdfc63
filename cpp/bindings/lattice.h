// lattice.h - the lattice for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace shoal::bindings {

void bind_lattice(nanobind::module_& module);
void bind_profile(nanobind::module_& module);

}  // namespace shoal::bindings
