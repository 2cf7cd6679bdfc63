#include "core/privacy.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace shoal {

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

Count Judge::most_released(Count rows) {
  double most = rows;
  for (const Rule& rule : p_.rules)
    if (rule.kind == Rule::Kind::presence) most = std::min(most, rule.most * static_cast<double>(people_) * 1e-6);
  for (State& state : states_) {
    double released = 0;
    if (state.joint) std::sort(state.touched.begin(), state.touched.end());
    const std::span<const std::int32_t> cells(state.touched);
    for (std::size_t begin = 0, end = 0; begin < cells.size(); begin = end) {
      while (end < cells.size() && (!state.joint || state.rule->parts[cells[end]] == state.rule->parts[cells[begin]])) ++end;
      released += most_released(*state.rule, state, cells.subspan(begin, end - begin));
    }
    most = std::min(most, released);
  }
  return std::min(rows, static_cast<Count>(std::floor(most * (1 + 1e-9) + 1e-6)));
}

// For entropy and recursive diversity the largest admitted part caps the frequent values; for shares and closeness the
// size is lowered until every value has rows enough. Sizes are real here: that only lets more be released.
double Judge::most_released(const Rule& rule, const State& state, std::span<const std::int32_t> cells) {
  const Part whole = judge(rule, state, cells);
  double rows = 0;
  Count top = 0;
  for (std::int32_t cell : cells) rows += state.counts[cell], top = std::max(top, state.counts[cell]);
  if (whole.admitted) return rows;
  if (!whole.reaches) return 0;
  const auto capped = [&](Count cap) {
    double sum = 0;
    for (std::int32_t cell : cells) sum += std::min(state.counts[cell], cap);
    return sum;
  };
  // The largest cap below `top` under which the part is admitted, by halving; one more is not.
  const auto largest = [&](const auto& admitted) {
    Count low = 1, high = top;
    while (high - low > 1) {
      const Count middle = low + (high - low) / 2;
      (admitted(middle) ? low : high) = middle;
    }
    return capped(high);
  };
  switch (rule.kind) {
    case Rule::Kind::entropy:
      return largest([&](Count cap) {
        const double sum = capped(cap);
        double entropy = 0;
        for (std::int32_t cell : cells) {
          const double share = std::min(state.counts[cell], cap) / sum;
          entropy -= share * std::log(share);
        }
        return std::exp(entropy) >= rule.least;
      });
    case Rule::Kind::recursive:
      return largest([&](Count cap) {
        double rest = 0;
        for (std::size_t i = static_cast<std::size_t>(rule.from) - 1; i < falling_.size(); ++i) rest += std::min(falling_[i], cap);
        return cap / rest < rule.most;
      });
    case Rule::Kind::equal:
    case Rule::Kind::ordered:
    case Rule::Kind::hierarchical: {
      // What the values can hold of their shares in the table among so many rows must reach 1 - t.
      const double needed = 1 - rule.most / rule.distance;
      double low = 0, high = rows;
      for (int step = 0; step < 24 && high - low > 0.25; ++step) {
        const double middle = (low + high) / 2;
        double held = 0;
        for (std::int32_t cell : cells) held += std::min(rule.table[rule.values[cell]], state.counts[cell] / middle);
        (held >= needed - 1e-9 ? low : high) = middle;
      }
      return high;
    }
    case Rule::Kind::shares: {
      double size = rows;
      for (int step = 0; step < 24; ++step) {
        double held = 0, most = size;
        for (std::int32_t cell : cells) {
          const std::int32_t value = rule.values[cell];
          held += std::min<double>(state.counts[cell], rule.caps[value] * size);
          if (rule.floors[value] > 0) most = std::min(most, state.counts[cell] / rule.floors[value]);
        }
        const double next = std::min({size, held, most});
        if (size - next < 0.25) return next;
        size = next;
      }
      return size;
    }
    case Rule::Kind::distinct:
    case Rule::Kind::population:
    case Rule::Kind::presence: break;
  }
  return rows;
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
