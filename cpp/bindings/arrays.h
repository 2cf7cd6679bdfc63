// arrays.h - NumPy arrays as the bindings take and return them.
#pragma once

#include <nanobind/ndarray.h>

#include <numeric>
#include <vector>

#include "core/base/problem.h"

namespace shoal::bindings {

template <class Number>
using Column = nanobind::ndarray<const Number, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
template <class Number>
using Matrix = nanobind::ndarray<const Number, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

using Codes = Matrix<std::int32_t>;        // per distinct row and attribute
using Counts = Column<std::int64_t>;       // rows per distinct row
using LabelCounts = Matrix<std::int64_t>;  // rows per distinct row and class label

// Counts as the core has them. Refuses more rows than it takes.
template <class Array>
std::vector<Count> narrowed(const Array& counts) {
  if (std::accumulate(counts.data(), counts.data() + counts.size(), std::int64_t{0}) > kMostRows)
    throw nanobind::value_error("the core takes at most 1,000,000,000 rows");
  return std::vector<Count>(counts.data(), counts.data() + counts.size());
}

// An array that Python owns.
template <class Number>
nanobind::ndarray<nanobind::numpy, Number> array(std::vector<Number> values, std::vector<std::size_t> shape) {
  auto* held = new std::vector<Number>(std::move(values));
  nanobind::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<Number>*>(p); });
  return nanobind::ndarray<nanobind::numpy, Number>(held->data(), shape.size(), shape.data(), owner);
}

}  // namespace shoal::bindings
