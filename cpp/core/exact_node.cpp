#include "core/exact_node.h"

#include <algorithm>
#include <cmath>

#include "core/allset.h"
#include "core/axis.h"
#include "core/head_groups.h"
#include "core/kernels.h"

namespace shoal {
namespace {

template <Metric M>
class Expander final : public NodeExpander {
  static constexpr bool kSquares = M == Metric::discernibility;
  static constexpr bool kLabels = M == Metric::classification;
  static constexpr bool kLoss = M == Metric::general_loss;
  // What a cut adds to the bound of an interval: for DM newly suppressed rows, each worth |D| - k.
  using Delta = std::conditional_t<kLoss, Cost, Count>;

 public:
  explicit Expander(const Projection& projection)
      : pr_(projection), p_(projection.problem), stride_(projection.length + 1), k_(p_.k), total_(p_.total()),
        limited_(p_.limit < total_), suppressed_cost_(p_.suppressed_cost()), gain_(kSquares ? Cost{total_} - k_ : 1),
        groups_(projection), allset_(projection, groups_), right_(groups_.block()) {
    for (auto* sizes : {&n_, &m_, &n1_, &m1_, &n2_, &m2_}) sizes->resize(stride_);
  }

  Incumbent solve_head(const CutSet& head, Cost known) override {
    groups_.load(head);
    spans_.all(pr_.length);
    sweep_head();
    AxisPartition axis = best_partition(spans_, exact_, suppressed_, p_.limit, known);
    return {axis.cost, axis.cost < kInfinite ? head : CutSet(), std::move(axis.cuts)};
  }

  Expansion expand(const Node& node, Cost known) override {
    Expansion out;
    out.best = solve_head(node.head, known);
    known = std::min(known, out.best.cost);
    const std::vector<int> tail = node.tail.elements();
    if (tail.empty()) return out;
    start_bound();
    allset_.load(node.head, tail, spans_, bound_);
    if (!narrow(known)) return out;
    sweep_tail(tail, known);
    for (std::size_t t = 0; t < open_.size();)
      if (open_[t].useful) ++t; else drop(t);
    if (prune(known)) branch(node.head, known, out);
    return out;
  }

 private:
  // A tail cut and what it would do if it joined the head: the imaginary node (H + v, T - v) of section 5.1.
  struct Tail {
    int cut;
    bool useful;
    int splits;                // head groups that it splits
    Cost product;              // sum over them of the product of the two sides
    Cost bound;                // of the imaginary node
    std::vector<Delta> delta;  // per interval, what it adds to the bound
    std::vector<Count> rows;   // per interval, rows it newly suppresses (under a limit; for DM `delta` tells)
  };

  // ---- the head: per interval its exact cost, its suppressed rows and, for CM, its closed groups ----------
  void sweep_head() {
    suppressed_.assign(spans_.count, 0);
    exact_.assign(spans_.count, 0);
    closed_.assign(kLabels ? spans_.count : 0, 0);
    for (int g = 0; g < groups_.count(); ++g) {
      const Count* group = groups_.prefix(g);
      const Cost loss = kLoss ? groups_.loss(groups_.columns(g).front(), groups_.intervals()) : 0;
      for (int a = 0; a < spans_.length; ++a) {
        const kernels::Row row{a, spans_.low[a], spans_.high[a]};
        Count* suppressed = suppressed_.data() + spans_.offset[a];
        Cost* exact = exact_.data() + spans_.offset[a];
        if constexpr (kSquares) {
          kernels::head_squares(row, group, k_, suppressed, exact);
          continue;
        }
        if (kLabels && p_.labels == 2) {
          kernels::head_labels(row, two_labels(group), k_, suppressed, exact, closed_.data() + spans_.offset[a]);
          continue;
        }
        sizes(row, group, n_, m_);
        for (int b = row.low; b < row.high; ++b) {
          suppressed[b] += n_[b] < k_ ? n_[b] : 0;
          if constexpr (kLoss) exact[b] += n_[b] < k_ ? 0 : n_[b] * loss;
          if constexpr (kLabels) {
            const Count minority = n_[b] < k_ ? 0 : n_[b] - m_[b];
            exact[b] += minority;
            closed_[spans_.at(a, b)] += kernels::closed(n_[b], m_[b], k_) ? minority : 0;
          }
        }
      }
    }
    const auto& whole = groups_.whole();
    for (int a = 0; a < spans_.length; ++a)
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
        const int i = spans_.at(a, b);
        exact_[i] += suppressed_cost_ * suppressed_[i];
        if constexpr (kLoss) exact_[i] += (whole[b] - whole[a] - suppressed_[i]) * p_.loss(pr_.axis, a, b - 1);
        if (suppressed_[i] > p_.limit) exact_[i] = kInfinite;
      }
  }

  void sizes(kernels::Row row, const Count* histogram, std::vector<Count>& n, std::vector<Count>& most) const {
    kernels::sizes(row, histogram, p_.labels, stride_, n.data(), most.data());
  }

  kernels::TwoLabels two_labels(const Count* histogram) const { return {histogram, histogram + stride_}; }

  // The part of the bound that the head alone gives; the allset adds the rest.
  void start_bound() {
    bound_.resize(spans_.count);
    const auto& whole = groups_.whole();
    for (int a = 0; a < spans_.length; ++a)
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
        const int i = spans_.at(a, b);
        const Count kept = whole[b] - whole[a] - suppressed_[i];
        bound_[i] = suppressed_[i] > p_.limit ? kInfinite : suppressed_cost_ * suppressed_[i];
        if constexpr (kSquares) bound_[i] += Cost{k_} * kept;
        if constexpr (kLabels) bound_[i] += closed_[i];
        if constexpr (kLoss) bound_[i] += kept * p_.loss(pr_.axis, a, b - 1);
      }
  }

  // ---- bounds ------------------------------------------------------------------------------------------
  Cost bound_all() {
    cheapest_from_left(spans_, forward_, kInfinite, [&](int i) { return bound_[i]; });
    return forward_[spans_.length];
  }

  // Keep only intervals that lie on some partition whose bound is below `known` (and, under a limit, on one
  // that suppresses few enough). False when none is left.
  bool narrow(Cost known) {
    if (bound_all() >= known) return false;
    cheapest_to_right(spans_, backward_, kInfinite, [&](int i) { return bound_[i]; });
    if (limited_) {
      const auto rows = [&](int i) { return Cost{suppressed_[i]}; };
      cheapest_from_left(spans_, few_, kInfinite, rows);
      cheapest_to_right(spans_, fewest_, kInfinite, rows);
    }
    Spans narrowed = spans_;
    live_.assign(spans_.count, 0);
    bool any = false;
    for (int a = 0; a < spans_.length; ++a) {
      narrowed.low[a] = narrowed.high[a] = spans_.low[a];
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
        const int i = spans_.at(a, b);
        if (forward_[a] + bound_[i] + backward_[b] >= known) continue;
        if (limited_ && few_[a] + suppressed_[i] + fewest_[b] > p_.limit) continue;
        if (narrowed.high[a] == narrowed.low[a]) narrowed.low[a] = b;
        narrowed.high[a] = b + 1;
        live_[i] = any = true;
      }
    }
    narrowed.index();
    for (int a = 0, to = 0; a < spans_.length; ++a)
      for (int b = narrowed.low[a]; b < narrowed.high[a]; ++b, ++to) {
        const int i = spans_.at(a, b);
        bound_[to] = live_[i] ? bound_[i] : kInfinite;
        suppressed_[to] = suppressed_[i];
      }
    bound_.resize(narrowed.count);
    suppressed_.resize(narrowed.count);
    spans_ = std::move(narrowed);
    return any;
  }

  // The bound of the imaginary node. For general loss what a cut adds depends on the allset of the sweep, so
  // it goes with the bound of that moment; for DM and CM it holds for every smaller allset.
  Cost bound_with(const Tail& tail) {
    const std::vector<Cost>& base = kLoss ? swept_ : bound_;
    const auto rows = [&](int i) { return suppressed_[i] + (kSquares ? static_cast<Count>(tail.delta[i]) : tail.rows[i]); };
    if (limited_) {
      cheapest_from_left(spans_, forward_, kInfinite,
                         [&](int i) { return base[i] >= kInfinite ? kInfinite : Cost{rows(i)}; });
      if (forward_[spans_.length] > p_.limit) return kInfinite;
    }
    cheapest_from_left(spans_, forward_, kInfinite, [&](int i) {
      return limited_ && rows(i) > p_.limit ? kInfinite : base[i] + gain_ * tail.delta[i];
    });
    return forward_[spans_.length];
  }

  // ---- the tail ----------------------------------------------------------------------------------------
  // Whether a cut that leaves one side of every group it splits below k is useless (end of section 5.3).
  // Right for CM. For DM it needs e1 + 2 e2 <= |D|, which holds for every group of a recoding that is
  // better than `known`: no released group is larger than the root of its cost.
  bool broad_rule(Cost known) const {
    if constexpr (kLabels) return true;
    if constexpr (kLoss) return false;
    return p_.limit == 0 || k_ + 2 * std::ceil(std::sqrt(static_cast<double>(known))) <= static_cast<double>(total_);
  }

  void sweep_tail(const std::vector<int>& tail, Cost known) {
    broad_ = broad_rule(known);
    if constexpr (kLoss) swept_ = bound_, swept_tail_ = tail.size();
    open_.resize(tail.size());
    position_.assign(pr_.alphabet.size(), -1);
    for (std::size_t t = 0; t < tail.size(); ++t) {
      Tail& open = open_[t];
      open.cut = tail[t];
      open.useful = false;
      open.splits = 0;
      open.product = open.bound = 0;
      open.delta.assign(spans_.count, 0);
      if (limited_ && !kSquares) open.rows.assign(spans_.count, 0);
      position_[open.cut] = static_cast<int>(t);
    }
    for (int g = 0; g < groups_.count(); ++g)
      for (std::size_t a = 0; a < pr_.attributes.size(); ++a) sweep_group(g, static_cast<int>(a));
  }

  // All tail cuts of one attribute inside one head group, from histograms of the segments between them.
  void sweep_group(int g, int attribute) {
    const auto columns = groups_.columns(g);
    if (!kLoss && columns.size() == 1) return;  // one column cannot be split
    const int code = pr_.code(columns.front(), attribute);
    const int begin = groups_.intervals().first[attribute][code], end = groups_.intervals().last[attribute][code];
    here_.clear();
    segment_.resize(end);
    for (int at = begin; at < end; ++at) {
      const int t = at > begin ? position_[pr_.first_cut[attribute] + at - 1] : -1;
      if (t >= 0) here_.push_back(t);
      segment_[at] = static_cast<int>(here_.size());
    }
    if (here_.empty()) return;
    const std::size_t block = groups_.block(), segments = here_.size() + 1;
    side_.assign(block * segments, 0);
    side_loss_.assign(kLoss ? stride_ * segments : 0, 0);
    for (int column : columns) {
      const int s = segment_[pr_.code(column, attribute)];
      groups_.add_column(column, side_.data() + block * s);
      if constexpr (kLoss) add_loss(column, side_loss_.data() + static_cast<std::size_t>(stride_) * s);
    }
    for (std::size_t s = 0; s < segments; ++s) {
      groups_.accumulate(side_.data() + block * s);
      if (s == 0) continue;
      for (std::size_t i = block * s; i < block * (s + 1); ++i) side_[i] += side_[i - block];
      if constexpr (kLoss)
        for (std::size_t i = stride_ * s; i < stride_ * (s + 1); ++i) side_loss_[i] += side_loss_[i - stride_];
    }
    const Count* whole = groups_.prefix(g);
    const Count all = groups_.size(whole);
    for (std::size_t s = 0; s + 1 < segments; ++s) {
      Tail& tail = open_[here_[s]];
      const Count* left = side_.data() + block * s;
      const Count rows = groups_.size(left);
      if (rows > 0 && rows < all) {
        ++tail.splits;
        tail.product += Cost{rows} * (all - rows);
      } else if (!kLoss) {
        continue;
      }
      if constexpr (kSquares) split_squares(tail, whole, left);
      if constexpr (kLabels) split_labels(tail, whole, left);
      if constexpr (kLoss) split_loss(tail, whole, left, side_loss_.data() + stride_ * s, side_loss_.data() + stride_ * (segments - 1));
    }
  }

  void add_loss(int column, Cost* prefix) const {
    const Cost loss = groups_.loss(column, allset_.intervals());
    for (int e = pr_.first[column]; e < pr_.first[column + 1]; ++e)
      for (int i = pr_.positions[e] + 1; i < stride_; ++i) prefix[i] += loss * pr_.counts[e];
  }

  void split_squares(Tail& tail, const Count* whole, const Count* left) const {
    for (int a = 0; a < spans_.length; ++a) {
      const kernels::Row row{a, spans_.low[a], spans_.high[a]};
      if (row.low >= row.high) continue;
      tail.useful |= kernels::split_squares(row, whole, left, k_, tail.delta.data() + spans_.offset[a]);
      if (broad_ || tail.useful) continue;
      for (int b = row.low; b < row.high; ++b) {
        const Count n1 = left[b] - left[a], n2 = whole[b] - whole[a] - n1;
        const Count few = std::min(n1, n2), many = std::max(n1, n2);
        tail.useful |= few > 0 && many >= k_ && Cost{few} + 2 * Cost{many} > total_;
      }
    }
  }

  void split_labels(Tail& tail, const Count* whole, const Count* left) {
    std::transform(whole, whole + right_.size(), left, right_.begin(), std::minus<>());
    for (int a = 0; a < spans_.length; ++a) {
      const kernels::Row row{a, spans_.low[a], spans_.high[a]};
      if (row.low >= row.high) continue;
      Count* delta = tail.delta.data() + spans_.offset[a];
      Count* rows = limited_ ? tail.rows.data() + spans_.offset[a] : nullptr;
      if (p_.labels == 2) {
        tail.useful |= kernels::split_labels(row, two_labels(whole), two_labels(left), k_, delta, rows);
        continue;
      }
      sizes(row, whole, n_, m_);
      sizes(row, left, n1_, m1_);
      sizes(row, right_.data(), n2_, m2_);
      for (int b = row.low; b < row.high; ++b) {
        delta[b] += kernels::split_cost(n_[b], m_[b], n1_[b], m1_[b], n2_[b], m2_[b], k_);
        tail.useful |= n1_[b] >= k_ && n2_[b] >= k_;
        if (rows && n_[b] >= k_) rows[b] += (n1_[b] < k_ ? n1_[b] : 0) + (n2_[b] < k_ ? n2_[b] : 0);
      }
    }
  }

  // A cut beside all rows of a group narrows its label, so groups count that the cut does not split.
  void split_loss(Tail& tail, const Count* whole, const Count* left, const Cost* left_loss, const Cost* whole_loss) {
    for (int a = 0; a < spans_.length; ++a)
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
        const Count n = whole[b] - whole[a], n1 = left[b] - left[a], n2 = n - n1;
        if (n < k_) continue;
        tail.useful |= n1 >= k_ || n2 >= k_;
        const Cost row = suppressed_cost_ - p_.loss(pr_.axis, a, b - 1);
        const Cost loss = whole_loss[b] - whole_loss[a], loss1 = left_loss[b] - left_loss[a];
        const int i = spans_.at(a, b);
        if (n1 < k_) tail.delta[i] += n1 * row - loss1;
        if (n2 < k_) tail.delta[i] += n2 * row - (loss - loss1);
        if (limited_) tail.rows[i] += (n1 < k_ ? n1 : 0) + (n2 < k_ ? n2 : 0);
      }
  }

  void drop(std::size_t index) {
    allset_.remove(open_[index].cut, spans_, bound_);
    position_[open_[index].cut] = -1;
    std::swap(open_[index], open_.back());
    open_.pop_back();
  }

  // Section 5.1: take cuts out of the tail until nothing changes. False when the node itself is pruned.
  bool prune(Cost known) {
    for (bool changed = true; changed;) {
      changed = false;
      if (bound_all() >= known) return false;
      for (std::size_t t = 0; t < open_.size();) {
        open_[t].bound = bound_with(open_[t]);
        if (open_[t].bound >= known) drop(t), changed = true; else ++t;
      }
      if (kLoss && (open_.size() + 1) * kFresh <= swept_tail_ * (kFresh - 1) && !sweep_again(known)) return false;
    }
    return true;
  }

  // General loss: what the cuts add, for the allset as it is now. The old values are sound and only grow
  // weaker, and a sweep is dear, so it waits until a share of the tail is gone.
  static constexpr std::size_t kFresh = 8;
  bool sweep_again(Cost known) {
    std::vector<int> tail;
    for (const Tail& open : open_) tail.push_back(open.cut);
    std::sort(tail.begin(), tail.end());
    if (!narrow(known)) return false;
    sweep_tail(tail, known);
    return true;
  }

  // One child per tail cut: the cut joins the head, later cuts stay open. After each, the rest is pruned
  // again without it (section 5.6).
  void branch(const CutSet& head, Cost known, Expansion& out) {
    while (!open_.empty()) {
      // Section 5.5: the cut that splits most groups first; ties by the smaller sum of squares.
      const auto first = std::min_element(open_.begin(), open_.end(), [](const Tail& x, const Tail& y) {
        if (x.splits != y.splits) return x.splits > y.splits;
        if (x.product != y.product) return x.product > y.product;
        return x.cut < y.cut;
      });
      Node child{head, CutSet(static_cast<int>(pr_.alphabet.size())), first->bound};
      child.head.add(first->cut);
      for (const Tail& tail : open_)
        if (tail.cut != first->cut) child.tail.add(tail.cut);
      out.children.push_back(std::move(child));
      drop(static_cast<std::size_t>(first - open_.begin()));
      if (!prune(known)) return;
    }
  }

  const Projection& pr_;
  const Problem& p_;
  const int stride_;
  const Count k_, total_;
  const bool limited_;
  const Cost suppressed_cost_, gain_;
  HeadGroups groups_;
  Allset<M> allset_;
  Spans spans_;
  std::vector<Count> suppressed_;                                          // per interval
  std::vector<Cost> exact_, closed_, bound_, swept_;                       // per interval
  std::vector<char> live_;                                                 // per interval
  std::vector<Cost> forward_, backward_, few_, fewest_;                    // per position
  std::vector<Count> n_, m_, n1_, m1_, n2_, m2_, right_, side_;
  std::vector<Cost> side_loss_;
  std::vector<int> position_, here_, segment_;
  std::vector<Tail> open_;
  std::size_t swept_tail_ = 0;
  bool broad_ = false;
};

}  // namespace

std::unique_ptr<NodeExpander> make_expander(const Projection& projection) {
  switch (projection.problem.metric) {
    case Metric::discernibility: return std::make_unique<Expander<Metric::discernibility>>(projection);
    case Metric::classification: return std::make_unique<Expander<Metric::classification>>(projection);
    case Metric::general_loss: return std::make_unique<Expander<Metric::general_loss>>(projection);
  }
  return nullptr;
}

}  // namespace shoal
