#include "core/cuts/head.h"

#include <algorithm>

namespace shoal {

template <Metric M>
Head<M>::Head(const Setting& setting)
    : s_(setting), groups_(setting.pr),
      judge_(setting.rules ? std::make_unique<HeadJudge>(setting.pr, groups_) : nullptr), n_(setting.stride),
      m_(setting.stride) {}

template <Metric M>
Incumbent Head<M>::solve(const CutSet& head, Cost known) {
  groups_.load(head);
  if (s_.pr.parts) spans_.all(*s_.pr.parts);
  else spans_.all(s_.pr.length);
  sweep(known);
  static const std::vector<Cost> no_excess;
  const bool chooses = s_.may_have_to_suppress();  // then which groups are released is part of the question
  const Count limit = s_.limited ? s_.p.limit : kAnyNumber;
  const auto& lost = judge_ ? lost_ : suppressed_;
  AxisPartition axis = best_partition(spans_, exact_, lost, chooses ? no_excess : excess_, limit, known);
  Cost unsettled = kInfinite;
  if (chooses && axis.cost < kInfinite && excess_of(axis.cuts) > 0) {
    find_offers(known);
    GivenUp choice = cheapest_given_up(spans_, exact_, lost, excess_, offers_, limit, known);
    unsettled = choice.unsettled;
    axis = std::move(choice.partition);
  }
  return {axis.cost, axis.cost < kInfinite ? head : CutSet(), std::move(axis.cuts), unsettled};
}

template <Metric M>
bool Head<M>::too_risky() {
  if (!s_.risky) return false;
  cheapest_from_left(spans_, forward_, kInfinite, [&](int i) { return viable_[i]; });
  return forward_[spans_.length] > s_.p.limit / s_.k * Privacy::kRiskOfGroup;
}

template <Metric M>
Cost Head<M>::loss_of(int group) const {
  return Is::loss ? groups_.loss(groups_.columns(group).front(), groups_.intervals()) : 0;
}

// Per interval its exact cost, its suppressed rows and, for CM, its closed groups.
template <Metric M>
void Head<M>::sweep(Cost known) {
  suppressed_.assign(spans_.count, 0);
  exact_.assign(spans_.count, 0);
  closed_.assign(Is::labels ? spans_.count : 0, 0);
  small_.assign(s_.stride, 0);
  for (int g = 0; g < groups_.count(); ++g)
    if (groups_.size(groups_.histogram(g)) >= s_.k) sweep_group(g);
    else gather_small(g);
  for (int a = 0; a < spans_.rows; ++a)
    for (int b = spans_.low[a]; b < spans_.high[a]; ++b) suppressed_[spans_.at(a, b)] += small_[b] - small_[a];
  if (judge_) suppress_hopeless();
  const auto& whole = groups_.whole();
  for (int a = 0; a < spans_.rows; ++a)
    for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
      const int i = spans_.at(a, b);
      exact_[i] += s_.suppressed_cost * suppressed_[i];
      if constexpr (Is::loss) exact_[i] += (whole[b] - whole[a] - suppressed_[i]) * s_.axis_loss(spans_, a, b);
      if (suppressed_[i] > s_.p.limit) exact_[i] = kInfinite;
    }
  if (judge_) suppress_refused(known);
}

// Groups below k are suppressed in every interval: they are swept together.
template <Metric M>
void Head<M>::gather_small(int g) {
  const Count* group = groups_.histogram(g);
  for (int l = 0; l < s_.p.labels; ++l, group += s_.stride)
    for (int i = 0; i < s_.stride; ++i) small_[i] += group[i];
}

template <Metric M>
void Head<M>::sweep_group(int g) {
  const Count* group = groups_.histogram(g);
  const Cost loss = loss_of(g);
  for (int a = 0; a < spans_.rows; ++a) {
    const kernels::Row row{a, spans_.low[a], spans_.high[a]};
    Count* suppressed = suppressed_.data() + spans_.offset[a];
    Cost* exact = exact_.data() + spans_.offset[a];
    if constexpr (Is::squares) {
      kernels::head_squares(row, group, s_.k, suppressed, exact);
      continue;
    }
    if constexpr (Is::loss) {
      kernels::head_losses(row, group, s_.k, loss, suppressed, exact);
      continue;
    }
    if (Is::labels && s_.p.labels == 2) {
      Cost* closed = closed_.data() + spans_.offset[a];
      kernels::head_labels(row, {group, group + s_.stride}, s_.k, suppressed, exact, closed);
      continue;
    }
    kernels::sizes(row, group, s_.p.labels, s_.stride, n_.data(), m_.data());
    for (int b = row.low; b < row.high; ++b) {
      suppressed[b] += n_[b] < s_.k ? n_[b] : 0;
      if constexpr (Is::labels) {
        const Count minority = n_[b] < s_.k ? 0 : n_[b] - m_[b];
        exact[b] += minority;
        closed_[spans_.at(a, b)] += kernels::closed(n_[b], m_[b], s_.k) ? minority : 0;
      }
    }
  }
}

// ---- under privacy rules: docs/algorithms/exact.md, "Privacy models" --------------------------------------------------

template <Metric M>
Count Head<M>::rows_of(const Count* group, int a, int b) const {
  Count rows = 0;
  for (int l = 0; l < s_.p.labels; ++l) rows += group[l * s_.stride + b] - group[l * s_.stride + a];
  return rows;
}

// What a piece of a head group costs if it is released, its label on the axis left out.
template <Metric M>
Cost Head<M>::released_cost(const Count* group, int a, int b, Count rows, Cost loss) const {
  if constexpr (Is::squares) return Cost{rows} * rows;
  if constexpr (Is::loss) return rows * loss;
  Count most = 0;
  for (int l = 0; l < s_.p.labels; ++l) most = std::max(most, group[l * s_.stride + b] - group[l * s_.stride + a]);
  return rows - most;
}

// What it costs more to suppress a piece than to release it.
template <Metric M>
Cost Head<M>::suppressing_costs_more(const Count* group, int a, int b, Count rows, Cost loss) const {
  const Cost more = s_.suppressed_cost * rows - released_cost(group, a, b, rows, loss);
  return Is::loss ? more - rows * s_.axis_loss(spans_, a, b) : more;
}

// Pieces that are suppressed in every descendant, besides those below k.
template <Metric M>
void Head<M>::suppress_hopeless() {
  judge_->load();
  viable_.assign(s_.risky ? spans_.count : 0, 0);
  for (int g = 0; g < groups_.count(); ++g) {
    suppress_hopeless(g);
    if (s_.rules->empty_groups) suppress_empty(g);
  }
  if (!s_.risky) return;
  const auto& whole = groups_.whole();
  for (int a = 0; a < spans_.rows; ++a)
    for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
      const int i = spans_.at(a, b);
      viable_[i] = s_.rules->excess(viable_[i], whole[b] - whole[a] - suppressed_[i]);
    }
}

template <Metric M>
void Head<M>::suppress_hopeless(int g) {
  const Count* group = groups_.histogram(g);
  const Cost loss = loss_of(g);
  const int* reach = judge_->reach(g);
  const char* hopeless = judge_->hopeless(g);
  for (int a = 0; a < spans_.rows; ++a)
    for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
      const bool given_up = reach ? b < reach[a] : hopeless && hopeless[b];
      if (!given_up && !s_.risky) {
        if (reach) break;
        continue;
      }
      const Count rows = rows_of(group, a, b);
      if (rows < s_.k) continue;
      const int i = spans_.at(a, b);
      if (s_.risky) viable_[i] += !given_up;
      if (!given_up) continue;
      const Cost released = released_cost(group, a, b, rows, loss);
      suppressed_[i] += rows;
      exact_[i] -= released;
      if constexpr (Is::labels)
        if (kernels::closed(rows, rows - static_cast<Count>(released), s_.k)) closed_[i] -= released;
    }
}

// People in no row whom the head keeps apart from all rows.
template <Metric M>
void Head<M>::suppress_empty(int g) {
  if (spans_.parts) {
    judge_->each_empty_part(g, [&](int entry) { ++suppressed_[spans_.at(0, entry)]; });
    return;
  }
  judge_->each_empty(g, [&](const HeadJudge::Piece& piece) {
    for (int a = piece.first_begin; a <= piece.last_begin; ++a)
      for (int b = piece.first_end; b <= piece.last_end; ++b) ++suppressed_[spans_.at(a, b)];
  });
}

// Only intervals that can lie on a partition below `known` are looked at, or `all` that are not out; the others are out.
template <Metric M>
void Head<M>::mark_live(Cost known, bool all) {
  live_.assign(spans_.count, 0);
  furthest_.assign(spans_.rows, 0);
  cheapest_from_left(spans_, forward_, kInfinite, [&](int i) { return exact_[i]; });
  cheapest_to_right(spans_, backward_, kInfinite, [&](int i) { return exact_[i]; });
  for (int a = 0; a < spans_.rows; ++a)
    for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
      const int i = spans_.at(a, b);
      const auto [begin, end] = spans_.interval(a, b);
      live_[i] = all ? exact_[i] < kInfinite : forward_[begin] + exact_[i] + backward_[end] < known;
      if (live_[i]) furthest_[a] = b;
      else exact_[i] = kInfinite;
    }
}

// Pieces that the head suppresses though some descendant might release a part of them. Where nothing may be suppressed,
// the bound must know of all.
template <Metric M>
void Head<M>::suppress_refused(Cost known) {
  lost_ = suppressed_;
  excess_ = viable_;
  if (s_.rules->supersets) return;  // what is refused is hopeless
  mark_live(known, s_.rules->strict);
  for (int g = 0; g < groups_.count(); ++g) {
    const Count* group = groups_.histogram(g);
    const Cost loss = loss_of(g);
    judge_->each_refused(g, spans_, furthest_, live_, [&](int a, int b, Count rows) {
      const int i = spans_.at(a, b);
      if (!live_[i]) return;
      lost_[i] += rows;
      if (s_.rules->strict) suppressed_[i] += rows;
      exact_[i] += suppressing_costs_more(group, a, b, rows, loss);
      if (s_.risky) excess_[i] -= s_.rules->excess(1, rows);
    });
  }
  for (int i = 0; i < spans_.count; ++i)
    if (lost_[i] > s_.p.limit) exact_[i] = kInfinite;
}

template <Metric M>
Cost Head<M>::excess_of(const std::vector<std::int32_t>& cuts) const {
  Cost sum = 0;
  for (std::size_t c = 0; c <= cuts.size(); ++c) {
    const int end = c < cuts.size() ? cuts[c] : spans_.length;
    spans_.beginning_at(c > 0 ? cuts[c - 1] : 0, [&](int b, int i) { sum += b == end ? excess_[i] : 0; });
  }
  return sum;
}

// Per live interval the pieces that the head releases and that could be given up.
template <Metric M>
void Head<M>::find_offers(Cost known) {
  mark_live(known, false);
  std::vector<std::vector<Offer>> of_interval(spans_.count);
  std::vector<int> refused_in(spans_.count, -1);
  for (int g = 0; g < groups_.count(); ++g) {
    if (!s_.rules->supersets)
      judge_->each_refused(g, spans_, furthest_, live_, [&](int a, int b, Count) { refused_in[spans_.at(a, b)] = g; });
    add_offers(g, refused_in, of_interval);
  }
  offers_.first.assign(1, 0);
  offers_.all.clear();
  for (auto& own : of_interval) {
    std::sort(own.begin(), own.end());
    offers_.all.insert(offers_.all.end(), own.begin(), own.end());
    offers_.first.push_back(static_cast<int>(offers_.all.size()));
  }
}

template <Metric M>
void Head<M>::add_offers(int g, const std::vector<int>& refused_in, std::vector<std::vector<Offer>>& offers) {
  const Count* group = groups_.histogram(g);
  const Cost loss = loss_of(g);
  const int* reach = judge_->reach(g);
  const char* hopeless = judge_->hopeless(g);
  for (int a = 0; a < spans_.rows; ++a)
    for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
      const int i = spans_.at(a, b);
      if (!live_[i] || refused_in[i] == g || (reach ? b < reach[a] : hopeless && hopeless[b])) continue;
      const Count rows = rows_of(group, a, b);
      const Cost gain = s_.rules->excess(1, rows);
      if (rows < s_.k || gain <= 0) continue;
      offers[i].push_back({rows, suppressing_costs_more(group, a, b, rows, loss), gain, g});
    }
}

template class Head<Metric::discernibility>;
template class Head<Metric::classification>;
template class Head<Metric::general_loss>;

}  // namespace shoal
