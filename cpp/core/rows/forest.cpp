#include "core/rows/forest.h"

#include <algorithm>
#include <numeric>
#include <queue>

#include "core/rows/tree_parts.h"

namespace shoal {
namespace {

using Vertex = std::int32_t;

// The vertices: copies of rows, those of a row in a chain of edges that weigh nothing.
struct Copies {
  std::vector<Vertex> first;         // per distinct row its first vertex, and one past the last
  std::vector<std::int32_t> of_row;  // per vertex its distinct row
  std::vector<Vertex> out;           // per vertex where its edge leads; kNowhere at a root

  Copies(std::span<const Count> counts, Count k) : first(counts.size() + 1, 0) {
    for (std::size_t row = 0; row < counts.size(); ++row) {
      const Count kept = counts[row] < 2 * static_cast<std::int64_t>(k) ? counts[row] : k + counts[row] % k;
      first[row + 1] = first[row] + kept;
      of_row.insert(of_row.end(), static_cast<std::size_t>(kept), static_cast<std::int32_t>(row));
      for (Vertex v = first[row]; v < first[row + 1]; ++v) out.push_back(v + 1 < first[row + 1] ? v + 1 : kNowhere);
    }
  }
  Vertex last(std::int32_t row) const { return first[row + 1] - 1; }
  Count size(std::int32_t row) const { return first[row + 1] - first[row]; }
};

// Which tree a row is in, and the tree's size.
class Trees {
 public:
  explicit Trees(const Copies& copies) : parent_(copies.first.size() - 1), size_(parent_.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (std::size_t row = 0; row < parent_.size(); ++row) size_[row] = copies.size(static_cast<std::int32_t>(row));
  }
  std::int32_t of(std::int32_t row) {
    while (parent_[row] != row) row = parent_[row] = parent_[parent_[row]];
    return row;
  }
  std::int64_t size(std::int32_t tree) const { return size_[tree]; }
  void join(std::int32_t a, std::int32_t b) {
    if (size_[a] > size_[b]) std::swap(a, b);
    parent_[a] = b;
    size_[b] += size_[a];
  }

 private:
  std::vector<std::int32_t> parent_;
  std::vector<std::int64_t> size_;
};

// Give roots of trees that are too small their edges, the lightest edge first; the weight of all edges. A row is the root
// of its tree until it has its edge, so every tree that is too small has one row that still offers one.
Cost grow(const Distances& distances, const Neighbours& neighbours, Count k, Copies& copies) {
  struct Offer {
    Cost weight;
    std::int32_t row;
    bool operator>(const Offer& other) const {
      return weight != other.weight ? weight > other.weight : row > other.row;
    }
  };
  Trees trees(copies);
  std::vector<std::size_t> tried(distances.rows(), 0);
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> offers;
  const auto offer = [&](std::int32_t row) {
    offers.push({distances.between(row, neighbours.rows[row][tried[row]]), row});
  };
  for (std::size_t row = 0; row < distances.rows(); ++row)
    if (distances.counts[row] > 0 && distances.counts[row] < k) offer(static_cast<std::int32_t>(row));
  Cost weight = 0;
  while (!offers.empty()) {
    const Offer best = offers.top();
    offers.pop();
    const std::int32_t tree = trees.of(best.row);
    if (trees.size(tree) >= k) continue;
    // The tree has fewer than k rows, so one of the k - 1 nearest of its root is in another tree.
    const std::int32_t to = neighbours.rows[best.row][tried[best.row]];
    if (trees.of(to) == tree) {
      ++tried[best.row];
      offer(best.row);
      continue;
    }
    copies.out[copies.last(best.row)] = copies.last(to);
    trees.join(tree, trees.of(to));
    weight += best.weight;
  }
  return weight;
}

}  // namespace

ForestOutcome forest(const Distances& distances, Count k, const Options& options) {
  const Watch watch(options);
  ForestOutcome outcome;
  outcome.nodes = static_cast<std::int64_t>(distances.rows());
  const Neighbours neighbours = nearest(distances, k, options, watch);
  if (!neighbours.complete) return outcome;
  for (std::size_t row = 0; row < distances.rows(); ++row)
    outcome.bound += distances.counts[row] * neighbours.farthest[row];
  Copies copies(distances.counts, k);
  outcome.weight = grow(distances, neighbours, k, copies);
  std::int64_t groups = 0;
  const std::vector<std::int64_t> group = tree_parts(copies.out, k, groups);
  for (std::size_t row = 0; row < distances.rows(); ++row) {
    const auto add = [&](std::int64_t count, std::int64_t of) {
      outcome.row.push_back(static_cast<std::int64_t>(row));
      outcome.count.push_back(count);
      outcome.group.push_back(of);
    };
    for (Vertex v = copies.first[row]; v < copies.first[row + 1]; ++v) add(1, group[v]);
    if (const std::int64_t aside = distances.counts[row] - copies.size(static_cast<std::int32_t>(row)); aside > 0)
      add(aside, groups++);
  }
  outcome.found = true;
  return outcome;
}

}  // namespace shoal
