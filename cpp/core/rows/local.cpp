#include "core/rows/local.h"

#include <algorithm>
#include <numeric>
#include <thread>

#include "core/rows/local_bound.h"
#include "core/rows/local_groups.h"

namespace shoal {
namespace {

class Local {
 public:
  Local(const LocalProblem& problem, const Options& options)
      : p_(problem), options_(options), watch_(options), rows_(problem), groups_(problem, rows_, watch_, options.seed) {
  }

  LocalOutcome run() {
    LocalOutcome out;
    if (!groups_.place(grouped(out))) {
      out.bound = bound({});
      return out;
    }
    out.found = true;
    const auto report = [&](const Loss& loss) { watch_.report(loss.first, 0, out.nodes); };
    report(groups_.loss());
    if (options_.threads > 1) {
      // Both are the same whoever is first: what is known of the prices only spares the bound work.
      std::thread beside([&, known = prices()] { out.bound = bound(known); });
      groups_.improve(report);
      beside.join();
    } else {
      groups_.improve(report);
      out.bound = bound(prices());
    }
    out.cost = groups_.loss().first;
    out.bound = std::min(out.bound, out.cost);
    out.proved = out.bound >= out.cost;
    out.suppressed = groups_.suppressed();
    watch_.report(out.cost, out.bound, out.nodes);
    write(out);
    return out;
  }

 private:
  // The groups that nodes in the order of their prices make. Left are rows that nobody may be released with.
  std::vector<int> grouped(LocalOutcome& out) {
    std::vector<int> rest(rows_.count());
    std::iota(rest.begin(), rest.end(), 0);
    std::erase_if(rest, [&](int row) { return rows_.rows(row) == 0; });  // those that only a population has
    if (!p_.start.empty()) {
      std::vector<std::vector<int>> made;
      for (const int row : rest) {
        if (p_.start[row] < 0) continue;
        made.resize(std::max<std::size_t>(made.size(), p_.start[row] + 1));
        made[p_.start[row]].push_back(row);
      }
      take(std::move(made), rest);
      return rest;
    }
    Grouping grouping;
    for (const Levels& node : nodes_by_price(rows_, p_.low, p_.high)) {
      if (rest.empty()) break;
      // Out of time: what is left goes to the top at once.
      const Levels& here = watch_.stopped() || out.nodes >= options_.budget.nodes ? p_.high : node;
      ++out.nodes;
      grouping.group(rows_, rest, here);
      if (grouping.any(p_.k)) take(grouping, rest);
      if (&here == &p_.high) break;
      if (out.nodes % 256 == 0) watch_.report(kInfinite, 0, out.nodes);
    }
    return rest;
  }
  void take(const Grouping& grouping, std::vector<int>& rest) {
    std::vector<std::int32_t> place(grouping.count(), -1);
    std::vector<std::vector<int>> made;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const std::uint32_t group = grouping.of(i);
      if (grouping.size(group) < p_.k) continue;
      if (place[group] < 0) place[group] = static_cast<std::int32_t>(made.size()), made.emplace_back();
      made[place[group]].push_back(rest[i]);
    }
    take(std::move(made), rest);
  }
  void take(std::vector<std::vector<int>> made, std::vector<int>& rest) {
    for (std::vector<int>& rows : made)
      if (!rows.empty()) groups_.take(std::move(rows));
    std::erase_if(rest, [&](int row) { return groups_.group_of()[row] >= 0; });
  }

  Cost bound(const std::vector<Cost>& known) const {
    if (watch_.stopped()) return 0;
    if (p_.squares) return squares_bound(p_);
    return p_.all_nodes() ? local_bound(p_, known, watch_) : nearest_bound(p_, watch_);
  }
  // Per row what it costs as it is; one that is suppressed could not cost more.
  std::vector<Cost> prices() const {
    std::vector<Cost> found(rows_.count(), p_.suppressed_row);
    for (const auto& group : groups_.groups())
      for (const int row : group.rows) found[row] = group.price();
    return found;
  }

  void write(LocalOutcome& out) const {
    const std::size_t attributes = rows_.attributes();
    out.groups = groups_.group_of();
    out.levels.assign(rows_.count() * attributes, kSuppressedRow);
    std::vector<std::uint8_t> levels(attributes, 0);
    for (const auto& group : groups_.groups()) {
      for (std::size_t a = 0; a < attributes; ++a)
        if (!p_.span(a)) levels[a] = static_cast<std::uint8_t>(groups_.boxes().level(group.box, static_cast<int>(a)));
      for (const int row : group.rows) std::copy(levels.begin(), levels.end(), out.levels.begin() + row * attributes);
    }
  }

  const LocalProblem& p_;
  const Options& options_;
  const Watch watch_;
  const Rows rows_;
  LocalGroups groups_;
};

}  // namespace

LocalOutcome local_search(const LocalProblem& problem, const Options& options) {
  return Local(problem, options).run();
}

}  // namespace shoal
