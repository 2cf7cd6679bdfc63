// microaggregation.h - the groups of microaggregation, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace shoal::bindings {

void bind_microaggregation(nanobind::module_& module);

}  // namespace shoal::bindings
