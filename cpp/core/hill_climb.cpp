#include "core/hill_climb.h"

#include <algorithm>
#include <random>

#include "core/hash_index.h"

namespace shoal {
namespace {

// The groups of one recoding under single-cut moves. A group's rows are a linked list.
class Climber {
 public:
  explicit Climber(const Problem& problem)
      : p_(problem), k_(p_.k), rows_(p_.distinct()), labels_(p_.labels), suppressed_cost_(p_.suppressed_cost()) {
    std::mt19937_64 random(20050405);
    for (int a = 0; a < p_.attributes; ++a) {
      first_cut_.push_back(cuts_);
      cuts_ += p_.sizes[a] - 1;
      keys_.emplace_back(p_.sizes[a]);
      for (auto& key : keys_.back()) key = random();
      widest_ = std::max(widest_, p_.sizes[a]);
    }
    next_.resize(rows_);
    histogram_.resize(static_cast<std::size_t>(widest_) * labels_);
    side_.resize(labels_);
    other_.resize(labels_);
  }

  int cuts() const { return cuts_; }

  // Price above the suppression limit: first come down to it, then look at the cost.
  struct Price {
    Count excess = 0;
    Cost cost = kInfinite;
    auto operator<=>(const Price&) const = default;
  };
  Price price() const { return price(cost_, suppressed_); }
  Count suppressed() const { return suppressed_; }

  void start(const std::vector<char>& in) {
    in_ = in;
    groups_.clear();
    index_.clear(rows_);
    for (int row = 0; row < rows_; ++row) {
      const std::uint64_t key = key_of(row);
      int id = index_.get(key);
      if (id < 0) index_.put(key, id = open_group(key));
      append(groups_[id], row);
    }
    cost_ = suppressed_ = 0;
    for (const Group& group : groups_) count(group, 1);
  }

  // The best single removal (or addition); -1 if none improves.
  int best_removal() { return best_move(true); }
  int best_addition() { return best_move(false); }

  void remove(int cut) {
    const auto [a, code] = where(cut);
    const int left = begin_of(a, code - 1);
    for (std::size_t id = 0; id < groups_.size(); ++id) {
      Group& group = groups_[id];
      if (group.first < 0 || begin_of(a, p_.code(group.first, a)) != code) continue;
      group.key += keys_[a][left] - keys_[a][code];
      const int partner = find(group.key);
      if (partner < 0) {
        index_.put(group.key, static_cast<int>(id));
        continue;
      }
      Group& into = groups_[partner];
      next_[into.last] = group.first;
      into.last = group.last;
      for (int l = 0; l < labels_; ++l) into.histogram[l] += group.histogram[l];
      into.size += group.size;
      group.first = -1;
    }
    in_[cut] = 0;
    recount();
  }

  void add(int cut) {
    const auto [a, code] = where(cut);
    const int left = begin_of(a, code);
    const std::size_t count = groups_.size();
    in_[cut] = 1;
    for (std::size_t id = 0; id < count; ++id) {
      if (groups_[id].first < 0 || begin_of(a, p_.code(groups_[id].first, a), cut) != left) continue;
      const int list = groups_[id].first;
      const std::uint64_t key = groups_[id].key, key_right = key + keys_[a][code] - keys_[a][left];
      clear(groups_[id], key);
      int right = -1;
      for (int row = list, after; row >= 0; row = after) {
        after = next_[row];
        if (p_.code(row, a) < code) {
          append(groups_[id], row);
        } else {
          if (right < 0) right = open_group(key_right);
          append(groups_[right], row);
        }
      }
      if (right >= 0) index_.put(key_right, right);
    }
    recount();
  }

  Cuts recoding() const {
    Cuts cuts(p_.attributes);
    for (int cut = 0; cut < cuts_; ++cut)
      if (in_[cut]) cuts[where(cut).attribute].push_back(where(cut).code);
    return cuts;
  }

 private:
  struct Group {
    std::uint64_t key;
    int first = -1, last = -1;
    Count size = 0;
    std::vector<Count> histogram;
  };
  struct Place {
    int attribute, code;
  };

  Place where(int cut) const {
    const auto after = std::upper_bound(first_cut_.begin(), first_cut_.end(), cut);
    const int a = static_cast<int>(after - first_cut_.begin()) - 1;
    return {a, cut - first_cut_[a] + 1};
  }
  // First code of the interval of `code`, optionally as if one cut were out.
  int begin_of(int a, int code, int without = -1) const {
    while (code > 0 && (!in_[first_cut_[a] + code - 1] || first_cut_[a] + code - 1 == without)) --code;
    return code;
  }
  int end_of(int a, int code) const {
    while (++code < p_.sizes[a] && !in_[first_cut_[a] + code - 1]) {
    }
    return code;
  }
  std::uint64_t key_of(int row) const {
    std::uint64_t key = 0;
    for (int a = 0; a < p_.attributes; ++a) key += keys_[a][begin_of(a, p_.code(row, a))];
    return key;
  }
  // Stale entries are told by the key of the group they point to.
  int find(std::uint64_t key) const {
    const int id = index_.get(key);
    return id >= 0 && groups_[id].first >= 0 && groups_[id].key == key ? id : -1;
  }
  int open_group(std::uint64_t key) {
    groups_.push_back({key, -1, -1, 0, std::vector<Count>(labels_)});
    return static_cast<int>(groups_.size()) - 1;
  }
  void clear(Group& group, std::uint64_t key) {
    group.key = key;
    group.first = group.last = -1;
    group.size = 0;
    std::fill(group.histogram.begin(), group.histogram.end(), 0);
  }
  void append(Group& group, int row) {
    next_[row] = -1;
    if (group.first < 0) group.first = row; else next_[group.last] = row;
    group.last = row;
    for (int l = 0; l < labels_; ++l) {
      group.histogram[l] += p_.count(row, l);
      group.size += p_.count(row, l);
    }
  }
  void recount() {
    std::erase_if(groups_, [](const Group& group) { return group.first < 0; });
    index_.clear(groups_.size() * 2);
    cost_ = suppressed_ = 0;
    for (std::size_t id = 0; id < groups_.size(); ++id) {
      index_.put(groups_[id].key, static_cast<int>(id));
      count(groups_[id], 1);
    }
  }
  void count(const Group& group, int sign) {
    cost_ += sign * cost_of(group.size, group.histogram.data(), p_.metric == Metric::general_loss ? loss_of(group) : 0);
    if (group.size < k_) suppressed_ += sign * group.size;
  }

  Cost cost_of(Count size, const Count* histogram, Cost loss) const {
    if (size < k_) return suppressed_cost_ * size;
    if (p_.metric == Metric::discernibility) return Cost{size} * size;
    if (p_.metric == Metric::classification) return size - *std::max_element(histogram, histogram + labels_);
    return size * loss;
  }
  Cost loss_of(const Group& group) const {
    Cost loss = 0;
    for (int a = 0; a < p_.attributes; ++a) {
      const int code = p_.code(group.first, a);
      loss += p_.loss(a, begin_of(a, code), end_of(a, code) - 1);
    }
    return loss;
  }
  Price price(Cost cost, Count suppressed) const { return {std::max(suppressed - p_.limit, 0), cost}; }

  int best_move(bool removal) {
    change_.assign(cuts_, 0);
    change_suppressed_.assign(cuts_, 0);
    for (const Group& group : groups_) removal ? price_removals(group) : price_additions(group);
    int best = -1;
    Price least = price();
    for (int cut = 0; cut < cuts_; ++cut) {
      if (static_cast<bool>(in_[cut]) != removal) continue;
      const Price candidate = price(cost_ + change_[cut], suppressed_ + change_suppressed_[cut]);
      if (candidate < least) least = candidate, best = cut;
    }
    return best;
  }

  // What each cut at the left end of the group's intervals costs less or more when it goes. A group without
  // a partner changes only its loss; then it is priced from both of its ends.
  void price_removals(const Group& group) {
    const bool loss = p_.metric == Metric::general_loss;
    const Cost own_loss = loss ? loss_of(group) : 0;
    for (int a = 0; a < p_.attributes; ++a) {
      const int code = p_.code(group.first, a), begin = begin_of(a, code);
      if (begin > 0) {
        const int cut = first_cut_[a] + begin - 1, left = begin_of(a, begin - 1);
        const int partner = find(group.key + keys_[a][left] - keys_[a][begin]);
        const Cost wide = loss ? own_loss + p_.loss(a, left, end_of(a, code) - 1) - p_.loss(a, begin, end_of(a, code) - 1) : 0;
        if (partner >= 0)
          price_merge(cut, groups_[partner], group, wide, own_loss);
        else if (loss)
          change_[cut] += cost_of(group.size, group.histogram.data(), wide) - cost_of(group.size, group.histogram.data(), own_loss);
      }
      const int end = end_of(a, code);
      if (loss && end < p_.sizes[a] && find(group.key + keys_[a][end] - keys_[a][begin]) < 0) {
        const Cost wide = own_loss + p_.loss(a, begin, end_of(a, end) - 1) - p_.loss(a, begin, end - 1);
        change_[first_cut_[a] + end - 1] +=
            cost_of(group.size, group.histogram.data(), wide) - cost_of(group.size, group.histogram.data(), own_loss);
      }
    }
  }
  void price_merge(int cut, const Group& one, const Group& two, Cost wide, Cost two_loss) {
    for (int l = 0; l < labels_; ++l) side_[l] = one.histogram[l] + two.histogram[l];
    const Count size = one.size + two.size;
    const Cost one_loss = p_.metric == Metric::general_loss ? loss_of(one) : 0;
    change_[cut] += cost_of(size, side_.data(), wide) - cost_of(one.size, one.histogram.data(), one_loss) -
                    cost_of(two.size, two.histogram.data(), two_loss);
    change_suppressed_[cut] += lost(size) - lost(one.size) - lost(two.size);
  }
  Count lost(Count size) const { return size < k_ ? size : 0; }

  void price_additions(const Group& group) {
    const bool loss = p_.metric == Metric::general_loss;
    if (!loss && group.first == group.last) return;  // one distinct row cannot be split
    const Cost own_loss = loss ? loss_of(group) : 0;
    const Cost own = cost_of(group.size, group.histogram.data(), own_loss);
    for (int a = 0; a < p_.attributes; ++a) {
      const int code = p_.code(group.first, a), begin = begin_of(a, code), end = end_of(a, code);
      if (end - begin == 1) continue;
      std::fill_n(histogram_.begin() + begin * labels_, (end - begin) * labels_, 0);
      for (int row = group.first; row >= 0; row = next_[row])
        for (int l = 0; l < labels_; ++l) histogram_[p_.code(row, a) * labels_ + l] += p_.count(row, l);
      std::fill(side_.begin(), side_.end(), 0);
      Count left = 0;
      for (int at = begin + 1; at < end; ++at) {
        for (int l = 0; l < labels_; ++l) {
          side_[l] += histogram_[(at - 1) * labels_ + l];
          left += histogram_[(at - 1) * labels_ + l];
          other_[l] = group.histogram[l] - side_[l];
        }
        const Count right = group.size - left;
        if (!loss && (left == 0 || right == 0)) continue;
        const Cost rest = loss ? own_loss - p_.loss(a, begin, end - 1) : 0;
        const int cut = first_cut_[a] + at - 1;
        change_[cut] += cost_of(left, side_.data(), loss ? rest + p_.loss(a, begin, at - 1) : 0) +
                        cost_of(right, other_.data(), loss ? rest + p_.loss(a, at, end - 1) : 0) - own;
        change_suppressed_[cut] += lost(left) + lost(right) - lost(group.size);
      }
    }
  }

  const Problem& p_;
  const Count k_;
  const int rows_, labels_;
  const Cost suppressed_cost_;
  int cuts_ = 0, widest_ = 0;
  std::vector<int> first_cut_;
  std::vector<std::vector<std::uint64_t>> keys_;
  std::vector<char> in_;
  std::vector<int> next_;
  std::vector<Group> groups_;
  HashIndex index_;
  Cost cost_ = 0;
  Count suppressed_ = 0;
  std::vector<Cost> change_;
  std::vector<Count> change_suppressed_, histogram_, side_, other_;
};

}  // namespace

Outcome hill_climb(const Problem& problem, const Options& options) {
  const Watch watch(options);
  Climber climber(problem);
  std::mt19937_64 random(options.seed);
  Outcome best;
  const auto finished = [&] { return best.nodes >= options.budget.nodes || watch.stopped(); };
  const auto climb_phase = [&](auto pick, auto apply) {
    bool moved = false;
    while (!finished()) {
      ++best.nodes;
      const int cut = pick();
      if (cut < 0) break;
      apply(cut);
      moved = true;
    }
    return moved;
  };
  for (std::int64_t climb = 0; (options.climbs == 0 || climb < options.climbs) && (climb == 0 || !finished()); ++climb) {
    // The first start joins everything: it is always admissible. Later ones draw their density, too.
    std::vector<char> in(climber.cuts(), 0);
    const std::uint64_t density = climb == 0 ? 0 : random() % 1000;
    for (auto& cut : in) cut = random() % 1000 < density / 2;
    climber.start(in);
    for (bool moved = true; moved && !finished();) {
      moved = climb_phase([&] { return climber.best_removal(); }, [&](int cut) { climber.remove(cut); });
      moved |= climb_phase([&] { return climber.best_addition(); }, [&](int cut) { climber.add(cut); });
    }
    if (const auto price = climber.price(); price.excess == 0 && price.cost < best.cost) {
      best.found = true;
      best.cost = price.cost;
      best.suppressed = climber.suppressed();
      best.cuts = climber.recoding();
    }
    watch.report(best.cost, 0, best.nodes);
    if (climber.cuts() == 0) break;
  }
  return best;
}

}  // namespace shoal
