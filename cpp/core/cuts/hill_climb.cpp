#include "core/cuts/hill_climb.h"

#include <random>

#include "core/cuts/cut_groups.h"
#include "core/cuts/evaluate.h"

namespace shoal {

Outcome hill_climb(const Problem& problem, const Options& options) {
  const Watch watch(options);
  CutGroups groups(problem);
  std::mt19937_64 random(options.seed);
  Outcome best;
  const auto finished = [&] { return best.nodes >= options.budget.nodes || watch.stopped(); };
  const auto climb_phase = [&](auto pick, auto apply) {
    bool moved = false;
    while (!finished()) {
      ++best.nodes;
      const int cut = pick();
      if (cut < 0) break;
      apply(cut);
      moved = true;
    }
    return moved;
  };
  const auto take = [&] {
    const auto price = groups.price();
    if (!price.admissible() || price.cost >= best.cost) return;
    best.found = true;
    best.cost = price.cost;
    best.suppressed = groups.suppressed();
    best.cuts = groups.recoding();
  };
  const auto climb_up = [&] {
    for (bool moved = true; moved && !finished();) {
      moved = climb_phase([&] { return groups.best_removal(); }, [&](int cut) { groups.remove(cut); });
      moved |= climb_phase([&] { return groups.best_addition(); }, [&](int cut) { groups.add(cut); });
    }
    take();
    watch.report(best.cost, 0, best.nodes);
  };
  if (!options.start.empty()) {
    groups.start(options.start);
    take();
    // It may be admissible with groups given up, which no step of a climb looks at.
    if (const Evaluation start = evaluate(problem, options.start); start.admissible && !best.found)
      best.found = true, best.cost = start.cost, best.suppressed = start.suppressed, best.cuts = options.start;
    climb_up();
  }
  for (std::int64_t climb = 0; (options.climbs == 0 || climb < options.climbs) && (climb == 0 || !finished());
       ++climb) {
    // The first start joins everything: without privacy rules it is always admissible. Later ones draw their
    // density, too.
    std::vector<char> in(groups.cuts(), 0);
    const std::uint64_t density = climb == 0 ? 0 : random() % 1000;
    for (auto& cut : in) cut = random() % 1000 < density / 2;
    groups.start(in);
    climb_up();
    if (groups.cuts() == 0) break;
  }
  return best;
}

}  // namespace shoal
