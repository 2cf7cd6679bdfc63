#include "core/cuts/nested.h"

#include <algorithm>

#include "core/base/kernels.h"

namespace shoal {
namespace {

constexpr Cost kNone = -kInfinite;               // of a path that does not exist
constexpr std::int64_t kMostNumbers = 16 << 20;  // of pieces, in one expander

std::int64_t pairs_of(std::int64_t values) { return values * (values + 1) / 2; }

}  // namespace

bool Nested::fits(const Projection& pr) {
  std::int64_t pairs = 0;
  for (std::size_t b = 0; b < pr.attributes.size(); ++b) pairs += pairs_of(pr.size(static_cast<int>(b)));
  return !pr.parts && pairs_of(pr.length) * pairs <= kMostNumbers;
}

Nested::Nested(const Setting& setting, const Head<Metric::general_loss>& head)
    : s_(setting), head_(head), attributes_(setting.pr.attributes.size()) {
  const std::size_t stride = s_.stride;
  for (std::size_t b = 0; b < attributes_.size(); ++b) {
    Attribute& own = attributes_[b];
    const int size = s_.pr.size(static_cast<int>(b));
    own.rows.assign((size + 1) * stride, 0);
    for (int column = 0; column < s_.pr.columns(); ++column)
      head_.groups().add_column(column, own.rows.data() + stride * (s_.pr.code(column, static_cast<int>(b)) + 1));
    for (int code = 1; code <= size; ++code) {
      head_.groups().complete(own.rows.data() + stride * code);
      for (std::size_t i = 0; i < stride; ++i) own.rows[stride * code + i] += own.rows[stride * (code - 1) + i];
    }
  }
}

void Nested::load(const CutSet& head, const std::vector<int>& tail, const Spans& spans,
                  const std::vector<Cost>& floor) {
  spans_ = spans;
  floor_ = floor;
  rows_.resize(spans_.count);
  suppressed_.resize(spans_.count);
  const auto& whole = head_.groups().whole();
  for (int a = 0; a < spans_.rows; ++a)
    for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
      const int i = spans_.at(a, b);
      rows_[i] = whole[b] - whole[a];
      suppressed_[i] = head_.suppressed()[head_.spans().at(a, b)];
    }
  certain_ = suppressed_;
  price_ = owed_ = 0;
  for (std::size_t b = 0; b < attributes_.size(); ++b) {
    set_ends(static_cast<int>(b), head, tail);
    count(static_cast<int>(b));
  }
  charge();
}

void Nested::set_ends(int attribute, const CutSet& head, const std::vector<int>& tail) {
  Attribute& own = attributes_[attribute];
  const int size = s_.pr.size(attribute), first_cut = s_.pr.first_cut[attribute];
  own.ends.assign(1, 0);
  own.names.assign(1, -1);
  own.use.assign(1, Use::always);
  own.segment.assign(size, 0);
  auto next = std::lower_bound(tail.begin(), tail.end(), first_cut);
  for (int code = 1; code < size; ++code) {
    const int cut = first_cut + code - 1;
    const bool open = next != tail.end() && *next == cut;
    if (open) ++next;
    if (open || head.has(cut)) {
      own.ends.push_back(code);
      own.names.push_back(cut);
      own.use.push_back(open ? Use::open : Use::always);
    }
    own.segment[code] = static_cast<int>(own.ends.size()) - 1;
  }
  own.ends.push_back(size);
  own.names.push_back(-1);
  own.use.push_back(Use::always);
  const int last = static_cast<int>(own.ends.size()) - 1;
  own.furthest.assign(last + 1, last);
  for (int c = last - 1; c >= 0; --c) own.furthest[c] = own.use[c + 1] == Use::always ? c + 1 : own.furthest[c + 1];
  own.first.assign(last + 1, 0);
  own.loss.clear();
  for (int c = 0; c < last; ++c) {
    own.first[c] = own.pairs() - (c + 1);
    for (int d = c + 1; d <= own.furthest[c]; ++d)
      own.loss.push_back(s_.p.loss(s_.pr.attributes[attribute], own.ends[c], own.ends[d] - 1));
  }
}

void Nested::count(int attribute) {
  Attribute& own = attributes_[attribute];
  own.kept.assign(static_cast<std::size_t>(own.pairs()) * spans_.count, 0);
  for (int group = 0; group < head_.groups().count(); ++group)
    if (head_.groups().histogram(group)[s_.stride - 1] >= s_.k) count_group(own, attribute, group);
  if (s_.limited) forbid(own);
  for (auto* old : {&own.right, &own.passing, &own.spanning}) old->clear();
  own.stale = true;
}

// The pieces of a head group: its rows below each end of its interval, subtracted two by two.
void Nested::count_group(Attribute& own, int attribute, int group) {
  const HeadGroups& groups = head_.groups();
  const std::size_t stride = s_.stride;
  const auto columns = groups.columns(group);
  const int from = own.segment[groups.intervals().first[attribute][s_.pr.code(columns.front(), attribute)]];
  const int to = own.furthest[from];
  const int* reach = head_.judge() ? head_.judge()->reach(group) : nullptr;
  const kernels::Rows rows{spans_.rows, spans_.low.data(), spans_.high.data(), spans_.offset.data()};
  if (to == from + 1) {
    kernels::keep_pieces(rows, groups.histogram(group), s_.pr.length, s_.k, reach, at(own.kept, own.first[from] + to));
    return;
  }
  histogram_.assign((to - from + 1) * stride, 0);
  for (const int column : columns)
    groups.add_column(column, histogram_.data() + stride * (own.segment[s_.pr.code(column, attribute)] - from + 1));
  for (int end = 1; end <= to - from; ++end) {
    Count* here = histogram_.data() + stride * end;
    groups.complete(here);
    for (std::size_t i = 0; i < stride; ++i) here[i] += here[i - stride];
  }
  piece_.resize(stride);
  for (int c = from; c < to; ++c)
    for (int d = c + 1; d <= to; ++d) {
      const Count *below = histogram_.data() + stride * (c - from), *upto = histogram_.data() + stride * (d - from);
      if (upto[stride - 1] - below[stride - 1] < s_.k) continue;
      for (std::size_t i = 0; i < stride; ++i) piece_[i] = upto[i] - below[i];
      kernels::keep_pieces(rows, piece_.data(), s_.pr.length, s_.k, reach, at(own.kept, own.first[c] + d));
    }
}

// Pairs are out where the rows that are not kept exceed the limit.
void Nested::forbid(Attribute& own) {
  const std::size_t stride = s_.stride;
  for (std::size_t c = 0; c + 1 < own.ends.size(); ++c)
    for (int d = static_cast<int>(c) + 1; d <= own.furthest[c]; ++d) {
      const Count *below = own.rows.data() + stride * own.ends[c], *upto = own.rows.data() + stride * own.ends[d];
      Count* kept = at(own.kept, own.first[c] + d);
      for (int a = 0; a < spans_.rows; ++a)
        for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
          const Count rows = (upto[b] - below[b]) - (upto[a] - below[a]);
          Count& own_kept = kept[spans_.at(a, b)];
          if (rows - own_kept > s_.p.limit) own_kept = -1;
        }
    }
}

void Nested::find_paths(Attribute& own) {
  const int last = static_cast<int>(own.ends.size()) - 1, count = spans_.count;
  own.left.assign(static_cast<std::size_t>(last + 1) * count, kNone);
  std::fill_n(at(own.left, 0), count, 0);
  for (int c = 0; c < last; ++c) {
    if (own.use[c] == Use::never) continue;
    for (int d = c + 1; d <= own.furthest[c]; ++d)
      if (own.use[d] != Use::never)
        kernels::extend(count, at(own.kept, own.first[c] + d), own.most.data(), own.loss[own.first[c] + d],
                        at(own.left, c), at(own.left, d));
  }
  own.gain.assign(at(own.left, last), at(own.left, last) + count);
  if (s_.limited && s_.p.limit > 0) find_most_kept(own);
  own.stale = false;
  own.unseen = true;
}

void Nested::find_right(Attribute& own) {
  const int last = static_cast<int>(own.ends.size()) - 1, count = spans_.count;
  own.right.assign(static_cast<std::size_t>(last + 1) * count, kNone);
  std::fill_n(at(own.right, last), count, 0);
  for (int c = last - 1; c >= 0; --c) {
    if (own.use[c] == Use::never) continue;
    for (int d = c + 1; d <= own.furthest[c]; ++d)
      if (own.use[d] != Use::never)
        kernels::extend(count, at(own.kept, own.first[c] + d), own.most.data(), own.loss[own.first[c] + d],
                        at(own.right, d), at(own.right, c));
  }
}

// The most rows that can be kept: the same path with every saving 1.
void Nested::find_most_kept(Attribute& own) {
  const int last = static_cast<int>(own.ends.size()) - 1, count = spans_.count;
  path_.assign(static_cast<std::size_t>(last + 1) * count, kNone);
  one_.assign(count, 1);
  std::fill_n(at(path_, 0), count, 0);
  for (int c = 0; c < last; ++c) {
    if (own.use[c] == Use::never) continue;
    for (int d = c + 1; d <= own.furthest[c]; ++d)
      if (own.use[d] != Use::never)
        kernels::extend(count, at(own.kept, own.first[c] + d), one_.data(), 0, at(path_, c), at(path_, d));
  }
  own.most_kept.resize(count);
  for (int i = 0; i < count; ++i) own.most_kept[i] = static_cast<Count>(std::max<Cost>(at(path_, last)[i], 0));
}

void Nested::find_values() {
  nested_ = fixed_;
  for (Attribute& own : attributes_) {
    if (own.stale) find_paths(own);
    for (int i = 0; i < spans_.count; ++i) {
      nested_[i] = own.gain[i] < 0 || nested_[i] >= kInfinite ? kInfinite : nested_[i] - own.gain[i];
      if (s_.limited && s_.p.limit > 0) suppressed_[i] = std::max(suppressed_[i], rows_[i] - own.most_kept[i]);
    }
  }
  values_.resize(spans_.count);
  for (int i = 0; i < spans_.count; ++i) {
    values_[i] = std::max(nested_[i], floor_[i]);
    if (values_[i] >= kInfinite / 2 || suppressed_[i] > s_.p.limit) values_[i] = kInfinite;
  }
  changed_ = false;
}

Cost Nested::least() {
  if (changed_) find_values();
  if (s_.limited) {
    cheapest_from_left(spans_, few_, kInfinite,
                       [&](int i) { return values_[i] >= kInfinite ? kInfinite : Cost{suppressed_[i]}; });
    if (few_[spans_.length] > s_.p.limit) return kInfinite;
  }
  cheapest_from_left(spans_, forward_, kInfinite, [&](int i) { return values_[i]; });
  return less_owed(forward_[spans_.length]);
}

bool Nested::narrow(Cost known) {
  known = std::min(known + owed_, kInfinite);
  if (!find_live(known)) return false;
  for (int i = 0; i < spans_.count; ++i)
    if (!live_[i]) values_[i] = floor_[i] = kInfinite;
  if (narrowed_.count * 4 < spans_.count * 3) keep_live();
  return true;
}

// Marks the intervals that stay, and finds their range in each row. After least(), which leaves `forward_` and `few_`.
bool Nested::find_live(Cost known) {
  cheapest_to_right(spans_, backward_, kInfinite, [&](int i) { return values_[i]; });
  if (s_.limited)
    cheapest_to_right(spans_, fewest_, kInfinite,
                      [&](int i) { return values_[i] >= kInfinite ? kInfinite : Cost{suppressed_[i]}; });
  narrowed_ = spans_;
  live_.assign(spans_.count, 0);
  bool any = false;
  for (int a = 0; a < spans_.rows; ++a) {
    narrowed_.low[a] = narrowed_.high[a] = spans_.low[a];
    for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
      const int i = spans_.at(a, b);
      if (forward_[a] + values_[i] + backward_[b] >= known) continue;
      if (s_.limited && few_[a] + suppressed_[i] + fewest_[b] > s_.p.limit) continue;
      if (narrowed_.high[a] == narrowed_.low[a]) narrowed_.low[a] = b;
      narrowed_.high[a] = b + 1;
      live_[i] = any = true;
    }
  }
  narrowed_.index();
  return any;
}

// The arrays shrink in place: an interval never moves to the right.
void Nested::keep_live() {
  std::vector<int> from;
  for (int a = 0; a < spans_.rows; ++a)
    for (int b = narrowed_.low[a]; b < narrowed_.high[a]; ++b) from.push_back(spans_.at(a, b));
  const auto shrink = [&](auto& values) {
    const std::size_t lines = values.size() / spans_.count;
    std::size_t to = 0;
    for (std::size_t line = 0; line < lines; ++line)
      for (const int i : from) values[to++] = values[line * spans_.count + i];
    values.resize(to);
  };
  for (Attribute& own : attributes_) {
    shrink(own.kept);
    shrink(own.left);
    shrink(own.right);
    shrink(own.gain);
    shrink(own.most);
    shrink(own.released);
    shrink(own.passing);
    shrink(own.spanning);
    shrink(own.most_kept);
  }
  shrink(floor_);
  shrink(fixed_);
  shrink(saved_);
  shrink(values_);
  shrink(nested_);
  shrink(rows_);
  shrink(suppressed_);
  std::swap(spans_, narrowed_);
}

std::vector<OpenCut>& Nested::look() {
  cuts_.clear();
  for (Attribute& own : attributes_) {
    if (own.unseen) find_ways(own);
    for (std::size_t end = 1; end + 1 < own.ends.size(); ++end) {
      if (own.use[end] != Use::open) continue;
      OpenCut& found = cuts_.emplace_back(OpenCut{own.names[end]});
      found.useful = s_.may_have_to_suppress() || is_useful(own, static_cast<int>(end));
      found.in = least_with(at(own.passing, static_cast<int>(end)), own.gain);
      found.out = least_with(at(own.spanning, static_cast<int>(end)), own.gain);
    }
  }
  return cuts_;
}

// The best paths that pass an end, and those on which a pair spans it: pairs that begin before it are added end by end.
void Nested::find_ways(Attribute& own) {
  const int last = static_cast<int>(own.ends.size()) - 1, count = spans_.count;
  find_right(own);
  for (auto* ways : {&own.passing, &own.spanning}) ways->assign(static_cast<std::size_t>(last + 1) * count, kNone);
  ways_.assign(static_cast<std::size_t>(last + 1) * count, kNone);
  for (int v = 1; v < last; ++v) {
    if (own.use[v - 1] == Use::always) std::fill(ways_.begin(), ways_.end(), kNone);
    if (own.use[v - 1] != Use::never)
      for (int d = v + 1; d <= own.furthest[v - 1]; ++d)
        if (own.use[d] != Use::never)
          kernels::extend_through(count, at(own.kept, own.first[v - 1] + d), own.most.data(),
                                  own.loss[own.first[v - 1] + d], at(own.left, v - 1), at(own.right, d), at(ways_, d));
    if (own.use[v] != Use::open) continue;
    Cost *passing = at(own.passing, v), *spanning = at(own.spanning, v);
    for (int i = 0; i < count; ++i) passing[i] = at(own.left, v)[i] + at(own.right, v)[i];
    for (int d = v + 1; d <= own.furthest[v]; ++d)
      if (own.use[d] != Use::never) {
        const Cost* way = at(ways_, d);
        for (int i = 0; i < count; ++i) spanning[i] = std::max(spanning[i], way[i]);
      }
  }
  own.unseen = false;
}

// The bound if an attribute saves something else than its best. The floor stays what it is: it does not know what saves.
Cost Nested::least_with(const Cost* saved, const std::vector<Cost>& gain) {
  cheapest_from_left(spans_, forward_, kInfinite, [&](int i) {
    if (values_[i] >= kInfinite || saved[i] < 0) return kInfinite;
    return std::max(floor_[i], nested_[i] + (gain[i] - saved[i]));
  });
  return less_owed(forward_[spans_.length]);
}

// Section 5.3, the strict rule: whether some piece beside the cut is kept in a live interval.
bool Nested::is_useful(const Attribute& own, int end) const {
  int begin = end - 1;
  while (own.use[begin] != Use::always) --begin;
  const Count* before = own.kept.data() + static_cast<std::size_t>(own.first[begin] + end) * spans_.count;
  const Count* after = own.kept.data() + static_cast<std::size_t>(own.first[end] + own.furthest[end]) * spans_.count;
  for (int i = 0; i < spans_.count; ++i)
    if (values_[i] < kInfinite && (before[i] > 0 || after[i] > 0)) return true;
  return false;
}

// Per attribute the cuts of its best path in the interval of the best partition that has most rows. After least().
void Nested::suggest(CutSet& head) {
  cheapest_to_right(spans_, backward_, kInfinite, [&](int i) { return values_[i]; });
  int largest = -1;
  for (int a = 0, next = 0; a < spans_.length; a = next) {
    int chosen = -1;
    spans_.beginning_at(a, [&](int b, int i) {
      if (chosen < 0 && values_[i] + backward_[b] == backward_[a]) chosen = i, next = b;
    });
    if (chosen < 0) return;
    if (largest < 0 || rows_[chosen] > rows_[largest]) largest = chosen;
  }
  for (Attribute& own : attributes_) {
    if (own.unseen) find_ways(own);
    const int last = static_cast<int>(own.ends.size()) - 1;
    for (int v = 1; v < last; ++v)
      if (own.use[v] == Use::open && at(own.left, v)[largest] + at(own.right, v)[largest] == own.gain[largest])
        head.add(own.names[v]);
  }
}

void Nested::drop(int cut) {
  for (Attribute& own : attributes_)
    for (std::size_t end = 0; end < own.ends.size(); ++end)
      if (own.names[end] == cut) own.use[end] = Use::never, own.stale = changed_ = true;
}

}  // namespace shoal
