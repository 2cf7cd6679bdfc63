#include "core/privacy.h"

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
    const auto unknown = [&](std::int32_t fact) { return fact < 0 || fact >= static_cast<std::int64_t>(rule.cells.size()); };
    if (first.size() != rows + 1 || first.front() != 0 || !std::is_sorted(first.begin(), first.end()) ||
        std::any_of(facts.begin(), facts.end(), unknown))
      return false;
  }
  return true;
}

Judge::Judge(const Privacy& privacy) : p_(privacy) {
  for (const Rule& rule : p_.rules)
    if (rule.on_facts())
      states_.push_back({&rule, !rule.parts.empty() && rule.parts.front() != rule.parts.back(),
                         std::vector<Count>(rule.values.size(), 0), {}});
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
