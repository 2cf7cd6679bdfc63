#include "core/privacy/giving_up.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace shoal {
namespace {

constexpr std::size_t kMostLabels = std::size_t{1} << 20;  // some 50 MB; beyond it the best that was met is the answer
constexpr std::size_t kCore = 40;                          // offers that a first answer chooses from
constexpr int kSteps = 24;                                 // of each bisection for a multiplier
constexpr double kSlack = 1e-9;                            // relative; rounding is below 1e-11

struct Multipliers {
  double risk = 0, rows = 0;  // what one of excess and one suppressed row cost
};

class Chooser {
 public:
  Chooser(const Spans& spans, const std::vector<Cost>& cost, const std::vector<Count>& suppressed,
          const std::vector<Cost>& excess, const Offers& offers, Count limit, Cost known, bool is_core = false)
      : spans_(spans), cost_(cost), suppressed_(suppressed), excess_(excess), offers_(offers),
        limited_(limit != kAnyNumber), limit_(limited_ ? limit : 0), known_(known), is_core_(is_core) {}

  GivenUp run() {
    to_right(fewest_, kInfinite, [&](int i) { return rows_of(i); });
    to_right(safest_, kInfinite, [&](int i) { return least_excess(i); });
    to_right(riskiest_, kInfinite, [&](int i) { return -excess_[i]; });
    if (fewest_[0] > limit_ || safest_[0] > 0) return {};
    find_multipliers();
    if (dual_ >= static_cast<double>(known_)) return {};
    greedy();
    search();
    return std::move(best_);
  }

 private:
  struct Label {
    Cost cost;
    Count rows;
    Cost excess;
    int position, parent;
    int first, last;  // offers that it takes more than its parent
  };
  struct Path {
    double value = 0;  // of the relaxed problem
    Cost excess = 0, rows = 0;
    bool is_found = false;
  };

  // The least sum of `value` over partitions of what is to the right, by intervals that are not out.
  template <class Number, class Value>
  void to_right(std::vector<Number>& least, Number none, const Value& value) const {
    least.assign(spans_.length + 1, none);
    least[spans_.length] = 0;
    for (int a = spans_.length - 1; a >= 0; --a)
      spans_.beginning_at(a, [&](int b, int i) {
        if (cost_[i] < kInfinite && least[b] < none) least[a] = std::min(least[a], value(i) + least[b]);
      });
  }
  Cost rows_of(int i) const { return limited_ ? suppressed_[i] : 0; }
  Cost rows_of(const Offer& offer) const { return limited_ ? offer.rows : 0; }
  Cost least_excess(int i) const {
    Cost least = excess_[i];
    for (int o = offers_.first[i]; o < offers_.first[i + 1]; ++o) least -= offers_.all[o].gain;
    return least;
  }
  static double reduced(const Offer& offer, const Multipliers& by) {
    return static_cast<double>(offer.price) - by.risk * static_cast<double>(offer.gain) + by.rows * offer.rows;
  }

  // ---- the relaxed problem: excess and rows have a price in place of a limit --------------------------------
  // Every offer that pays for itself is taken, and the partition is a shortest path.
  Path relaxed(const Multipliers& by, std::vector<int>* way = nullptr) {
    struct Step {
      int from = -1, interval = -1;
      Path path;
    };
    std::vector<Step> steps(spans_.length + 1);
    steps[0].path.is_found = true;
    largest_ = 0;
    for (int a = 0; a < spans_.length; ++a) {
      if (!steps[a].path.is_found) continue;
      spans_.beginning_at(a, [&](int b, int i) {
        if (cost_[i] >= kInfinite) return;
        Path path = steps[a].path;
        Cost excess = excess_[i], rows = rows_of(i);
        double value =
            static_cast<double>(cost_[i]) + by.risk * static_cast<double>(excess) + by.rows * static_cast<double>(rows);
        double size = static_cast<double>(cost_[i]) + by.risk * std::abs(static_cast<double>(excess)) +
                      by.rows * static_cast<double>(rows);
        for (int o = offers_.first[i]; o < offers_.first[i + 1]; ++o) {
          const double change = reduced(offers_.all[o], by);
          if (change >= 0) continue;
          value += change;
          size -= change;
          excess -= offers_.all[o].gain;
          rows += rows_of(offers_.all[o]);
        }
        largest_ = std::max(largest_, size);
        path.value += value;
        path.excess += excess;
        path.rows += rows;
        if (!steps[b].path.is_found || path.value < steps[b].path.value) steps[b] = {a, i, path};
      });
    }
    Path whole = steps[spans_.length].path;
    const double allowed = by.rows * static_cast<double>(limit_);
    slack_ = kSlack * (largest_ * spans_.length + allowed);
    whole.value -= allowed + slack_;
    if (whole.value > dual_) dual_ = whole.value, by_ = by;
    if (way)
      for (int b = spans_.length; b > 0; b = steps[b].from) way->push_back(steps[b].interval);
    return whole;
  }

  // The dual is concave in either multiplier, and what the relaxed answer has too much of is its slope.
  void find_multipliers() {
    Multipliers by;
    Path at = best_risk(by);
    if (!limited_ || at.rows <= limit_) return;
    const auto climb = [&](double rows) {
      by.rows = rows;
      at = best_risk(by);
      return at.rows > limit_ && !hopeless();
    };
    double low = 0, high = 1;
    for (const Offer& offer : offers_.all) high = std::max(high, static_cast<double>(offer.price) / offer.rows / 1024);
    for (int step = 0; step < kSteps && climb(high); ++step) low = high, high *= 8;
    for (int step = 0; step < kSteps && !hopeless(); ++step) {
      const double middle = (low + high) / 2;
      (climb(middle) ? low : high) = middle;
    }
  }
  bool hopeless() const { return dual_ >= static_cast<double>(known_); }

  // The best price of risk for a price of rows, and the relaxed answer on its safe side.
  Path best_risk(Multipliers& by) {
    by.risk = 0;
    Path safe = relaxed(by);
    if (safe.excess <= 0) return safe;
    double low = 0, high = 1e-12;
    for (const Offer& offer : offers_.all)
      high = std::max(
          high, (static_cast<double>(offer.price) + by.rows * offer.rows) / static_cast<double>(offer.gain) / 1e6);
    for (int step = 0; step < 2 * kSteps && !hopeless(); ++step) {
      by.risk = high;
      safe = relaxed(by);
      if (safe.excess <= 0) break;
      low = high;
      high *= 8;
    }
    for (int step = 0; step < kSteps && safe.excess <= 0 && !hopeless(); ++step) {
      by.risk = (low + high) / 2;
      const Path tried = relaxed(by);
      if (tried.excess <= 0) safe = tried, high = by.risk;
      else low = by.risk;
    }
    return safe;
  }

  // ---- a first answer: on the relaxed path what pays best, until the excess is gone -------------------------
  void greedy() {
    std::vector<int> way;
    relaxed(by_, &way);
    Cost cost = 0, excess = 0, rows = 0;
    std::vector<int> order;
    std::vector<std::int32_t> cuts;
    for (std::size_t at = way.size(); at-- > 1;) cuts.push_back(end_of(way[at]));
    for (int i : way) {
      cost += cost_[i];
      excess += excess_[i];
      rows += rows_of(i);
      for (int o = offers_.first[i]; o < offers_.first[i + 1]; ++o) order.push_back(o);
    }
    for (bool by_rows : {false, true}) {
      std::stable_sort(order.begin(), order.end(), [&](int x, int y) {
        return by_rows ? offers_.all[x] < offers_.all[y] : reduced(offers_.all[x], by_) < reduced(offers_.all[y], by_);
      });
      GivenUp choice;
      choice.partition.cost = cost;
      Cost left = excess, lost = rows;
      for (std::size_t at = 0; at < order.size() && left > 0; ++at) {
        const Offer& offer = offers_.all[order[at]];
        left -= offer.gain;
        lost += rows_of(offer);
        choice.partition.cost += offer.price;
        choice.rows += offer.rows;
        choice.numbers.push_back(offer.number);
      }
      if (left > 0 || lost > limit_ || choice.partition.cost >= std::min(known_, best_.partition.cost)) continue;
      choice.partition.cuts = cuts;
      best_ = std::move(choice);
    }
    if (!is_core_ && order.size() > kCore) try_core(order, cuts, cost, excess, rows);
  }

  // A better first answer, which leaves little to look at: the offers that are nearly worth their price are chosen from
  // exactly, all others are taken or left as the multipliers say.
  void try_core(std::vector<int>& order, const std::vector<std::int32_t>& cuts, Cost cost, Cost excess, Cost rows) {
    std::nth_element(order.begin(), order.begin() + kCore, order.end(), [&](int x, int y) {
      return std::abs(reduced(offers_.all[x], by_)) < std::abs(reduced(offers_.all[y], by_));
    });
    GivenUp choice;
    for (std::size_t at = kCore; at < order.size(); ++at) {
      const Offer& offer = offers_.all[order[at]];
      if (reduced(offer, by_) >= 0) continue;
      cost += offer.price;
      excess -= offer.gain;
      rows += rows_of(offer);
      choice.rows += offer.rows;
      choice.numbers.push_back(offer.number);
    }
    if (rows > limit_) return;
    Spans one;
    one.all(1);
    Offers core{{0, static_cast<int>(kCore)}, {}};
    for (std::size_t at = 0; at < kCore; ++at) core.all.push_back(offers_.all[order[at]]);
    std::sort(core.all.begin(), core.all.end());
    const Cost known = std::min(known_, best_.partition.cost);
    const std::vector<Cost> costs{cost}, excesses{excess};
    const std::vector<Count> none{0};
    GivenUp more = Chooser(one, costs, none, excesses, core, limited_ ? static_cast<Count>(limit_ - rows) : kAnyNumber,
                           known, true)
                       .run();
    if (more.partition.cost >= known) return;
    more.numbers.insert(more.numbers.end(), choice.numbers.begin(), choice.numbers.end());
    more.rows += choice.rows;
    more.partition.cuts = cuts;
    more.unsettled = kInfinite;
    best_ = std::move(more);
  }
  int end_of(int interval) const {
    for (int row = 0; row < spans_.rows; ++row)
      if (const int entry = interval - spans_.offset[row]; entry >= spans_.low[row] && entry < spans_.high[row])
        return spans_.interval(row, entry).end;
    return 0;
  }

  // ---- the answer: what was spent so far, as long as it may become the cheapest ----------------------------
  void search() {
    most_ = static_cast<double>(std::min(known_ - 1, best_.partition.cost));
    to_right(rest_, 1e300, [&](int i) { return reduced(i); });
    labels_ = {{0, 0, 0, 0, -1, 0, 0}};
    std::vector<std::vector<int>> at(spans_.length + 1);
    at[0] = {0};
    bool settled = true;
    for (int a = 0; a < spans_.length && settled; ++a) {
      if (a > 0) keep_undominated(at[a]);
      spans_.beginning_at(a, [&](int b, int i) {
        if (cost_[i] >= kInfinite || !settled) return;
        std::vector<int> fresh = extend(at[a], b, i);
        at[b].insert(at[b].end(), fresh.begin(), fresh.end());
        settled = labels_.size() < kMostLabels;
      });
      at[a].clear();
    }
    if (!settled) {
      best_.unsettled = std::min(static_cast<Cost>(std::ceil(std::max(0.0, dual_))), best_.partition.cost);
      return;
    }
    keep_undominated(at[spans_.length]);
    best_ = {};
    if (at[spans_.length].empty()) return;
    take(at[spans_.length].front());  // the cheapest of them: they are sorted
  }

  double reduced(int i) const {
    double value = static_cast<double>(cost_[i]) + by_.risk * static_cast<double>(excess_[i]) +
                   by_.rows * static_cast<double>(rows_of(i));
    for (int o = offers_.first[i]; o < offers_.first[i + 1]; ++o) value += std::min(0.0, reduced(offers_.all[o], by_));
    return value;
  }

  // The labels at the end of an interval, from those at its beginning: size by size, the cheapest of a size first.
  std::vector<int> extend(const std::vector<int>& from, int b, int i) {
    const int begin = offers_.first[i], end = offers_.first[i + 1];
    double open = 0;  // what the offers not looked at yet can gain
    for (int o = begin; o < end; ++o) open += std::min(0.0, reduced(offers_.all[o], by_));
    std::vector<int> now;
    for (int id : from) {
      const Label last = labels_[id];
      add(now,
          {last.cost + cost_[i], static_cast<Count>(last.rows + rows_of(i)), last.excess + excess_[i], b, id, 0, 0},
          open);
    }
    // If the price grows with the size, the smallest are the ones to give up, whatever their number.
    const bool chain = std::is_sorted(offers_.all.begin() + begin, offers_.all.begin() + end,
                                      [](const Offer& x, const Offer& y) { return x.price < y.price; });
    for (int o = begin, next; o < end && !now.empty() && labels_.size() < kMostLabels; o = next) {
      next = chain ? end : o;
      while (next < end && offers_.all[next].rows == offers_.all[o].rows) ++next;
      for (int each = o; each < next; ++each) open -= std::min(0.0, reduced(offers_.all[each], by_));
      const std::vector<int> before = std::move(now);
      now.clear();
      for (int id : before) {
        Label label = labels_[id];
        now.push_back(id);
        label.parent = id;
        for (int taken = o; taken < next; ++taken) {
          const Offer& offer = offers_.all[taken];
          label.cost += offer.price;
          label.rows += static_cast<Count>(rows_of(offer));
          label.excess -= offer.gain;
          label.first = o;
          label.last = taken + 1;
          if (label.rows + fewest_[b] > limit_) break;
          const bool is_kept = add(now, label, open);
          if (label.excess <= riskiest_[b]) break;  // it is safe whatever comes
          if (!is_kept && !chain && reduced(offer, by_) >= 0) break;
        }
      }
      std::erase_if(now, [&](int id) { return !may_win(labels_[id], open); });
      keep_undominated(now);
    }
    std::erase_if(now, [&](int id) { return labels_[id].excess + safest_[b] > 0; });
    return now;
  }

  double bound_of(const Label& label, double open) const {
    return static_cast<double>(label.cost) + by_.risk * static_cast<double>(label.excess) +
           by_.rows * static_cast<double>(label.rows - limit_) + open + rest_[label.position] - slack_;
  }
  bool may_win(const Label& label, double open) const {
    return label.rows + fewest_[label.position] <= limit_ && bound_of(label, open) <= most_;
  }
  bool add(std::vector<int>& to, Label label, double open) {
    // What is safe whatever comes is not safer than that.
    label.excess = std::max(label.excess, riskiest_[label.position]);
    if (!may_win(label, open) || labels_.size() >= kMostLabels) return false;
    to.push_back(static_cast<int>(labels_.size()));
    labels_.push_back(label);
    return true;
  }

  // Those that no other dominates, cheapest first.
  void keep_undominated(std::vector<int>& ids) const {
    std::stable_sort(ids.begin(), ids.end(), [&](int x, int y) {
      const Label &one = labels_[x], &two = labels_[y];
      if (one.cost != two.cost) return one.cost < two.cost;
      return one.rows != two.rows ? one.rows < two.rows : one.excess < two.excess;
    });
    std::map<Count, Cost> least;  // of those kept: the excess that so many rows can have, falling
    std::erase_if(ids, [&](int id) {
      const Label& label = labels_[id];
      auto after = least.upper_bound(label.rows);
      if (after != least.begin() && std::prev(after)->second <= label.excess) return true;
      while (after != least.end() && after->second >= label.excess) after = least.erase(after);
      least[label.rows] = label.excess;
      return false;
    });
  }

  void take(int id) {
    best_.partition.cost = labels_[id].cost;
    for (; labels_[id].parent >= 0; id = labels_[id].parent) {
      const Label &label = labels_[id], &parent = labels_[label.parent];
      for (int o = label.first; o < label.last; ++o) {
        best_.numbers.push_back(offers_.all[o].number);
        best_.rows += offers_.all[o].rows;
      }
      if (parent.position != label.position && parent.position > 0) best_.partition.cuts.push_back(parent.position);
    }
    std::reverse(best_.partition.cuts.begin(), best_.partition.cuts.end());
  }

  const Spans& spans_;
  const std::vector<Cost>& cost_;
  const std::vector<Count>& suppressed_;
  const std::vector<Cost>& excess_;
  const Offers& offers_;
  const bool limited_;
  const Cost limit_, known_;
  const bool is_core_;
  // Per position what is to come: fewest rows, least excess, most excess negated
  std::vector<Cost> fewest_, safest_, riskiest_;
  std::vector<double> rest_;  // per position, relaxed
  Multipliers by_;
  double dual_ = -1e300, largest_ = 0, slack_ = 0, most_ = 0;
  std::vector<Label> labels_;
  GivenUp best_;
};

}  // namespace

GivenUp cheapest_given_up(const Spans& spans, const std::vector<Cost>& cost, const std::vector<Count>& suppressed,
                          const std::vector<Cost>& excess, const Offers& offers, Count limit, Cost known) {
  return Chooser(spans, cost, suppressed, excess, offers, limit, known).run();
}

GivenUp cheapest_given_up(std::vector<Offer> offers, Cost excess, Count limit, Cost known) {
  std::sort(offers.begin(), offers.end());
  // The smallest first take the fewest rows, whatever their number.
  GivenUp smallest;
  Cost left = excess, rows = 0;
  smallest.partition.cost = 0;
  for (std::size_t o = 0; o < offers.size() && left > 0; ++o) {
    left -= offers[o].gain;
    rows += offers[o].rows;
    smallest.partition.cost += offers[o].price;
    smallest.numbers.push_back(offers[o].number);
  }
  if (left > 0 || rows > limit) return {};
  smallest.rows = static_cast<Count>(rows);
  smallest.possible = true;
  if (std::is_sorted(offers.begin(), offers.end(), [](const Offer& x, const Offer& y) { return x.price < y.price; })) {
    if (smallest.partition.cost >= known) smallest.partition.cost = kInfinite;
    return smallest;
  }
  Spans one;
  one.all(1);
  Offers all{{0, static_cast<int>(offers.size())}, std::move(offers)};
  GivenUp choice = cheapest_given_up(one, {0}, {0}, {excess}, all, limit, known);
  choice.possible = true;
  return choice;
}

}  // namespace shoal
