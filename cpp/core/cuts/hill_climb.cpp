#include "core/cuts/hill_climb.h"

#include <memory>
#include <random>
#include <vector>

#include "core/base/parallel.h"
#include "core/cuts/cut_groups.h"
#include "core/cuts/evaluate.h"

namespace shoal {
namespace {

// Climbs from one start after the other; one per thread.
class Ascent {
 public:
  explicit Ascent(const Problem& problem) : problem_(problem), groups_(problem) {}

  int cuts() const { return groups_.cuts(); }

  // From a recoding that was given, which counts itself.
  Outcome climb(const Cuts& start, std::int64_t nodes, const Watch& watch) {
    found_ = {};
    groups_.start(start);
    take();
    // It may be admissible with groups given up, which no step of a climb looks at.
    if (const Evaluation own = evaluate(problem_, start); own.admissible && !found_.found)
      found_.found = true, found_.cost = own.cost, found_.suppressed = own.suppressed, found_.cuts = start;
    return climb_up(nodes, watch);
  }
  Outcome climb(const std::vector<char>& start, std::int64_t nodes, const Watch& watch) {
    found_ = {};
    groups_.start(start);
    return climb_up(nodes, watch);
  }

 private:
  Outcome climb_up(std::int64_t nodes, const Watch& watch) {
    const auto finished = [&] { return found_.nodes >= nodes || watch.stopped(); };
    const auto phase = [&](auto pick, auto apply) {
      bool moved = false;
      while (!finished()) {
        ++found_.nodes;
        const int cut = pick();
        if (cut < 0) break;
        apply(cut);
        moved = true;
      }
      return moved;
    };
    for (bool moved = true; moved && !finished();) {
      moved = phase([&] { return groups_.best_removal(); }, [&](int cut) { groups_.remove(cut); });
      moved |= phase([&] { return groups_.best_addition(); }, [&](int cut) { groups_.add(cut); });
    }
    take();
    return found_;
  }

  void take() {
    const auto price = groups_.price();
    if (!price.admissible() || price.cost >= found_.cost) return;
    found_.found = true;
    found_.cost = price.cost;
    found_.suppressed = groups_.suppressed();
    found_.cuts = groups_.recoding();
  }

  const Problem& problem_;
  CutGroups groups_;
  Outcome found_;
};

}  // namespace

// As many climbs at a time as there are threads, taken in their order: the answer is that of one climb after the other. A
// climb that would have begun with fewer nodes left, and needed more, is repeated with those.
Outcome hill_climb(const Problem& problem, const Options& options) {
  const Watch watch(options);
  const std::int64_t most = options.budget.nodes;
  std::vector<std::unique_ptr<Ascent>> ascents;
  ascents.push_back(std::make_unique<Ascent>(problem));
  const int cuts = ascents.front()->cuts();
  std::mt19937_64 random(options.seed);
  Outcome best;
  const auto merge = [&](Outcome&& found) {
    const std::int64_t nodes = best.nodes + found.nodes;
    if (found.found && found.cost < best.cost) best = std::move(found);
    best.nodes = nodes;
    watch.report(best.cost, 0, best.nodes);
  };
  if (!options.start.empty()) merge(ascents.front()->climb(options.start, most, watch));
  // The first start joins everything: without privacy rules it is always admissible. Later ones draw their
  // density, too.
  const auto draw_start = [&](std::int64_t climb) {
    std::vector<char> in(cuts, 0);
    const std::uint64_t density = climb == 0 ? 0 : random() % 1000;
    for (auto& cut : in) cut = random() % 1000 < density / 2;
    return in;
  };
  const std::int64_t climbs = cuts == 0 ? 1 : options.climbs == 0 ? INT64_MAX : options.climbs;
  const auto finished = [&] { return best.nodes >= most || watch.stopped(); };
  for (std::int64_t climb = 0; climb < climbs && (climb == 0 || !finished());) {
    std::vector<std::vector<char>> starts;
    while (static_cast<int>(starts.size()) < std::max(options.threads, 1) && climb < climbs)
      starts.push_back(draw_start(climb++));
    while (ascents.size() < starts.size()) ascents.push_back(std::make_unique<Ascent>(problem));
    std::vector<Outcome> found(starts.size());
    const std::int64_t left = most - best.nodes;
    parallel(starts.size(), options.threads,
             [&](std::size_t i, std::size_t worker) { found[i] = ascents[worker]->climb(starts[i], left, watch); });
    const std::int64_t first = climb - static_cast<std::int64_t>(starts.size());
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (first + static_cast<std::int64_t>(i) > 0 && best.nodes >= most) break;
      if (found[i].nodes > most - best.nodes) found[i] = ascents.front()->climb(starts[i], most - best.nodes, watch);
      merge(std::move(found[i]));
    }
  }
  return best;
}

}  // namespace shoal
