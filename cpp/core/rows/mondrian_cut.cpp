#include "core/rows/mondrian_cut.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shoal {

MondrianRows::MondrianRows(const MondrianProblem& problem) : attributes(problem.attributes.size()) {
  for (std::size_t row = 0; row < problem.counts.size(); ++row) {
    if (problem.counts[row] == 0) continue;
    const auto first = problem.codes.begin() + static_cast<std::ptrdiff_t>(row * attributes);
    codes.insert(codes.end(), first, first + static_cast<std::ptrdiff_t>(attributes));
    counts.push_back(problem.counts[row]);
    index.push_back(static_cast<std::int32_t>(row));
  }
}

// ---- what a group would lose ---------------------------------------------------------------------------------
MondrianLoss::MondrianLoss(const MondrianProblem& problem)
    : p_(problem), labels_(p_.counts.empty() ? 0 : p_.labels.size() / p_.counts.size()) {
  if (p_.choice != MondrianProblem::Choice::cost) return;
  const std::size_t attributes = p_.attributes.size();
  first_.resize(attributes);
  least_.resize(attributes);
  greatest_.resize(attributes);
  steps_.resize(attributes);
  seen_.resize(attributes);
  for (std::size_t a = 0; a < attributes; ++a) {
    const MondrianAttribute& attribute = p_.attributes[a];
    if (attribute.kind == MondrianAttribute::Kind::interval) continue;
    (attribute.kind == MondrianAttribute::Kind::set ? sets_ : nodes_).push_back(a);
    if (attribute.kind == MondrianAttribute::Kind::set) seen_[a].resize(attribute.size);
  }
}

void MondrianLoss::clear() {
  rows_ = 0;
  ++turn_;
  std::fill(labels_.begin(), labels_.end(), 0);
}

void MondrianLoss::add(const MondrianRows& rows, std::size_t at) {
  if (p_.choice == MondrianProblem::Choice::gain) {
    const Count* labels = p_.labels.data() + static_cast<std::size_t>(rows.index[at]) * labels_.size();
    for (std::size_t label = 0; label < labels_.size(); ++label) labels_[label] += labels[label];
  } else {
    widen(rows.row(at));
  }
  rows_ += rows.counts[at];
}

void MondrianLoss::widen(const std::int32_t* codes) {
  const std::size_t attributes = first_.size();
  if (rows_ == 0) {
    std::copy_n(codes, attributes, first_.begin());
    least_ = greatest_ = first_;
    std::fill(steps_.begin(), steps_.end(), 0);
  }
  for (std::size_t a = 0; a < attributes; ++a) {
    least_[a] = std::min(least_[a], codes[a]);
    greatest_[a] = std::max(greatest_[a], codes[a]);
  }
  for (const std::size_t a : sets_) {
    std::uint32_t& seen = seen_[a][codes[a]];
    steps_[a] += seen != turn_;
    seen = turn_;
  }
  for (const std::size_t a : nodes_) {
    const auto& parts = p_.attributes[a].parts;
    while (parts[steps_[a]][codes[a]] != parts[steps_[a]][first_[a]]) ++steps_[a];
  }
}

double MondrianLoss::width(std::size_t attribute) const {
  const MondrianAttribute& a = p_.attributes[attribute];
  switch (a.kind) {
    case MondrianAttribute::Kind::interval: return a.positions[greatest_[attribute]] - a.positions[least_[attribute]];
    case MondrianAttribute::Kind::set: return a.step * (steps_[attribute] - 1);
    case MondrianAttribute::Kind::node:
      return a.widths[steps_[attribute]][a.parts[steps_[attribute]][first_[attribute]]];
  }
  return 0;
}

double MondrianLoss::value() const {
  if (p_.choice == MondrianProblem::Choice::cost) {
    double sum = 0;
    for (std::size_t a = 0; a < first_.size(); ++a) sum += width(a);
    return rows_ * sum;
  }
  const auto weighed = [](double count) { return count > 0 ? count * std::log2(count) : 0; };
  double bits = weighed(rows_);
  for (const std::int64_t count : labels_) bits -= weighed(static_cast<double>(count));
  return bits;
}

// ---- cuts ------------------------------------------------------------------------------------------------------
MondrianCutter::MondrianCutter(const MondrianProblem& problem, MondrianRows& rows, const Watch& watch)
    : p_(problem), rows_(rows), watch_(watch), loss_(problem), levels_(problem.attributes.size()) {
  if (p_.privacy) judge_.emplace(*p_.privacy);
  for (const MondrianAttribute& attribute : p_.attributes)
    seen_.emplace_back(attribute.kind == MondrianAttribute::Kind::set ? attribute.size : 0, 0);
}

bool MondrianCutter::admitted(const MondrianGroup& group) {
  group_ = group;
  order_.resize(size());
  std::iota(order_.begin(), order_.end(), 0U);
  return admitted(0, size(), group.rows);
}

// Whether some sorted rows may be released together.
bool MondrianCutter::admitted(std::size_t from, std::size_t to, Count rows) {
  if (rows < p_.k) return false;
  if (!judge_) return true;
  judge_->clear();
  for (std::size_t i = from; i < to; ++i) judge_->add(rows_.index[place(i)]);
  return judge_->verdict(rows) == Verdict::admitted;
}

const std::vector<MondrianGroup>& MondrianCutter::cut(const MondrianGroup& group) {
  const std::size_t candidates = begin(group);
  std::optional<Cut> best;
  for (std::size_t candidate = 0; candidate < candidates; ++candidate) {
    if (size() > kLong && watch_.stopped()) return sides_;
    const std::optional<Cut> found = find_candidate(candidate);
    if (found && (!best || found->better(*best))) best = found;
    if (best && p_.choice == MondrianProblem::Choice::width) break;
  }
  if (best) divide(*best);
  return sides_;
}

// The attributes with more than one value, the widest first.
void MondrianCutter::measure() {
  const std::size_t attributes = rows_.attributes;
  for (std::size_t a = 0; a < attributes; ++a) {
    const MondrianAttribute& attribute = p_.attributes[a];
    const std::int32_t first = rows_.code(group_.begin, a);
    double width = -1;
    if (attribute.kind == MondrianAttribute::Kind::interval) {
      std::int32_t least = first, greatest = first;
      for (const std::int32_t *code = rows_.row(group_.begin) + a, *end = rows_.row(group_.end); code < end;
           code += attributes) {
        least = std::min(least, *code);
        greatest = std::max(greatest, *code);
      }
      if (least < greatest) width = attribute.positions[greatest] - attribute.positions[least];
    } else if (attribute.kind == MondrianAttribute::Kind::set) {
      std::uint32_t* seen = seen_[a].data();
      std::int32_t distinct = 0;
      ++turn_;
      for (const std::int32_t *code = rows_.row(group_.begin) + a, *end = rows_.row(group_.end); code < end;
           code += attributes) {
        distinct += seen[*code] != turn_;
        seen[*code] = turn_;
      }
      if (distinct > 1) width = attribute.step * (distinct - 1);
    } else {
      std::size_t level = 0;
      for (const std::int32_t *code = rows_.row(group_.begin) + a, *end = rows_.row(group_.end); code < end;
           code += attributes)
        while (attribute.parts[level][*code] != attribute.parts[level][first]) ++level;
      levels_[a] = level;
      if (level > 0) width = attribute.widths[level][attribute.parts[level][first]];
    }
    if (width >= 0) candidates_.emplace_back(width, a);
  }
  std::sort(candidates_.begin(), candidates_.end(),
            [](const auto& x, const auto& y) { return x.first != y.first ? x.first > y.first : x.second < y.second; });
}

// Values of a set have no order that a reader would see: the most frequent ones come first, so that a median cut leaves
// few values on one side. (On Adult with k = 10 their order in the domain costs 8 % more NCP.)
void MondrianCutter::rank_by_frequency(std::int32_t size) {
  frequency_.resize(std::max(frequency_.size(), static_cast<std::size_t>(size)), 0);
  present_.clear();
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    Count& rows = frequency_[keys_[i]];
    if (rows == 0) present_.push_back(keys_[i]);
    rows += rows_.counts[group_.begin + i];
  }
  std::sort(present_.begin(), present_.end(), [&](std::int32_t x, std::int32_t y) {
    return frequency_[x] != frequency_[y] ? frequency_[x] > frequency_[y] : x < y;
  });
  for (std::size_t i = 0; i < present_.size(); ++i) frequency_[present_[i]] = static_cast<Count>(i);
  for (std::int32_t& key : keys_) key = frequency_[key];
  for (const std::int32_t code : present_) frequency_[code] = 0;
}

// Sorts the rows by their codes, by how frequent those are, or by the children of their node; rows that are equal there
// keep their order.
void MondrianCutter::sort(std::size_t attribute) {
  const MondrianAttribute& a = p_.attributes[attribute];
  const std::size_t count = size();
  keys_.resize(count);
  order_.resize(count);
  for (std::size_t i = 0; i < count; ++i) keys_[i] = rows_.code(group_.begin + i, attribute);
  if (a.kind == MondrianAttribute::Kind::set) rank_by_frequency(a.size);
  if (a.kind == MondrianAttribute::Kind::node)
    for (std::int32_t& key : keys_) key = a.parts[levels_[attribute] - 1][key];
  const auto [low, high] = std::minmax_element(keys_.begin(), keys_.end());
  const std::int32_t least = *low;
  const std::size_t span = static_cast<std::size_t>(*high - least) + 1;
  if (span <= 2 * count) {
    starts_.assign(span + 1, 0);
    for (const std::int32_t key : keys_) ++starts_[key - least + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    for (std::size_t i = 0; i < count; ++i) order_[starts_[keys_[i] - least]++] = static_cast<std::uint32_t>(i);
  } else {
    sorted_.resize(count);
    for (std::size_t i = 0; i < count; ++i) sorted_[i] = static_cast<std::uint64_t>(keys_[i]) << 32 | i;
    std::sort(sorted_.begin(), sorted_.end());
    for (std::size_t i = 0; i < count; ++i) order_[i] = static_cast<std::uint32_t>(sorted_[i]);
  }
}

std::optional<MondrianCutter::Cut> MondrianCutter::find_ordered(std::size_t attribute) {
  sort(attribute);
  marks_.clear();
  Count left = 0;
  for (std::size_t i = 1; i < size(); ++i) {
    left += rows_.counts[place(i - 1)];
    if (group_.rows - left < p_.k) break;
    if (left >= p_.k && (p_.relaxed || keys_[order_[i - 1]] != keys_[order_[i]])) marks_.push_back({i, left, 0});
  }
  if (marks_.empty()) return std::nullopt;
  if (p_.choice != MondrianProblem::Choice::width) {
    keep_admitted();
    price();
  } else if (const Mark& middle = *nearest();
             !admitted(0, middle.at, middle.left) || !admitted(middle.at, size(), group_.rows - middle.left)) {
    keep_admitted();
  }
  if (marks_.empty()) return std::nullopt;
  const Mark& best = *nearest();
  return Cut{attribute, best.at, best.loss, std::abs(2 * best.left - group_.rows)};
}

// The mark of least loss; of equal ones that next to the median, and of two of those the lower one.
std::vector<MondrianCutter::Mark>::const_iterator MondrianCutter::nearest() const {
  return std::min_element(marks_.begin(), marks_.end(), [&](const Mark& x, const Mark& y) {
    return std::pair(x.loss, std::abs(2 * x.left - group_.rows)) <
           std::pair(y.loss, std::abs(2 * y.left - group_.rows));
  });
}

// Marks with two admitted sides: one sweep for the first sides and one back for the others.
void MondrianCutter::keep_admitted() {
  if (!judge_) return;
  std::vector<char> kept(marks_.size());
  judge_->clear();
  bool all = false;  // what contains an admitted side is admitted, if the rules are like that
  std::size_t next = 0;
  for (std::size_t m = 0; m < marks_.size(); ++m) {
    for (; next < marks_[m].at; ++next) judge_->add(rows_.index[place(next)]);
    kept[m] = all || judge_->verdict(marks_[m].left) == Verdict::admitted;
    all = kept[m] && p_.privacy->supersets;
  }
  judge_->clear();
  all = false;
  next = size();
  for (std::size_t m = marks_.size(); m-- > 0;) {
    for (; next > marks_[m].at; --next) judge_->add(rows_.index[place(next - 1)]);
    const bool admits = all || judge_->verdict(group_.rows - marks_[m].left) == Verdict::admitted;
    kept[m] = kept[m] && admits;
    all = admits && p_.privacy->supersets;
  }
  std::size_t left = 0;
  for (std::size_t m = 0; m < marks_.size(); ++m)
    if (kept[m]) marks_[left++] = marks_[m];
  marks_.resize(left);
}

// What both sides of each mark lose.
void MondrianCutter::price() {
  loss_.clear();
  std::size_t next = 0;
  for (Mark& mark : marks_) {
    for (; next < mark.at; ++next) loss_.add(rows_, place(next));
    mark.loss = loss_.value();
  }
  loss_.clear();
  next = size();
  for (std::size_t m = marks_.size(); m-- > 0;) {
    for (; next > marks_[m].at; --next) loss_.add(rows_, place(next - 1));
    marks_[m].loss += loss_.value();
  }
}

// A node is cut into its children. Strict: all of them must be admitted. Relaxed: those that are not stay together on
// the node, as a side of its own.
std::optional<MondrianCutter::Cut> MondrianCutter::find_node(std::size_t attribute) {
  sort(attribute);
  runs_.clear();
  for (std::size_t i = 0; i < size(); ++i) {
    if (i == 0 || keys_[order_[i - 1]] != keys_[order_[i]]) runs_.emplace_back(i, 0);
    runs_.back().first = i + 1;
    runs_.back().second += rows_.counts[place(i)];
  }
  const std::size_t sides = pool(side_of_run_);
  if (sides < 2) return std::nullopt;
  std::vector<Count> counts(sides);
  for (std::size_t run = 0; run < runs_.size(); ++run) counts[side_of_run_[run]] += runs_[run].second;
  Cut cut{attribute, 0, 0, std::abs(2 * *std::max_element(counts.begin(), counts.end()) - group_.rows)};
  if (p_.choice == MondrianProblem::Choice::width) return cut;
  for (std::size_t side = 0; side < sides; ++side) {
    loss_.clear();
    for (std::size_t run = 0, from = 0; run < runs_.size(); from = runs_[run++].first)
      if (side_of_run_[run] == side)
        for (std::size_t i = from; i < runs_[run].first; ++i) loss_.add(rows_, place(i));
    cut.loss += loss_.value();
  }
  return cut;
}

// The side of each child, and how many sides there are; fewer than two if the cut is not allowable.
std::size_t MondrianCutter::pool(std::vector<std::size_t>& side_of_run) {
  constexpr std::size_t kPooled = 0;
  side_of_run.assign(runs_.size(), kPooled);
  std::vector<std::size_t> alone;
  for (std::size_t run = 0, from = 0; run < runs_.size(); from = runs_[run++].first)
    if (admitted(from, runs_[run].first, runs_[run].second)) alone.push_back(run);
    else if (!p_.relaxed) return 0;
  const auto pooled_admitted = [&] {
    Count rows = 0;
    if (judge_) judge_->clear();
    for (std::size_t run = 0, from = 0; run < runs_.size(); from = runs_[run++].first) {
      if (side_of_run[run] != kPooled) continue;
      rows += runs_[run].second;
      for (std::size_t i = from; judge_ && i < runs_[run].first; ++i) judge_->add(rows_.index[place(i)]);
    }
    return rows == 0 || (rows >= p_.k && (!judge_ || judge_->verdict(rows) == Verdict::admitted));
  };
  // The smallest join the pool until it is admitted.
  std::stable_sort(alone.begin(), alone.end(),
                   [&](std::size_t x, std::size_t y) { return runs_[x].second > runs_[y].second; });
  for (const std::size_t run : alone) side_of_run[run] = 1 + run;
  while (!pooled_admitted()) {
    if (alone.empty()) return 0;
    side_of_run[alone.back()] = kPooled;
    alone.pop_back();
  }
  // Sides are numbered in the order of their first children.
  std::vector<std::size_t> number(runs_.size() + 1, runs_.size());
  std::size_t sides = 0;
  for (std::size_t& side : side_of_run) {
    if (number[side] == runs_.size()) number[side] = sides++;
    side = number[side];
  }
  return sides;
}

const std::vector<MondrianGroup>& MondrianCutter::divide(const Cut& cut) {
  if (p_.choice != MondrianProblem::Choice::width) find(cut.attribute);  // sorted again; the same cut is found
  const std::size_t count = size();
  side_.resize(count);
  std::size_t sides = 2;
  if (is_node(cut.attribute)) {
    sides = 1 + *std::max_element(side_of_run_.begin(), side_of_run_.end());
    for (std::size_t run = 0, from = 0; run < runs_.size(); from = runs_[run++].first)
      for (std::size_t i = from; i < runs_[run].first; ++i)
        side_[order_[i]] = static_cast<std::uint32_t>(side_of_run_[run]);
  } else {
    for (std::size_t i = 0; i < count; ++i) side_[order_[i]] = i >= cut.at;
  }
  sides_.assign(sides, {});
  for (std::size_t i = 0; i < count; ++i) {
    ++sides_[side_[i]].end;
    sides_[side_[i]].rows += rows_.counts[group_.begin + i];
  }
  std::size_t begin = group_.begin;
  for (MondrianGroup& side : sides_) {
    side.begin = begin;
    begin += std::exchange(side.end, begin);
  }
  const std::size_t attributes = rows_.attributes;
  moved_codes_.resize(count * attributes);
  moved_index_.resize(count);
  moved_counts_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t to = sides_[side_[i]].end++ - group_.begin;
    std::copy_n(rows_.row(group_.begin + i), attributes,
                moved_codes_.begin() + static_cast<std::ptrdiff_t>(to * attributes));
    moved_index_[to] = rows_.index[group_.begin + i];
    moved_counts_[to] = rows_.counts[group_.begin + i];
  }
  std::copy_n(moved_codes_.begin(), count * attributes,
              rows_.codes.begin() + static_cast<std::ptrdiff_t>(group_.begin * attributes));
  std::copy_n(moved_index_.begin(), count, rows_.index.begin() + static_cast<std::ptrdiff_t>(group_.begin));
  std::copy_n(moved_counts_.begin(), count, rows_.counts.begin() + static_cast<std::ptrdiff_t>(group_.begin));
  return sides_;
}

}  // namespace shoal
