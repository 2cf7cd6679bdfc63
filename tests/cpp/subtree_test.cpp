// subtree_test.cpp - the search over hierarchies against plain enumeration, where sanitizers see every access.
#include <string>

#include "core/base/axis.h"
#include "core/cuts/nested_parts.h"
#include "core/cuts/subtree.h"
#include "random_case.h"
#include "random_privacy.h"
#include "walk.h"

namespace {

using namespace shoal;
using namespace shoal::testing;

// Up to two levels between the values and the root; they may repeat parts.
std::vector<Hierarchy> random_hierarchies(const Problem& p, unsigned seed) {
  std::mt19937 random(seed ^ 0x5eed);
  std::vector<Hierarchy> hierarchies;
  for (int size : p.sizes) {
    std::vector<std::vector<std::int32_t>> levels{std::vector<std::int32_t>(size, 0)};
    for (int code = 1; code < size; ++code) levels[0][code] = code;
    for (unsigned more = random() % 3; more > 0; --more) {
      auto level = levels.back();
      for (int code = 1; code < size; ++code)
        level[code] = level[code - 1] + (levels.back()[code] != levels.back()[code - 1] && random() % 2);
      levels.push_back(level);
    }
    levels.emplace_back(size, 0);
    hierarchies.emplace_back(levels);
  }
  return hierarchies;
}

// The cuts of every choice of parts of one domain: a part is kept whole, or opened.
std::vector<std::vector<std::int32_t>> choices(const Hierarchy& hierarchy, int part) {
  std::vector<std::vector<std::int32_t>> all{{}};
  if (hierarchy.parts[part].cuts.empty()) return all;
  std::vector<std::vector<std::int32_t>> opened{{}};
  for (int child = 0; child < hierarchy.count(); ++child) {
    if (hierarchy.parts[child].parent != part) continue;
    const int begin = hierarchy.parts[child].begin;
    std::vector<std::vector<std::int32_t>> longer;
    for (const auto& cuts : opened)
      for (const auto& inner : choices(hierarchy, child)) {
        longer.push_back(cuts);
        if (begin > hierarchy.parts[part].begin) longer.back().push_back(begin);
        longer.back().insert(longer.back().end(), inner.begin(), inner.end());
      }
    opened = std::move(longer);
  }
  all.insert(all.end(), opened.begin(), opened.end());
  return all;
}

// All recodings with their costs; inadmissible ones cost kInfinite.
std::vector<Priced> enumerate(const Problem& p, const std::vector<Hierarchy>& hierarchies) {
  std::vector<Cuts> recodings{{}};
  for (const Hierarchy& hierarchy : hierarchies) {
    std::vector<Cuts> longer;
    for (const Cuts& cuts : recodings)
      for (const auto& own : choices(hierarchy, hierarchy.count() - 1)) {
        longer.push_back(cuts);
        longer.back().push_back(own);
      }
    recodings = std::move(longer);
  }
  std::vector<Priced> all;
  for (Cuts& cuts : recodings) {
    const Evaluation e = evaluate(p, cuts);
    all.push_back({std::move(cuts), e.admissible ? e.cost : kInfinite});
  }
  return all;
}

void bounds_hold_for_every_descendant(const CutSpace& space, const std::vector<Priced>& all, Cost optimum,
                                      unsigned seed) {
  for (int axis = 0; axis < space.problem().attributes; ++axis) {
    const Projection pr = space.project(axis);
    const Moves moves(space, pr);
    walk(pr, *make_expander(pr, moves), all, optimum, seed);
  }
}

// A node that a recoding lies below: some of its moves are in the head, and some of the others are out.
Node random_node(const Projection& pr, const Moves& moves, const Cuts& recoding, std::mt19937& random) {
  const CutSet all = head_of(pr, recoding);
  Node node{CutSet(all), CutSet(static_cast<int>(pr.alphabet.size())), 0};
  for (const int move : moves.all()) {
    if (node.head.has(move) && random() % 2) moves.toggle(move, node.head);
    if (all.has(move) || random() % 4 > 0)
      for (const int cut : moves.cuts(move)) node.tail.add(cut);
  }
  for (const int move : moves.all()) {
    const int parent = moves.parent(move);
    const bool stays = parent < 0 || node.head.has(parent) || node.tail.has(parent);
    for (const int cut : moves.cuts(move))
      if (node.head.has(cut) || !stays) node.tail.remove(cut);
  }
  return node;
}

Cost path(const Spans& spans, const std::vector<Cost>& values) {
  std::vector<Cost> cost;
  cheapest_from_left(spans, cost, kInfinite, [&](int i) { return values[i]; });
  return cost[spans.length];
}

// Nested trees by themselves: no descendant of any node costs less, nor one that makes a move, nor one that does not.
void nested_trees_hold(const CutSpace& space, const std::vector<Priced>& all, unsigned seed) {
  if (space.problem().metric != Metric::general_loss) return;
  std::mt19937 random(seed ^ 0xbead);
  for (int axis = 0; axis < space.problem().attributes; ++axis) {
    const Projection pr = space.project(axis);
    const Moves moves(space, pr);
    const Setting setting(pr);
    Head<Metric::general_loss> head(setting);
    if (!NestedParts::fits(pr, moves)) continue;
    NestedParts nested(setting, head, moves);
    for (int time = 0; time < 4; ++time) {
      const Node node = random_node(pr, moves, all[random() % all.size()].cuts, random);
      head.solve(node.head, kInfinite);
      std::vector<int> open;
      moves.among(node.tail.elements(), open);
      std::sort(open.begin(), open.end());
      nested.load(node.head, open, head.spans());
      const auto compare = [&](Cost bound, int move, bool made, const char* claim) {
        for (const Priced& each : all)
          if (each.cost < kInfinite && below(pr, node, each.cuts) &&
              (move < 0 || head_of(pr, each.cuts).has(move) == made))
            check(bound <= each.cost, claim, seed);
      };
      compare(path(head.spans(), nested.least()), -1, true, "nested trees never exceed a descendant");
      nested.each_move([&](int move, const std::vector<Cost>& with, const std::vector<Cost>& without) {
        compare(path(head.spans(), with), move, true, "nor one that makes a move");
        compare(path(head.spans(), without), move, false, "nor one that does not make it");
      });
    }
  }
}

void search_finds_the_optimum(const CutSpace& space, Cost optimum, unsigned seed) {
  Options options;
  options.climbs = 1 + seed % 3;
  options.threads = 1 + static_cast<int>(seed % 4);
  const Outcome found = subtree(space, options);
  check(found.proved && found.found == (optimum < kInfinite), "an unlimited search ends with a proof", seed);
  check(found.cost == optimum, "the cost is that of plain enumeration", seed);
  check(!found.found || has_cost(space.problem(), found.cuts, optimum), "the recoding has the reported cost", seed);
  options.budget.nodes = seed % 5;
  const Outcome stopped = subtree(space, options);
  check(stopped.bound <= optimum && optimum <= stopped.cost, "an interrupted bound is true", seed);
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned cases = argc > 1 ? static_cast<unsigned>(std::stoul(argv[1])) : 2000;
  for (unsigned seed = 0; seed < cases; ++seed) {
    Case c = random_case(seed, 6);
    if (seed % 4 > 0) add_privacy(c, seed);
    const auto hierarchies = random_hierarchies(c.problem, seed);
    const auto all = enumerate(c.problem, hierarchies);
    Cost optimum = kInfinite;
    for (const Priced& each : all) optimum = std::min(optimum, each.cost);
    const CutSpace space(c.problem, {hierarchies.begin(), hierarchies.end()});
    search_finds_the_optimum(space, optimum, seed);
    nested_trees_hold(space, all, seed);
    bounds_hold_for_every_descendant(space, all, optimum, seed);
  }
  std::printf("%d checks on %u problems hold\n", checks, cases);
}
