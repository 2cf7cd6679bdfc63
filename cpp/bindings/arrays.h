// arrays.h - arrays that Python owns.
#pragma once

#include <nanobind/ndarray.h>

#include <vector>

namespace shoal::bindings {

template <class Number>
nanobind::ndarray<nanobind::numpy, Number> array(std::vector<Number> values, std::vector<std::size_t> shape) {
  auto* held = new std::vector<Number>(std::move(values));
  nanobind::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<Number>*>(p); });
  return nanobind::ndarray<nanobind::numpy, Number>(held->data(), shape.size(), shape.data(), owner);
}

}  // namespace shoal::bindings
