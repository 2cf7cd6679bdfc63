// cell_suppression.h - cell suppression for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace shoal::bindings {

void bind_cell_suppression(nanobind::module_& module);

}  // namespace shoal::bindings
