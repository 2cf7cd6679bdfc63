#include "core/cells/suppression.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "core/cells/patterns.h"

namespace shoal {
namespace {

constexpr std::size_t kMostPlaces = std::size_t{1} << 26;  // of rows in patterns that are held

using Box = std::uint32_t;  // the boxes of all patterns are numbered through

// Copies of a row that a box has, or is offered.
struct Share {
  int row;
  Box box;
  Count copies;
  Cost gain;  // of one copy, if it is offered
};

class Suppression {
 public:
  Suppression(const CellProblem& problem, const Options& options)
      : p_(problem), options_(options), watch_(options), rows_(problem), random_(options.seed) {}

  CellOutcome run() {
    Options rest = options_;
    rest.report = {};
    CellOutcome out = cheapest_boxes(p_, rest);
    out.proved = false;
    find_boxes(out);
    release_groups();
    watch_.report(cost_, out.bound, out.nodes);
    improve(out);
    out.cost = cost_;
    out.bound = std::min(out.bound, cost_);
    out.proved = out.bound >= out.cost;
    write(out);
    return out;
  }

 private:
  // ---- boxes -----------------------------------------------------------------------------------------------
  // As many patterns as there is room for, the cheapest first, and the one that suppresses everything.
  void find_boxes(CellOutcome& out) {
    const Pattern everything = (Pattern{1} << rows_.attributes()) - 1;
    const std::size_t most = std::max<std::size_t>(1, kMostPlaces / rows_.count());
    std::vector<std::uint32_t> box_of;
    for (PatternOrder order(p_); !order.empty();) {
      prices_.push_back(order.price());
      Pattern pattern = order.next();
      // Out of time or room: everything at once.
      if (patterns_.size() + 1 >= most || watch_.stopped() || out.nodes >= options_.budget.nodes) pattern = everything;
      ++out.nodes;
      const std::uint32_t boxes = rows_.group(pattern, box_of);
      const Box first = static_cast<Box>(pattern_of_.size());
      for (auto& box : box_of) box += first;
      patterns_.push_back(pattern);
      box_of_.push_back(box_of);
      pattern_of_.resize(first + boxes, static_cast<std::int32_t>(patterns_.size() - 1));
      totals_.resize(first + boxes, 0);
      for (int row = 0; row < rows_.count(); ++row) totals_[box_of[row]] += rows_.copies(row);
      if (pattern == everything) break;
    }
    sizes_.assign(pattern_of_.size(), 0);
    spent_.assign(pattern_of_.size(), 0);
    members_.resize(pattern_of_.size());
    shares_.resize(rows_.count());
    starts_.resize(patterns_.size());
    listed_.resize(patterns_.size());
  }
  // The rows of a box, from lists that are made per pattern when first asked for.
  std::span<const int> inside(Box box) {
    const std::int32_t pattern = pattern_of_[box];
    auto& starts = starts_[pattern];
    auto& listed = listed_[pattern];
    const auto& box_of = box_of_[pattern];
    const Box first = first_box(pattern);
    if (starts.empty()) {
      const Box last = pattern + 1 < static_cast<std::int32_t>(patterns_.size()) ? first_box(pattern + 1)
                                                                                 : static_cast<Box>(pattern_of_.size());
      starts.assign(last - first + 1, 0);
      for (const Box each : box_of) ++starts[each - first + 1];
      std::partial_sum(starts.begin(), starts.end(), starts.begin());
      listed.resize(rows_.count());
      std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
      for (int row = 0; row < rows_.count(); ++row) listed[next[box_of[row] - first]++] = row;
    }
    return {listed.data() + starts[box - first], starts[box - first + 1] - starts[box - first]};
  }
  Box first_box(std::int32_t pattern) const {
    return static_cast<Box>(std::lower_bound(pattern_of_.begin(), pattern_of_.end(), pattern) - pattern_of_.begin());
  }
  Cost price(int row, Box box) const { return rows_.price(row, patterns_[pattern_of_[box]]); }
  Count surplus(Box box) const { return sizes_[box] - p_.k; }

  // ---- copies come and go; `cost_` follows ---------------------------------------------------------------------
  void put(int row, Box box, Count copies) {
    cost_ += price(row, box) * copies;
    sizes_[box] += copies;
    for (auto& share : shares_[row])
      if (share.box == box) {
        share.copies += copies;
        return;
      }
    shares_[row].push_back({row, box, copies, 0});
    members_[box].push_back(row);
  }
  void take(int row, Box box, Count copies) {
    cost_ -= price(row, box) * copies;
    sizes_[box] -= copies;
    auto& shares = shares_[row];
    const auto at = std::find_if(shares.begin(), shares.end(), [box](const Share& share) { return share.box == box; });
    if ((at->copies -= copies) > 0) return;
    shares.erase(at);
    std::erase(members_[box], row);
  }
  Count copies_in(int row, Box box) const {
    for (const auto& share : shares_[row])
      if (share.box == box) return share.copies;
    return 0;
  }

  // ---- greedy --------------------------------------------------------------------------------------------------
  // Patterns of one price at a time: the box with most rows left is released first, until none has k. What the large ones
  // can spare then helps others in the improvement.
  void release_groups() {
    std::vector<int> rest(rows_.count());
    std::iota(rest.begin(), rest.end(), 0);
    std::vector<Count> left(pattern_of_.size(), 0);
    std::vector<char> released(rows_.count(), 0);
    std::vector<std::pair<Count, Box>> heap;
    for (std::size_t i = 0, j; i < patterns_.size() && !rest.empty(); i = j) {
      for (j = i; j < patterns_.size() && prices_[j] == prices_[i];) ++j;
      heap.clear();
      for (std::size_t each = i; each < j; ++each) {
        const auto& box_of = box_of_[each];
        for (const int row : rest) {
          Count& found = left[box_of[row]];
          const bool enough = found >= p_.k;
          if ((found += rows_.copies(row)) >= p_.k && !enough) heap.emplace_back(0, box_of[row]);
        }
      }
      for (auto& [size, box] : heap) size = left[box];
      std::make_heap(heap.begin(), heap.end());
      while (!heap.empty()) {
        std::pop_heap(heap.begin(), heap.end());
        const auto [size, box] = heap.back();
        heap.pop_back();
        if (left[box] < p_.k) continue;
        if (left[box] < size) {  // others took some of its rows meanwhile
          heap.emplace_back(left[box], box);
          std::push_heap(heap.begin(), heap.end());
          continue;
        }
        for (const int row : inside(box)) {
          if (std::exchange(released[row], 1)) continue;
          put(row, box, rows_.copies(row));
          for (std::size_t each = i; each < j; ++each) left[box_of_[each][row]] -= rows_.copies(row);
        }
      }
      std::erase_if(rest, [&](int row) { return released[row] != 0; });
    }
    if (!rest.empty()) release_rest(rest);
  }
  // Fewer than k rows that no others are left for: with the cheapest copies that can be spared, without any value.
  void release_rest(const std::vector<int>& rest) {
    const Box all = box_of_.back()[0];
    for (const int row : rest) put(row, all, rows_.copies(row));
    std::vector<Share> offers;
    while (sizes_[all] < p_.k) {
      offers.clear();
      for (int row = 0; row < rows_.count(); ++row)
        for (const auto& share : shares_[row])
          if (share.box != all && surplus(share.box) > 0)
            offers.push_back({row, share.box, share.copies, price(row, share.box) - price(row, all)});
      if (offers.empty()) break;
      const Share best = *std::max_element(offers.begin(), offers.end(),
                                           [](const Share& x, const Share& y) { return x.gain < y.gain; });
      const Count copies = std::min({best.copies, surplus(best.box), p_.k - sizes_[all]});
      take(best.row, best.box, copies);
      put(best.row, all, copies);
    }
    if (sizes_[all] >= p_.k) return;
    // Nobody can spare any: one group joins as a whole.
    std::optional<Box> cheapest;
    Cost least = kInfinite;
    for (Box box = 0; box < sizes_.size(); ++box) {
      if (box == all || sizes_[box] == 0) continue;
      Cost more = 0;
      for (const int row : members_[box]) more += (price(row, all) - price(row, box)) * copies_in(row, box);
      if (more < least) least = more, cheapest = box;
    }
    if (cheapest) empty_into(*cheapest, all);
  }
  void empty_into(Box from, Box to) {
    for (const int row : std::vector<int>(members_[from])) {
      const Count copies = copies_in(row, from);
      take(row, from, copies);
      put(row, to, copies);
    }
  }

  // ---- improvement -----------------------------------------------------------------------------------------------
  void improve(CellOutcome& out) {
    std::vector<int> order(rows_.count());
    std::iota(order.begin(), order.end(), 0);
    for (Cost before = kInfinite; cost_ < before && !watch_.stopped();) {
      before = cost_;
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
      for (std::size_t i = 0; i < order.size(); ++i) {
        if (i % 64 == 0 && watch_.stopped()) break;
        improve_row(order[i]);
      }
      watch_.report(cost_, out.bound, out.nodes);
    }
  }
  // Looks for a cheaper box for what the row has in each of its own.
  void improve_row(int row) {
    for (bool again = true; again;) {
      again = false;
      for (const Share share : std::vector<Share>(shares_[row])) {
        const Cost now = price(row, share.box);
        for (std::size_t i = 0; now > 0 && i < patterns_.size() && !again; ++i) {
          if (rows_.price(row, patterns_[i]) >= now) continue;
          const Box box = box_of_[i][row];
          if (totals_[box] < p_.k) continue;
          again = sizes_[box] > 0 ? move(share, box) : open(share, box);
        }
        if (again) break;
      }
    }
  }
  // To a group that is there: as many copies as can be spared, or all of them, when their group breaks up.
  bool move(const Share& share, Box to) {
    if (const Count copies = std::min(share.copies, surplus(share.box)); copies > 0) {
      take(share.row, share.box, copies);
      put(share.row, to, copies);
      return true;
    }
    return break_up(share.box, to, 0);
  }
  // A new group: with those who gain by it, and with others who lose least where they are too few.
  bool open(const Share& share, Box box) {
    offers_.clear();
    for (const int row : inside(box))
      for (const auto& each : shares_[row])
        if (surplus(each.box) > 0)
          offers_.push_back({row, each.box, each.copies, price(row, each.box) - price(row, box)});
    sort_offers();
    Cost gain = 0;
    if (fill(box, p_.k, gain) && gain > 0) {
      accept(box);
      return true;
    }
    return break_up(share.box, box, p_.k);
  }
  void sort_offers() {
    std::stable_sort(offers_.begin(), offers_.end(), [](const Share& x, const Share& y) { return x.gain > y.gain; });
  }
  // Chooses from the offers, best first, all that gain and, up to `needed` copies, others; true if there are so many.
  bool fill(Box box, Count needed, Cost& gain) {
    chosen_.clear();
    Count found = 0;
    for (const Share& offer : offers_) {
      if (offer.gain <= 0 && found >= needed) break;
      Count copies = std::min(offer.copies, surplus(offer.box) - spent_[offer.box]);
      if (offer.gain <= 0) copies = std::min(copies, needed - found);
      if (copies <= 0 || offer.box == box) continue;
      spent_[offer.box] += copies;
      chosen_.push_back({offer.row, offer.box, copies, offer.gain});
      found += copies;
      gain += offer.gain * copies;
    }
    for (const Share& each : chosen_) spent_[each.box] = 0;
    return found >= needed;
  }
  void accept(Box box) {
    for (const Share& each : chosen_) {
      take(each.row, each.box, each.copies);
      put(each.row, box, each.copies);
    }
  }
  // A group goes: its members that lie in another box go there, the others to the cheapest groups that there are. The box
  // is filled up to `needed` copies.
  bool break_up(Box from, Box to, Count needed) {
    Cost gain = 0;
    moves_.clear();
    Count came = 0;
    const auto& box_of = box_of_[pattern_of_[to]];
    for (const int row : members_[from]) {
      const Count copies = copies_in(row, from);
      const Cost now = price(row, from);
      Box best = to;
      Cost least = box_of[row] == to ? price(row, to) : kInfinite;
      if (box_of[row] != to || needed == 0) {
        for (std::size_t i = 0; i < patterns_.size(); ++i) {
          const Box other = box_of_[i][row];
          if (sizes_[other] == 0 || other == from) continue;
          if (const Cost there = price(row, other); there < least) least = there, best = other;
        }
      }
      if (least >= kInfinite) return false;
      if (best == to) came += copies;
      gain += (now - least) * copies;
      moves_.push_back({row, best, copies, 0});
    }
    if (needed == 0 && gain <= 0) return false;
    chosen_.clear();
    if (needed > 0) {
      offers_.clear();
      for (const int row : inside(to))
        for (const auto& each : shares_[row])
          if (each.box != from && surplus(each.box) > 0)
            offers_.push_back({row, each.box, each.copies, price(row, each.box) - price(row, to)});
      sort_offers();
      if (!fill(to, std::max(0, needed - came), gain) || gain <= 0) return false;
    }
    for (const Share& each : moves_) {
      take(each.row, from, each.copies);
      put(each.row, each.box, each.copies);
    }
    accept(to);
    return true;
  }

  void write(CellOutcome& out) const {
    out.pieces.clear();
    for (int row = 0; row < rows_.count(); ++row) {
      const std::size_t first = out.pieces.size();
      for (const auto& share : shares_[row])
        out.pieces.push_back({row, patterns_[pattern_of_[share.box]], share.copies});
      std::sort(out.pieces.begin() + static_cast<std::ptrdiff_t>(first), out.pieces.end(),
                [](const Piece& x, const Piece& y) { return x.pattern < y.pattern; });
    }
  }

  const CellProblem& p_;
  const Options& options_;
  const Watch watch_;
  CellRows rows_;
  std::mt19937_64 random_;
  Cost cost_ = 0;
  std::vector<Pattern> patterns_;                   // by price
  std::vector<Cost> prices_;                        // per pattern the least that a row pays
  std::vector<std::vector<Box>> box_of_;            // [pattern][row]
  std::vector<std::int32_t> pattern_of_;            // per box
  std::vector<Count> totals_;                       // per box all copies of its rows
  std::vector<Count> sizes_;                        // per box the copies that are released there; 0 or at least k
  std::vector<Count> spent_;                        // per box copies that a move would take; all 0 between moves
  std::vector<std::vector<int>> members_;           // per box
  std::vector<std::vector<Share>> shares_;          // per row
  std::vector<std::vector<std::uint32_t>> starts_;  // [pattern]: where the list of each box begins
  std::vector<std::vector<int>> listed_;            // [pattern]: rows by box
  std::vector<Share> offers_, chosen_, moves_;
};

}  // namespace

CellOutcome suppress_cells(const CellProblem& problem, const Options& options) {
  return Suppression(problem, options).run();
}

}  // namespace shoal
