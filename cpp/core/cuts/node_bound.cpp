#include "core/cuts/node_bound.h"

#include <algorithm>
#include <utility>

namespace shoal {

template <Metric M>
void NodeBound<M>::start() {
  spans_ = head_.spans();
  suppressed_ = head_.suppressed();
  given_up_.clear();
  values_.resize(spans_.count);
  floor_.assign(spans_.count, 0);
  const auto& whole = head_.groups().whole();
  for (int a = 0; a < spans_.rows; ++a)
    for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
      const int i = spans_.at(a, b);
      const Count kept = std::max(whole[b] - whole[a] - suppressed_[i], 0);
      values_[i] = suppressed_[i] > s_.p.limit ? kInfinite : s_.suppressed_cost * suppressed_[i];
      if constexpr (Is::squares) values_[i] += Cost{s_.k} * kept;
      if constexpr (Is::labels) values_[i] += head_.closed()[i];
      if constexpr (Is::loss) values_[i] += kept * s_.axis_loss(spans_, a, b);
    }
}

template <Metric M>
Cost NodeBound<M>::least() {
  cheapest_from_left(spans_, forward_, kInfinite, [&](int i) { return std::max(values_[i], floor_[i]); });
  return forward_[spans_.length];
}

template <Metric M>
Cost NodeBound<M>::least_above(const Cost* also) {
  cheapest_from_left(spans_, forward_, kInfinite, [&](int i) { return std::max({values_[i], floor_[i], also[i]}); });
  return forward_[spans_.length];
}

template <Metric M>
void NodeBound<M>::raise(const std::vector<Cost>& floor) {
  for (int i = 0; i < spans_.count; ++i) floor_[i] = std::max(floor_[i], floor[i]);
}

template <Metric M>
Cost NodeBound<M>::least_with(const Delta* delta, const Count* rows) {
  const std::vector<Cost>& base = Is::loss ? remembered_ : values_;
  const Cost gain = Is::squares ? Cost{s_.total} - s_.k : 1;
  // Rows that the head gives up may be among those that the move suppresses: the larger number counts.
  const bool some = !given_up_.empty();
  const auto suppressed = [&](int i) {
    const Count more = Is::squares ? static_cast<Count>(delta[i]) : rows[i];
    return suppressed_[i] + (some ? std::max(more - given_up_[i], 0) : more);
  };
  if (s_.limited) {
    cheapest_from_left(spans_, forward_, kInfinite,
                       [&](int i) { return base[i] >= kInfinite ? kInfinite : Cost{suppressed(i)}; });
    if (forward_[spans_.length] > s_.p.limit) return kInfinite;
  }
  if (!s_.limited && !some) {  // the common case, without a branch per interval
    const Cost *known = base.data(), *floor = floor_.data();
    cheapest_from_left(spans_, forward_, kInfinite,
                       [=](int i) { return std::max(known[i] + gain * delta[i], floor[i]); });
    return forward_[spans_.length];
  }
  cheapest_from_left(spans_, forward_, kInfinite, [&](int i) {
    const Cost more = gain * delta[i];
    if (s_.limited && suppressed(i) > s_.p.limit) return kInfinite;
    return std::max(base[i] + (some ? std::max<Cost>(more - given_up_cost_[i], 0) : more), floor_[i]);
  });
  return forward_[spans_.length];
}

template <Metric M>
bool NodeBound<M>::narrow(Cost known) {
  if (least() >= known || !find_live(known)) return false;
  keep_live();
  return true;
}

// Marks the intervals that stay, and finds their range in each row. After least(), which leaves `forward_`.
template <Metric M>
bool NodeBound<M>::find_live(Cost known) {
  cheapest_to_right(spans_, backward_, kInfinite, [&](int i) { return std::max(values_[i], floor_[i]); });
  if (s_.limited) {
    const auto rows = [&](int i) { return Cost{suppressed_[i]}; };
    cheapest_from_left(spans_, few_, kInfinite, rows);
    cheapest_to_right(spans_, fewest_, kInfinite, rows);
  }
  narrowed_ = spans_;
  live_.assign(spans_.count, 0);
  bool any = false;
  for (int a = 0; a < spans_.rows; ++a) {
    narrowed_.low[a] = narrowed_.high[a] = spans_.low[a];
    for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
      const int i = spans_.at(a, b);
      const auto [begin, end] = spans_.interval(a, b);
      if (forward_[begin] + std::max(values_[i], floor_[i]) + backward_[end] >= known) continue;
      if (s_.limited && few_[begin] + suppressed_[i] + fewest_[end] > s_.p.limit) continue;
      if (narrowed_.high[a] == narrowed_.low[a]) narrowed_.low[a] = b;
      narrowed_.high[a] = b + 1;
      live_[i] = any = true;
    }
  }
  narrowed_.index();
  return any;
}

// The arrays shrink in place: an interval never moves to the right.
template <Metric M>
void NodeBound<M>::keep_live() {
  for (int a = 0, to = 0; a < spans_.rows; ++a)
    for (int b = narrowed_.low[a]; b < narrowed_.high[a]; ++b, ++to) {
      const int i = spans_.at(a, b);
      values_[to] = live_[i] ? values_[i] : kInfinite;
      floor_[to] = floor_[i];
      suppressed_[to] = suppressed_[i];
      if (!given_up_.empty()) given_up_[to] = given_up_[i], given_up_cost_[to] = given_up_cost_[i];
    }
  if (!given_up_.empty()) given_up_.resize(narrowed_.count), given_up_cost_.resize(narrowed_.count);
  values_.resize(narrowed_.count);
  floor_.resize(narrowed_.count);
  suppressed_.resize(narrowed_.count);
  std::swap(spans_, narrowed_);
}

// Rows that are given up cost what a suppressed row does more than the bound counts for them.
template <Metric M>
bool NodeBound<M>::give_up(Cost known) {
  if (s_.rules->supersets || s_.rules->strict) return true;
  given_up_.assign(spans_.count, 0);
  given_up_cost_.assign(spans_.count, 0);
  live_.assign(spans_.count, 0);
  furthest_.assign(spans_.rows, 0);
  for (int a = 0; a < spans_.rows; ++a)
    for (int b = spans_.low[a]; b < spans_.high[a]; ++b)
      if (values_[spans_.at(a, b)] < kInfinite) live_[spans_.at(a, b)] = 1, furthest_[a] = b;
  bool any = false;
  for (int g = 0; g < head_.groups().count(); ++g) {
    const Cost loss = head_.loss_of(g);
    head_.judge()->each_given_up(g, spans_, furthest_, live_, [&](int a, int b, Count rows, Count lost) {
      if (b < spans_.low[a] || b >= spans_.high[a] || lost == 0) return;
      const int i = spans_.at(a, b);
      given_up_[i] += lost;
      any = true;
      if constexpr (Is::squares) given_up_cost_[i] += lost * std::max<Cost>(s_.suppressed_cost - rows, 0);
      if constexpr (Is::loss)
        given_up_cost_[i] += lost * std::max<Cost>(s_.suppressed_cost - loss - s_.axis_loss(spans_, a, b), 0);
    });
  }
  if (!any) {
    given_up_.clear();
    return true;
  }
  for (int i = 0; i < spans_.count; ++i) {
    suppressed_[i] += given_up_[i];
    values_[i] = suppressed_[i] > s_.p.limit ? kInfinite : values_[i] + given_up_cost_[i];
  }
  return narrow(known);
}

template class NodeBound<Metric::discernibility>;
template class NodeBound<Metric::classification>;
template class NodeBound<Metric::general_loss>;

}  // namespace shoal
