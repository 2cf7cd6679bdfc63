#include "core/exact_node.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "core/hash_index.h"

namespace shoal {
namespace {

// The intervals [a, b) of the axis that a better partition may still use: for each a one range of b.
struct Spans {
  std::vector<int> low, high, offset;
  int count = 0;

  void all(int length) {
    low.resize(length);
    high.resize(length);
    offset.resize(length);
    for (int a = 0; a < length; ++a) low[a] = a + 1, high[a] = length + 1;
    index();
  }
  void index() {
    count = 0;
    for (std::size_t a = 0; a < low.size(); ++a) {
      offset[a] = count - low[a];
      count += high[a] - low[a];
    }
  }
  int at(int a, int b) const { return offset[a] + b; }
};

template <Metric M>
class Expander final : public NodeExpander {
  static constexpr bool kSquares = M == Metric::discernibility;
  static constexpr bool kLabels = M == Metric::classification;
  static constexpr bool kLoss = M == Metric::general_loss;
  // DM counts newly suppressed rows, each worth D - k; the others add costs.
  using Delta = std::conditional_t<kLoss, Cost, Count>;

 public:
  explicit Expander(const Projection& projection)
      : pr_(projection), p_(projection.problem), length_(projection.length), labels_(p_.labels), k_(p_.k),
        total_(p_.total()), limited_(p_.limit < total_), suppressed_cost_(p_.suppressed_cost()),
        gain_(kSquares ? Cost{total_} - k_ : 1) {
    std::mt19937_64 random(20050405);
    for (std::size_t a = 0; a < pr_.attributes.size(); ++a) {
      keys_.emplace_back(pr_.size(static_cast<int>(a)));
      for (auto& key : keys_.back()) key = random();
    }
    members_.resize(keys_.size());
    names_.resize(keys_.size());
    const int columns = pr_.columns();
    column_group_.resize(columns);
    next_.resize(columns);
    column_total_.resize(columns);
    for (int c = 0; c < columns; ++c)
      for (int e = pr_.first[c]; e < pr_.first[c + 1]; ++e)
        for (int l = 0; l < labels_; ++l) column_total_[c] += p_.count(pr_.entries[e].row, l);
    whole_.assign(length_ + 1, 0);
    for (const auto& entry : pr_.entries)
      for (int l = 0; l < labels_; ++l) whole_[entry.position + 1] += p_.count(entry.row, l);
    for (int i = 0; i < length_; ++i) whole_[i + 1] += whole_[i];
    one_.resize((length_ + 1) * labels_);
    two_.resize((length_ + 1) * labels_);
    forward_.resize(length_ + 1);
    backward_.resize(length_ + 1);
    row_n_.resize(length_ + 1);
    row_m_.resize(length_ + 1);
  }

  Incumbent solve_head(const CutSet& head, Cost known) override {
    load_head(head);
    spans_.all(length_);
    sweep_head();
    return best_axis(head, known);
  }

  Expansion expand(const Node& node, Cost known) override {
    Expansion out;
    load_head(node.head);
    spans_.all(length_);
    sweep_head();
    out.best = best_axis(node.head, known);
    known = std::min(known, out.best.cost);
    tail_ = node.tail.elements();
    if (tail_.empty()) return out;

    load_allset(node.head);
    ++out.work;
    if (bound_all() >= known) return out;
    narrow(known);
    if (dead_) return out;
    sweep_tail(known);
    if (!prune(known, out)) return out;
    branch(node.head, known, out);
    return out;
  }

 private:
  // ---- head groups -------------------------------------------------------------------------------------
  void load_head(const CutSet& head) {
    head_start_ = starts(head, {});
    const int columns = pr_.columns();
    group_columns(head_start_, column_group_, groups_);
    // Columns of each group, contiguous.
    group_first_.assign(groups_ + 1, 0);
    for (int c = 0; c < columns; ++c) ++group_first_[column_group_[c] + 1];
    for (int g = 0; g < groups_; ++g) group_first_[g + 1] += group_first_[g];
    group_list_.resize(columns);
    auto fill = group_first_;
    for (int c = 0; c < columns; ++c) group_list_[fill[column_group_[c]]++] = c;

    const std::size_t stride = static_cast<std::size_t>(length_ + 1) * labels_;
    prefix_.assign(stride * groups_, 0);
    for (int c = 0; c < columns; ++c) add_column(c, prefix_.data() + stride * column_group_[c]);
    for (int g = 0; g < groups_; ++g) accumulate(prefix_.data() + stride * g);
    if constexpr (kLoss) {
      group_loss_.resize(groups_);
      for (int g = 0; g < groups_; ++g) group_loss_[g] = loss_of(group_list_[group_first_[g]], head_start_);
    }
  }

  // For every attribute and code the first code of its interval, and one past the interval's last.
  struct Starts {
    std::vector<std::vector<std::int32_t>> first, last;
  };
  Starts starts(const CutSet& head, const std::vector<int>& tail) const {
    std::vector<char> in(pr_.alphabet.size(), 0);
    for (int cut : head.elements()) in[cut] = 1;
    for (int cut : tail) in[cut] = 1;
    Starts s;
    for (std::size_t a = 0; a < pr_.attributes.size(); ++a) {
      const int size = pr_.size(static_cast<int>(a));
      s.first.emplace_back(size);
      s.last.emplace_back(size);
      for (int code = 1; code < size; ++code)
        s.first[a][code] = in[pr_.first_cut[a] + code - 1] ? code : s.first[a][code - 1];
      s.last[a][size - 1] = size;
      for (int code = size - 2; code >= 0; --code)
        s.last[a][code] = s.first[a][code + 1] == code + 1 ? code + 1 : s.last[a][code + 1];
    }
    return s;
  }

  std::uint64_t key(int column, const Starts& s) const {
    std::uint64_t sum = 0;
    for (std::size_t a = 0; a < keys_.size(); ++a) sum += keys_[a][s.first[a][pr_.code(column, static_cast<int>(a))]];
    return sum;
  }

  Cost loss_of(int column, const Starts& s) const {
    Cost sum = 0;
    for (std::size_t a = 0; a < keys_.size(); ++a) {
      const int code = pr_.code(column, static_cast<int>(a));
      sum += p_.loss(pr_.attributes[a], s.first[a][code], s.last[a][code] - 1);
    }
    return sum;
  }

  void group_columns(const Starts& s, std::vector<int>& of, int& groups) {
    index_.clear(pr_.columns());
    groups = 0;
    for (int c = 0; c < pr_.columns(); ++c) {
      const std::uint64_t code = key(c, s);
      int group = index_.get(code);
      if (group < 0) index_.put(code, group = groups++);
      of[c] = group;
    }
  }

  void add_column(int column, Count* histogram) const {
    for (int e = pr_.first[column]; e < pr_.first[column + 1]; ++e) {
      const Entry entry = pr_.entries[e];
      for (int l = 0; l < labels_; ++l) histogram[l * (length_ + 1) + entry.position + 1] += p_.count(entry.row, l);
    }
  }
  void accumulate(Count* histogram) const {
    for (int l = 0; l < labels_; ++l, histogram += length_ + 1)
      for (int i = 0; i < length_; ++i) histogram[i + 1] += histogram[i];
  }
  const Count* prefix(int group) const { return prefix_.data() + static_cast<std::size_t>(length_ + 1) * labels_ * group; }

  // Rows of a prefix histogram in [a, b) for all b of the span, and the rows of the most frequent label.
  void row(const Count* histogram, int a, Count* n, Count* most) const {
    const int low = spans_.low[a], high = spans_.high[a];
    for (int b = low; b < high; ++b) n[b] = histogram[b] - histogram[a];
    if constexpr (kLabels) {
      for (int b = low; b < high; ++b) most[b] = n[b];
      for (int l = 1; l < labels_; ++l) {
        const Count* h = histogram + l * (length_ + 1);
        for (int b = low; b < high; ++b) {
          const Count x = h[b] - h[a];
          n[b] += x;
          most[b] = std::max(most[b], x);
        }
      }
    }
  }

  // Per interval: rows that the head suppresses, cost of the head, and the part of the bound that does not
  // depend on the tail.
  void sweep_head() {
    suppressed_.assign(spans_.count, 0);
    exact_.assign(spans_.count, 0);
    small_.assign(kLabels ? spans_.count : 0, 0);
    for (int g = 0; g < groups_; ++g) {
      const Count* h = prefix(g);
      for (int a = 0; a < length_; ++a) {
        if (spans_.low[a] >= spans_.high[a]) continue;
        row(h, a, row_n_.data(), row_m_.data());
        const int o = spans_.offset[a], low = spans_.low[a], high = spans_.high[a];
        for (int b = low; b < high; ++b) suppressed_[o + b] += row_n_[b] < k_ ? row_n_[b] : 0;
        if constexpr (kSquares)
          for (int b = low; b < high; ++b) exact_[o + b] += row_n_[b] < k_ ? 0 : Cost{row_n_[b]} * row_n_[b];
        if constexpr (kLabels)
          for (int b = low; b < high; ++b) {
            const Count minority = row_n_[b] < k_ ? 0 : row_n_[b] - row_m_[b];
            exact_[o + b] += minority;
            small_[o + b] += row_n_[b] < 2 * k_ ? minority : 0;
          }
        if constexpr (kLoss)
          for (int b = low; b < high; ++b) exact_[o + b] += row_n_[b] < k_ ? 0 : row_n_[b] * group_loss_[g];
      }
    }
    for (int a = 0; a < length_; ++a)
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
        const int i = spans_.at(a, b);
        exact_[i] += suppressed_cost_ * suppressed_[i];
        if constexpr (kLoss) exact_[i] += (whole_[b] - whole_[a] - suppressed_[i]) * p_.loss(pr_.axis, a, b - 1);
        if (suppressed_[i] > p_.limit) exact_[i] = kInfinite;
      }
  }

  // ---- the axis ----------------------------------------------------------------------------------------
  Incumbent best_axis(const CutSet& head, Cost known) {
    Incumbent found;
    std::vector<int> from(length_ + 1, 0);
    forward_.assign(length_ + 1, kInfinite);
    forward_[0] = 0;
    for (int a = 0; a < length_; ++a)
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
        const Cost cost = forward_[a] + exact_[spans_.at(a, b)];
        if (cost < forward_[b]) forward_[b] = cost, from[b] = a;
      }
    if (forward_[length_] >= known) return found;
    Count suppressed = 0;
    for (int b = length_; b > 0; b = from[b]) {
      suppressed += suppressed_[spans_.at(from[b], b)];
      if (from[b] > 0) found.axis_cuts.push_back(from[b]);
    }
    if (suppressed > p_.limit) return best_axis_within_limit(head, known);
    std::reverse(found.axis_cuts.begin(), found.axis_cuts.end());
    found.cost = forward_[length_];
    found.head = head;
    return found;
  }

  // The suppression limit couples the intervals: labels (cost, suppressed) per position, dominated ones
  // and hopeless ones dropped.
  Incumbent best_axis_within_limit(const CutSet& head, Cost known) {
    struct Label {
      Cost cost;
      Count suppressed;
      int position, parent;
    };
    std::vector<Cost> rest(length_ + 1, kInfinite);
    std::vector<Count> least(length_ + 1, total_ + 1);
    rest[length_] = 0;
    least[length_] = 0;
    for (int a = length_ - 1; a >= 0; --a)
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
        const int i = spans_.at(a, b);
        rest[a] = std::min(rest[a], exact_[i] + rest[b]);
        least[a] = std::min(least[a], suppressed_[i] + least[b]);
      }
    std::vector<Label> labels{{0, 0, 0, -1}};
    std::vector<std::vector<int>> at(length_ + 1);
    at[0].push_back(0);
    for (int b = 1; b <= length_; ++b) {
      std::vector<Label> fresh;
      for (int a = 0; a < b; ++a) {
        if (b < spans_.low[a] || b >= spans_.high[a]) continue;
        const int i = spans_.at(a, b);
        for (int id : at[a]) {
          const Cost cost = labels[id].cost + exact_[i];
          const Count suppressed = labels[id].suppressed + suppressed_[i];
          if (cost + rest[b] < known && suppressed + least[b] <= p_.limit) fresh.push_back({cost, suppressed, b, id});
        }
      }
      std::stable_sort(fresh.begin(), fresh.end(), [](const Label& x, const Label& y) {
        return x.cost != y.cost ? x.cost < y.cost : x.suppressed < y.suppressed;
      });
      Count fewest = total_ + 1;
      for (const Label& label : fresh)
        if (label.suppressed < fewest) {
          fewest = label.suppressed;
          at[b].push_back(static_cast<int>(labels.size()));
          labels.push_back(label);
        }
    }
    Incumbent found;
    if (at[length_].empty()) return found;
    const int best = at[length_].front();  // sorted by cost, and within the limit
    found.cost = labels[best].cost;
    found.head = head;
    for (int id = labels[best].parent; id > 0; id = labels[id].parent) found.axis_cuts.push_back(labels[id].position);
    std::reverse(found.axis_cuts.begin(), found.axis_cuts.end());
    return found;
  }

  template <class Value>
  Cost shortest(const Value& value) {
    forward_.assign(length_ + 1, kInfinite);
    forward_[0] = 0;
    for (int a = 0; a < length_; ++a) {
      if (forward_[a] >= kInfinite) continue;
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b)
        forward_[b] = std::min(forward_[b], forward_[a] + value(spans_.at(a, b)));
    }
    return forward_[length_];
  }

  // ---- allset cells ------------------------------------------------------------------------------------
  struct Cell {
    std::uint64_t key;
    std::int32_t first, last;  // list of columns
    std::int32_t group;
    Count total;
    Cost loss;                 // general loss of its intervals
    bool alive;
  };

  void load_allset(const CutSet& head) {
    all_start_ = starts(head, tail_);
    cells_.clear();
    index_.clear(pr_.columns());
    for (std::size_t a = 0; a < keys_.size(); ++a) {
      members_[a].resize(pr_.size(static_cast<int>(a)));
      for (auto& members : members_[a]) members.clear();
      names_[a].resize(pr_.size(static_cast<int>(a)));
      for (int code = 0; code < pr_.size(static_cast<int>(a)); ++code) names_[a][code] = code;
    }
    for (int c = 0; c < pr_.columns(); ++c) {
      const std::uint64_t code = key(c, all_start_);
      const int id = index_.get(code);
      next_[c] = -1;
      if (id < 0) {
        const int fresh = static_cast<int>(cells_.size());
        index_.put(code, fresh);
        for (std::size_t a = 0; a < keys_.size(); ++a)
          members_[a][all_start_.first[a][pr_.code(c, static_cast<int>(a))]].push_back(fresh);
        cells_.push_back({code, c, c, column_group_[c], column_total_[c], kLoss ? loss_of(c, all_start_) : 0, true});
      } else {
        Cell& cell = cells_[id];
        next_[cell.last] = c;
        cell.last = c;
        cell.total += column_total_[c];
      }
    }
    bound_.resize(spans_.count);
    for (int a = 0; a < length_; ++a)
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
        const int i = spans_.at(a, b);
        const Count rows = whole_[b] - whole_[a], kept = rows - suppressed_[i];
        if (suppressed_[i] > p_.limit) {
          bound_[i] = kInfinite;
          continue;
        }
        bound_[i] = suppressed_cost_ * suppressed_[i];
        if constexpr (kSquares) bound_[i] += Cost{k_} * kept;
        if constexpr (kLabels) bound_[i] += small_[i];
        if constexpr (kLoss) bound_[i] += kept * p_.loss(pr_.axis, a, b - 1);
      }
    for (const Cell& cell : cells_) add_cell(cell, 1);
  }

  bool matters(const Cell& cell) const { return kSquares ? cell.total > k_ : true; }

  void histogram_of(const Cell& cell, std::vector<Count>& histogram) const {
    std::fill(histogram.begin(), histogram.end(), 0);
    for (int c = cell.first; c >= 0; c = next_[c]) add_column(c, histogram.data());
    accumulate(histogram.data());
  }

  // Add (sign 1) or take away (sign -1) what a cell contributes to the bound of every interval.
  void add_cell(const Cell& cell, int sign) {
    if (!matters(cell)) return;
    histogram_of(cell, one_);
    if constexpr (kLabels) {  // a cell of one label has no minority
      int present = 0;
      for (int l = 0; l < labels_; ++l) present += one_[l * (length_ + 1) + length_] > 0;
      if (present < 2) return;
    }
    const Count* group = prefix(cell.group);
    for (int a = 0; a < length_; ++a) {
      const int o = spans_.offset[a], low = spans_.low[a], high = spans_.high[a];
      if (low >= high) continue;
      if constexpr (kSquares) {
        for (int b = low; b < high; ++b) {
          const Count n = one_[b] - one_[a], above = std::max(n - k_, 0);
          bound_[o + b] += sign * Cost{n} * above;
        }
      } else {
        row(group, a, row_n_.data(), row_m_.data());
        if constexpr (kLabels) {
          two_n_.resize(length_ + 1);
          two_m_.resize(length_ + 1);
          row(one_.data(), a, two_n_.data(), two_m_.data());
          for (int b = low; b < high; ++b)
            bound_[o + b] += row_n_[b] >= 2 * k_ ? sign * (two_n_[b] - two_m_[b]) : 0;
        } else {
          for (int b = low; b < high; ++b)
            bound_[o + b] += row_n_[b] >= k_ ? sign * cell.loss * (one_[b] - one_[a]) : 0;
        }
      }
    }
  }

  // Take a cut out of the allset: the cells on its two sides meet. The side with fewer cells moves.
  void remove_from_allset(int cut) {
    const auto [attribute, code] = pr_.alphabet[cut];
    auto& first = all_start_.first[attribute];
    auto& last = all_start_.last[attribute];
    const int left = first[code - 1], end = last[code];
    auto& stay = members_[attribute][left];
    auto& move = members_[attribute][code];
    if constexpr (kLoss) {
      const int a = pr_.attributes[attribute];
      const Cost wide = p_.loss(a, left, end - 1);
      for (int id : stay)
        if (cells_[id].alive) widen(cells_[id], wide - p_.loss(a, left, code - 1));
      for (int id : move)
        if (cells_[id].alive) widen(cells_[id], wide - p_.loss(a, code, end - 1));
    }
    auto& names = names_[attribute];
    if (move.size() > stay.size()) std::swap(move, stay), std::swap(names[left], names[code]);
    const std::uint64_t change = keys_[attribute][names[left]] - keys_[attribute][names[code]];
    for (int id : move) {
      Cell& cell = cells_[id];
      if (!cell.alive) continue;
      cell.key += change;
      const int partner = index_.get(cell.key);
      if (partner >= 0) {
        merge(cells_[partner], cell);
      } else {
        index_.put(cell.key, id);  // the old key's entry stays: its interval is gone, nobody asks again
        stay.push_back(id);
      }
    }
    move.clear();
    for (int c = code; c < end; ++c) first[c] = left;
    for (int c = left; c < code; ++c) last[c] = end;
    for (int c = code; c < end; ++c) last[c] = end;
  }

  void widen(Cell& cell, Cost by) {
    const Cost loss = cell.loss;
    cell.loss = by;
    add_cell(cell, 1);
    cell.loss = loss + by;
  }

  void merge(Cell& into, Cell& cell) {
    if constexpr (!kLoss) {
      add_cell(into, -1);
      add_cell(cell, -1);
    }
    next_[into.last] = cell.first;
    into.last = cell.last;
    into.total += cell.total;
    cell.alive = false;
    if constexpr (!kLoss) add_cell(into, 1);
  }

  // ---- bounds ------------------------------------------------------------------------------------------
  Cost bound_all() {
    return shortest([&](int i) { return bound_[i]; });
  }

  // Keep only the intervals that lie on some partition whose bound is below `known` (and, with a limit,
  // on some partition that suppresses few enough).
  void narrow(Cost known) {
    bound_all();
    backward_.assign(length_ + 1, kInfinite);
    backward_[length_] = 0;
    std::vector<Count> few, fewest;
    for (int a = length_ - 1; a >= 0; --a)
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b)
        backward_[a] = std::min(backward_[a], bound_[spans_.at(a, b)] + backward_[b]);
    if (limited_) {
      few.assign(length_ + 1, total_ + 1);
      fewest.assign(length_ + 1, total_ + 1);
      few[0] = fewest[length_] = 0;
      for (int a = 0; a < length_; ++a)
        for (int b = spans_.low[a]; b < spans_.high[a]; ++b)
          few[b] = std::min(few[b], few[a] + suppressed_[spans_.at(a, b)]);
      for (int a = length_ - 1; a >= 0; --a)
        for (int b = spans_.low[a]; b < spans_.high[a]; ++b)
          fewest[a] = std::min(fewest[a], suppressed_[spans_.at(a, b)] + fewest[b]);
    }
    Spans narrowed = spans_;
    std::vector<char> live(spans_.count, 0);
    dead_ = true;
    for (int a = 0; a < length_; ++a) {
      int low = spans_.high[a], high = spans_.low[a];
      for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
        const int i = spans_.at(a, b);
        live[i] = forward_[a] + bound_[i] + backward_[b] < known &&
                  (!limited_ || few[a] + suppressed_[i] + fewest[b] <= p_.limit);
        if (live[i]) low = std::min(low, b), high = b + 1, dead_ = false;
      }
      if (low >= high) low = high = spans_.low[a];
      narrowed.low[a] = low;
      narrowed.high[a] = high;
    }
    narrowed.index();
    auto pack = [&](auto& values, auto none) {
      for (int a = 0, to = 0; a < length_; ++a)
        for (int b = narrowed.low[a]; b < narrowed.high[a]; ++b, ++to) {
          const int i = spans_.at(a, b);
          values[to] = live[i] ? values[i] : none;
        }
      values.resize(narrowed.count);
    };
    pack(bound_, kInfinite);
    pack(suppressed_, Count{0});
    spans_ = narrowed;
  }

  // ---- tail --------------------------------------------------------------------------------------------
  struct Tail {
    int cut;
    bool useful = false;
    std::int64_t splits = 0;   // head groups that the cut splits
    Cost product = 0;          // sum over them of the product of the two sides
    Cost bound = 0;
    std::vector<Delta> delta;  // per interval: what the cut adds to the bound
    std::vector<Count> rows;   // per interval: rows it newly suppresses (only under a limit, and not for DM)
  };

  bool broad_rule_everywhere(Cost known) const {
    if constexpr (kLabels) return true;
    if constexpr (kLoss) return false;
    if (p_.limit == 0) return true;
    return known < kInfinite && k_ + 2 * std::ceil(std::sqrt(static_cast<double>(known))) <= static_cast<double>(total_);
  }

  void sweep_tail(Cost known) {
    broad_ = broad_rule_everywhere(known);
    open_.resize(tail_.size());
    position_.assign(pr_.alphabet.size(), -1);
    for (std::size_t t = 0; t < tail_.size(); ++t) {
      Tail& tail = open_[t];
      tail.cut = tail_[t];
      tail.useful = false;
      tail.splits = 0;
      tail.product = 0;
      tail.bound = 0;
      tail.delta.assign(spans_.count, 0);
      if (limited_ && !kSquares) tail.rows.assign(spans_.count, 0);
      position_[tail.cut] = static_cast<int>(t);
    }
    for (int g = 0; g < groups_; ++g)
      for (std::size_t a = 0; a < pr_.attributes.size(); ++a) sweep_group(g, static_cast<int>(a));
  }

  // All tail cuts of one attribute inside one head group.
  void sweep_group(int g, int attribute) {
    const Count* whole = prefix(g);
    const std::size_t stride = static_cast<std::size_t>(length_ + 1) * labels_;
    const int column = group_list_[group_first_[g]];
    const int begin = head_start_.first[attribute][pr_.code(column, attribute)];
    const int end = head_start_.last[attribute][pr_.code(column, attribute)];
    cuts_here_.clear();
    segment_.resize(pr_.size(attribute));
    int segments = 0;
    for (int code = begin; code < end; ++code) {
      if (code > begin) {
        const int t = position_[pr_.first_cut[attribute] + code - 1];
        if (t >= 0) cuts_here_.push_back(t), ++segments;
      }
      segment_[code] = segments;
    }
    if (cuts_here_.empty()) return;
    if (!kLoss && group_first_[g + 1] - group_first_[g] == 1) return;  // one column cannot be split
    side_.assign(stride * (segments + 1), 0);
    if constexpr (kLoss) side_loss_.assign(static_cast<std::size_t>(length_ + 1) * (segments + 1), 0);
    filled_.assign(segments + 1, 0);
    for (int i = group_first_[g]; i < group_first_[g + 1]; ++i) {
      const int c = group_list_[i], s = segment_[pr_.code(c, attribute)];
      filled_[s] = 1;
      add_column(c, side_.data() + stride * s);
      if constexpr (kLoss) {
        const Cost loss = loss_of(c, all_start_);
        Cost* h = side_loss_.data() + static_cast<std::size_t>(length_ + 1) * s;
        for (int e = pr_.first[c]; e < pr_.first[c + 1]; ++e)
          h[pr_.entries[e].position + 1] += loss * p_.count(pr_.entries[e].row, 0);
      }
    }
    for (int s = 0; s <= segments; ++s) {
      accumulate(side_.data() + stride * s);
      if constexpr (kLoss) {
        Cost* h = side_loss_.data() + static_cast<std::size_t>(length_ + 1) * s;
        for (int i = 0; i < length_; ++i) h[i + 1] += h[i];
      }
      if (s == 0) continue;
      for (std::size_t i = 0; i < stride; ++i) side_[stride * s + i] += side_[stride * (s - 1) + i];
      if constexpr (kLoss)
        for (int i = 0; i <= length_; ++i) side_loss_[(length_ + 1) * s + i] += side_loss_[(length_ + 1) * (s - 1) + i];
    }
    Count all = 0;
    for (int l = 0; l < labels_; ++l) all += whole[l * (length_ + 1) + length_];
    for (int s = 0; s < segments; ++s) {
      const Count* left = side_.data() + stride * s;
      Count n1 = 0;
      for (int l = 0; l < labels_; ++l) n1 += left[l * (length_ + 1) + length_];
      const Count n2 = all - n1;
      Tail& tail = open_[cuts_here_[s]];
      if (n1 > 0 && n2 > 0) {
        ++tail.splits;
        tail.product += Cost{n1} * n2;
      } else if (!kLoss) {
        continue;
      }
      if constexpr (kLabels) {
        split_labels(tail, whole, left);
      } else if constexpr (kLoss) {
        split_loss(tail, whole, left, side_loss_.data() + (length_ + 1) * s, side_loss_.data() + (length_ + 1) * segments);
      } else {
        split_squares(tail, whole, left);
      }
    }
  }

  void split_squares(Tail& tail, const Count* whole, const Count* left) {
    int useful = 0;
    for (int a = 0; a < length_; ++a) {
      const int low = spans_.low[a], high = spans_.high[a];
      if (low >= high) continue;
      Count* delta = tail.delta.data() + spans_.offset[a];
      const Count whole_a = whole[a], left_a = left[a];
      for (int b = low; b < high; ++b) {
        const Count n = whole[b] - whole_a, n1 = left[b] - left_a, n2 = n - n1;
        const Count lost = (n1 < k_ ? n1 : 0) + (n2 < k_ ? n2 : 0);
        delta[b] += n < k_ ? 0 : lost;
        useful |= (n1 >= k_) & (n2 >= k_);
      }
      if (!broad_ && !useful)
        for (int b = low; b < high; ++b) {
          const Count n = whole[b] - whole_a, n1 = left[b] - left_a, n2 = n - n1;
          const Count few = std::min(n1, n2), many = std::max(n1, n2);
          useful |= few > 0 && many >= k_ && Cost{few} + 2 * Cost{many} > total_;
        }
    }
    tail.useful |= useful != 0;
  }

  void split_labels(Tail& tail, const Count* whole, const Count* left) {
    int useful = 0;
    right_.resize(static_cast<std::size_t>(length_ + 1) * labels_);
    for (std::size_t i = 0; i < right_.size(); ++i) right_[i] = whole[i] - left[i];
    n1_.resize(length_ + 1), m1_.resize(length_ + 1), n2_.resize(length_ + 1), m2_.resize(length_ + 1);
    for (int a = 0; a < length_; ++a) {
      const int low = spans_.low[a], high = spans_.high[a];
      if (low >= high) continue;
      row(whole, a, row_n_.data(), row_m_.data());
      row(left, a, n1_.data(), m1_.data());
      row(right_.data(), a, n2_.data(), m2_.data());
      Count* delta = tail.delta.data() + spans_.offset[a];
      for (int b = low; b < high; ++b) {
        const Count n = row_n_[b], n1 = n1_[b], n2 = n2_[b];
        const Count one = n1 < k_ ? n1 : n1 - m1_[b], two = n2 < k_ ? n2 : n2 - m2_[b];
        const Count tight = one + two - (n - row_m_[b]);               // n < 2k: both values are exact
        const Count loose = (n1 < k_ ? m1_[b] : 0) + (n2 < k_ ? m2_[b] : 0);  // a side's cells: at most its minority
        delta[b] += n < k_ ? 0 : n < 2 * k_ ? tight : loose;
        useful |= (n1 >= k_) & (n2 >= k_);
      }
      if (limited_) {
        Count* rows = tail.rows.data() + spans_.offset[a];
        for (int b = low; b < high; ++b)
          rows[b] += row_n_[b] < k_ ? 0 : (n1_[b] < k_ ? n1_[b] : 0) + (n2_[b] < k_ ? n2_[b] : 0);
      }
    }
    tail.useful |= useful != 0;
  }

  void split_loss(Tail& tail, const Count* whole, const Count* left, const Cost* left_loss, const Cost* whole_loss) {
    for (int a = 0; a < length_; ++a) {
      const int low = spans_.low[a], high = spans_.high[a];
      for (int b = low; b < high; ++b) {
        const Count n = whole[b] - whole[a], n1 = left[b] - left[a], n2 = n - n1;
        if (n < k_) continue;
        if (n1 >= k_ || n2 >= k_) tail.useful = true;  // it narrows the label of a kept group
        const Cost cell = suppressed_cost_ - p_.loss(pr_.axis, a, b - 1);
        const Cost loss = whole_loss[b] - whole_loss[a], loss1 = left_loss[b] - left_loss[a];
        const int i = spans_.at(a, b);
        if (n1 < k_) tail.delta[i] += n1 * cell - loss1;
        if (n2 < k_) tail.delta[i] += n2 * cell - (loss - loss1);
        if (limited_) tail.rows[i] += (n1 < k_ ? n1 : 0) + (n2 < k_ ? n2 : 0);
      }
    }
  }

  Cost bound_with(const Tail& tail) {
    if (!limited_) return shortest([&](int i) { return bound_[i] + gain_ * tail.delta[i]; });
    auto rows = [&](int i) { return suppressed_[i] + (kSquares ? static_cast<Count>(tail.delta[i]) : tail.rows[i]); };
    const Cost fewest = shortest([&](int i) { return bound_[i] >= kInfinite ? kInfinite : Cost{rows(i)}; });
    if (fewest > p_.limit) return kInfinite;
    return shortest([&](int i) { return rows(i) > p_.limit ? kInfinite : bound_[i] + gain_ * tail.delta[i]; });
  }

  void drop(std::size_t index) {
    position_[open_[index].cut] = -1;
    remove_from_allset(open_[index].cut);
    std::swap(open_[index], open_.back());
    open_.pop_back();
  }

  // Section 5.1: take values out of the tail until nothing changes. False when the node itself is pruned.
  bool prune(Cost known, Expansion& out) {
    for (std::size_t t = 0; t < open_.size();)
      if (!open_[t].useful) drop(t); else ++t;
    for (bool changed = true; changed;) {
      changed = false;
      ++out.work;
      if (bound_all() >= known) return false;
      for (std::size_t t = 0; t < open_.size();) {
        ++out.work;
        open_[t].bound = bound_with(open_[t]);
        if (open_[t].bound >= known) drop(t), changed = true; else ++t;
      }
      if constexpr (kLoss)
        if (changed) refresh(known);
    }
    return true;
  }

  // General loss: what a cut adds depends on the allset, so stale values would overstate bounds.
  void refresh(Cost known) {
    tail_.clear();
    for (const Tail& tail : open_) tail_.push_back(tail.cut);
    std::sort(tail_.begin(), tail_.end());
    narrow(known);
    sweep_tail(known);
  }

  void branch(const CutSet& head, Cost known, Expansion& out) {
    CutSet rest(static_cast<int>(pr_.alphabet.size()));
    for (const Tail& tail : open_) rest.add(tail.cut);
    while (!open_.empty()) {
      // Section 5.5: the cut that splits most groups first; ties by the smaller sum of squares.
      auto first = std::min_element(open_.begin(), open_.end(), [](const Tail& x, const Tail& y) {
        if (x.splits != y.splits) return x.splits > y.splits;
        if (x.product != y.product) return x.product > y.product;
        return x.cut < y.cut;
      });
      Node child{head, rest, first->bound};
      child.head.add(first->cut);
      child.tail.remove(first->cut);
      rest.remove(first->cut);
      out.children.push_back(std::move(child));
      drop(static_cast<std::size_t>(first - open_.begin()));
      if constexpr (kLoss) refresh(known);
      if (dead_) return;
      const std::size_t before = open_.size();
      if (!prune(known, out)) return;
      if (open_.size() != before) {
        rest = CutSet(static_cast<int>(pr_.alphabet.size()));
        for (const Tail& tail : open_) rest.add(tail.cut);
      }
    }
  }

  const Projection& pr_;
  const Problem& p_;
  const int length_, labels_;
  const Count k_, total_;
  const bool limited_;
  const Cost suppressed_cost_, gain_;
  std::vector<std::vector<std::uint64_t>> keys_;

  Spans spans_;
  std::vector<Count> whole_, column_total_;
  Starts head_start_, all_start_;
  std::vector<int> column_group_, group_first_, group_list_, next_, tail_, position_, cuts_here_, segment_;
  int groups_ = 0;
  std::vector<Count> prefix_, suppressed_, one_, two_, row_n_, row_m_, two_n_, two_m_, n1_, m1_, n2_, m2_, right_, side_;
  std::vector<Cost> side_loss_;
  std::vector<char> filled_;
  std::vector<Cost> exact_, small_, bound_, forward_, backward_, group_loss_;
  std::vector<Cell> cells_;
  std::vector<std::vector<std::vector<int>>> members_;  // per attribute and interval, its cells (dead ones too)
  std::vector<std::vector<int>> names_;                 // per attribute and interval, which random key it has
  std::vector<Tail> open_;
  HashIndex index_;
  bool broad_ = false, dead_ = false;
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
