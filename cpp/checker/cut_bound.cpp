#include "checker/cut_bound.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shoal_checker {
namespace {

// A bound above which no group of a recoding below it is: the root, rounded up.
Number root_above(Number bound) {
  Number root = static_cast<Number>(std::sqrt(static_cast<double>(std::max<Number>(bound, 0))));
  while (root * root >= bound && root > 0) --root;
  while (root * root < bound) ++root;
  return root;
}

// DM: whether one side below k is enough wherever a cut splits, because no group is too large for that.
bool broad_rule(const CutTable& table) {
  const Problem& p = table.problem;
  if (p.metric == Metric::cells || !p.joins_are_kept()) return false;
  if (p.metric == Metric::minority || p.limit == 0) return true;
  return p.k + 2 * root_above(table.bound) <= p.total();
}

bool any_open(const State& state) { return std::find(state.begin(), state.end(), Mark::open) != state.end(); }

bool is_closed(Number n, Number most, Number k) { return n < 2 * k || 2 * (n - most) <= k; }

}  // namespace

CutBound::CutBound(CutTable& table, AxisPaths& paths, const State& state, Spans spans)
    : t_(table), p_(table.problem), paths_(paths), block_(static_cast<std::size_t>(p_.labels) * table.stride),
      broad_(broad_rule(table)), joins_(p_.joins_are_kept()), total_(p_.total()),
      suppressed_cost_(p_.suppressed_cost()), spans_(std::move(spans)), head_(state), sweeps_(table.others.size()) {
  t_.group([&](int cut) { return state[cut] == Mark::in; }, groups_);
  rows_.assign(block_ * groups_.count, 0);
  for (int g = 0; g < groups_.count; ++g) {
    Count* own = rows_.data() + block_ * g;
    for (int c = groups_.first[g]; c < groups_.first[g + 1]; ++c) t_.add(groups_.columns[c], own);
    t_.sum_up(own, p_.labels);
  }
  refresh(state);
  std::vector<char> alive;
  dead_ = !paths_.live(spans_, values_, alive);
  if (!dead_) shrink(alive);
}

void CutBound::refresh(const State& state) {
  evaluate(state, values_);
  seen_ = state;
  if (nested_) nested_->evaluate(state, values_.suppressed);
  if (p_.metric == Metric::cells)
    for (Sweep& each : sweeps_) each.done = false;
}

// Arrays shrink to the range of live intervals of each row.
void CutBound::shrink(const std::vector<char>& alive) {
  Spans kept = spans_;
  for (int a = 0; a < spans_.length; ++a) {
    kept.low[a] = kept.high[a] = spans_.low[a];
    for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
      if (!alive[spans_.offset[a] + b]) continue;
      if (kept.high[a] == kept.low[a]) kept.low[a] = b;
      kept.high[a] = b + 1;
    }
  }
  kept.index();
  kept.alive.resize(kept.count);
  Values values;
  values.cost.resize(kept.count);
  values.suppressed.resize(kept.count);
  kept.each([&](int a, int b, int to) {
    const int from = spans_.offset[a] + b;
    kept.alive[to] = alive[from];
    values.cost[to] = values_.cost[from];
    values.suppressed[to] = values_.suppressed[from];
  });
  spans_ = std::move(kept);
  values_ = std::move(values);
}

// ---- the plain definition ----------------------------------------------------------------------------------------------

void CutBound::evaluate(const State& state, Values& values) {
  values.cost.assign(spans_.count, 0);
  values.suppressed.assign(spans_.count, 0);
  find_losses(state);
  Pieces cells;
  std::vector<int> first(groups_.count + 1, 0), members;  // cells of group g: members[first[g]] ..
  if (p_.metric != Metric::cells) {
    t_.group([&](int cut) { return state[cut] != Mark::out; }, cells);
    members.resize(cells.count);
    const auto group_of = [&](int cell) { return groups_.of_column[cells.columns[cells.first[cell]]]; };
    for (int e = 0; e < cells.count; ++e) ++first[group_of(e) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<int> next(first.begin(), first.end() - 1);
    for (int e = 0; e < cells.count; ++e) members[next[group_of(e)]++] = e;
  }
  const bool exact = !any_open(state);
  for (int g = 0; g < groups_.count; ++g) {
    judge(g, exact);
    add_group(g, values);
    for (int e = first[g]; e < first[g + 1]; ++e) add_cell(cells, members[e], values);
  }
  for (int i = 0; i < spans_.count; ++i)
    if (values.suppressed[i] > p_.limit) values.cost[i] = kNone;
}

// The pieces of a group that no descendant releases; with `exact`, those that the head does not release.
void CutBound::judge(int group, bool exact) {
  sizes(histogram(group), n_, most_);
  bad_.resize(spans_.count);
  for (int i = 0; i < spans_.count; ++i) bad_[i] = n_[i] < p_.k;
  for (std::size_t d = 0; d < p_.demands.size(); ++d) {
    const Demand& demand = p_.demands[d];
    facts_.assign(static_cast<std::size_t>(demand.values) * t_.stride, 0);
    for (int c = groups_.first[group]; c < groups_.first[group + 1]; ++c)
      t_.add(groups_.columns[c], facts_.data(), static_cast<int>(d));
    t_.sum_up(facts_.data(), demand.values);
    std::vector<Number> counts(demand.values);
    spans_.each([&](int a, int b, int i) {
      if (bad_[i]) return;
      for (int v = 0; v < demand.values; ++v) counts[v] = facts_[v * t_.stride + b] - facts_[v * t_.stride + a];
      bad_[i] = demand.hopeless(counts.data()) || ((exact || p_.limit == 0) && !demand.admits(counts.data()));
    });
  }
}

// What a group pays besides its cells. `opened_` tells where these count.
void CutBound::add_group(int group, Values& values) {
  opened_.resize(spans_.count);
  if (p_.metric == Metric::cells) {
    weighted_.assign(t_.stride, 0);
    for (int c = groups_.first[group]; c < groups_.first[group + 1]; ++c)
      t_.add_weighted(groups_.columns[c], losses_[groups_.columns[c]], weighted_.data());
    std::partial_sum(weighted_.begin(), weighted_.end(), weighted_.begin());
  }
  spans_.each([&](int a, int b, int i) {
    const Number n = n_[i];
    opened_[i] = !bad_[i];
    if (bad_[i]) {
      values.suppressed[i] += n;
      values.cost[i] += suppressed_cost_ * n;
    } else if (p_.metric == Metric::squares) {
      values.cost[i] += p_.k * n;
    } else if (p_.metric == Metric::cells) {
      values.cost[i] += weighted_[b] - weighted_[a] + n * axis_units(a, b);
    } else if (is_closed(n, most_[i], p_.k)) {
      values.cost[i] += n - most_[i];
      opened_[i] = 0;
    }
  });
}

// A cell of m rows in an open piece pays m max(m, k), of which k m are counted with its group; or its minority.
void CutBound::add_cell(const Pieces& cells, int cell, Values& values) {
  cell_.assign(block_, 0);
  for (int c = cells.first[cell]; c < cells.first[cell + 1]; ++c) t_.add(cells.columns[c], cell_.data());
  t_.sum_up(cell_.data(), p_.labels);
  Number all = 0, most = 0;
  for (int l = 0; l < p_.labels; ++l) {
    const Number own = cell_[static_cast<std::size_t>(l) * t_.stride + t_.length];
    all += own;
    most = std::max(most, own);
  }
  if (p_.metric == Metric::squares ? all <= p_.k : all == most) return;  // it adds nothing in any interval
  if (p_.metric == Metric::squares) {
    const auto k = static_cast<Count>(p_.k);
    for (int a = 0; a < spans_.length; ++a) {
      Number* cost = values.cost.data() + spans_.offset[a];
      const char* opened = opened_.data() + spans_.offset[a];
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
        const Count m = cell_[b] - cell_[a], over = m > k && opened[b] ? m - k : 0;
        cost[b] += Number{m} * over;
      }
    }
    return;
  }
  sizes(cell_.data(), n1_, most1_);
  for (int i = 0; i < spans_.count; ++i) values.cost[i] += opened_[i] ? n1_[i] - most1_[i] : 0;
}

// Cells: per column the units of its intervals under head and tail.
void CutBound::find_losses(const State& state) {
  if (p_.metric != Metric::cells) return;
  losses_.assign(t_.columns(), 0);
  std::vector<int> parts, begin, end;
  for (std::size_t a = 0; a < t_.others.size(); ++a) {
    t_.parts(static_cast<int>(a), [&](int cut) { return state[cut] != Mark::out; }, parts);
    begin.assign(parts.back() + 1, INT32_MAX);
    end.assign(parts.back() + 1, 0);
    for (int code = 0; code < static_cast<int>(parts.size()); ++code) {
      begin[parts[code]] = std::min(begin[parts[code]], code);
      end[parts[code]] = code;
    }
    const auto& units = p_.losses[t_.others[a]];
    for (int c = 0; c < t_.columns(); ++c) {
      const int part = parts[t_.code(c, static_cast<int>(a))];
      losses_[c] += units[static_cast<std::size_t>(begin[part]) * parts.size() + end[part]];
    }
  }
}

void CutBound::sizes(const Count* histogram, std::vector<Count>& n, std::vector<Count>& most) const {
  n.resize(spans_.count);
  most.resize(spans_.count);
  for (int l = 0; l < p_.labels; ++l) {
    const Count* own = histogram + static_cast<std::size_t>(l) * t_.stride;
    for (int a = 0; a < spans_.length; ++a) {
      Count *rows = n.data() + spans_.offset[a], *greatest = most.data() + spans_.offset[a];
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
        const Count here = own[b] - own[a];
        rows[b] = l ? rows[b] + here : here;
        greatest[b] = l ? std::max(greatest[b], here) : here;
      }
    }
  }
}

// ---- what a cut adds ---------------------------------------------------------------------------------------------------

CutBound::Sweep& CutBound::sweep(int attribute) {
  Sweep& out = sweeps_[attribute];
  if (out.done) return out;
  const std::size_t cuts = t_.first_cut[attribute + 1] - t_.first_cut[attribute];
  out.cost.assign(p_.metric == Metric::squares ? 0 : cuts * spans_.count, 0);
  out.rows.assign(cuts * spans_.count, 0);
  out.useful.assign(cuts * spans_.count, 0);
  for (int g = 0; g < groups_.count; ++g) sweep_group(g, attribute, out);
  out.done = true;
  return out;
}

// All open cuts within the interval that a group has of an attribute, from histograms of the segments between them.
void CutBound::sweep_group(int group, int attribute, Sweep& out) {
  const int begin = groups_.first[group], end = groups_.first[group + 1];
  const bool cells = p_.metric == Metric::cells;
  if (!cells && end - begin == 1) return;  // one column cannot be split
  const Count* all = histogram(group);
  Number rows = 0;
  for (int l = 0; l < p_.labels; ++l) rows += all[static_cast<std::size_t>(l) * t_.stride + t_.length];
  if (rows < p_.k) return;  // suppressed everywhere
  const int first = t_.first_cut[attribute], size = p_.sizes[t_.others[attribute]];
  const int code = t_.code(groups_.columns[begin], attribute);
  int from = code, to = code + 1;
  while (from > 0 && head_[first + from - 1] != Mark::in) --from;
  while (to < size && head_[first + to - 1] != Mark::in) ++to;
  std::vector<int> here, segment(to - from, 0);
  for (int c = from; c < to; ++c) {
    if (c > from && head_[first + c - 1] == Mark::open) here.push_back(c - 1);
    segment[c - from] = static_cast<int>(here.size());
  }
  if (here.empty()) return;
  judge(group, false);
  side_.assign(block_ * (here.size() + 1), 0);
  side_loss_.assign(cells ? t_.stride * (here.size() + 1) : 0, 0);
  for (int c = begin; c < end; ++c) {
    const int column = groups_.columns[c];
    const std::size_t s = segment[t_.code(column, attribute) - from];
    t_.add(column, side_.data() + block_ * s);
    if (cells) t_.add_weighted(column, losses_[column], side_loss_.data() + t_.stride * s);
  }
  for (std::size_t s = 0; s <= here.size(); ++s) {
    t_.sum_up(side_.data() + block_ * s, p_.labels);
    for (std::size_t i = block_ * s; s > 0 && i < block_ * (s + 1); ++i) side_[i] += side_[i - block_];
    if (!cells) continue;
    const auto own = side_loss_.begin() + static_cast<std::ptrdiff_t>(t_.stride * s);
    std::partial_sum(own, own + t_.stride, own);
    for (std::size_t i = t_.stride * s; s > 0 && i < t_.stride * (s + 1); ++i)
      side_loss_[i] += side_loss_[i - t_.stride];
  }
  for (std::size_t s = 0; s < here.size(); ++s)
    split(group, side_.data() + block_ * s, cells ? side_loss_.data() + t_.stride * s : nullptr,
          cells ? side_loss_.data() + t_.stride * here.size() : nullptr, here[s], out);
}

void CutBound::split(int group, const Count* left, const Number* left_loss, const Number* all_loss, int row,
                     Sweep& out) {
  Count* rows = out.rows.data() + static_cast<std::size_t>(row) * spans_.count;
  Number* cost = out.cost.empty() ? nullptr : out.cost.data() + static_cast<std::size_t>(row) * spans_.count;
  right_.resize(block_);
  std::transform(histogram(group), histogram(group) + block_, left, right_.begin(), std::minus<>());
  const auto k = static_cast<Count>(p_.k);
  char* useful = out.useful.data() + static_cast<std::size_t>(row) * spans_.count;
  if (p_.metric == Metric::squares) {
    for (int a = 0; a < spans_.length; ++a)
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
        const int i = spans_.offset[a] + b;
        if (bad_[i]) continue;
        const Count n1 = left[b] - left[a], n2 = right_[b] - right_[a];
        rows[i] += (n1 < k ? n1 : 0) + (n2 < k ? n2 : 0);
        if (spans_.alive[i]) useful[i] = useful[i] || may_be_useful(n1 + n2, n1, n2);
      }
    return;
  }
  sizes(left, n1_, most1_);
  sizes(right_.data(), n2_, most2_);
  spans_.each([&](int a, int b, int i) {
    if (bad_[i]) return;
    const Count n = n_[i], n1 = n1_[i], n2 = n2_[i];
    rows[i] += (n1 < k ? n1 : 0) + (n2 < k ? n2 : 0);
    if (spans_.alive[i]) useful[i] = useful[i] || may_be_useful(n, n1, n2);
    if (p_.metric == Metric::cells) {
      const Number of_row = p_.row_units - axis_units(a, b);
      const Number loss = left_loss[b] - left_loss[a], other = all_loss[b] - all_loss[a] - loss;
      if (n1 < k) cost[i] += n1 * of_row - loss;
      if (n2 < k) cost[i] += n2 * of_row - other;
    } else if (is_closed(n, most_[i], k)) {
      cost[i] += (n1 < k ? n1 : n1 - most1_[i]) + (n2 < k ? n2 : n2 - most2_[i]) - (n - most_[i]);
    } else {
      cost[i] += (n1 < k ? most1_[i] : 0) + (n2 < k ? most2_[i] : 0);
    }
  });
}

// Whether a split of a piece can be worth its cut.
bool CutBound::may_be_useful(Number n, Number n1, Number n2) const {
  const Number few = std::min(n1, n2), many = std::max(n1, n2);
  if (p_.metric == Metric::cells) return n >= p_.k && many >= p_.k;
  if (broad_) return few >= p_.k;
  if (few == 0 || many < p_.k) return false;
  return p_.metric != Metric::squares || !joins_ || few >= p_.k || few + 2 * many > total_;
}

// ---- the rules ---------------------------------------------------------------------------------------------------------

bool CutBound::useless(int cut) { return dead_ || !may_help(cut) || (sharpen() && (dead_ || !may_help(cut))); }

// Whether a cut may be useful in a live interval in which the head with it does not suppress too much.
bool CutBound::may_help(int cut) {
  const int a = t_.attribute_of[cut];
  const Sweep& own = sweep(a);
  const std::size_t row = static_cast<std::size_t>(cut - t_.first_cut[a]) * spans_.count;
  for (int i = 0; i < spans_.count; ++i)
    if (own.useful[row + i] && values_.suppressed[i] + own.rows[row + i] <= p_.limit) return true;
  return false;
}

// Cells: the nested bound, where the plain one does not show enough. False if there is nothing more to know.
bool CutBound::sharpen() {
  if (p_.metric != Metric::cells || nested_) return false;
  const auto build = [&] {
    nested_ = std::make_unique<CutNested>(t_, spans_, head_);
    for (int g = 0; g < groups_.count; ++g) {
      judge(g, !any_open(head_));
      nested_->count(spans_, groups_, g, histogram(g), bad_);
    }
  };
  build();
  Values first;  // of the node as it began: what is live depends on that
  evaluate(head_, first);
  nested_->evaluate(head_, first.suppressed);
  std::vector<char> alive;
  combine(first, nested_->values());
  dead_ = !paths_.live(spans_, both_, alive);
  if (dead_) return true;
  if (alive != spans_.alive) {
    shrink(alive);
    build();
    for (Sweep& each : sweeps_) each.done = false;
  }
  nested_->evaluate(seen_, values_.suppressed);
  return true;
}

// Both bounds hold, so the larger numbers do.
void CutBound::combine(const Values& one, const Values& other) {
  both_ = one;
  for (int i = 0; i < spans_.count; ++i) {
    both_.cost[i] = std::max(both_.cost[i], other.cost[i]);
    both_.suppressed[i] = std::max(both_.suppressed[i], other.suppressed[i]);
  }
}

// Whether no partition is below the bound, by a bound and, if it is known, the nested one.
bool CutBound::none(const Values& values) {
  if (!nested_) return paths_.none(spans_, values);
  combine(values, nested_->values());
  return paths_.none(spans_, both_);
}

bool CutBound::reaches(int cut) {
  const int a = t_.attribute_of[cut];
  const Sweep& added = sweep(a);
  const std::size_t row = static_cast<std::size_t>(cut - t_.first_cut[a]) * spans_.count;
  with_ = values_;
  for (int i = 0; i < spans_.count; ++i) {
    const Count rows = added.rows[row + i];
    with_.suppressed[i] += rows;
    if (values_.cost[i] >= kNone || with_.suppressed[i] > p_.limit) with_.cost[i] = kNone;
    else with_.cost[i] += added.cost.empty() ? (total_ - p_.k) * rows : added.cost[row + i];
  }
  if (none(with_)) return true;
  if (!nested_) return false;
  Values within;
  nested_->with(cut, within);
  combine(with_, within);
  return paths_.none(spans_, both_);
}

bool CutBound::bounded(const State& state, int cut) {
  if (dead_ || reaches(cut) || (sharpen() && (dead_ || reaches(cut)))) return true;
  if (state != seen_) {
    refresh(state);
    if (reaches(cut)) return true;
  }
  State child = state;
  child[cut] = Mark::in;
  return CutBound(t_, paths_, child, spans_).is_dead();
}

bool CutBound::needed(const State& state, int cut) {
  if (dead_) return true;
  sharpen();
  if (dead_) return true;
  if (nested_) {
    Values without;
    nested_->without(cut, without);
    combine(values_, without);
    if (paths_.none(spans_, both_)) return true;
  }
  State rest = state;
  rest[cut] = Mark::out;
  return CutBound(t_, paths_, rest, spans_).is_dead();
}

// Whether nothing in the node, as it began, is below the bound.
bool CutBound::is_dead() {
  if (!dead_) sharpen();
  return dead_;
}

bool CutBound::closed(const State& state) {
  if (dead_ || none(values_)) return true;
  if (state != seen_) refresh(state);
  if (sharpen() && dead_) return true;
  std::vector<char> alive;
  if (nested_) combine(values_, nested_->values());
  else both_ = values_;
  if (!paths_.live(spans_, both_, alive)) return true;
  return !any_open(state) && p_.limit < total_ && !paths_.affordable(spans_, values_, alive);
}

}  // namespace shoal_checker
