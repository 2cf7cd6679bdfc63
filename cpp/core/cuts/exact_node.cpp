#include "core/cuts/exact_node.h"

#include <algorithm>
#include <cmath>

#include "core/cuts/expander.h"

namespace shoal {
namespace {

template <Metric M>
class CutExpander final : public Expander<M> {
  using Base = Expander<M>;
  using typename Base::Tail;
  using Base::kLabels, Base::kLoss, Base::kSquares;
  using Base::allset_, Base::groups_, Base::judge_, Base::k_, Base::limited_, Base::open_, Base::p_, Base::position_, Base::pr_;
  using Base::spans_, Base::stride_, Base::suppressed_cost_, Base::total_, Base::m_, Base::n_;
  using Base::joins_are_kept, Base::may_have_to_suppress, Base::sizes, Base::two_labels;

 public:
  explicit CutExpander(const Projection& projection) : Base(projection), right_(groups_.block()) {
    for (auto* side : {&n1_, &m1_, &n2_, &m2_}) side->resize(stride_);
  }

 private:
  std::vector<int> moves(const std::vector<int>& tail) const override { return tail; }
  bool possible(int) const override { return true; }
  std::span<const int> cuts_of(const int& move) const override { return {&move, 1}; }

  void sweep(Cost known) override {
    broad_ = broad_rule(known);
    for (int g = 0; g < groups_.count(); ++g)
      for (std::size_t a = 0; a < pr_.attributes.size(); ++a) sweep_group(g, static_cast<int>(a));
  }

  // Whether a cut that leaves one side of every group it splits below k is useless (end of section 5.3).
  // Right for CM. For DM it needs e1 + 2 e2 <= |D|, which holds for every group of a recoding that is
  // better than `known`: no released group is larger than the root of its cost. Privacy rules must allow the join.
  bool broad_rule(Cost known) const {
    if (!joins_are_kept()) return false;
    if constexpr (kLabels) return true;
    if constexpr (kLoss) return false;
    return p_.limit == 0 || k_ + 2 * std::ceil(std::sqrt(static_cast<double>(known))) <= static_cast<double>(total_);
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
      groups_.complete(side_.data() + block * s);
      if (s == 0) continue;
      for (std::size_t i = block * s; i < block * (s + 1); ++i) side_[i] += side_[i - block];
      if constexpr (kLoss)
        for (std::size_t i = stride_ * s; i < stride_ * (s + 1); ++i) side_loss_[i] += side_loss_[i - stride_];
    }
    const Count* whole = groups_.histogram(g);
    const Count all = groups_.size(whole);
    reach_ = judge_ ? judge_->reach(g) : nullptr;
    for (std::size_t s = 0; s + 1 < segments; ++s) {
      Tail& tail = open_[here_[s]];
      tail.useful |= may_have_to_suppress();
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
      for (int i = pr_.positions[e]; i < stride_; ++i) prefix[i] += loss * pr_.counts[e];
  }

  // The live intervals that begin at a and in which the group is not given up.
  kernels::Row viable(int a) const {
    return {a, reach_ ? std::max(spans_.low[a], reach_[a]) : spans_.low[a], spans_.high[a]};
  }

  void split_squares(Tail& tail, const Count* whole, const Count* left) const {
    const bool kept = joins_are_kept();
    for (int a = 0; a < spans_.rows; ++a) {
      const kernels::Row row = viable(a);
      if (row.low >= row.high) continue;
      tail.useful |= kernels::split_squares(row, whole, left, k_, tail.delta.data() + spans_.offset[a]);
      if (broad_ || tail.useful) continue;
      for (int b = row.low; b < row.high; ++b) {
        const Count n1 = left[b] - left[a], n2 = whole[b] - whole[a] - n1;
        const Count few = std::min(n1, n2), many = std::max(n1, n2);
        tail.useful |= few > 0 && many >= k_ && (!kept || Cost{few} + 2 * Cost{many} > total_);
      }
    }
  }

  void split_labels(Tail& tail, const Count* whole, const Count* left) {
    std::transform(whole, whole + right_.size(), left, right_.begin(), std::minus<>());
    for (int a = 0; a < spans_.rows; ++a) {
      const kernels::Row row = viable(a);
      if (row.low >= row.high) continue;
      Count* delta = tail.delta.data() + spans_.offset[a];
      Count* rows = limited_ ? tail.rows.data() + spans_.offset[a] : nullptr;
      if (p_.labels == 2) {
        tail.useful |= kernels::split_labels(row, two_labels(whole), two_labels(left), k_, delta, rows);
        for (int b = row.low; !broad_ && !tail.useful && b < row.high; ++b) {
          const Count n1 = left[b] - left[a] + left[stride_ + b] - left[stride_ + a];
          const Count n2 = right_[b] - right_[a] + right_[stride_ + b] - right_[stride_ + a];
          tail.useful |= std::min(n1, n2) > 0 && std::max(n1, n2) >= k_;
        }
        continue;
      }
      sizes(row, whole, n_, m_);
      sizes(row, left, n1_, m1_);
      sizes(row, right_.data(), n2_, m2_);
      for (int b = row.low; b < row.high; ++b) {
        delta[b] += kernels::split_cost(n_[b], m_[b], n1_[b], m1_[b], n2_[b], m2_[b], k_);
        const Count few = std::min(n1_[b], n2_[b]), many = std::max(n1_[b], n2_[b]);
        tail.useful |= many >= k_ && few >= (broad_ ? k_ : 1);
        if (rows && n_[b] >= k_) rows[b] += (n1_[b] < k_ ? n1_[b] : 0) + (n2_[b] < k_ ? n2_[b] : 0);
      }
    }
  }

  // A cut beside all rows of a group narrows its label, so groups count that the cut does not split.
  void split_loss(Tail& tail, const Count* whole, const Count* left, const Cost* left_loss, const Cost* whole_loss) {
    for (int a = 0; a < spans_.rows; ++a)
      for (int b = viable(a).low; b < spans_.high[a]; ++b) {
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

  std::vector<Count> n1_, m1_, n2_, m2_, right_, side_;
  std::vector<Cost> side_loss_;
  std::vector<int> here_, segment_;
  bool broad_ = false;
  const int* reach_ = nullptr;  // of the group that is swept
};

}  // namespace

std::unique_ptr<NodeExpander> make_expander(const Projection& projection) {
  return expander_for<CutExpander>(projection.problem.metric, projection);
}

}  // namespace shoal
