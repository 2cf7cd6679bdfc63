#include "core/cuts/nested_parts.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace shoal {
namespace {

constexpr std::int64_t kMostPieces = 4 << 20;  // of pieces, about 80 bytes each, in one expander
constexpr int kSteps = 3;                      // of the shares

// What is saved is never below 0, and nothing is saved with a part that may not be.
Cost both(Cost one, Cost other) { return one < 0 || other < 0 ? -kInfinite : one + other; }

}  // namespace

bool NestedParts::fits(const Projection& pr, const Moves& moves) {
  std::int64_t parts = 0;
  for (int b = 0; b < static_cast<int>(pr.attributes.size()); ++b) {
    if (!moves.hierarchy(b)) return false;
    parts += moves.hierarchy(b)->count();
  }
  // With no other attribute there is nobody to share what a row saves.
  return pr.parts && !pr.attributes.empty() && parts * pr.parts->count() <= kMostPieces;
}

NestedParts::NestedParts(const Setting& setting, const Head<Metric::general_loss>& head, const Moves& moves)
    : s_(setting), head_(head), groups_(head.groups()), attributes_(setting.pr.attributes.size()) {
  const std::size_t stride = s_.stride;
  std::size_t most = 0;
  for (std::size_t b = 0; b < attributes_.size(); ++b) {
    Attribute& own = attributes_[b];
    own.number = static_cast<int>(b);
    own.tree = moves.hierarchy(own.number);
    own.rows.assign(stride * own.tree->count(), 0);
    for (int part = 0; part < own.tree->count(); ++part) own.move.push_back(moves.opening(own.number, part));
    for (int column = 0; column < s_.pr.columns(); ++column)
      groups_.add_column(column, own.rows.data() + stride * own.tree->value[s_.pr.code(column, own.number)]);
    for (int part = 0; part + 1 < own.tree->count(); ++part) {
      const int around = own.tree->parts[part].parent;
      for (std::size_t e = 0; e < stride; ++e) own.rows[stride * around + e] += own.rows[stride * part + e];
    }
    most = std::max(most, own.tree->parts.size());
  }
  pieces_.resize(most);
  seen_.assign(most, 0);
}

void NestedParts::load(const CutSet& head, const std::vector<int>& open, const Spans& spans) {
  spans_ = &spans;
  fixed_.resize(spans.count);
  shared_.resize(spans.count);
  const auto& whole = groups_.whole();
  for (int b = spans.low[0]; b < spans.high[0]; ++b) {
    fixed_[spans.at(0, b)] = s_.suppressed_cost * whole[b];
    shared_[spans.at(0, b)] = s_.suppressed_cost - s_.axis_loss(spans, 0, b);
  }
  for (Attribute& own : attributes_) {
    set_states(own, head, open);
    count(own);
  }
  share_out();
  if (s_.p.limit > 0 && attributes_.size() > 1) reshare();
}

void NestedParts::set_states(Attribute& own, const CutSet& head, const std::vector<int>& open) {
  own.state.assign(own.tree->count(), State::away);
  for (int part = own.tree->count() - 1; part >= 0; --part) {
    const int around = own.tree->parts[part].parent, move = own.move[part];
    if (around >= 0 && own.state[around] != State::inner && own.state[around] != State::open) continue;
    own.state[part] = move < 0                                             ? State::leaf
                      : head.has(move)                                     ? State::inner
                      : std::binary_search(open.begin(), open.end(), move) ? State::open
                                                                           : State::leaf;
  }
}

void NestedParts::count(Attribute& own) {
  own.kept.assign(static_cast<std::size_t>(own.tree->count()) * spans_->count, 0);
  for (int group = 0; group < groups_.count(); ++group)
    if (groups_.size(groups_.histogram(group)) >= s_.k) count_group(own, group);
  if (s_.limited) forbid(own);
}

// The pieces of a head group: its rows per part that a descendant may have, from the smallest parts up to the head's.
void NestedParts::count_group(Attribute& own, int group) {
  const auto& parts = own.tree->parts;
  present_.clear();
  for (const int column : groups_.columns(group)) {
    int part = own.tree->value[s_.pr.code(column, own.number)];
    while (own.state[part] == State::away) part = parts[part].parent;
    for (int up = part; !seen_[up] && own.state[up] != State::inner; up = parts[up].parent) {
      seen_[up] = 1;
      pieces_[up].assign(s_.stride, 0);
      present_.push_back(up);
      if (parts[up].parent < 0) break;
    }
    groups_.add_column(column, pieces_[part].data());
  }
  std::sort(present_.begin(), present_.end());  // children before parents
  const char* hopeless = head_.judge() ? head_.judge()->hopeless(group) : nullptr;
  for (const int part : present_) {
    const std::vector<Count>& piece = pieces_[part];
    Count* kept = at(own.kept, part) + spans_->offset[0];
    for (int b = spans_->low[0]; b < spans_->high[0]; ++b)
      kept[b] += piece[b] >= s_.k && !(hopeless && hopeless[b]) ? piece[b] : 0;
    const int around = parts[part].parent;
    if (around >= 0 && own.state[around] != State::inner)
      std::transform(piece.begin(), piece.end(), pieces_[around].begin(), pieces_[around].begin(), std::plus<>());
    seen_[part] = 0;
  }
}

// A part is out where the rows that are not kept exceed the limit.
void NestedParts::forbid(Attribute& own) {
  for (int part = 0; part < own.tree->count(); ++part) {
    const Count* rows = own.rows.data() + static_cast<std::size_t>(s_.stride) * part;
    for (int b = spans_->low[0]; b < spans_->high[0]; ++b) {
      Count& kept = at(own.kept, part)[spans_->at(0, b)];
      if (rows[b] - kept > s_.p.limit) kept = -1;
    }
  }
}

// What a row saves that loses nothing but its label on the axis is shared out evenly.
void NestedParts::share_out() {
  const auto n = static_cast<Cost>(attributes_.size());
  for (Attribute& own : attributes_) {
    own.most.resize(spans_->count);
    for (int i = 0; i < spans_->count; ++i) own.most[i] = shared_[i] / n + (own.number == 0 ? shared_[i] % n : 0);
    save(own);
  }
  find_least();
}

// As in nested_shares.cpp: an attribute that releases fewer rows than the mean gets more; what raises the bound is kept.
void NestedParts::reshare() {
  const auto n = static_cast<double>(attributes_.size());
  step_.assign(spans_->count, 0.25);
  for (int time = 0; time < kSteps; ++time) {
    lower_ = least_;
    for (Attribute& own : attributes_) own.before = own.most;
    for (int i = 0; i < spans_->count; ++i) {
      double all = 0, furthest = 1;
      const auto released = [&](const Attribute& own) { return at(own.released, own.tree->count() - 1)[i]; };
      for (const Attribute& own : attributes_) all += released(own);
      const double mean = std::floor(all / n);
      for (const Attribute& own : attributes_) furthest = std::max(furthest, std::abs(mean - released(own)));
      Cost left = shared_[i];
      for (std::size_t b = attributes_.size() - 1; b > 0; --b) {
        Attribute& own = attributes_[b];
        const double by = static_cast<double>(shared_[i]) * step_[i] * ((mean - released(own)) / furthest);
        own.most[i] = std::clamp<Cost>(own.most[i] + static_cast<Cost>(by), 0, left);
        left -= own.most[i];
      }
      attributes_.front().most[i] = left;
    }
    for (Attribute& own : attributes_) save(own);
    find_least();
    bool worse = false;
    for (int i = 0; i < spans_->count; ++i) {
      if (least_[i] >= lower_[i]) continue;
      worse = true;
      step_[i] /= 2;
      for (Attribute& own : attributes_) own.most[i] = own.before[i];
    }
    if (!worse) continue;
    for (Attribute& own : attributes_) save(own);
    find_least();
  }
}

Cost NestedParts::worth(const Attribute& own, int part, int i) const {
  const Count kept = at(own.kept, part)[i];
  const Hierarchy::Part& here = own.tree->parts[part];
  const Cost loss = s_.p.loss(s_.pr.attributes[own.number], here.begin, here.end - 1);
  return kept < 0 ? kNone : kept * std::max<Cost>(own.most[i] - loss, 0);
}

// From the smallest parts up: a part that may be opened saves the better of itself and its children.
void NestedParts::save(Attribute& own) {
  const int count = spans_->count;
  const std::size_t all = static_cast<std::size_t>(own.tree->count()) * count;
  own.saved.assign(all, kNone);
  own.released.assign(all, 0);
  own.inside.assign(all, 0);
  own.held.assign(all, 0);
  for (int part = 0; part < own.tree->count(); ++part) {
    const State state = own.state[part];
    if (state == State::away) continue;
    Cost* saved = at(own.saved, part);
    Count* released = at(own.released, part);
    for (int i = 0; i < count; ++i) {
      if (state != State::inner) {
        saved[i] = worth(own, part, i);
        released[i] = saved[i] > 0 ? at(own.kept, part)[i] : 0;
      }
      if (state == State::leaf || at(own.inside, part)[i] <= saved[i]) continue;
      saved[i] = at(own.inside, part)[i];
      released[i] = at(own.held, part)[i];
    }
    const int around = own.tree->parts[part].parent;
    if (around < 0) continue;
    for (int i = 0; i < count; ++i) {
      at(own.inside, around)[i] = both(at(own.inside, around)[i], saved[i]);
      at(own.held, around)[i] += released[i];
    }
  }
}

void NestedParts::find_least() {
  least_ = fixed_;
  for (Attribute& own : attributes_) {
    const Cost* saved = at(own.saved, own.tree->count() - 1);
    for (int i = 0; i < spans_->count; ++i)
      least_[i] = saved[i] < 0 || least_[i] >= kInfinite ? kInfinite : least_[i] - saved[i];
  }
}

// From the root down: what the parts that do not lie inside a part save, all around it being opened; then the best with it
// opened, and the best with it or a part around it closed.
void NestedParts::find_ways(Attribute& own) {
  const int count = spans_->count;
  const std::size_t all = static_cast<std::size_t>(own.tree->count()) * count;
  own.outside.assign(all, 0);
  own.opened.assign(all, kNone);
  own.closed.assign(all, kNone);
  const auto pass = [&](int child, std::vector<Cost>& others) {  // siblings so far, on one side
    for (int i = 0; i < count; ++i) {
      Cost& outside = at(own.outside, child)[i];
      Cost& siblings = at(others, own.tree->parts[child].parent)[i];
      outside = both(outside, siblings);
      siblings = both(siblings, at(own.saved, child)[i]);
    }
  };
  std::vector<Cost> before(all, 0), after(all, 0);
  for (int part = 0; part + 1 < own.tree->count(); ++part)
    if (own.state[part] != State::away) pass(part, before);
  for (int part = own.tree->count() - 1; part >= 0; --part) {
    if (own.state[part] == State::away) continue;
    const int around = own.tree->parts[part].parent;
    if (around >= 0) pass(part, after);
    for (int i = 0; i < count; ++i) {
      Cost& outside = at(own.outside, part)[i];
      if (around >= 0) outside = both(outside, at(own.outside, around)[i]);
      if (own.state[part] == State::open) at(own.opened, part)[i] = both(outside, at(own.inside, part)[i]);
      Cost& closed = at(own.closed, part)[i];
      if (own.state[part] != State::inner) closed = both(outside, worth(own, part, i));
      if (around >= 0) closed = std::max(closed, at(own.closed, around)[i]);
    }
  }
}

// What descendants pay if an attribute saves something else than its best.
void NestedParts::price(Attribute& own, const Cost* saved, std::vector<Cost>& to) {
  const Cost* best = at(own.saved, own.tree->count() - 1);
  to.resize(spans_->count);
  for (int i = 0; i < spans_->count; ++i)
    to[i] = least_[i] >= kInfinite || saved[i] < 0 ? kInfinite : least_[i] + (best[i] - saved[i]);
}

}  // namespace shoal
