#include "core/rows/local.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>

#include "core/base/parallel.h"
#include "core/rows/local_bound.h"
#include "core/rows/local_exact.h"
#include "core/rows/local_groups.h"
#include "core/rows/local_proof.h"
#include "core/rows/local_shares.h"

namespace shoal {
namespace {

// A part of the time that a search has.
Options share_of(const Options& options, double share) {
  Options part = options;
  part.budget.seconds *= share;
  return part;
}

class Local {
 public:
  Local(const LocalProblem& problem, const Options& options)
      : p_(problem), options_(options), watch_(options), looking_(share_of(options, kLooking)),
        watch_looking_(looking_), rows_(problem), boxes_(problem, rows_),
        near_(problem, rows_, boxes_, watch_looking_, options.seed) {}

  LocalOutcome run() {
    LocalOutcome out;
    begin(out);
    if (partitions_.empty()) {
      out.bound = bound({});
      return out;
    }
    out.found = true;
    report(out, partitions_.front()->loss());
    // The bound begins with the prices before the improvement, whoever is first.
    improve(out, prices());
    if (LocalExact::serves(p_, rows_) && out.bound < partitions_.front()->loss().first) try_all(out);
    const LocalGroups& best = *partitions_.front();
    out.cost = best.loss().first;
    out.bound = std::min(out.bound, out.cost);
    out.proved = out.bound >= out.cost;
    out.suppressed = best.suppressed();
    watch_.report(out.cost, out.bound, out.nodes);
    write(out);
    return out;
  }

 private:
  static constexpr double kLooking = 0.25, kByLevels = 0.1;  // shares of the time: for rows that are near, for levels
  static constexpr Cost kWorse = 4;  // a start that is worse by more than one in so many is left

  // The partitions to begin with, the best first; none if nothing may be released.
  void begin(LocalOutcome& out) {
    for (const auto& start : p_.starts) {
      std::vector<std::vector<int>> made;
      for (std::size_t row = 0; row < start.size(); ++row) {
        if (start[row] < 0 || p_.counts[row] == 0) continue;
        made.resize(std::max<std::size_t>(made.size(), start[row] + 1));
        made[start[row]].push_back(static_cast<int>(row));
      }
      auto groups = nothing();
      std::vector<int> rest = everybody();
      take(*groups, std::move(made), rest);
      keep(std::move(groups), rest);
    }
    if (p_.by_levels) by_levels(out);
    std::stable_sort(partitions_.begin(), partitions_.end(),
                     [](const auto& x, const auto& y) { return x->loss() < y->loss(); });
  }
  void keep(std::unique_ptr<LocalGroups> groups, const std::vector<int>& rest) {
    if (groups->place(rest)) partitions_.push_back(std::move(groups));
  }
  std::unique_ptr<LocalGroups> nothing() const {
    return std::make_unique<LocalGroups>(p_, rows_, boxes_, near_, watch_, options_.seed);
  }
  // Without those that only a population has.
  std::vector<int> everybody() const {
    std::vector<int> all(rows_.count());
    std::iota(all.begin(), all.end(), 0);
    std::erase_if(all, [&](int row) { return rows_.rows(row) == 0; });
    return all;
  }

  // The groups that nodes in the order of their prices make. Left are rows that nobody may be released with.
  void by_levels(LocalOutcome& out) {
    const Options part = share_of(options_, kByLevels);
    const Watch watch(part);
    auto groups = nothing();
    std::vector<int> rest = everybody();
    Grouping grouping;
    for (const Levels& node : nodes_by_price(rows_, p_.low, p_.high)) {
      if (rest.empty()) break;
      // Out of time: what is left goes to the top at once.
      const Levels& here = watch.stopped() || out.nodes >= options_.budget.nodes ? p_.high : node;
      ++out.nodes;
      grouping.group(rows_, rest, here);
      if (grouping.any(p_.k)) take(*groups, grouping, rest);
      if (&here == &p_.high) break;
      if (out.nodes % 256 == 0) watch_.report(kInfinite, 0, out.nodes);
    }
    keep(std::move(groups), rest);
  }
  void take(LocalGroups& groups, const Grouping& grouping, std::vector<int>& rest) const {
    std::vector<std::int32_t> place(grouping.count(), -1);
    std::vector<std::vector<int>> made;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const std::uint32_t group = grouping.of(i);
      if (grouping.size(group) < p_.k) continue;
      if (place[group] < 0) place[group] = static_cast<std::int32_t>(made.size()), made.emplace_back();
      made[place[group]].push_back(rest[i]);
    }
    take(groups, std::move(made), rest);
  }
  static void take(LocalGroups& groups, std::vector<std::vector<int>> made, std::vector<int>& rest) {
    for (std::vector<int>& rows : made)
      if (!rows.empty()) groups.take(std::move(rows));
    std::erase_if(rest, [&](int row) { return groups.group_of()[row] >= 0; });
  }

  // Every partition by itself, and the bound: no part knows of another, so threads change nothing. The best comes first, so
  // that it has the time; then the bound if there is a thread for it; the other partitions may still end below the best, if
  // they are not far above. One thread leaves the bound to the end.
  void improve(LocalOutcome& out, const std::vector<Cost>& known) {
    const Cost first = partitions_.front()->loss().first;
    std::vector<std::function<void()>> parts;
    std::mutex reporting;
    Loss least = partitions_.front()->loss();
    for (const auto& groups : partitions_) {
      if (groups->loss().first - first > first / kWorse) break;
      parts.push_back([&, at = groups.get()] {
        if (watch_.stopped()) return;
        at->improve([&](const Loss& loss) {
          const std::lock_guard guard(reporting);
          least = std::min(least, loss);
          report(out, least);
        });
      });
    }
    Cost found = 0;
    parts.insert(options_.threads > 1 ? parts.begin() + 1 : parts.end(), [&] { found = bound(known); });
    parallel(parts.size(), options_.threads, [&](std::size_t part, std::size_t) { parts[part](); });
    out.bound = found;
    std::iter_swap(partitions_.begin(),
                   std::min_element(partitions_.begin(), partitions_.end(),
                                    [](const auto& x, const auto& y) { return x->loss() < y->loss(); }));
  }
  // All partitions of a few rows.
  void try_all(LocalOutcome& out) {
    std::vector<Cost> shares = proved_shares(p_, rows_, boxes_, prices(), watch_);
    if (shares.empty()) shares.assign(rows_.count(), 0);
    LocalExact exact(p_, rows_, boxes_, shares, watch_);
    const bool all = exact.search(partitions_.front()->loss().first);
    if (exact.best()) {
      auto groups = nothing();
      std::vector<int> rest = everybody();
      take(*groups, *exact.best(), rest);
      if (groups->place(rest) && groups->loss() < partitions_.front()->loss()) partitions_.front() = std::move(groups);
    }
    // Copies of a row that are released differently can cost less; what is best without that is no bound for them.
    if (all && std::ranges::all_of(p_.counts, [](Count count) { return count <= 1; })) out.bound = exact.cost();
  }
  void report(const LocalOutcome& out, const Loss& loss) const { watch_.report(loss.first, 0, out.nodes); }

  Cost bound(const std::vector<Cost>& known) const {
    if (watch_.stopped()) return 0;
    if (p_.squares) return squares_bound(p_);
    const bool few = p_.all_nodes() && has_few_nodes(p_);
    const Cost alone = few ? local_bound(p_, known, watch_) : nearest_bound(p_, known, watch_);
    if (known.empty() || p_.overlapping) return alone;
    Cost shared = few ? shares_bound(p_, known, watch_) : 0;
    if (shared == 0) shared = total_share(p_, proved_shares(p_, rows_, boxes_, known, watch_));
    return std::max(alone, shared);
  }
  // Per row what it costs as it is; one that is suppressed could not cost more.
  std::vector<Cost> prices() const {
    std::vector<Cost> found(rows_.count(), p_.suppressed_row);
    for (const auto& group : partitions_.front()->groups())
      for (const int row : group.rows) found[row] = group.price();
    return found;
  }

  void write(LocalOutcome& out) const {
    const std::size_t attributes = rows_.attributes();
    out.groups = partitions_.front()->group_of();
    out.levels.assign(rows_.count() * attributes, kSuppressedRow);
    std::vector<std::uint8_t> levels(attributes, 0);
    for (const auto& group : partitions_.front()->groups()) {
      for (std::size_t a = 0; a < attributes; ++a)
        if (!p_.span(a)) levels[a] = static_cast<std::uint8_t>(boxes_.level(group.box, static_cast<int>(a)));
      for (const int row : group.rows) std::copy(levels.begin(), levels.end(), out.levels.begin() + row * attributes);
    }
  }

  const LocalProblem& p_;
  const Options& options_;
  const Watch watch_;
  const Options looking_;
  const Watch watch_looking_;
  const Rows rows_;
  const Boxes boxes_;
  const NearRows near_;
  std::vector<std::unique_ptr<LocalGroups>> partitions_;  // the best first
};

}  // namespace

LocalOutcome local_search(const LocalProblem& problem, const Options& options) { return Local(problem, options).run(); }

}  // namespace shoal
