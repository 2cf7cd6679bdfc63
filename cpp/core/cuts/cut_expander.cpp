#include "core/cuts/cut_expander.h"

#include <algorithm>
#include <cmath>

#include "core/base/kernels.h"
#include "core/cuts/expander.h"

namespace shoal {
namespace {

template <Metric M>
class CutExpander final : public Expander<M> {
  using Base = Expander<M>;
  using Base::allset_, Base::bound_, Base::head_, Base::s_, Base::tail_;
  using typename Base::Is;

 public:
  CutExpander(const Projection& projection, const Moves& moves)
      : Base(projection, moves), groups_(head_.groups()), spans_(bound_.spans()), right_(groups_.block()) {
    for (auto* side : {&n_, &m_, &n1_, &m1_, &n2_, &m2_}) side->resize(s_.stride);
  }

 private:
  void sweep(const CutSet&, Cost known) override {
    broad_ = broad_rule(known);
    for (int g = 0; g < groups_.count(); ++g)
      for (std::size_t a = 0; a < s_.pr.attributes.size(); ++a) sweep_group(g, static_cast<int>(a));
  }

  // Whether a cut that leaves one side of every group it splits below k is useless (end of section 5.3).
  // Right for CM. For DM it needs e1 + 2 e2 <= |D|, which holds for every group of a recoding that is
  // better than `known`: no released group is larger than the root of its cost. Privacy rules must allow the join.
  bool broad_rule(Cost known) const {
    if (!s_.joins_are_kept()) return false;
    if constexpr (Is::labels) return true;
    if constexpr (Is::loss) return false;
    const double largest = std::ceil(std::sqrt(static_cast<double>(known)));
#ifdef SHOAL_PLANTED_BUG  // a test: the inequality turned round, which the checker of proofs must notice
    return s_.k + 2 * largest >= static_cast<double>(s_.total);
#else
    return s_.p.limit == 0 || s_.k + 2 * largest <= static_cast<double>(s_.total);
#endif
  }

  // All tail cuts of one attribute inside one head group, from histograms of the segments between them.
  void sweep_group(int g, int attribute) {
    const auto columns = groups_.columns(g);
    if (!Is::loss && columns.size() == 1) return;  // one column cannot be split
    if (!find_segments(s_.pr.code(columns.front(), attribute), attribute)) return;
    add_up_segments(columns, attribute);
    const std::size_t block = groups_.block(), last = here_.size();
    const Count* whole = groups_.histogram(g);
    const Count all = groups_.size(whole);
    reach_ = head_.judge() ? head_.judge()->reach(g) : nullptr;
    for (std::size_t s = 0; s < last; ++s) {
      OpenMove& move = tail_[here_[s]];
      move.useful |= s_.may_have_to_suppress();
      const Count* left = side_.data() + block * s;
      const Count rows = groups_.size(left);
      if (rows > 0 && rows < all) {
        ++move.splits;
        move.product += Cost{rows} * (all - rows);
      } else if (!Is::loss) {
        continue;
      }
      if constexpr (Is::squares) split_squares(move, whole, left);
      if constexpr (Is::labels) split_labels(move, whole, left);
      if constexpr (Is::loss)
        split_loss(move, whole, left, side_loss_.data() + s_.stride * s, side_loss_.data() + s_.stride * last);
    }
  }

  // The tail cuts within the interval of a code, and per code of it the segment between them. False if there are none.
  bool find_segments(int code, int attribute) {
    const Intervals& intervals = groups_.intervals();
    const int begin = intervals.first[attribute][code], end = intervals.last[attribute][code];
    here_.clear();
    segment_.resize(end);
    for (int at = begin; at < end; ++at) {
      const int t = at > begin ? tail_.position(s_.pr.first_cut[attribute] + at - 1) : -1;
      if (t >= 0) here_.push_back(t);
      segment_[at] = static_cast<int>(here_.size());
    }
    return !here_.empty();
  }

  // Histograms of the group up to the end of each segment.
  void add_up_segments(std::span<const int> columns, int attribute) {
    const std::size_t block = groups_.block(), stride = s_.stride, segments = here_.size() + 1;
    side_.assign(block * segments, 0);
    side_loss_.assign(Is::loss ? stride * segments : 0, 0);
    for (int column : columns) {
      const std::size_t s = segment_[s_.pr.code(column, attribute)];
      groups_.add_column(column, side_.data() + block * s);
      if constexpr (Is::loss) add_loss(column, side_loss_.data() + stride * s);
    }
    for (std::size_t s = 0; s < segments; ++s) {
      groups_.complete(side_.data() + block * s);
      if (s == 0) continue;
      for (std::size_t i = block * s; i < block * (s + 1); ++i) side_[i] += side_[i - block];
      if constexpr (Is::loss)
        for (std::size_t i = stride * s; i < stride * (s + 1); ++i) side_loss_[i] += side_loss_[i - stride];
    }
  }

  void add_loss(int column, Cost* prefix) const {
    const Cost loss = groups_.loss(column, allset_.intervals());
    for (int e = s_.pr.first[column]; e < s_.pr.first[column + 1]; ++e)
      for (int i = s_.pr.positions[e]; i < s_.stride; ++i) prefix[i] += loss * s_.pr.counts[e];
  }

  // The live intervals that begin at a and in which the group is not given up.
  kernels::Row viable(int a) const {
    return {a, reach_ ? std::max(spans_.low[a], reach_[a]) : spans_.low[a], spans_.high[a]};
  }
  kernels::TwoLabels two_labels(const Count* histogram) const { return {histogram, histogram + s_.stride}; }
  void sizes(kernels::Row row, const Count* histogram, std::vector<Count>& n, std::vector<Count>& most) const {
    kernels::sizes(row, histogram, s_.p.labels, s_.stride, n.data(), most.data());
  }

  void split_squares(OpenMove& move, const Count* whole, const Count* left) {
    const bool kept = s_.joins_are_kept();
    Count* delta = tail_.delta(move);
    for (int a = 0; a < spans_.rows; ++a) {
      const kernels::Row row = viable(a);
      if (row.low >= row.high) continue;
      move.useful |= kernels::split_squares(row, whole, left, s_.k, delta + spans_.offset[a]);
      if (broad_ || move.useful) continue;
      for (int b = row.low; b < row.high; ++b) {
        const Count n1 = left[b] - left[a], n2 = whole[b] - whole[a] - n1;
        const Count few = std::min(n1, n2), many = std::max(n1, n2);
        move.useful |= few > 0 && many >= s_.k && (!kept || Cost{few} + 2 * Cost{many} > s_.total);
      }
    }
  }

  void split_labels(OpenMove& move, const Count* whole, const Count* left) {
    std::transform(whole, whole + right_.size(), left, right_.begin(), std::minus<>());
    for (int a = 0; a < spans_.rows; ++a) {
      const kernels::Row row = viable(a);
      if (row.low >= row.high) continue;
      Count* delta = tail_.delta(move) + spans_.offset[a];
      Count* rows = s_.limited ? tail_.rows(move) + spans_.offset[a] : nullptr;
      if (s_.p.labels == 2) {
        move.useful |= kernels::split_labels(row, two_labels(whole), two_labels(left), s_.k, delta, rows);
        for (int b = row.low; !broad_ && !move.useful && b < row.high; ++b) {
          const Count n1 = left[b] - left[a] + left[s_.stride + b] - left[s_.stride + a];
          const Count n2 = right_[b] - right_[a] + right_[s_.stride + b] - right_[s_.stride + a];
          move.useful |= std::min(n1, n2) > 0 && std::max(n1, n2) >= s_.k;
        }
        continue;
      }
      sizes(row, whole, n_, m_);
      sizes(row, left, n1_, m1_);
      sizes(row, right_.data(), n2_, m2_);
      for (int b = row.low; b < row.high; ++b) {
        delta[b] += kernels::split_cost(n_[b], m_[b], n1_[b], m1_[b], n2_[b], m2_[b], s_.k);
        const Count few = std::min(n1_[b], n2_[b]), many = std::max(n1_[b], n2_[b]);
        move.useful |= many >= s_.k && few >= (broad_ ? s_.k : 1);
        if (rows && n_[b] >= s_.k) rows[b] += (n1_[b] < s_.k ? n1_[b] : 0) + (n2_[b] < s_.k ? n2_[b] : 0);
      }
    }
  }

  // A cut beside all rows of a group narrows its label, so groups count that the cut does not split.
  void split_loss(OpenMove& move, const Count* whole, const Count* left, const Cost* left_loss,
                  const Cost* whole_loss) {
    Cost* delta = tail_.delta(move);
    Count* rows = tail_.rows(move);
    const Count k = s_.k;
    for (int a = 0; a < spans_.rows; ++a)
      for (int b = viable(a).low; b < spans_.high[a]; ++b) {
        const Count n = whole[b] - whole[a], n1 = left[b] - left[a], n2 = n - n1;
        if (n < k) continue;
        move.useful |= n1 >= k || n2 >= k;
        const Cost row = s_.suppressed_cost - s_.p.loss(s_.pr.axis, a, b - 1);
        const Cost loss = whole_loss[b] - whole_loss[a], loss1 = left_loss[b] - left_loss[a];
        const int i = spans_.at(a, b);
        if (n1 < k) delta[i] += n1 * row - loss1;
        if (n2 < k) delta[i] += n2 * row - (loss - loss1);
        if (rows) rows[i] += (n1 < k ? n1 : 0) + (n2 < k ? n2 : 0);
      }
  }

  const HeadGroups& groups_;
  const Spans& spans_;
  std::vector<Count> n_, m_, n1_, m1_, n2_, m2_, right_, side_;
  std::vector<Cost> side_loss_;
  std::vector<int> here_, segment_;
  bool broad_ = false;
  const int* reach_ = nullptr;  // of the group that is swept
};

}  // namespace

std::unique_ptr<NodeExpander> make_cut_expander(const Projection& projection, const Moves& moves) {
  return expander_for<CutExpander>(projection, moves);
}

}  // namespace shoal
