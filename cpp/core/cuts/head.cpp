#include "core/cuts/head.h"

#include <algorithm>

namespace shoal {

template <Metric M>
Head<M>::Head(const Setting& setting)
    : s_(setting),
      groups_(setting.pr),
      judge_(setting.rules ? std::make_unique<HeadJudge>(setting.pr, groups_) : nullptr),
      n_(setting.stride),
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
  for (int g = 0; g < groups_.count(); ++g) sweep_group(g);
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
    if (Is::labels && s_.p.labels == 2) {
      Cost* closed = closed_.data() + spans_.offset[a];
      kernels::head_labels(row, {group, group + s_.stride}, s_.k, suppressed, exact, closed);
      continue;
    }
    kernels::sizes(row, group, s_.p.labels, s_.stride, n_.data(), m_.data());
    for (int b = row.low; b < row.high; ++b) {
      suppressed[b] += n_[b] < s_.k ? n_[b] : 0;
      if constexpr (Is::loss) exact[b] += n_[b] < s_.k ? 0 : n_[b] * loss;
      if constexpr (Is::labels) {
        const Count minority = n_[b] < s_.k ? 0 : n_[b] - m_[b];
        exact[b] += minority;
        closed_[spans_.at(a, b)] += kernels::closed(n_[b], m_[b], s_.k) ? minority : 0;
      }
    }
  }
}

template class Head<Metric::discernibility>;
template class Head<Metric::classification>;
template class Head<Metric::general_loss>;

}  // namespace shoal
