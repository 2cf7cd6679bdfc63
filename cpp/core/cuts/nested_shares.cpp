#include <algorithm>
#include <cmath>

#include "core/base/kernels.h"
#include "core/cuts/nested.h"

// What a row saves, the price of those that are suppressed, and the shares of the attributes: docs/algorithms/exact.md,
// "General loss: nested shortest paths".
namespace shoal {

// What rows cost that are suppressed, and what others save, under the price.
void Nested::charge() {
  fixed_.resize(spans_.count);
  saved_.resize(spans_.count);
  const Cost suppressed = s_.suppressed_cost + price_;
  for (int a = 0; a < spans_.rows; ++a)
    for (int b = spans_.low[a]; b < spans_.high[a]; ++b) {
      const int i = spans_.at(a, b);
      fixed_[i] = suppressed * rows_[i];
      saved_[i] = suppressed - s_.axis_loss(spans_, a, b);
    }
  share_out();
}

void Nested::set_price(Cost price) {
  for (int i = 0; i < spans_.count; ++i)
    if (floor_[i] < kInfinite) floor_[i] += (price - price_) * certain_[i];
  price_ = price;
  owed_ = price * s_.p.limit;
  charge();
}

// The bound is nearly concave in the price: double it while that helps; else halve it until that helps, and while it does.
Cost Nested::find_price(Cost before) {
  // All rows together stay below what counts as infinite.
  const Cost most = (kInfinite / 2 - 1) / std::max<Cost>(s_.total, 1) - s_.suppressed_cost;
  Cost best = 0, bound = least();
  const auto better = [&](Cost price) {
    if (price <= 0 || price > most || bound >= kInfinite) return false;
    set_price(price);
    const Cost found = least();
    if (found <= bound) return false;
    best = price, bound = found;
    return true;
  };
  // Where no price helped above, one that is small is tried.
  const Cost first = before > 0 ? before : before < 0 ? s_.suppressed_cost : s_.suppressed_cost / 8;
  for (bool helps = better(first); helps;) helps = better(2 * best);
  if (best <= first && before != 0)
    for (Cost price = first / 2; price > first / 32 && (better(price) || best == 0);) price /= 2;
  if (price_ != best) set_price(best);
  return best;
}

// What a row saves that loses nothing but its label on the axis is shared out evenly.
void Nested::share_out() {
  const auto n = static_cast<Cost>(attributes_.size());
  for (Attribute& own : attributes_) {
    own.most.resize(spans_.count);
    for (int i = 0; i < spans_.count; ++i) own.most[i] = saved_[i] / n;
    own.stale = true;
  }
  for (int i = 0; i < spans_.count; ++i) attributes_.front().most[i] += saved_[i] % n;
  changed_ = true;
}

// An attribute that releases fewer rows than the others gets more, interval by interval; what raises the value is kept.
void Nested::reshare(int times) {
  if (attributes_.size() < 2) return;
  step_.assign(spans_.count, 0.25);
  for (Attribute& own : attributes_) find_released(own);
  for (int time = 0; time < times; ++time) {
    before_ = values_;
    for (Attribute& own : attributes_) own.before = {own.most, own.gain, own.released};
    for (int i = 0; i < spans_.count; ++i) shift_shares(i);
    for (Attribute& own : attributes_) find_released(own);
    find_values();
    for (int i = 0; i < spans_.count; ++i) {
      if (values_[i] >= before_[i]) continue;
      step_[i] /= 2;
      values_[i] = before_[i];
      for (Attribute& own : attributes_) {
        own.most[i] = own.before.most[i];
        own.gain[i] = own.before.gain[i];
        own.released[i] = own.before.released[i];
      }
    }
  }
  for (Attribute& own : attributes_) own.stale = true;
  changed_ = true;
}

// By real numbers, but products and quotients alone: they are the same on every platform. Any shares give a true bound;
// none is below 0, so that what all attributes save together stays within 64 bits.
void Nested::shift_shares(int i) {
  const auto n = static_cast<double>(attributes_.size());
  double all = 0, furthest = 1;
  for (const Attribute& own : attributes_) all += own.released[i];
  const double mean = std::floor(all / n);
  for (const Attribute& own : attributes_) furthest = std::max(furthest, std::abs(mean - own.released[i]));
  Cost left = saved_[i];
  for (std::size_t b = attributes_.size() - 1; b > 0; --b) {
    Attribute& own = attributes_[b];
    const double by = static_cast<double>(saved_[i]) * step_[i] * ((mean - own.released[i]) / furthest);
    own.most[i] = std::clamp<Cost>(own.most[i] + static_cast<Cost>(by), 0, left);
    left -= own.most[i];
  }
  attributes_.front().most[i] = left;
}

// The best path with the rows that are released along it.
void Nested::find_released(Attribute& own) {
  const int last = static_cast<int>(own.ends.size()) - 1, count = spans_.count;
  own.left.assign(static_cast<std::size_t>(last + 1) * count, kNone);
  std::fill_n(at(own.left, 0), count, 0);
  path_rows_.assign(static_cast<std::size_t>(last + 1) * count, 0);
  for (int c = 0; c < last; ++c) {
    if (own.use[c] == Use::never) continue;
    for (int d = c + 1; d <= own.furthest[c]; ++d)
      if (own.use[d] != Use::never)
        kernels::extend_rows(count, at(own.kept, own.first[c] + d), own.most.data(), own.loss[own.first[c] + d],
                             {at(own.left, c), at(path_rows_, c)}, {at(own.left, d), at(path_rows_, d)});
  }
  own.gain.assign(at(own.left, last), at(own.left, last) + count);
  own.released.assign(at(path_rows_, last), at(path_rows_, last) + count);
  own.stale = false;
}

}  // namespace shoal
