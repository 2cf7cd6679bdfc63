#include "core/hill_climb.h"

#include <algorithm>
#include <optional>
#include <random>

#include "core/hash_index.h"
#include "core/privacy.h"

namespace shoal {
namespace {

// The groups of one recoding under single-cut moves. A group's rows are a linked list.
class Climber {
 public:
  explicit Climber(const Problem& problem)
      : p_(problem), k_(p_.k), rows_(p_.distinct()), labels_(p_.labels), suppressed_cost_(p_.suppressed_cost()),
        rules_(p_.privacy) {
    if (rules_) {
      judge_.emplace(*rules_);
      const auto most = std::max_element(rules_->facts.begin(), rules_->facts.end());
      place_of_fact_.assign(most == rules_->facts.end() ? 0 : static_cast<std::size_t>(*most) + 1, -1);
    }
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
    at_.resize(widest_);
    side_.resize(labels_);
    other_.resize(labels_);
  }

  int cuts() const { return cuts_; }

  // Price above the limits, on suppressed rows and on average risk: first come down to them, then look at the cost.
  struct Price {
    Count excess = 0;
    Cost risk = 0;
    Cost cost = kInfinite;
    auto operator<=>(const Price&) const = default;
    bool admissible() const { return excess == 0 && risk == 0; }
  };
  Price price() const { return price(sum_); }
  Count suppressed() const { return sum_.suppressed; }

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
    recount();
  }
  void start(const Cuts& cuts) {
    std::vector<char> in(cuts_, 0);
    for (int a = 0; a < p_.attributes; ++a)
      for (int code : cuts[a]) in[first_cut_[a] + code - 1] = 1;
    start(in);
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
      into.judged = false;
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
    bool judged = false, kept = false;
    std::vector<std::pair<std::int32_t, Count>> facts = {};  // added up over its rows, once it is judged
    std::int64_t people = 0;
  };
  // What groups add to the whole.
  struct Sum {
    Cost cost = 0;
    Count suppressed = 0, released = 0, groups = 0;
    void add(const Sum& other, int sign = 1) {
      cost += sign * other.cost;
      suppressed += sign * other.suppressed;
      released += sign * other.released;
      groups += sign * other.groups;
    }
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
    groups_.push_back({key, -1, -1, 0, std::vector<Count>(labels_), false, false, {}, 0});
    return static_cast<int>(groups_.size()) - 1;
  }
  void clear(Group& group, std::uint64_t key) {
    group.key = key;
    group.first = group.last = -1;
    group.size = 0;
    group.judged = false;
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
    sum_ = {};
    for (std::size_t id = 0; id < groups_.size(); ++id) {
      Group& group = groups_[id];
      index_.put(group.key, static_cast<int>(id));
      if (!group.judged) judge(group);
      sum_.add(sum_of(group, p_.metric == Metric::general_loss ? loss_of(group) : 0));
    }
  }

  Sum sum_of(const Group& group, Cost loss) const { return sum_of(group.size, group.histogram.data(), loss, group.kept); }
  Sum sum_of(Count size, const Count* histogram, Cost loss, bool kept) const {
    if (!kept) {
      const Count lost = judge_ ? judge_->lost(Verdict::refused, size) : size;
      return {suppressed_cost_ * lost, lost, 0, 0};
    }
    const Cost cost = p_.metric == Metric::discernibility  ? Cost{size} * size
                      : p_.metric == Metric::classification ? size - *std::max_element(histogram, histogram + labels_)
                                                            : size * loss;
    return {cost, 0, size, 1};
  }

  // ---- privacy rules: whether a group is released ---------------------------------------------------------
  void judge(Group& group) {
    group.judged = true;
    group.kept = group.size >= k_;
    if (!judge_) return;
    group.facts.clear();
    group.people = 0;
    for (int row = group.first; row >= 0; row = next_[row]) {
      if (!rules_->population.empty()) group.people += rules_->population[row];
      if (rules_->first.empty()) continue;
      for (std::int64_t e = rules_->first[row]; e < rules_->first[row + 1]; ++e) {
        const std::int32_t fact = rules_->facts[e], known = place_of_fact_[fact];
        if (known >= 0 && known < static_cast<std::int32_t>(group.facts.size()) && group.facts[known].first == fact) {
          group.facts[known].second += rules_->counts[e];
        } else {
          place_of_fact_[fact] = static_cast<std::int32_t>(group.facts.size());
          group.facts.emplace_back(fact, rules_->counts[e]);
        }
      }
    }
    if (!group.kept) return;
    judge_->clear();
    add_facts(group);
    group.kept = judge_->verdict(group.size) == Verdict::admitted;
  }
  void add_facts(const Group& group) {
    for (const auto& [fact, rows] : group.facts) judge_->add(fact, rows);
    judge_->add_people(group.people);
  }
  bool kept_together(const Group& one, const Group& two) {
    if (one.size + two.size < k_) return false;
    if (!judge_ || (rules_->supersets && (one.kept || two.kept))) return true;
    judge_->clear();
    add_facts(one);
    add_facts(two);
    return judge_->verdict(one.size + two.size) == Verdict::admitted;
  }

  Cost loss_of(const Group& group) const {
    Cost loss = 0;
    for (int a = 0; a < p_.attributes; ++a) {
      const int code = p_.code(group.first, a);
      loss += p_.loss(a, begin_of(a, code), end_of(a, code) - 1);
    }
    return loss;
  }
  Price price(const Sum& sum) const {
    const Cost risk = rules_ ? std::max<Cost>(rules_->excess(sum.groups, sum.released), 0) : 0;
    return {std::max(sum.suppressed - p_.limit, 0), risk, sum.cost};
  }

  int best_move(bool removal) {
    change_.assign(cuts_, {});
    for (const Group& group : groups_) removal ? price_removals(group) : price_additions(group);
    int best = -1;
    Price least = price();
    for (int cut = 0; cut < cuts_; ++cut) {
      if (static_cast<bool>(in_[cut]) != removal) continue;
      Sum changed = sum_;
      changed.add(change_[cut]);
      const Price candidate = price(changed);
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
          price_label(cut, group, wide, own_loss);
      }
      const int end = end_of(a, code);
      if (loss && end < p_.sizes[a] && find(group.key + keys_[a][end] - keys_[a][begin]) < 0)
        price_label(first_cut_[a] + end - 1, group,
                    own_loss + p_.loss(a, begin, end_of(a, end) - 1) - p_.loss(a, begin, end - 1), own_loss);
    }
  }
  void price_label(int cut, const Group& group, Cost wide, Cost own_loss) {
    change_[cut].add(sum_of(group, wide));
    change_[cut].add(sum_of(group, own_loss), -1);
  }
  void price_merge(int cut, const Group& one, const Group& two, Cost wide, Cost two_loss) {
    for (int l = 0; l < labels_; ++l) side_[l] = one.histogram[l] + two.histogram[l];
    change_[cut].add(sum_of(one.size + two.size, side_.data(), wide, kept_together(one, two)));
    change_[cut].add(sum_of(one, p_.metric == Metric::general_loss ? loss_of(one) : 0), -1);
    change_[cut].add(sum_of(two, two_loss), -1);
  }

  void price_additions(const Group& group) {
    const bool loss = p_.metric == Metric::general_loss;
    if (!loss && group.first == group.last) return;  // one distinct row cannot be split
    const Cost own_loss = loss ? loss_of(group) : 0;
    const Sum own = sum_of(group, own_loss);
    for (int a = 0; a < p_.attributes; ++a) {
      const int code = p_.code(group.first, a), begin = begin_of(a, code), end = end_of(a, code);
      if (end - begin == 1) continue;
      std::fill_n(histogram_.begin() + begin * labels_, (end - begin) * labels_, 0);
      for (int row = group.first; row >= 0; row = next_[row])
        for (int l = 0; l < labels_; ++l) histogram_[p_.code(row, a) * labels_ + l] += p_.count(row, l);
      if (judge_) judge_sides(group, a, begin, end);
      std::fill(side_.begin(), side_.end(), 0);
      Count left = 0;
      for (int at = begin + 1; at < end; ++at) {
        for (int l = 0; l < labels_; ++l) {
          side_[l] += histogram_[(at - 1) * labels_ + l];
          left += histogram_[(at - 1) * labels_ + l];
          other_[l] = group.histogram[l] - side_[l];
        }
        const Count right = group.size - left;
        if (!loss && (judge_ ? one_sided_[at] != 0 : left == 0 || right == 0)) continue;
        const Cost rest = loss ? own_loss - p_.loss(a, begin, end - 1) : 0;
        Sum& change = change_[first_cut_[a] + at - 1];
        const bool left_kept = judge_ ? left_kept_[at] != 0 : left >= k_;
        const bool right_kept = judge_ ? right_kept_[at] != 0 : right >= k_;
        if (!judge_ || one_sided_[at] != kNothingLeft)
          change.add(sum_of(left, side_.data(), loss ? rest + p_.loss(a, begin, at - 1) : 0, left_kept));
        if (!judge_ || one_sided_[at] != kNothingRight)
          change.add(sum_of(right, other_.data(), loss ? rest + p_.loss(a, at, end - 1) : 0, right_kept));
        change.add(own, -1);
      }
    }
  }

  // For every cut inside the group's interval of an attribute whether the two sides would be released, and whether
  // there are two: people in no row count.
  static constexpr char kNothingLeft = 1, kNothingRight = 2;
  void judge_sides(const Group& group, int a, int begin, int end) {
    for (int code = begin; code < end; ++code) at_[code].clear();
    for (int row = group.first; row >= 0; row = next_[row]) at_[p_.code(row, a)].push_back(row);
    one_sided_.assign(end + 1, 0);
    for (int at = begin + 1; at < end && at_[at - 1].empty(); ++at) one_sided_[at] = kNothingLeft;
    for (int at = end - 1; at > begin && at_[at].empty(); --at) one_sided_[at] = kNothingRight;
    left_kept_.assign(end + 1, 0);
    right_kept_.assign(end + 1, 0);
    Count size = 0;
    bool kept = false;
    judge_->clear();
    for (int at = begin + 1; at < end; ++at) {
      add_code(at - 1, size, kept);
      left_kept_[at] = kept;
    }
    size = 0;
    kept = false;
    judge_->clear();
    for (int at = end - 1; at > begin; --at) {
      add_code(at, size, kept);
      right_kept_[at] = kept;
    }
  }
  void add_code(int code, Count& size, bool& kept) {
    if (at_[code].empty() || (kept && rules_->supersets)) return;
    for (int row : at_[code]) {
      judge_->add(row);
      for (int l = 0; l < labels_; ++l) size += p_.count(row, l);
    }
    kept = size >= k_ && judge_->verdict(size) == Verdict::admitted;
  }

  const Problem& p_;
  const Count k_;
  const int rows_, labels_;
  const Cost suppressed_cost_;
  const Privacy* const rules_;
  std::optional<Judge> judge_;
  int cuts_ = 0, widest_ = 0;
  std::vector<int> first_cut_;
  std::vector<std::vector<std::uint64_t>> keys_;
  std::vector<char> in_;
  std::vector<int> next_;
  std::vector<Group> groups_;
  HashIndex index_;
  Sum sum_;
  std::vector<Sum> change_;  // per cut
  std::vector<Count> histogram_, side_, other_;
  std::vector<std::int32_t> place_of_fact_;         // where a fact was counted last
  std::vector<std::vector<int>> at_;                // per code the rows of a group
  std::vector<char> one_sided_, left_kept_, right_kept_;  // per cut of the attribute that is priced
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
  const auto take = [&] {
    const auto price = climber.price();
    if (!price.admissible() || price.cost >= best.cost) return;
    best.found = true;
    best.cost = price.cost;
    best.suppressed = climber.suppressed();
    best.cuts = climber.recoding();
  };
  const auto climb_up = [&] {
    for (bool moved = true; moved && !finished();) {
      moved = climb_phase([&] { return climber.best_removal(); }, [&](int cut) { climber.remove(cut); });
      moved |= climb_phase([&] { return climber.best_addition(); }, [&](int cut) { climber.add(cut); });
    }
    take();
    watch.report(best.cost, 0, best.nodes);
  };
  if (!options.start.empty()) {
    climber.start(options.start);
    take();
    climb_up();
  }
  for (std::int64_t climb = 0; (options.climbs == 0 || climb < options.climbs) && (climb == 0 || !finished()); ++climb) {
    // The first start joins everything: without privacy rules it is always admissible. Later ones draw their
    // density, too.
    std::vector<char> in(climber.cuts(), 0);
    const std::uint64_t density = climb == 0 ? 0 : random() % 1000;
    for (auto& cut : in) cut = random() % 1000 < density / 2;
    climber.start(in);
    climb_up();
    if (climber.cuts() == 0) break;
  }
  return best;
}

}  // namespace shoal
