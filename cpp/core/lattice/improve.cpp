#include "core/lattice/improve.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "core/base/parallel.h"
#include "core/lattice/boxes.h"
#include "core/lattice/part_of_lattice.h"

namespace shoal {
namespace {

constexpr std::size_t kAtOnce = 8;        // steps that are tried at once, whatever the threads
constexpr std::size_t kMostPairs = 1024;  // steps in two attributes that are tried from one node
constexpr std::int64_t kMostInShake = 384;
constexpr std::size_t kFewestFree = 2, kFirstFree = 5;
constexpr int kPatience = 16, kPatienceElsewhere = 4;  // shakes in vain around the best node, and around another

}  // namespace

struct Improver::Near {
  Candidate at;
  GroupTable table;
  std::vector<std::uint32_t> group_of, same;  // of the distinct rows; of the groups, themselves
};

// A node above the present one in one attribute.
struct Improver::Above {
  int attribute;
  GroupTable table;
  std::vector<std::uint32_t> parent;  // of the groups at the present node
};

Improver::Improver(Looks& looks, std::uint64_t seed)
    : looks_(looks), p_(looks.problem), lattice_(looks.lattice), roofs_(looks), random_(seed) {
  for (int a = 0; a < lattice_.attributes(); ++a)
    if (p_.low[a] < p_.high[a]) free_.push_back(a);
  width_ = std::min(free_.size(), kFirstFree);
}

void Improver::begin() {
  here_ = looks_.candidate(p_.high);
  descend(false);
  here_ = looks_.best();
  descend(true);
}

void Improver::step() {
  if (looks_.best().cost == kInfinite || free_.empty()) return;
  if (here_.cost == kInfinite) {
    here_ = looks_.best();
    descend(true);
  } else if (idle_ < (here_.rank() == looks_.best().rank() ? kPatience : kPatienceElsewhere)) {
    idle_ = shake() ? 0 : idle_ + 1;
  } else {
    idle_ = 0;
    kick();
    descend(true);
  }
}

Improver::Looked Improver::look(const GroupTable& table) const {
  std::vector<Count> keeps;
  const NodeMeasure node = lattice_.measure(table, p_.price, p_.k, p_.limit, kInfinite, &keeps);
  return {{looks_.admissible(node) ? node.cost : kInfinite, node.suppressed, table.levels}, node};
}

void Improver::take(const Looked& looked) {
  if (looked.candidate.levels.empty()) return;  // the time had ended
  ++looked_;
  looks_.count(1);
  roofs_.add(looked.candidate.levels, looked.node);
  if (looked.candidate.rank() < here_.rank()) here_ = looked.candidate;
  if (here_.rank() < looks_.best().rank()) looks_.take(here_), looked_at_best_ = looked_;
}

Improver::Near Improver::around() const {
  Near near;
  near.at = here_;
  lattice_.roll_up(lattice_.rows(), here_.levels, near.table, &near.group_of);
  near.same.resize(near.table.count());
  std::iota(near.same.begin(), near.same.end(), 0);
  return near;
}

// From the present node to one that no step improves; without pairs, that no step in one attribute does.
void Improver::descend(bool pairs) {
  for (bool moved = here_.cost < kInfinite; moved && !looks_.ended();) {
    const Near near = around();
    moved = single(near) || (pairs && pair(near));
  }
}

// One attribute down or up, the best such step by one level, or else by several. Tells whether a better node was found.
bool Improver::single(const Near& near) {
  for (const bool far : {false, true}) {
    std::vector<Step> steps;
    for (int a : free_) {
      Levels to = near.at.levels;
      const int from = to[a];
      for (int level = p_.low[a]; level <= p_.high[a]; ++level) {
        if (level == from || (std::abs(level - from) > 1) != far) continue;
        to[a] = static_cast<std::uint8_t>(level);
        const Cost bound = roofs_.bound(to, near.at.cost);
        if (bound < near.at.cost) steps.push_back({bound, nullptr, level < from ? a : -1, to});
      }
    }
    if (try_steps(near, std::move(steps), true)) return true;
  }
  return false;
}

// One attribute up and another down, the first such step that helps.
bool Improver::pair(const Near& near) {
  const std::vector<Above> raised = above(near);
  std::vector<Step> steps;
  for (const Above& each : raised)
    for (int a : free_) {
      Levels to = each.table.levels;
      for (int level = to[a] - 1; a != each.attribute && level >= p_.low[a]; --level) {
        to[a] = static_cast<std::uint8_t>(level);
        const Cost bound = roofs_.bound(to, near.at.cost);
        if (bound < near.at.cost) steps.push_back({bound, &each, a, to});
      }
    }
  return try_steps(near, std::move(steps), false);
}

// The nodes above in one attribute from which another could come down.
std::vector<Improver::Above> Improver::above(const Near& near) {
  std::vector<Above> raised;
  for (int up : free_)
    for (int level = near.at.levels[up] + 1; level <= p_.high[up] && !looks_.ended(); ++level) {
      Levels to = near.at.levels;
      to[up] = static_cast<std::uint8_t>(level);
      const bool worthwhile = std::ranges::any_of(free_, [&](int down) {
        if (down == up || to[down] == p_.low[down]) return false;
        Levels then = to;
        --then[down];
        if (roofs_.bound(then, kInfinite) == kInfinite) return false;
        then[down] = p_.low[down];
        return roofs_.bound(then, near.at.cost) < near.at.cost;
      });
      if (!worthwhile) continue;
      Above& made = raised.emplace_back(up);
      lattice_.roll_up(near.table, to, made.table, &made.parent);
      take(look(made.table));
    }
  return raised;
}

// Tries steps, and takes the best of those that are tried at once. With the cheapest first it goes on while another
// could be better still; otherwise the dearest go first, which are the likeliest to be admissible and, where they are not,
// rule out the most others, and it ends with the first that helps.
bool Improver::try_steps(const Near& near, std::vector<Step> steps, bool cheapest_first) {
  std::stable_sort(steps.begin(), steps.end(), [&](const Step& x, const Step& y) {
    return cheapest_first ? x.bound < y.bound : x.bound > y.bound;
  });
  std::size_t tried = 0;
  for (std::size_t next = 0; next < steps.size() && tried < kMostPairs && !looks_.ended();) {
    std::vector<const Step*> batch;
    for (; next < steps.size() && batch.size() < kAtOnce; ++next)
      if (roofs_.bound(steps[next].levels, here_.cost) < here_.cost) batch.push_back(&steps[next]);
    std::vector<Looked> found(batch.size());
    parallel(batch.size(), looks_.options.threads, [&](std::size_t i, std::size_t) {
      if (looks_.watch.stopped()) return;
      thread_local GroupTable made;
      const Step& step = *batch[i];
      if (step.down < 0) {
        lattice_.roll_up(near.table, step.levels, made);
      } else {
        const GroupTable& from = step.above ? step.above->table : near.table;
        const auto& through = step.above ? step.above->parent : near.same;
        lattice_.refine(from, near.group_of, through, step.down, step.levels[step.down], made);
      }
      found[i] = look(made);
    });
    for (const Looked& each : found) take(each);
    tried += batch.size();
    if (!cheapest_first && here_.rank() < near.at.rank()) break;
  }
  return here_.rank() < near.at.rank();
}

std::vector<int> Improver::shuffled() {
  std::vector<int> order = free_;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) std::swap(order[i], order[i + random_() % (order.size() - i)]);
  return order;
}

// Set some attributes free, and descend from what that finds. Tells whether it found a better node.
bool Improver::shake() {
  std::vector<int> chosen = shuffled();
  chosen.resize(width_);
  std::sort(chosen.begin(), chosen.end());
  const PartOfLattice part(p_, here_.levels, chosen);
  Options options = looks_.options;
  options.budget.seconds -= looks_.watch.seconds();
  options.budget.nodes = std::min(kMostInShake, options.budget.nodes - looks_.nodes());
  Looks looks(part.problem(), options);
  looks.take({here_.cost, here_.suppressed, part.within(here_.levels)});
  Boxes boxes(looks, part.problem().low, part.problem().high);
  while (!boxes.empty() && !looks.ended()) boxes.round();
  // As many at once as can just be searched to the end.
  if (!boxes.empty()) width_ = std::max(std::min(kFewestFree, free_.size()), width_ - 1);
  else if (looks.nodes() < kMostInShake / 2) width_ = std::min(free_.size(), width_ + 1);
  looks_.count(looks.nodes());
  looked_ += looks.nodes();
  const Candidate found{looks.best().cost, looks.best().suppressed, part.whole(looks.best().levels)};
  if (!(found.rank() < here_.rank())) return false;
  here_ = found;
  if (here_.rank() < looks_.best().rank()) looks_.take(here_), looked_at_best_ = looked_;
  descend(true);
  return true;
}

// From the best node, a part of the attributes to any level, or to the top if that is not admissible; then each down as
// far as that costs less, in random order.
void Improver::kick() {
  Levels levels = looks_.best().levels;
  const std::vector<int> moved = shuffled(), order = shuffled();
  const std::size_t fewest = (moved.size() + 3) / 4;
  const std::size_t count = fewest + random_() % (moved.size() - fewest + 1);
  const bool anywhere = random_() % 2;
  Near near;
  for (const bool top : {false, true}) {
    if (!top && !anywhere) continue;
    for (std::size_t i = 0; i < count; ++i) {
      const int a = moved[i], levels_below = p_.high[a] - p_.low[a];
      const auto down = static_cast<int>(top ? 0 : random_() % (levels_below + 1u));
      levels[a] = static_cast<std::uint8_t>(p_.high[a] - down);
    }
    here_ = {kInfinite, 0, levels};
    near = around();
    take(look(near.table));
    if (here_.cost < kInfinite) break;
  }
  GroupTable lower;
  std::vector<std::uint32_t> lower_of;
  for (int a : order)
    while (near.table.levels[a] > p_.low[a] && !looks_.ended()) {
      Levels to = near.table.levels;
      --to[a];
      if (roofs_.bound(to, here_.cost) >= here_.cost) break;
      near.same.resize(near.table.count());
      std::iota(near.same.begin(), near.same.end(), 0);
      lattice_.refine(near.table, near.group_of, near.same, a, to[a], lower, &lower_of);
      const Candidate before = here_;
      take(look(lower));
      if (!(here_.rank() < before.rank())) break;
      std::swap(near.table, lower);
      std::swap(near.group_of, lower_of);
    }
}

}  // namespace shoal
