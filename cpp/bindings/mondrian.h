// mondrian.h - multidimensional partitioning for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace shoal::bindings {

void bind_mondrian(nanobind::module_& module);

}  // namespace shoal::bindings
