// local.h - local recoding for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace shoal::bindings {

void bind_local(nanobind::module_& module);

}  // namespace shoal::bindings
