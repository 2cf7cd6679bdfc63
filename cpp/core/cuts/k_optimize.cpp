#include "core/cuts/k_optimize.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/group_keys.h"
#include "core/base/hash_index.h"
#include "core/cuts/evaluate.h"
#include "core/cuts/hill_climb.h"
#include "core/privacy/giving_up.h"
#include "core/privacy/privacy.h"

namespace shoal {
namespace {

class KOptimize {
 public:
  KOptimize(const Problem& problem, const Options& options)
      : p_(problem), options_(options), watch_(options), k_(p_.k), total_(p_.total()), labels_(p_.labels),
        suppressed_cost_(p_.suppressed_cost()), rules_(p_.privacy), risky_(rules_ && rules_->risky(k_)),
        keys_({p_.sizes.begin(), p_.sizes.end()}) {
    if (rules_) judge_.emplace(*rules_);
    // Section 4: one total order over the cuts of all attributes.
    for (int a = 0; a < p_.attributes; ++a) {
      first_cut_.push_back(static_cast<int>(alphabet_.size()));
      for (int code = 1; code < p_.sizes[a]; ++code) alphabet_.push_back({a, code});
    }
    in_head_.assign(alphabet_.size(), 0);
    rows_.resize(p_.distinct());
    std::iota(rows_.begin(), rows_.end(), 0);
    groups_.push_back({0, p_.distinct()});
  }

  Outcome run() {
    if (options_.climbs > 0 || !options_.start.empty()) {
      Options climb = options_;
      climb.budget.nodes = INT64_MAX;
      const Outcome seed = hill_climb(p_, climb);
      if (seed.found) best_ = seed;
    }
    std::vector<int> tail(alphabet_.size());
    std::iota(tail.begin(), tail.end(), 0);
    const Cost open = std::min(k_optimize(tail), unsettled_);
    best_.nodes = nodes_;
    best_.proved = open >= best_.cost;
    best_.bound = std::min(open, best_.cost);
    if (best_.found) best_.suppressed = evaluate(p_, best_.cuts).suppressed;
    return best_;
  }

 private:
  struct Place {
    int attribute, code;
  };
  struct Range {
    int begin, end;  // of rows_
  };
  // Section 6.1, category 3: a class that the allset induces, inside one class of the head.
  struct Cell {
    int row;  // any of its rows: none of its codes crosses a tail value
    Count size;
    Cost cost;  // if it were released as it is, no group below k: the term of the lower bound
  };
  struct TailValue {
    int cut;
    int splits = 0;    // head classes that it splits
    Cost product = 0;  // sum over them of the product of the sides
    bool useful = false;
    Cost bound = 0;  // of the imaginary node (H + v, T - v)
    Count suppressed = 0;
  };

  // Figure 5, main procedure. Returns the least bound that is left open: kInfinite when the subtree is
  // exhausted, so that an interrupted search still has a bound.
  Cost k_optimize(std::vector<int> tail) {
    ++nodes_;
    const std::vector<char> hopeless = compute_cost();
    Cost bound = 0;
    std::vector<TailValue> values;
    if (!prune(hopeless, tail, values, bound, true)) return kInfinite;
    reorder_tail(tail, values);
    while (!tail.empty()) {
      if (stopped()) return bound;
      const int v = tail.front();
      tail.erase(tail.begin());
      const std::size_t mark = refine(v);
      const Cost open = k_optimize(tail);
      undo(v, mark);
      if (open < kInfinite) return std::min(open, bound);
      // Section 5.6: v is done; a smaller allset may prune more. The order of the tail is kept.
      if (!prune(hopeless, tail, values, bound, false)) return kInfinite;
      if (nodes_ % 64 == 0 || depth_ == 0) tell(depth_ == 0 ? bound : root_bound_);
      if (depth_ == 0) root_bound_ = bound;
    }
    return kInfinite;
  }

  bool stopped() const {
    return nodes_ >= options_.budget.nodes || watch_.stopped() || watch_.close_enough(best_.cost, root_bound_);
  }
  void tell(Cost bound) const { watch_.report(best_.cost, std::min(bound, best_.cost), nodes_); }

  // ---- 6.2 head classes, refined and undone ------------------------------------------------------------
  std::size_t refine(int cut) {
    const auto [a, code] = alphabet_[cut];
    const std::size_t mark = split_.size();
    const std::size_t count = groups_.size();
    in_head_[cut] = 1;
    ++depth_;
    for (std::size_t g = 0; g < count; ++g) {
      const auto begin = rows_.begin() + groups_[g].begin, end = rows_.begin() + groups_[g].end;
      const auto middle = std::partition(begin, end, [&](int row) { return p_.code(row, a) < code; });
      if (middle == begin || middle == end) continue;
      const int at = static_cast<int>(middle - rows_.begin());
      split_.push_back(g);
      groups_.push_back({at, groups_[g].end});
      groups_[g].end = at;
    }
    return mark;
  }
  void undo(int cut, std::size_t mark) {
    while (split_.size() > mark) {
      groups_[split_.back()].end = groups_.back().end;
      groups_.pop_back();
      split_.pop_back();
    }
    in_head_[cut] = 0;
    --depth_;
  }

  // ---- cost of the head --------------------------------------------------------------------------------
  // Returns per class whether it is suppressed in every descendant.
  std::vector<char> compute_cost() {
    Cost cost = 0, released = 0, released_rows = 0;
    Count suppressed = 0;
    offers_.clear();
    starts(nullptr);
    std::vector<Count> histogram(labels_);
    std::vector<char> hopeless(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const Range& group = groups_[g];
      std::fill(histogram.begin(), histogram.end(), 0);
      for (int i = group.begin; i < group.end; ++i)
        for (int l = 0; l < labels_; ++l) histogram[l] += p_.count(rows_[i], l);
      const Count size = std::accumulate(histogram.begin(), histogram.end(), Count{0});
      const Verdict verdict = verdict_of(group, size);
      hopeless[g] = verdict == Verdict::hopeless;  // Observation 5.1: its parts are suppressed, too
      if (verdict == Verdict::admitted) {
        ++released;
        released_rows += size;
        const Cost kept = released_cost(size, histogram, rows_[group.begin], 1);
        cost += kept;
        if (const Cost gain = risky_ ? rules_->excess(1, size) : 0; gain > 0)
          offers_.push_back({size, suppressed_cost_ * size - kept, gain, static_cast<int>(g)});
      } else {
        const Count lost = judge_ ? judge_->lost(verdict, size) : size;
        suppressed += lost;
        cost += suppressed_cost_ * lost;
      }
    }
    if (suppressed > p_.limit || cost >= best_.cost) return hopeless;
    if (const Cost excess = rules_ ? rules_->excess(released, released_rows) : 0; excess > 0) {
      const GivenUp choice = cheapest_given_up(offers_, excess, p_.limit - suppressed, best_.cost - cost);
      if (choice.unsettled < kInfinite) unsettled_ = std::min(unsettled_, cost + choice.unsettled);
      cost = choice.partition.cost < kInfinite ? cost + choice.partition.cost : kInfinite;
    }
    if (cost < best_.cost) take(cost);
    return hopeless;
  }
  Verdict verdict_of(const Range& group, Count size) {
    if (size < k_) return Verdict::hopeless;
    if (!judge_) return Verdict::admitted;
    judge_->clear();
    for (int i = group.begin; i < group.end; ++i) judge_->add(rows_[i]);
    return judge_->verdict(size);
  }
  void take(Cost cost) {
    best_.found = true;
    best_.cost = cost;
    best_.cuts.assign(p_.attributes, {});
    for (std::size_t cut = 0; cut < alphabet_.size(); ++cut)
      if (in_head_[cut]) best_.cuts[alphabet_[cut].attribute].push_back(alphabet_[cut].code);
    tell(root_bound_);
  }

  // Cost of a released class whose group has at least `least` rows (1 for a class that is its own group).
  Cost released_cost(Count size, const std::vector<Count>& histogram, int row, Count least) const {
    switch (p_.metric) {
      case Metric::discernibility: return Cost{size} * std::max(size, least);
      case Metric::classification: return size - *std::max_element(histogram.begin(), histogram.end());
      case Metric::general_loss: break;
    }
    Cost loss = 0;
    for (int a = 0; a < p_.attributes; ++a) {
      const int code = p_.code(row, a);
      loss += p_.loss(a, first_[a][code], last_[a][code] - 1);
    }
    return size * loss;
  }

  // For every code the first code of its interval and one past the last, under the head or the allset.
  void starts(const std::vector<int>* tail) {
    std::vector<char> in = in_head_;
    if (tail)
      for (int cut : *tail) in[cut] = 1;
    first_.resize(p_.attributes);
    last_.resize(p_.attributes);
    for (int a = 0; a < p_.attributes; ++a) {
      const int size = p_.sizes[a];
      first_[a].assign(size, 0);
      last_[a].assign(size, size);
      for (int code = 1; code < size; ++code)
        first_[a][code] = in[first_cut_[a] + code - 1] ? code : first_[a][code - 1];
      for (int code = size - 2; code >= 0; --code)
        last_[a][code] = in[first_cut_[a] + code] ? code + 1 : last_[a][code + 1];
    }
  }

  // ---- 5.1 pruning -------------------------------------------------------------------------------------
  // Takes values out of the tail until nothing changes. False: the node is pruned. Figure 5 as printed says
  // the same thing, the empty set, for a pruned node and for an empty tail, and then prunes everything.
  bool prune(const std::vector<char>& hopeless, std::vector<int>& tail, std::vector<TailValue>& values, Cost& bound,
             bool useless_too) {
    for (;;) {
      lower_bounds(hopeless, tail, values, bound);
      if (bound >= best_.cost) return false;
      const std::size_t before = values.size();
      std::erase_if(values, [&](const TailValue& value) {
        return (useless_too && !value.useful) || value.suppressed > p_.limit || value.bound >= best_.cost;
      });
      if (values.size() == before) return true;
      tail.clear();
      for (const TailValue& value : values) tail.push_back(value.cut);
    }
  }

  // ---- 5.2 lower bounds of the node and of (H + v, T - v) for every tail value, from one sweep ----------
  void lower_bounds(const std::vector<char>& hopeless, const std::vector<int>& tail, std::vector<TailValue>& values,
                    Cost& bound) {
    starts(&tail);
    values.assign(tail.size(), {});
    position_.assign(alphabet_.size(), -1);
    for (std::size_t i = 0; i < tail.size(); ++i) values[i].cut = tail[i], position_[tail[i]] = static_cast<int>(i);
    bound = 0;
    Count suppressed = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const Range& group = groups_[g];
      Count size = 0;
      for (int i = group.begin; i < group.end; ++i)
        for (int l = 0; l < labels_; ++l) size += p_.count(rows_[i], l);
      if (hopeless[g]) {
        const Count lost = judge_ ? judge_->lost(Verdict::hopeless, size) : size;
        suppressed += lost;
        bound += suppressed_cost_ * lost;
        continue;
      }
      allset_cells(group);
      Cost cost = 0;
      for (const Cell& cell : cells_) cost += cell.cost;
      bound += cost;
      for (int a = 0; a < p_.attributes; ++a) price_cuts(a, size, cost, values);
    }
    if (suppressed > p_.limit) bound = kInfinite;
    for (TailValue& value : values) {
      value.bound += bound;
      value.suppressed += suppressed;
    }
  }

  bool alike(int row, int other) const {
    for (int a = 0; a < p_.attributes; ++a)
      if (first_[a][p_.code(row, a)] != first_[a][p_.code(other, a)]) return false;
    return true;
  }

  // 6.3: the allset's classes inside one head class.
  void allset_cells(const Range& group) {
    cells_.clear();
    index_.clear(static_cast<std::size_t>(group.end - group.begin));
    cell_labels_.clear();
    for (int i = group.begin; i < group.end; ++i) {
      const int row = rows_[i];
      std::uint64_t key = 0;
      for (int a = 0; a < p_.attributes; ++a) key += keys_.of(a, first_[a][p_.code(row, a)]);
      int id = index_.find(key, [&](int known) { return keys_.exact() || alike(row, cells_[known].row); });
      if (id < 0) {
        id = static_cast<int>(cells_.size());
        index_.add(key, id);
        cells_.push_back({row, 0, 0});
        cell_labels_.resize(cell_labels_.size() + labels_, 0);
      }
      for (int l = 0; l < labels_; ++l) {
        cells_[id].size += p_.count(row, l);
        cell_labels_[static_cast<std::size_t>(id) * labels_ + l] += p_.count(row, l);
      }
    }
    std::vector<Count> histogram(labels_);
    for (std::size_t id = 0; id < cells_.size(); ++id) {
      std::copy_n(cell_labels_.begin() + static_cast<std::ptrdiff_t>(id * labels_), labels_, histogram.begin());
      cells_[id].cost = released_cost(cells_[id].size, histogram, cells_[id].row, k_);
    }
  }

  // 6.3, category 2: sizes of both sides of every tail value without performing the split.
  void price_cuts(int a, Count size, Cost cost, std::vector<TailValue>& values) {
    const int width = p_.sizes[a];
    side_size_.assign(width, 0);
    side_cost_.assign(width, 0);
    int least = width, most = -1;
    for (const Cell& cell : cells_) {
      const int code = p_.code(cell.row, a);
      side_size_[code] += cell.size;
      side_cost_[code] += cell.cost;
      least = std::min(least, code);
      most = std::max(most, code);
    }
    // For general loss a cut beside all rows of a class still narrows its label.
    if (p_.metric == Metric::general_loss) {
      for (int at = least; at >= 0; --at) {
        least = at;
        if (at == 0 || in_head_[first_cut_[a] + at - 1]) break;
      }
      for (++most; most < width && !in_head_[first_cut_[a] + most - 1];) ++most;
      --most;
    }
    Count left = 0;
    Cost left_cost = 0;
    for (int code = least + 1; code <= most; ++code) {
      left += side_size_[code - 1];
      left_cost += side_cost_[code - 1];
      const int at = position_[first_cut_[a] + code - 1];
      if (at < 0) continue;
      TailValue& value = values[at];
      const Count right = size - left;
      if (left > 0 && right > 0) {
        ++value.splits;
        value.product += Cost{left} * right;
      }
      if (left < k_) value.bound += suppressed_cost_ * left - left_cost, value.suppressed += left;
      if (right < k_) value.bound += suppressed_cost_ * right - (cost - left_cost), value.suppressed += right;
      value.useful |= useful(left, right);
    }
  }

  // ---- 5.3 useless values ------------------------------------------------------------------------------
  // False if splitting a class like this can never pay, in this node or below. Claim 5.4 (both sides
  // suppressed) always holds. The broader rule at the end of 5.3 (one side suppressed) holds for CM; for DM
  // only without suppression or when the small side e1 and the other e2 satisfy e1 + 2 e2 <= |D|. Where suppression is
  // possible, privacy rules must admit both sides together if they admit one (exact.md); and where groups can be too many
  // together, even what is suppressed may have to be.
  bool useful(Count left, Count right) const {
    if (risky_ && p_.limit > 0) return true;
    const Count few = std::min(left, right), many = std::max(left, right);
    if (many < k_) return false;
    if (p_.metric == Metric::general_loss) return true;
    if (few == 0) return false;
    if (few >= k_) return true;
    if (p_.limit == 0) return false;
    if (rules_ && !rules_->supersets) return true;
    if (p_.metric == Metric::classification) return false;
    return Cost{few} + 2 * Cost{many} > total_;
  }

  // ---- 5.5 tail value rearrangement --------------------------------------------------------------------
  static void reorder_tail(std::vector<int>& tail, std::vector<TailValue>& values) {
    std::stable_sort(values.begin(), values.end(), [](const TailValue& x, const TailValue& y) {
      return x.splits != y.splits ? x.splits > y.splits : x.product > y.product;
    });
    for (std::size_t i = 0; i < values.size(); ++i) tail[i] = values[i].cut;
  }

  const Problem& p_;
  const Options& options_;
  const Watch watch_;
  const Count k_, total_;
  const int labels_;
  const Cost suppressed_cost_;
  const Privacy* const rules_;
  const bool risky_;
  std::vector<Offer> offers_;   // of the head
  Cost unsettled_ = kInfinite;  // what a head may cost whose groups to give up were not settled
  std::optional<Judge> judge_;
  const GroupKeys keys_;
  std::vector<Place> alphabet_;
  std::vector<int> first_cut_, position_;
  std::vector<char> in_head_;
  std::vector<int> rows_;
  std::vector<Range> groups_;
  std::vector<std::size_t> split_;
  std::vector<std::vector<int>> first_, last_;
  std::vector<Cell> cells_;
  std::vector<Count> cell_labels_, side_size_;
  std::vector<Cost> side_cost_;
  HashIndex index_;
  Outcome best_;
  Cost root_bound_ = 0;
  std::int64_t nodes_ = 0;
  int depth_ = 0;
};

}  // namespace

Outcome k_optimize(const Problem& problem, const Options& options) { return KOptimize(problem, options).run(); }

}  // namespace shoal
