// core_test.cpp - the core against plain enumeration, in C++ so that sanitizers see every access.
//
// Each claim runs on many small random problems; the first counter-example ends the program with its seed.
#include <cstdio>
#include <random>
#include <string>

#include "core/cuts/cut_expander.h"
#include "core/cuts/exact.h"
#include "core/cuts/hill_climb.h"
#include "core/cuts/k_optimize.h"
#include "core/cuts/nested.h"
#include "core/cuts/node_bound.h"
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

// Weights, and losses that do not grow evenly: a larger interval loses no less, a suppressed row no less than any other.
void draw_losses(Case& c, unsigned seed) {
  std::mt19937 random(seed);
  c.problem.row_units = static_cast<Cost>(random() % 20);
  for (std::size_t a = 0; a < c.losses.size(); ++a) {
    const int size = c.sizes[a];
    const auto loss = [&](int first, int last) -> Cost& { return c.losses[a][first * size + last]; };
    for (int length = 0; length < size; ++length)
      for (int first = 0; first + length < size; ++first) {
        const int last = first + length;
        const Cost within = length > 0 ? std::max(loss(first + 1, last), loss(first, last - 1)) : 0;
        loss(first, last) = within + static_cast<Cost>(random() % 3 * (random() % 20));
      }
    c.problem.row_units += loss(0, size - 1);
  }
}

// At heads and tails drawn at random: the bound of the node, those with and without each cut, and what a price of suppressed
// rows and shares change.
void nested_bounds_hold_for_every_descendant(const Case& c, const std::vector<Priced>& all, unsigned seed) {
  if (c.problem.metric != Metric::general_loss) return;
  std::mt19937 random(seed);
  const CutSpace space(c.problem);
  for (int axis = 0; axis < c.problem.attributes; ++axis) {
    const Projection pr = space.project(axis);
    const int alphabet = static_cast<int>(pr.alphabet.size());
    const Setting setting(pr);
    Head<Metric::general_loss> head(setting);
    Nested nested(setting, head);
    for (int time = 0; time < 4 && alphabet > 0; ++time) {
      Node node{CutSet(alphabet), CutSet(alphabet), 0};
      for (int cut = 0; cut < alphabet; ++cut)
        if (const auto drawn = random() % 8; drawn < 2) node.head.add(cut);
        else if (drawn < 7) node.tail.add(cut);
      if (node.tail.empty()) continue;
      head.solve(node.head, kInfinite);
      NodeBound<Metric::general_loss> floor(setting, head);
      floor.start();
      nested.load(node.head, node.tail.elements(), floor.spans(), floor.values());
      const Cost unpriced = nested.least();
      const auto hold = [&](Cost bound, int cut, bool in) {
        for (const Priced& each : all) {
          if (each.cost >= kInfinite || !below(pr, node, each.cuts)) continue;
          const auto& own = cut < 0 ? each.cuts[0] : each.cuts[pr.attributes[pr.alphabet[cut].attribute]];
          const bool has = cut >= 0 && std::find(own.begin(), own.end(), pr.alphabet[cut].code) != own.end();
          if (cut < 0 || has == in) check(bound <= each.cost, "nested paths never exceed a descendant", seed);
        }
      };
      if (setting.limited && time % 2 > 0) {
        nested.set_price(static_cast<Cost>(random() % 200));
        hold(nested.least(), -1, true);
      }
      if (setting.limited && time % 2 == 0) {
        nested.find_price(static_cast<Cost>(random() % 40) - 1);
        check(nested.least() >= unpriced, "a price is taken only if it is better", seed);
      }
      for (int shared = 0; shared < 3; ++shared) {
        hold(node.bound = nested.least(), -1, true);
        if (node.bound >= kInfinite) break;
        for (const OpenCut& open : nested.look()) hold(open.in, open.cut, true), hold(open.out, open.cut, false);
        nested.reshare(2);
        check(nested.least() >= node.bound, "other shares are taken only if they are better", seed);
      }
      const int gone = node.tail.elements().front();
      nested.drop(gone);
      node.tail.remove(gone);
      hold(nested.least(), -1, true);
    }
  }
}

// Where the numbers of the nested bound are too many to be held, the allset's bound serves.
void the_allset_bound_finds_the_same(const Case& c, const std::vector<Priced>& all, Cost optimum, unsigned seed) {
  if (c.problem.metric != Metric::general_loss) return;
  const CutSpace space(c.problem);
  const Projection pr = space.project(0);
  const Moves moves(space, pr);
  walk(pr, *make_cut_expander(pr, moves), all, optimum, seed);
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
    Case c = random_case(seed, seed % 8 == 1 ? 6 : 4);
    if (seed % 4 > 0) add_privacy(c, seed);
    if (seed % 3 == 0) draw_losses(c, seed);
    const auto all = enumerate(c.problem);
    Cost optimum = kInfinite;
    for (const Priced& each : all) optimum = std::min(optimum, each.cost);
    searches_find_the_optimum(c, optimum, seed);
    starts_are_used(c, all, seed);
    bounds_hold_for_every_descendant(c, all, optimum, seed);
    nested_bounds_hold_for_every_descendant(c, all, seed);
    the_allset_bound_finds_the_same(c, all, optimum, seed);
    stopping_leaves_a_true_bound(c, optimum, seed);
  }
  std::printf("%d checks on %u problems hold\n", checks, cases);
}
