// tree_parts.h - takes trees of k vertices or more apart into groups of k to max(2k - 1, 3k - 5) vertices.
//
// Every group is joined by edges that no other group uses; a vertex at which groups meet may serve several of them, as a
// crossing that it is no member of. One pass from the leaves to the roots: linear, unlike cutting one tree in two again
// and again. Proof: docs/algorithms/forest.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shoal {

inline constexpr std::int32_t kNowhere = -1;

// `out` leads from each vertex to the next one on the way to the root of its tree. The group of each vertex; `groups` is
// how many there are.
std::vector<std::int64_t> tree_parts(std::span<const std::int32_t> out, std::int64_t k, std::int64_t& groups);

}  // namespace shoal
