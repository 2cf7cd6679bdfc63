#include "core/cuts/cut_groups.h"

#include <algorithm>

namespace shoal {
namespace {

constexpr char kNothingLeft = 1, kNothingRight = 2;

}  // namespace

CutGroups::CutGroups(const Problem& problem)
    : p_(problem), k_(p_.k), rows_(p_.distinct()), labels_(p_.labels), suppressed_cost_(p_.suppressed_cost()),
      rules_(p_.privacy), keys_({p_.sizes.begin(), p_.sizes.end()}) {
  if (rules_) {
    judge_.emplace(*rules_);
    const auto most = std::max_element(rules_->facts.begin(), rules_->facts.end());
    place_of_fact_.assign(most == rules_->facts.end() ? 0 : static_cast<std::size_t>(*most) + 1, -1);
  }
  for (int a = 0; a < p_.attributes; ++a) {
    first_cut_.push_back(cuts_);
    cuts_ += p_.sizes[a] - 1;
    begin_.emplace_back(p_.sizes[a]);
    end_.emplace_back(p_.sizes[a]);
    widest_ = std::max(widest_, p_.sizes[a]);
  }
  next_.resize(rows_);
  histogram_.resize(static_cast<std::size_t>(widest_) * labels_);
  at_.resize(widest_);
  side_.resize(labels_);
  other_.resize(labels_);
}

CutGroups::Place CutGroups::where(int cut) const {
  const auto after = std::upper_bound(first_cut_.begin(), first_cut_.end(), cut);
  const int a = static_cast<int>(after - first_cut_.begin()) - 1;
  return {a, cut - first_cut_[a] + 1};
}

void CutGroups::find_intervals(int a) {
  for (int code = 0, begin = 0; code < p_.sizes[a]; ++code) {
    if (code > 0 && in_[number(a, code)]) begin = code;
    begin_[a][code] = begin;
    end_[a][begin] = code + 1;
  }
}

std::uint64_t CutGroups::key_of(int row) const {
  std::uint64_t key = 0;
  for (int a = 0; a < p_.attributes; ++a) key += keys_.of(a, begin_of(a, p_.code(row, a)));
  return key;
}

bool CutGroups::beside(int row, int other, int a, int begin) const {
  for (int b = 0; b < p_.attributes; ++b)
    if (begin_of(b, p_.code(row, b)) != (b == a ? begin : begin_of(b, p_.code(other, b)))) return false;
  return true;
}

Cuts CutGroups::recoding() const {
  Cuts cuts(p_.attributes);
  for (int cut = 0; cut < cuts_; ++cut)
    if (in_[cut]) cuts[where(cut).attribute].push_back(where(cut).code);
  return cuts;
}

void CutGroups::start(const std::vector<char>& in) {
  in_ = in;
  for (int a = 0; a < p_.attributes; ++a) find_intervals(a);
  groups_.clear();
  index_.clear(rows_);
  for (int row = 0; row < rows_; ++row) {
    const std::uint64_t key = key_of(row);
    int id = index_.find(key, [&](int known) {
      return keys_.exact() || beside(groups_[known].first, row, 0, begin_of(0, p_.code(row, 0)));
    });
    if (id < 0) index_.add(key, id = open_group(key));
    append(groups_[id], row);
  }
  recount();
}

void CutGroups::start(const Cuts& cuts) {
  std::vector<char> in(cuts_, 0);
  for (int a = 0; a < p_.attributes; ++a)
    for (int code : cuts[a]) in[number(a, code)] = 1;
  start(in);
}

// Each change looks at every group, a start at every cell of every row.
void CutGroups::move_to(const std::vector<char>& in) {
  std::vector<int> out, anew;
  for (int cut = 0; cut < cuts_ && !in_.empty(); ++cut)
    if (in[cut] != in_[cut]) (in[cut] ? anew : out).push_back(cut);
  if (in_.empty() || static_cast<int>(out.size() + anew.size()) > p_.attributes) return start(in);
  for (int cut : out) join_at(cut);
  for (int cut : anew) split_at(cut);
  recount();
}

void CutGroups::remove(int cut) {
  join_at(cut);
  recount();
}

void CutGroups::add(int cut) {
  split_at(cut);
  recount();
}

void CutGroups::join_at(int cut) {
  const auto [a, code] = where(cut);
  const int left = begin_of(a, code - 1);
  for (std::size_t id = 0; id < groups_.size(); ++id) {
    Group& group = groups_[id];
    if (group.first < 0 || begin_of(a, p_.code(group.first, a)) != code) continue;
    const int partner = find_beside(group, a, left);
    group.key += keys_.of(a, left) - keys_.of(a, code);
    if (partner < 0) {
      index_.add(group.key, static_cast<int>(id));
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
  find_intervals(a);
}

void CutGroups::split_at(int cut) {
  const auto [a, code] = where(cut);
  const int left = begin_of(a, code);
  const std::size_t count = groups_.size();
  for (std::size_t id = 0; id < count; ++id) {
    if (groups_[id].first < 0 || begin_of(a, p_.code(groups_[id].first, a)) != left) continue;
    const int list = groups_[id].first;
    const std::uint64_t key = groups_[id].key, key_right = key + keys_.of(a, code) - keys_.of(a, left);
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
    if (right >= 0) index_.add(key_right, right);
  }
  in_[cut] = 1;
  find_intervals(a);
}

int CutGroups::open_group(std::uint64_t key) {
  groups_.push_back({key, -1, -1, 0, std::vector<Count>(labels_), false, false, {}, 0});
  return static_cast<int>(groups_.size()) - 1;
}

void CutGroups::clear(Group& group, std::uint64_t key) {
  group.key = key;
  group.first = group.last = -1;
  group.size = 0;
  group.judged = false;
  std::fill(group.histogram.begin(), group.histogram.end(), 0);
}

void CutGroups::append(Group& group, int row) {
  next_[row] = -1;
  if (group.first < 0) group.first = row;
  else next_[group.last] = row;
  group.last = row;
  for (int l = 0; l < labels_; ++l) {
    group.histogram[l] += p_.count(row, l);
    group.size += p_.count(row, l);
  }
}

void CutGroups::recount() {
  std::erase_if(groups_, [](const Group& group) { return group.first < 0; });
  index_.clear(groups_.size() * 2);
  sum_ = {};
  for (std::size_t id = 0; id < groups_.size(); ++id) {
    Group& group = groups_[id];
    index_.add(group.key, static_cast<int>(id));
    if (!group.judged) judge(group);
    sum_.add(sum_of(group, p_.metric == Metric::general_loss ? loss_of(group) : 0));
  }
}

CutGroups::Sum CutGroups::sum_of(Count size, const Count* histogram, Cost loss, bool kept) const {
  if (!kept) {
    const Count lost = judge_ ? judge_->lost(Verdict::refused, size) : size;
    return {suppressed_cost_ * lost, lost, 0, 0};
  }
  const Cost cost = p_.metric == Metric::discernibility   ? Cost{size} * size
                    : p_.metric == Metric::classification ? size - *std::max_element(histogram, histogram + labels_)
                                                          : size * loss;
  return {cost, 0, size, 1};
}

void CutGroups::judge(Group& group) {
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

void CutGroups::add_facts(const Group& group) {
  for (const auto& [fact, rows] : group.facts) judge_->add(fact, rows);
  judge_->add_people(group.people);
}

bool CutGroups::kept_together(const Group& one, const Group& two) {
  if (one.size + two.size < k_) return false;
  if (!judge_ || (rules_->supersets && (one.kept || two.kept))) return true;
  judge_->clear();
  add_facts(one);
  add_facts(two);
  return judge_->verdict(one.size + two.size) == Verdict::admitted;
}

Cost CutGroups::loss_of(const Group& group) const {
  Cost loss = 0;
  for (int a = 0; a < p_.attributes; ++a) {
    const int code = p_.code(group.first, a);
    loss += p_.loss(a, begin_of(a, code), end_of(a, code) - 1);
  }
  return loss;
}

CutGroups::Price CutGroups::price(const Sum& sum) const {
  const Cost risk = rules_ ? std::max<Cost>(rules_->excess(sum.groups, sum.released), 0) : 0;
  return {std::max(sum.suppressed - p_.limit, 0), risk, sum.cost};
}

int CutGroups::best_move(bool removal) {
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
void CutGroups::price_removals(const Group& group) {
  const bool loss = p_.metric == Metric::general_loss;
  const Cost own_loss = loss ? loss_of(group) : 0;
  for (int a = 0; a < p_.attributes; ++a) {
    const int code = p_.code(group.first, a), begin = begin_of(a, code);
    if (begin > 0) {
      const int cut = first_cut_[a] + begin - 1, left = begin_of(a, begin - 1);
      const int partner = find_beside(group, a, left);
      const Cost wide =
          loss ? own_loss + p_.loss(a, left, end_of(a, code) - 1) - p_.loss(a, begin, end_of(a, code) - 1) : 0;
      if (partner >= 0) price_merge(cut, groups_[partner], group, wide, own_loss);
      else if (loss) price_label(cut, group, wide, own_loss);
    }
    const int end = end_of(a, code);
    if (loss && end < p_.sizes[a] && find_beside(group, a, end) < 0)
      price_label(first_cut_[a] + end - 1, group,
                  own_loss + p_.loss(a, begin, end_of(a, end) - 1) - p_.loss(a, begin, end - 1), own_loss);
  }
}

void CutGroups::price_label(int cut, const Group& group, Cost wide, Cost own_loss) {
  change_[cut].add(sum_of(group, wide));
  change_[cut].add(sum_of(group, own_loss), -1);
}

void CutGroups::price_merge(int cut, const Group& one, const Group& two, Cost wide, Cost two_loss) {
  for (int l = 0; l < labels_; ++l) side_[l] = one.histogram[l] + two.histogram[l];
  change_[cut].add(sum_of(one.size + two.size, side_.data(), wide, kept_together(one, two)));
  change_[cut].add(sum_of(one, p_.metric == Metric::general_loss ? loss_of(one) : 0), -1);
  change_[cut].add(sum_of(two, two_loss), -1);
}

void CutGroups::price_additions(const Group& group) {
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
void CutGroups::judge_sides(const Group& group, int a, int begin, int end) {
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

void CutGroups::add_code(int code, Count& size, bool& kept) {
  if (at_[code].empty() || (kept && rules_->supersets)) return;
  for (int row : at_[code]) {
    judge_->add(row);
    for (int l = 0; l < labels_; ++l) size += p_.count(row, l);
  }
  kept = size >= k_ && judge_->verdict(size) == Verdict::admitted;
}

CutGroups::Smallest CutGroups::smallest() const {
  Smallest found;
  for (const Group& group : groups_) {
    if (group.size == 0 || (found.size > 0 && group.size > found.size)) continue;
    if (group.size != found.size)
      found = {group.size, std::vector(p_.attributes, std::pair(INT32_MAX, std::int32_t{0}))};
    for (int row = group.first; row >= 0; row = next_[row])
      for (int a = 0; a < p_.attributes; ++a) {
        auto& [first, last] = found.span[a];
        first = std::min(first, p_.code(row, a));
        last = std::max(last, p_.code(row, a));
      }
  }
  return found;
}

Count CutGroups::smallest_kept() const {
  Count least = 0;
  for (const Group& group : groups_)
    if (group.kept && (least == 0 || group.size < least)) least = group.size;
  return least;
}

}  // namespace shoal
