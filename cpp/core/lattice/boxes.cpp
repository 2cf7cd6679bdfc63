#include "core/lattice/boxes.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace shoal {
namespace {

constexpr std::size_t kRound = 16;            // boxes per round, whatever the threads
constexpr std::size_t kMostOpen = 2'000'000;  // beyond it the newest box goes first, to bound the memory

std::uint8_t middle(const Levels& low, const Levels& high, int a) {
  return static_cast<std::uint8_t>((low[a] + high[a]) / 2);
}

}  // namespace

Boxes::Boxes(Looks& looks, Levels low, Levels high) : looks_(looks), p_(looks.problem), lattice_(looks.lattice) {
  push({std::move(low), std::move(high), 0});
}

void Boxes::round() {
  std::vector<Box> batch;
  while (!open_.empty() && batch.size() < kRound)
    if (Box box = pop(); box.bound < looks_.best().cost) batch.push_back(std::move(box));
  if (p_.elsewhere) {
    std::vector<Levels> ends;
    for (const Box& box : batch) ends.push_back(box.high);
    looks_.prepare(ends);
  }
  std::vector<Examined> results(batch.size());
  std::vector<char> done(batch.size(), 0);
  parallel(batch.size(), looks_.options.threads, [&](std::size_t i, std::size_t) {
    if (looks_.watch.stopped()) return;
    results[i] = examine(batch[i], looks_.best().cost);
    done[i] = 1;
  });
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (!done[i]) {
      push(std::move(batch[i]));
      continue;
    }
    for (const Candidate& each : results[i].candidates) looks_.take(each);
    unsettled_ = std::min(unsettled_, results[i].unsettled);
    for (Box& part : results[i].parts) push(std::move(part));
  }
}

// Any order is sound. The newest are small, and soon done with.
Boxes::Box Boxes::pop() {
  if (open_.size() > kMostOpen) {
    const auto newest =
        std::max_element(open_.begin(), open_.end(), [](const auto& x, const auto& y) { return x.second < y.second; });
    std::swap(*newest, open_.back());
    Box box = std::move(open_.back().first);
    open_.pop_back();
    std::make_heap(open_.begin(), open_.end(), Later());
    return box;
  }
  std::pop_heap(open_.begin(), open_.end(), Later());
  Box box = std::move(open_.back().first);
  open_.pop_back();
  return box;
}

void Boxes::push(Box&& box) {
  if (box.bound >= looks_.best().cost) return;
  open_.emplace_back(std::move(box), sequence_++);
  std::push_heap(open_.begin(), open_.end(), Later());
}

Boxes::Examined Boxes::examine(const Box& box, Cost known) {
  return p_.price.kind == Price::Kind::cells ? examine_cells(box, known) : examine_groups(box, known);
}

// Over cells the box's low end is priced without its groups.
Boxes::Examined Boxes::examine_cells(const Box& box, Cost known) {
  Examined out;
  thread_local std::vector<Count> keeps;
  const NodeMeasure high = looks_.measure(box.high, known, &keeps);
  known = offer(box.high, high, known, out);
  if (looks_.futile(high) || box.low == box.high) return out;
  const Cost bound = std::max(box.bound, Lattice::fixed_price(p_.price, box.low) + high.must_cost);
  if (bound < known) halve(box, bound, high.must_cost, out.parts);
  return out;
}

Boxes::Examined Boxes::examine_groups(const Box& box, Cost known) {
  thread_local GroupTable held;
  thread_local std::vector<std::uint32_t> held_parent;
  thread_local std::vector<Count> held_keeps;
  auto& high = held;  // the address of a thread's variable is looked up at every use
  auto& parent = held_parent;
  auto& keeps = held_keeps;
  Examined out;
  const Groups low = lattice_.groups(box.low);
  lattice_.roll_up(*low, box.high, high, &parent);
  const NodeMeasure at_high = lattice_.measure(high, p_.price, p_.k, p_.limit, known, &keeps);
  known = offer(box.high, at_high, known, out);
  if (looks_.futile(at_high) || box.low == box.high) return out;
  known = offer(box.low, lattice_.measure(*low, p_.price, p_.k, p_.limit, known), known, out);
  const Cost least = lattice_.privacy() ? judged_bound(*low, high, parent, keeps) : box_bound(*low, high, parent);
  const Cost bound = std::max(box.bound, least);
  if (bound < known) halve(box, bound, 0, out.parts);
  return out;
}

// A node that was measured.
Cost Boxes::offer(const Levels& levels, const NodeMeasure& node, Cost known, Examined& out) {
  looks_.visit(levels);
  if (node.unsettled < known) out.unsettled = std::min(out.unsettled, node.unsettled);
  if (!looks_.admissible(node) || node.cost >= known) return known;
  out.candidates.push_back({node.cost, node.suppressed, levels});
  return node.cost;
}

// Every row of a group of `low` costs at least this at any node up to `high`.
Cost Boxes::box_bound(const GroupTable& low, const GroupTable& high, const std::vector<std::uint32_t>& parent) const {
  if (p_.price.kind == Price::Kind::groups) return lattice_.total() - most_groups(low, high.sizes, parent);
  Cost sum = 0;
  for (std::size_t g = 0; g < low.count(); ++g) {
    const Count size = low.sizes[g];
    if (high.sizes[parent[g]] < p_.k) sum += p_.price.suppressed_row * size;
    else if (p_.price.kind == Price::Kind::squares) sum += Cost{size} * std::max(size, p_.k);
    else sum += lattice_.minority(low, g);
  }
  return sum;
}

// At any node between, a kept group inside a group of `high` holds a group of `low` with k rows, or k rows of
// groups that have fewer; and it has k rows.
Cost Boxes::most_groups(const GroupTable& low, const std::vector<Count>& keeps,
                        const std::vector<std::uint32_t>& parent) const {
  std::vector<Count> large(keeps.size(), 0), small(keeps.size(), 0);
  for (std::size_t g = 0; g < low.count(); ++g)
    if (low.sizes[g] >= p_.k) ++large[parent[g]];
    else small[parent[g]] += low.sizes[g];
  Cost most = 0;
  for (std::size_t g = 0; g < keeps.size(); ++g) most += std::min(large[g] + small[g] / p_.k, keeps[g] / p_.k);
  return most;
}

// The same where at most so many rows of each group of `high` are kept.
Cost Boxes::judged_bound(const GroupTable& low, const GroupTable& high, const std::vector<std::uint32_t>& parent,
                         const std::vector<Count>& keeps) const {
  if (p_.price.kind == Price::Kind::groups) return lattice_.total() - most_groups(low, keeps, parent);
  const bool squares = p_.price.kind == Price::Kind::squares;
  std::vector<Cost> kept(high.count(), 0);   // what the rows of a group cost at least if all are kept ...
  std::vector<Count> most(high.count(), 0);  // ... and one of them at most in that sum
  for (std::size_t g = 0; g < low.count(); ++g) {
    const Count size = low.sizes[g], of_row = std::max(size, p_.k);
    kept[parent[g]] += squares ? Cost{size} * of_row : lattice_.minority(low, g);
    most[parent[g]] = std::max(most[parent[g]], of_row);
  }
  Cost sum = 0;
  for (std::size_t g = 0; g < high.count(); ++g) {
    const Cost lost = high.sizes[g] - keeps[g];
    if (keeps[g] == 0) sum += p_.price.suppressed_row * lost;
    else
      sum += squares ? kept[g] + lost * (p_.price.suppressed_row - most[g])
                     : std::max(kept[g], p_.price.suppressed_row * lost);
  }
  return sum;
}

// Halve the box: over cells where the upper half's price rises most, else where the two ends differ most.
void Boxes::halve(const Box& box, Cost bound, Cost must, std::vector<Box>& parts) const {
  const bool cells = p_.price.kind == Price::Kind::cells;
  double most = -1;
  int chosen = 0;
  for (int a = 0; a < lattice_.attributes(); ++a) {
    if (box.low[a] == box.high[a]) continue;
    const auto& fixed = p_.price.fixed;
    const double gain = cells ? static_cast<double>(fixed[a][middle(box.low, box.high, a) + 1] - fixed[a][box.low[a]])
                              : lattice_.spread(box.low, box.high, a);
    if (gain > most) most = gain, chosen = a;
  }
  Box lower{box.low, box.high, bound}, upper{box.low, box.high, bound};
  lower.high[chosen] = middle(box.low, box.high, chosen);
  upper.low[chosen] = middle(box.low, box.high, chosen) + 1;
  if (cells) upper.bound = std::max(bound, Lattice::fixed_price(p_.price, upper.low) + must);
  parts.push_back(std::move(lower));
  parts.push_back(std::move(upper));
}

}  // namespace shoal
