// core_test.cpp - the core against plain enumeration, in C++ so that sanitizers see every access.
//
// Each claim runs on many small random problems; the first counter-example ends the program with its seed.
#include <cstdio>
#include <string>

#include "core/cuts/exact.h"
#include "core/cuts/hill_climb.h"
#include "core/cuts/k_optimize.h"
#include "random_case.h"
#include "random_privacy.h"
#include "walk.h"

namespace {

using namespace shoal;
using namespace shoal::testing;

// All recodings with their costs; inadmissible ones cost kInfinite.
std::vector<Priced> enumerate(const Problem& p) {
  std::vector<std::pair<int, int>> alphabet;
  for (int a = 0; a < p.attributes; ++a)
    for (int code = 1; code < p.sizes[a]; ++code) alphabet.emplace_back(a, code);
  std::vector<Priced> all;
  for (unsigned mask = 0; mask < 1u << alphabet.size(); ++mask) {
    Cuts cuts(p.attributes);
    for (std::size_t i = 0; i < alphabet.size(); ++i)
      if (mask >> i & 1) cuts[alphabet[i].first].push_back(alphabet[i].second);
    const Evaluation e = evaluate(p, cuts);
    all.push_back({cuts, e.admissible ? e.cost : kInfinite});
  }
  return all;
}

void searches_find_the_optimum(const Case& c, Cost optimum, unsigned seed) {
  Options options;
  options.climbs = 1 + seed % 3;
  for (const auto search : {exact, k_optimize}) {
    options.threads = search == exact ? 1 + static_cast<int>(seed % 4) : 1;
    const Outcome found = search(c.problem, options);
    check(found.proved && found.found == (optimum < kInfinite), "an unlimited search ends with a proof", seed);
    check(found.cost == optimum, "the cost is that of plain enumeration", seed);
    check(!found.found || has_cost(c.problem, found.cuts, optimum), "the recoding has the reported cost", seed);
  }
  options.climbs = 3;
  const Outcome climbed = hill_climb(c.problem, options);
  check(climbed.found || c.problem.privacy, "without privacy rules hill climbing finds something", seed);
  check(climbed.cost >= optimum, "hill climbing is never below the optimum", seed);
  check(!climbed.found || has_cost(c.problem, climbed.cuts, climbed.cost), "incremental prices add up", seed);
}

void starts_are_used(const Case& c, const std::vector<Priced>& all, unsigned seed) {
  Options options;
  options.climbs = 1;
  options.budget.nodes = 0;
  const Priced& start = all[seed % all.size()];
  options.start = start.cuts;
  for (const auto search : {exact, k_optimize, hill_climb})
    check(search(c.problem, options).cost <= start.cost, "a search is no worse than its start", seed);
}

void bounds_hold_for_every_descendant(const Case& c, const std::vector<Priced>& all, Cost optimum, unsigned seed) {
  const CutSpace space(c.problem);
  for (int axis = 0; axis < c.problem.attributes; ++axis) {
    const Projection pr = space.project(axis);
    const Moves moves(space, pr);
    walk(pr, *make_expander(pr, moves), all, optimum, seed);
  }
}

void stopping_leaves_a_true_bound(const Case& c, Cost optimum, unsigned seed) {
  Options options;
  options.climbs = 1;
  options.budget.nodes = seed % 5;
  for (const auto search : {exact, k_optimize}) {
    const Outcome found = search(c.problem, options);
    check(found.bound <= optimum && optimum <= found.cost, "an interrupted bound is true", seed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned cases = argc > 1 ? static_cast<unsigned>(std::stoul(argv[1])) : 2000;
  for (unsigned seed = 0; seed < cases; ++seed) {
    Case c = random_case(seed);
    if (seed % 4 > 0) add_privacy(c, seed);
    const auto all = enumerate(c.problem);
    Cost optimum = kInfinite;
    for (const Priced& each : all) optimum = std::min(optimum, each.cost);
    searches_find_the_optimum(c, optimum, seed);
    starts_are_used(c, all, seed);
    bounds_hold_for_every_descendant(c, all, optimum, seed);
    stopping_leaves_a_true_bound(c, optimum, seed);
  }
  std::printf("%d checks on %u problems hold\n", checks, cases);
}
