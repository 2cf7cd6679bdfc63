// expander.h - what the nodes of `exact` and of `subtree` have in common: bounds, pruning and branching.
//
// The two differ in what may join a head. Here that is a move, named by a cut: the cut alone, or all cuts of the
// part of a hierarchy that it opens. A search says which moves a tail holds, what each would do to the
// bound (`sweep`), and which may be made next; proofs: docs/algorithms/exact.md and subtree.md.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/axis.h"
#include "core/base/kernels.h"
#include "core/cuts/allset.h"
#include "core/cuts/head_groups.h"
#include "core/cuts/head_judge.h"
#include "core/cuts/node_expander.h"
#include "core/privacy/giving_up.h"

namespace shoal {

template <Metric M>
class Expander : public NodeExpander {
 protected:
  static constexpr bool kSquares = M == Metric::discernibility;
  static constexpr bool kLabels = M == Metric::classification;
  static constexpr bool kLoss = M == Metric::general_loss;
  static inline const std::vector<Cost> kNoExcess;
  // What a move adds to the bound of an interval: for DM newly suppressed rows, each worth |D| - k.
  using Delta = std::conditional_t<kLoss, Cost, Count>;

 public:
  explicit Expander(const Projection& projection)
      : pr_(projection), p_(projection.problem), stride_(projection.stride), k_(p_.k), total_(p_.total()),
        limited_(p_.limit < total_), suppressed_cost_(p_.suppressed_cost()), gain_(kSquares ? Cost{total_} - k_ : 1),
        rules_(p_.privacy), risky_(rules_ && rules_->risky(k_)), groups_(projection),
        judge_(rules_ ? std::make_unique<HeadJudge>(projection, groups_) : nullptr),
        allset_(projection, groups_, judge_.get()), n_(stride_), m_(stride_) {}

  Incumbent solve_head(const CutSet& head, Cost known) override {
    groups_.load(head);
    if (pr_.parts) spans_.all(*pr_.parts); else spans_.all(pr_.length);
    sweep_head(known);
    const bool chooses = may_have_to_suppress();  // then which groups are released is part of the question
    const Count limit = limited_ ? p_.limit : kAnyNumber;
    const auto& lost = judge_ ? lost_ : suppressed_;
    AxisPartition axis = best_partition(spans_, exact_, lost, chooses ? kNoExcess : excess_, limit, known);
    Cost unsettled = kInfinite;
    if (chooses && axis.cost < kInfinite && excess_of(axis.cuts) > 0) {
      find_offers(known);
      GivenUp choice = cheapest_given_up(spans_, exact_, lost, excess_, offers_, limit, known);
      unsettled = choice.unsettled;
      axis = std::move(choice.partition);
    }
    return {axis.cost, axis.cost < kInfinite ? head : CutSet(), std::move(axis.cuts), unsettled};
  }

  Expansion expand(const Node& node, Cost known) override {
    Expansion out;
    out.best = solve_head(node.head, known);
    known = std::min(known, out.best.cost);
    const std::vector<int> tail = node.tail.elements();
    if (tail.empty() || too_risky()) return out;
    start_bound();
    allset_.load(node.head, tail, spans_, bound_);
    given_up_.clear();
    if (!narrow(known) || (rules_ && !give_up(known))) return out;
    head_ = node.head;
    sweep_tail(moves(tail), known);
    for (std::size_t t = 0; t < open_.size();)
      if (open_[t].useful) ++t; else drop(t);
    if (prune(known)) branch(known, out);
    return out;
  }

 protected:
  // A move of the tail and what it would do if it joined the head: the imaginary node (H + v, T - v) of
  // K-Optimize, section 5.1.
  struct Tail {
    int cut;
    bool useful;
    int splits;                // head groups that it splits
    Cost product;              // sum over them of the products of the pieces, two by two
    Cost bound;                // of the imaginary node
    std::vector<Delta> delta;  // per interval, what it adds to the bound
    std::vector<Count> rows;   // per interval, rows it newly suppresses (under a limit; for DM `delta` tells)
  };

  virtual std::vector<int> moves(const std::vector<int>& tail) const = 0;
  virtual bool possible(int move) const = 0;                        // as the next step from head_
  virtual std::span<const int> cuts_of(const int& move) const = 0;  // may look at `move` itself
  virtual void sweep(Cost known) = 0;                               // prices the moves in open_
  virtual void drop(std::size_t index) { drop_one(index); }         // with all moves that need it

  void drop_one(std::size_t index) {
    for (int cut : cuts_of(open_[index].cut)) allset_.remove(cut, spans_, bound_);
    position_[open_[index].cut] = -1;
    if (index + 1 < open_.size()) {
      std::swap(open_[index], open_.back());
      position_[open_[index].cut] = static_cast<int>(index);
    }
    open_.pop_back();
  }

  // Whether joining suppressed rows to a released group leaves it released, and all groups together admissible: what it
  // takes to give up a move because it only suppresses. Where nothing may be suppressed it does not come to that.
  bool joins_are_kept() const { return !rules_ || p_.limit == 0 || (rules_->supersets && !risky_); }
  // Whether rows that are suppressed may have to be: their group would be one too many.
  bool may_have_to_suppress() const { return risky_ && p_.limit > 0; }

  void sizes(kernels::Row row, const Count* histogram, std::vector<Count>& n, std::vector<Count>& most) const {
    kernels::sizes(row, histogram, p_.labels, stride_, n.data(), most.data());
  }
  kernels::TwoLabels two_labels(const Count* histogram) const { return {histogram, histogram + stride_}; }
  Cost axis_loss(int row, int entry) const {
    const auto [begin, end] = spans_.interval(row, entry);
    return p_.loss(pr_.axis, begin, end - 1);
  }

  const Projection& pr_;
  const Problem& p_;
  const int stride_;
  const Count k_, total_;
  const bool limited_;
  const Cost suppressed_cost_, gain_;
  const Privacy* const rules_;
  const bool risky_;           // groups of k rows may be too many together
  HeadGroups groups_;
  std::unique_ptr<HeadJudge> judge_;
  Allset<M> allset_;
  Spans spans_;
  CutSet head_;
  std::vector<Cost> bound_;    // per interval; kInfinite where none is better
  std::vector<Tail> open_;
  std::vector<int> position_;  // per cut its place in open_, -1 if it is not there
  std::vector<Count> n_, m_;

 private:
  // ---- the head: per interval its exact cost, its suppressed rows and, for CM, its closed groups ----------
  void sweep_head(Cost known) {
    suppressed_.assign(spans_.count, 0);
    exact_.assign(spans_.count, 0);
    closed_.assign(kLabels ? spans_.count : 0, 0);
    for (int g = 0; g < groups_.count(); ++g) {
      const Count* group = groups_.histogram(g);
      const Cost loss = kLoss ? groups_.loss(groups_.columns(g).front(), groups_.intervals()) : 0;
      for (int a = 0; a < spans_.rows; ++a) {
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
    if (judge_) suppress_hopeless();
    const auto& whole = groups_.whole();
    for (int a = 0; a < spans_.rows; ++a)
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
        const int i = spans_.at(a, b);
        exact_[i] += suppressed_cost_ * suppressed_[i];
        if constexpr (kLoss) exact_[i] += (whole[b] - whole[a] - suppressed_[i]) * axis_loss(a, b);
        if (suppressed_[i] > p_.limit) exact_[i] = kInfinite;
      }
    if (judge_) suppress_refused(known);
  }

  // ---- the head under privacy rules: docs/algorithms/exact.md ---------------------------------------------
  Count rows_of(const Count* group, int a, int b) const {
    Count rows = 0;
    for (int l = 0; l < p_.labels; ++l) rows += group[l * stride_ + b] - group[l * stride_ + a];
    return rows;
  }
  // What a piece of a head group costs if it is released, its label on the axis left out.
  Cost released_cost(const Count* group, int a, int b, Count rows, Cost loss) const {
    if constexpr (kSquares) return Cost{rows} * rows;
    if constexpr (kLoss) return rows * loss;
    Count most = 0;
    for (int l = 0; l < p_.labels; ++l) most = std::max(most, group[l * stride_ + b] - group[l * stride_ + a]);
    return rows - most;
  }
  Cost loss_of(int g) const { return kLoss ? groups_.loss(groups_.columns(g).front(), groups_.intervals()) : 0; }

  // Pieces that are suppressed in every descendant, besides those below k.
  void suppress_hopeless() {
    judge_->load();
    viable_.assign(risky_ ? spans_.count : 0, 0);
    for (int g = 0; g < groups_.count(); ++g) {
      const Count* group = groups_.histogram(g);
      const Cost loss = loss_of(g);
      const int* reach = judge_->reach(g);
      const char* hopeless = judge_->hopeless(g);
      for (int a = 0; a < spans_.rows; ++a)
        for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
          const bool given_up = reach ? b < reach[a] : hopeless && hopeless[b];
          if (!given_up && !risky_) {
            if (reach) break;
            continue;
          }
          const Count rows = rows_of(group, a, b);
          if (rows < k_) continue;
          const int i = spans_.at(a, b);
          if (risky_) viable_[i] += !given_up;
          if (!given_up) continue;
          const Cost released = released_cost(group, a, b, rows, loss);
          suppressed_[i] += rows;
          exact_[i] -= released;
          if constexpr (kLabels)
            if (kernels::closed(rows, rows - static_cast<Count>(released), k_)) closed_[i] -= released;
        }
      if (rules_->empty_groups) suppress_empty(g);
    }
    if (!risky_) return;
    const auto& whole = groups_.whole();
    for (int a = 0; a < spans_.rows; ++a)
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
        const int i = spans_.at(a, b);
        viable_[i] = rules_->excess(viable_[i], whole[b] - whole[a] - suppressed_[i]);
      }
  }

  // People in no row whom the head keeps apart from all rows.
  void suppress_empty(int g) {
    if (spans_.parts) {
      judge_->each_empty_part(g, [&](int entry) { ++suppressed_[spans_.at(0, entry)]; });
      return;
    }
    judge_->each_empty(g, [&](const HeadJudge::Piece& piece) {
      for (int a = piece.first_begin; a <= piece.last_begin; ++a)
        for (int b = piece.first_end; b <= piece.last_end; ++b) ++suppressed_[spans_.at(a, b)];
    });
  }

  // Pieces that the head suppresses though some descendant might release a part of them. Only intervals that can lie
  // on a partition below `known` are looked at, the others are out; where nothing may be suppressed, the bound wants
  // to know of all.
  void suppress_refused(Cost known) {
    lost_ = suppressed_;
    excess_ = viable_;
    if (rules_->supersets) return;  // what is refused is hopeless
    live_.assign(spans_.count, 0);
    furthest_.assign(spans_.rows, 0);
    cheapest_from_left(spans_, forward_, kInfinite, [&](int i) { return exact_[i]; });
    cheapest_to_right(spans_, backward_, kInfinite, [&](int i) { return exact_[i]; });
    for (int a = 0; a < spans_.rows; ++a)
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
        const int i = spans_.at(a, b);
        const auto [begin, end] = spans_.interval(a, b);
        live_[i] = rules_->strict ? exact_[i] < kInfinite : forward_[begin] + exact_[i] + backward_[end] < known;
        if (live_[i]) furthest_[a] = b; else exact_[i] = kInfinite;
      }
    for (int g = 0; g < groups_.count(); ++g) {
      const Count* group = groups_.histogram(g);
      const Cost loss = loss_of(g);
      const auto lose = [&](int a, int b, Count rows) {
        const int i = spans_.at(a, b);
        if (!live_[i]) return;
        lost_[i] += rows;
        if (rules_->strict) suppressed_[i] += rows;
        exact_[i] += suppressed_cost_ * rows - released_cost(group, a, b, rows, loss);
        if constexpr (kLoss) exact_[i] -= rows * axis_loss(a, b);
        if (risky_) excess_[i] -= rules_->excess(1, rows);
      };
      if (spans_.parts) {
        judge_->each_refused_part(g, [&](int entry, Count rows, Count) { lose(0, entry, rows); });
        continue;
      }
      each_live_refused(g, lose);
    }
    for (int i = 0; i < spans_.count; ++i)
      if (lost_[i] > p_.limit) exact_[i] = kInfinite;
  }

  Cost excess_of(const std::vector<std::int32_t>& cuts) const {
    Cost sum = 0;
    for (std::size_t c = 0; c <= cuts.size(); ++c) {
      const int end = c < cuts.size() ? cuts[c] : spans_.length;
      spans_.beginning_at(c > 0 ? cuts[c - 1] : 0, [&](int b, int i) { sum += b == end ? excess_[i] : 0; });
    }
    return sum;
  }

  // Per interval that can lie on a partition below `known` the pieces that the head releases and that could be given up.
  void find_offers(Cost known) {
    cheapest_from_left(spans_, forward_, kInfinite, [&](int i) { return exact_[i]; });
    cheapest_to_right(spans_, backward_, kInfinite, [&](int i) { return exact_[i]; });
    live_.assign(spans_.count, 0);
    furthest_.assign(spans_.rows, 0);
    for (int a = 0; a < spans_.rows; ++a)
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
        const int i = spans_.at(a, b);
        const auto [begin, end] = spans_.interval(a, b);
        live_[i] = forward_[begin] + exact_[i] + backward_[end] < known;
        if (live_[i]) furthest_[a] = b; else exact_[i] = kInfinite;
      }
    std::vector<std::vector<Offer>> of_interval(spans_.count);
    std::vector<int> refused_in(spans_.count, -1);
    for (int g = 0; g < groups_.count(); ++g) {
      if (!rules_->supersets) {
        const auto refuse = [&](int a, int b) { refused_in[spans_.at(a, b)] = g; };
        if (spans_.parts) judge_->each_refused_part(g, [&](int entry, Count, Count) { refuse(0, entry); });
        else each_live_refused(g, [&](int a, int b, Count) { refuse(a, b); });
      }
      const Count* group = groups_.histogram(g);
      const Cost loss = loss_of(g);
      const int* reach = judge_->reach(g);
      const char* hopeless = judge_->hopeless(g);
      for (int a = 0; a < spans_.rows; ++a)
        for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
          const int i = spans_.at(a, b);
          if (!live_[i] || refused_in[i] == g || (reach ? b < reach[a] : hopeless && hopeless[b])) continue;
          const Count rows = rows_of(group, a, b);
          const Cost gain = rules_->excess(1, rows);
          if (rows < k_ || gain <= 0) continue;
          Cost price = suppressed_cost_ * rows - released_cost(group, a, b, rows, loss);
          if constexpr (kLoss) price -= rows * axis_loss(a, b);
          of_interval[i].push_back({rows, price, gain, g});
        }
    }
    offers_.first.assign(1, 0);
    offers_.all.clear();
    for (auto& own : of_interval) {
      std::sort(own.begin(), own.end());
      offers_.all.insert(offers_.all.end(), own.begin(), own.end());
      offers_.first.push_back(static_cast<int>(offers_.all.size()));
    }
  }

  // Calls lost(a, b, rows) for every live interval in which a group's piece is refused and not hopeless.
  template <class Lost>
  void each_live_refused(int g, const Lost& lost) {
    using Piece = HeadJudge::Piece;
    judge_->each_refused(
        g,
        [&](int first, int last) { return *std::max_element(furthest_.begin() + first, furthest_.begin() + last + 1); },
        [&](const Piece& piece) {
          for (int a = piece.first_begin; a <= piece.last_begin; ++a)
            for (int b = piece.first_end; b <= piece.last_end; ++b)
              if (live_[spans_.at(a, b)]) return true;
          return false;
        },
        [&](const Piece& piece) {
          for (int a = piece.first_begin; a <= piece.last_begin; ++a)
            for (int b = piece.first_end; b <= piece.last_end; ++b) lost(a, b, piece.rows);
        });
  }

  // Adds to the bound what descendants cannot release of refused pieces: these rows cost what a suppressed row does
  // more than the bound counts for them. False when no interval is left.
  bool give_up(Cost known) {
    if (rules_->supersets || rules_->strict) return true;
    given_up_.assign(spans_.count, 0);
    given_up_cost_.assign(spans_.count, 0);
    furthest_.assign(spans_.rows, 0);
    for (int a = 0; a < spans_.rows; ++a)
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b)
        if (bound_[spans_.at(a, b)] < kInfinite) furthest_[a] = b;
    bool any = false;
    for (int g = 0; g < groups_.count(); ++g) {
      const Cost loss = loss_of(g);
      const auto lose = [&](int a, int b, Count rows, Count lost) {
        if (b < spans_.low[a] || b >= spans_.high[a] || lost == 0) return;
        const int i = spans_.at(a, b);
        given_up_[i] += lost;
        any = true;
        if constexpr (kSquares) given_up_cost_[i] += lost * std::max<Cost>(suppressed_cost_ - rows, 0);
        if constexpr (kLoss) given_up_cost_[i] += lost * std::max<Cost>(suppressed_cost_ - loss - axis_loss(a, b), 0);
      };
      if (spans_.parts) {
        judge_->each_refused_part(g, [&](int entry, Count rows, Count lost) { lose(0, entry, rows, lost); });
        continue;
      }
      using Piece = HeadJudge::Piece;
      judge_->each_refused(
          g,
          [&](int first, int last) { return *std::max_element(furthest_.begin() + first, furthest_.begin() + last + 1); },
          [&](const Piece& piece) {
            for (int a = piece.first_begin; a <= piece.last_begin; ++a)
              for (int b = std::max(piece.first_end, spans_.low[a]); b <= std::min(piece.last_end, spans_.high[a] - 1); ++b)
                if (bound_[spans_.at(a, b)] < kInfinite) return true;
            return false;
          },
          [&](const Piece& piece) {
            const Count lost = judge_->given_up(piece.rows);
            for (int a = piece.first_begin; a <= piece.last_begin; ++a)
              for (int b = piece.first_end; b <= piece.last_end; ++b) lose(a, b, piece.rows, lost);
          });
    }
    if (!any) {
      given_up_.clear();
      return true;
    }
    for (int i = 0; i < spans_.count; ++i) {
      suppressed_[i] += given_up_[i];
      bound_[i] = suppressed_[i] > p_.limit ? kInfinite : bound_[i] + given_up_cost_[i];
    }
    return narrow(known);
  }

  // Whether no descendant can have few enough groups: each of the head's that is not hopeless is one at least, unless
  // all its rows are suppressed, k of them or more.
  bool too_risky() {
    if (!risky_) return false;
    cheapest_from_left(spans_, forward_, kInfinite, [&](int i) { return viable_[i]; });
    return forward_[spans_.length] > p_.limit / k_ * Privacy::kRiskOfGroup;
  }

  // The part of the bound that the head alone gives; the allset adds the rest.
  void start_bound() {
    bound_.resize(spans_.count);
    const auto& whole = groups_.whole();
    for (int a = 0; a < spans_.rows; ++a)
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
        const int i = spans_.at(a, b);
        const Count kept = std::max(whole[b] - whole[a] - suppressed_[i], 0);
        bound_[i] = suppressed_[i] > p_.limit ? kInfinite : suppressed_cost_ * suppressed_[i];
        if constexpr (kSquares) bound_[i] += Cost{k_} * kept;
        if constexpr (kLabels) bound_[i] += closed_[i];
        if constexpr (kLoss) bound_[i] += kept * axis_loss(a, b);
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
    for (int a = 0; a < spans_.rows; ++a) {
      narrowed.low[a] = narrowed.high[a] = spans_.low[a];
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
        const int i = spans_.at(a, b);
        const auto [begin, end] = spans_.interval(a, b);
        if (forward_[begin] + bound_[i] + backward_[end] >= known) continue;
        if (limited_ && few_[begin] + suppressed_[i] + fewest_[end] > p_.limit) continue;
        if (narrowed.high[a] == narrowed.low[a]) narrowed.low[a] = b;
        narrowed.high[a] = b + 1;
        live_[i] = any = true;
      }
    }
    narrowed.index();
    for (int a = 0, to = 0; a < spans_.rows; ++a)
      for (int b = narrowed.low[a]; b < narrowed.high[a]; ++b, ++to) {
        const int i = spans_.at(a, b);
        bound_[to] = live_[i] ? bound_[i] : kInfinite;
        suppressed_[to] = suppressed_[i];
        if (!given_up_.empty()) given_up_[to] = given_up_[i], given_up_cost_[to] = given_up_cost_[i];
      }
    if (!given_up_.empty()) given_up_.resize(narrowed.count), given_up_cost_.resize(narrowed.count);
    bound_.resize(narrowed.count);
    suppressed_.resize(narrowed.count);
    spans_ = std::move(narrowed);
    return any;
  }

  // The bound of the imaginary node. For general loss what a move adds depends on the allset of the sweep, so
  // it goes with the bound of that moment; for DM and CM it holds for every smaller allset.
  Cost bound_with(const Tail& tail) {
    const std::vector<Cost>& base = kLoss ? swept_ : bound_;
    // Rows that the head gives up may be among those that the move suppresses: the larger number counts.
    const bool some = !given_up_.empty();
    const auto rows = [&](int i) {
      const Count more = kSquares ? static_cast<Count>(tail.delta[i]) : tail.rows[i];
      return suppressed_[i] + (some ? std::max(more - given_up_[i], 0) : more);
    };
    if (limited_) {
      cheapest_from_left(spans_, forward_, kInfinite,
                         [&](int i) { return base[i] >= kInfinite ? kInfinite : Cost{rows(i)}; });
      if (forward_[spans_.length] > p_.limit) return kInfinite;
    }
    cheapest_from_left(spans_, forward_, kInfinite, [&](int i) {
      const Cost more = gain_ * tail.delta[i];
      if (limited_ && rows(i) > p_.limit) return kInfinite;
      return base[i] + (some ? std::max<Cost>(more - given_up_cost_[i], 0) : more);
    });
    return forward_[spans_.length];
  }

  // ---- the tail ----------------------------------------------------------------------------------------
  void sweep_tail(const std::vector<int>& tail, Cost known) {
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
    sweep(known);
  }

  // Section 5.1: take moves out of the tail until nothing changes. False when the node itself is pruned.
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

  // General loss: what the moves add, for the allset as it is now. The old values are sound and only grow
  // weaker, and a sweep is dear, so it waits until a share of the tail is gone.
  static constexpr std::size_t kFresh = 8;
  bool sweep_again(Cost known) {
    std::vector<int> left;
    for (const Tail& open : open_) left.push_back(open.cut);
    std::sort(left.begin(), left.end());
    if (!narrow(known)) return false;
    sweep_tail(left, known);
    return true;
  }

  // One child per move: it joins the head, later moves stay open. After each, the rest is pruned again
  // without it (section 5.6).
  void branch(Cost known, Expansion& out) {
    while (!open_.empty()) {
      // Section 5.5: the move that splits most groups first; ties by the smaller sum of squares.
      const auto first = std::min_element(open_.begin(), open_.end(), [&](const Tail& x, const Tail& y) {
        if (possible(x.cut) != possible(y.cut)) return possible(x.cut);
        if (x.splits != y.splits) return x.splits > y.splits;
        if (x.product != y.product) return x.product > y.product;
        return x.cut < y.cut;
      });
      Node child{head_, CutSet(static_cast<int>(pr_.alphabet.size())), first->bound};
      for (int cut : cuts_of(first->cut)) child.head.add(cut);
      for (const Tail& tail : open_)
        if (tail.cut != first->cut)
          for (int cut : cuts_of(tail.cut)) child.tail.add(cut);
      out.children.push_back(std::move(child));
      drop(static_cast<std::size_t>(first - open_.begin()));
      if (!prune(known)) return;
    }
  }

  std::vector<Count> suppressed_;                        // per interval
  std::vector<Count> given_up_;                          // per interval, what descendants cannot release of refused
  std::vector<Cost> given_up_cost_;                      // pieces, and what the bound counts for it; empty if nothing
  std::vector<Count> lost_;                              // per interval, refused rows as well; under privacy rules
  std::vector<Cost> exact_, closed_, swept_;             // per interval
  std::vector<Cost> viable_, excess_;                    // per interval, excess of risk: least below, and of the head
  Offers offers_;                                        // per interval, pieces that could be given up
  std::vector<int> furthest_;                            // per row of intervals the last live one
  std::vector<char> live_;                               // per interval
  std::vector<Cost> forward_, backward_, few_, fewest_;  // per position
  std::size_t swept_tail_ = 0;
};

// One expander per metric, chosen where the problem is known.
template <template <Metric> class Kind, class... Arguments>
std::unique_ptr<NodeExpander> expander_for(Metric metric, const Arguments&... arguments) {
  switch (metric) {
    case Metric::discernibility: return std::make_unique<Kind<Metric::discernibility>>(arguments...);
    case Metric::classification: return std::make_unique<Kind<Metric::classification>>(arguments...);
    case Metric::general_loss: return std::make_unique<Kind<Metric::general_loss>>(arguments...);
  }
  return nullptr;
}

}  // namespace shoal
