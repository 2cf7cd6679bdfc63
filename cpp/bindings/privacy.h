// privacy.h - privacy rules for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace shoal::bindings {

void bind_privacy(nanobind::module_& module);

}  // namespace shoal::bindings
