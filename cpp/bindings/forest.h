// forest.h - the forest of rows for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace shoal::bindings {

void bind_forest(nanobind::module_& module);

}  // namespace shoal::bindings
