#include "core/privacy/privacy.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace shoal {

bool Privacy::fits(std::size_t rows) const {
  for (const Rule& rule : rules) {
    if (!rule.on_facts()) {
      if (population.size() != rows) return false;
      continue;
    }
    const auto unknown = [&](std::int32_t fact) {
      return fact < 0 || fact >= static_cast<std::int64_t>(rule.cells.size());
    };
    if (first.size() != rows + 1 || first.front() != 0 || !std::is_sorted(first.begin(), first.end()) ||
        std::any_of(facts.begin(), facts.end(), unknown))
      return false;
  }
  return true;
}

Judge::Judge(const Privacy& privacy) : p_(privacy) {
  for (const Rule& rule : p_.rules)
    if (rule.on_facts())
      states_.push_back({&rule,
                         !rule.parts.empty() && rule.parts.front() != rule.parts.back(),
                         std::vector<Count>(rule.values.size(), 0),
                         {}});
}

void Judge::clear() {
  for (State& state : states_) {
    for (std::int32_t cell : state.touched) state.counts[cell] = 0;
    state.touched.clear();
  }
  people_ = 0;
}

Verdict Judge::verdict(Count rows) {
  Verdict worst = Verdict::admitted;
  for (const Rule& rule : p_.rules) {
    if (rule.kind == Rule::Kind::population && static_cast<double>(people_) < rule.least) return Verdict::hopeless;
    if (rule.kind == Rule::Kind::presence) {
      const double share = 1e6 * rows / static_cast<double>(people_);
      if (!(rule.least <= share && share <= rule.most)) worst = Verdict::refused;
    }
  }
  for (State& state : states_) {
    worst = std::min(worst, judge(state));
    if (worst == Verdict::hopeless) return worst;
  }
  return p_.strict && worst == Verdict::refused ? Verdict::hopeless : worst;
}

Verdict Judge::judge(State& state) {
  const Rule& rule = *state.rule;
  if (!state.joint) {
    if (rule.kind == Rule::Kind::distinct)
      return static_cast<double>(state.touched.size()) >= rule.least ? Verdict::admitted : Verdict::hopeless;
    const Part all = judge(rule, state, state.touched);
    return all.admitted ? Verdict::admitted : all.reaches ? Verdict::refused : Verdict::hopeless;
  }
  std::sort(state.touched.begin(), state.touched.end());
  bool admitted = true, reaches = false;
  const std::span<const std::int32_t> cells(state.touched);
  for (std::size_t begin = 0, end = 0; begin < cells.size(); begin = end) {
    while (end < cells.size() && rule.parts[cells[end]] == rule.parts[cells[begin]]) ++end;
    const Part part = judge(rule, state, cells.subspan(begin, end - begin));
    admitted &= part.admitted;
    reaches |= part.reaches;
  }
  return admitted ? Verdict::admitted : reaches ? Verdict::refused : Verdict::hopeless;
}

Judge::Part Judge::judge(const Rule& rule, const State& state, std::span<const std::int32_t> cells) {
  const auto present = static_cast<double>(cells.size());
  double rows = 0;
  for (std::int32_t cell : cells) rows += state.counts[cell];
  switch (rule.kind) {
    case Rule::Kind::distinct: return {present >= rule.least, present >= rule.least};
    case Rule::Kind::entropy: {
      if (present < rule.least) return {false, false};
      double entropy = 0;
      for (std::int32_t cell : cells) entropy -= state.counts[cell] / rows * std::log(state.counts[cell] / rows);
      return {std::exp(entropy) >= rule.least, true};
    }
    case Rule::Kind::recursive: {
      if (cells.size() < static_cast<std::size_t>(rule.from)) return {false, false};
      falling_.clear();
      for (std::int32_t cell : cells) falling_.push_back(state.counts[cell]);
      std::sort(falling_.begin(), falling_.end(), std::greater<>());
      double rest = 0;
      for (std::size_t i = static_cast<std::size_t>(rule.from) - 1; i < falling_.size(); ++i) rest += falling_[i];
      return {falling_.front() / rest < rule.most, true};
    }
    case Rule::Kind::equal:
    case Rule::Kind::ordered:
    case Rule::Kind::hierarchical: {
      double held = 0, moved = 0;
      for (std::int32_t cell : cells) {
        const double share = rule.table[rule.values[cell]];
        held += share;
        moved += std::abs(state.counts[cell] / rows - share);
      }
      if ((1 - held) * rule.distance > rule.most) return {false, false};
      if (rule.kind == Rule::Kind::equal) return {(moved + std::max(0.0, 1 - held)) / 2 <= rule.most, true};
      extra_.resize(rule.table.size());
      std::transform(rule.table.begin(), rule.table.end(), extra_.begin(), std::negate<>());
      for (std::int32_t cell : cells) extra_[rule.values[cell]] += state.counts[cell] / rows;
      return {(rule.kind == Rule::Kind::ordered ? ordered(rule) : hierarchical(rule)) <= rule.most, true};
    }
    case Rule::Kind::shares: {
      double most = 0;
      std::size_t needed = 0;
      bool admitted = true;
      for (std::int32_t cell : cells) {
        const std::int32_t value = rule.values[cell];
        const double share = state.counts[cell] / rows;
        admitted &= rule.floors[value] <= share && share <= rule.caps[value];
        most += rule.caps[value];
        needed += rule.floors[value] > 0;
      }
      const auto demanded = static_cast<std::size_t>(rule.from);  // values that must be present
      return {admitted && needed == demanded, needed == demanded && most >= 1 - 1e-9};
    }
    case Rule::Kind::population:
    case Rule::Kind::presence: break;
  }
  return {true, true};
}

namespace {

// The greatest whole number up to `most` that satisfies a condition that, once false, stays so; 0 if none does.
template <class Condition>
double greatest(double most, const Condition& satisfies) {
  if (satisfies(most)) return most;
  double low = 0, high = most;
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (satisfies(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

Count Judge::most_kept(Count rows) {
  double most = rows;
  for (const Rule& rule : p_.rules)
    if (rule.kind == Rule::Kind::presence)
      most = std::min(most, std::floor(rule.most * static_cast<double>(people_) / 1e6 + 1e-6));
  for (State& state : states_) {
    if (!state.joint) {
      most = std::min(most, most_kept(*state.rule, state, state.touched));
      continue;
    }
    std::sort(state.touched.begin(), state.touched.end());
    const std::span<const std::int32_t> cells(state.touched);
    double all = 0;
    for (std::size_t begin = 0, end = 0; begin < cells.size(); begin = end) {
      while (end < cells.size() && state.rule->parts[cells[end]] == state.rule->parts[cells[begin]]) ++end;
      all += most_kept(*state.rule, state, cells.subspan(begin, end - begin));
    }
    most = std::min(most, all);
  }
  return static_cast<Count>(most);
}

// Proofs: docs/algorithms/lattice.md, "Rows that cannot all be kept". Conditions are wide by a slack, never narrow.
double Judge::most_kept(const Rule& rule, const State& state, std::span<const std::int32_t> cells) {
  constexpr double slack = 1e-9;
  double rows = 0, largest = 0;
  for (std::int32_t cell : cells) rows += state.counts[cell], largest = std::max<double>(largest, state.counts[cell]);
  const Part whole = judge(rule, state, cells);
  if (whole.admitted) return rows;
  if (!whole.reaches) return 0;
  const auto capped = [&](double cap) {
    double sum = 0;
    for (std::int32_t cell : cells) sum += std::min<double>(state.counts[cell], cap);
    return sum;
  };
  switch (rule.kind) {
    case Rule::Kind::entropy: {
      const double cap = greatest(largest, [&](double most) {
        const double sum = capped(most);
        double entropy = 0;
        for (std::int32_t cell : cells) {
          const double share = std::min<double>(state.counts[cell], most) / sum;
          entropy -= share * std::log(share);
        }
        return std::exp(entropy) >= rule.least * (1 - slack);
      });
      return std::min(rows, capped(cap + 1));
    }
    case Rule::Kind::recursive: {
      falling_.clear();
      for (std::int32_t cell : cells) falling_.push_back(state.counts[cell]);
      std::sort(falling_.begin(), falling_.end(), std::greater<>());
      double rest = 0;
      for (std::size_t i = static_cast<std::size_t>(rule.from) - 1; i < falling_.size(); ++i) rest += falling_[i];
      return capped(std::floor(rule.most * rest + slack));
    }
    case Rule::Kind::equal:
    case Rule::Kind::ordered:
    case Rule::Kind::hierarchical: {
      held_.assign(rule.table.size(), 0);
      for (std::int32_t cell : cells) held_[rule.values[cell]] += state.counts[cell];
      return greatest(rows, [&](double kept) { return least_distance(rule, kept) <= rule.most + slack; });
    }
    case Rule::Kind::shares: {
      double most = rows;
      for (std::int32_t cell : cells)
        if (const double floor = rule.floors[rule.values[cell]]; floor > 0)
          most = std::min(most, std::floor(state.counts[cell] / floor * (1 + slack)));
      return greatest(most, [&](double kept) {
        double sum = 0;
        for (std::int32_t cell : cells)
          sum += std::min<double>(state.counts[cell], rule.caps[rule.values[cell]] * kept);
        return sum >= kept * (1 - slack);
      });
    }
    case Rule::Kind::distinct:
    case Rule::Kind::population:
    case Rule::Kind::presence: break;
  }
  return rows;
}

// From the whole table's values to those of any so many rows among `held_`: what is lacking at least must be moved.
double Judge::least_distance(const Rule& rule, double rows) {
  const std::size_t values = rule.table.size();
  double moved = 0;
  if (rule.kind == Rule::Kind::equal) {
    for (std::size_t value = 0; value < values; ++value)
      moved += std::max(0.0, rule.table[value] - held_[value] / rows);
    return moved;
  }
  if (rule.kind == Rule::Kind::ordered) {
    double all = 0, below = 0, share = 0;
    for (double count : held_) all += count;
    for (std::size_t value = 0; value + 1 < values; ++value) {
      below += held_[value];
      share += rule.table[value];
      moved += std::max({0.0, share - below / rows, 1 - share - (all - below) / rows});
    }
    return moved * rule.distance;
  }
  const std::size_t height = rule.tree.size() - 1;
  for (std::size_t level = 0; level < height; ++level) {
    lack_.assign(values, 0);
    for (std::size_t value = 0; value < values; ++value)
      lack_[rule.tree[level][value]] += rule.table[value] - held_[value] / rows;
    for (double lack : lack_) moved += std::max(0.0, lack);
  }
  return moved / static_cast<double>(height);
}

double Judge::ordered(const Rule& rule) const {
  double carried = 0, moved = 0;
  for (std::size_t value = 0; value + 1 < extra_.size(); ++value) {
    carried += extra_[value];
    moved += std::abs(carried);
  }
  return moved * rule.distance;
}

// Within a node its children's surplus and lack are evened out as far as they go; the rest is its own.
double Judge::hierarchical(const Rule& rule) {
  double moved = 0;
  const std::size_t height = rule.tree.size() - 1;
  for (std::size_t level = 1; level <= height; ++level) {
    const auto& parts = rule.tree[level];
    const auto& inner = rule.tree[level - 1];
    const auto count = static_cast<std::size_t>(*std::max_element(parts.begin(), parts.end())) + 1;
    surplus_.assign(count, 0);
    lack_.assign(count, 0);
    std::int32_t last = -1;  // parts are numbered in the order of their first values
    for (std::size_t value = 0; value < parts.size(); ++value) {
      if (inner[value] <= last) continue;
      last = inner[value];
      const double extra = extra_[static_cast<std::size_t>(last)];
      (extra > 0 ? surplus_ : lack_)[parts[value]] += std::abs(extra);
    }
    for (std::size_t part = 0; part < count; ++part) {
      moved += static_cast<double>(level) / static_cast<double>(height) * std::min(surplus_[part], lack_[part]);
      extra_[part] = surplus_[part] - lack_[part];
    }
  }
  return moved;
}

}  // namespace shoal
