// lattice_test.cpp - the level lattice against plain grouping, in C++ so that sanitizers see every access.
//
// Each claim runs on many small random lattices; the first counter-example ends the program with its seed.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>

#include "core/lattice/part_of_lattice.h"
#include "core/lattice/search.h"
#include "core/lattice/sweep.h"

namespace {

using namespace shoal;

int checks = 0;

void check(bool holds, const char* claim, unsigned seed) {
  ++checks;
  if (holds) return;
  std::printf("FAILED: %s (seed %u)\n", claim, seed);
  std::exit(1);
}

struct Case {
  std::vector<std::int32_t> codes;
  std::vector<Count> counts;
  LatticeInput input;
  std::vector<Price> prices;
  Levels low, high;
  Privacy privacy;
};

// A hierarchy over `size` codes: each level joins parts of the one below at random, the top joins all.
std::vector<std::vector<std::int32_t>> random_levels(int size, int height, const auto& upto) {
  std::vector<std::vector<std::int32_t>> levels(1);
  for (int code = 0; code < size; ++code) levels[0].push_back(code);
  for (int level = 1; level <= height; ++level) {
    const int below = *std::max_element(levels.back().begin(), levels.back().end()) + 1;
    std::vector<std::int32_t> joined(below), number(below, -1), next;
    for (auto& part : joined) part = level == height ? 0 : upto(below);
    int count = 0;
    for (int part : levels.back()) {
      if (number[joined[part]] < 0) number[joined[part]] = count++;
      next.push_back(number[joined[part]]);
    }
    levels.push_back(std::move(next));
  }
  return levels;
}

// Units that grow on the way up, so that suppressing a row costs most.
Price cells_price(const Case& c, int attributes, const auto& upto) {
  Price price;
  price.kind = Price::Kind::cells;
  for (int a = 0; a < attributes; ++a) {
    const auto& parts = c.input.parts[a];
    price.units.emplace_back();
    price.fixed.emplace_back();
    std::vector<Cost> of_code(parts[0].size(), 0);
    for (const auto& of_level : parts) {
      const int count = *std::max_element(of_level.begin(), of_level.end()) + 1;
      std::vector<Cost> units(count, 0);
      for (std::size_t code = 0; code < of_level.size(); ++code)
        units[of_level[code]] = std::max(units[of_level[code]], of_code[code]);
      if (&of_level != &parts[0])
        for (Cost& each : units) each += upto(4);
      for (std::size_t code = 0; code < of_level.size(); ++code) of_code[code] = units[of_level[code]];
      Cost all = 0;
      for (std::size_t row = 0; row * attributes < c.codes.size(); ++row)
        all += of_code[c.codes[row * attributes + a]] * std::accumulate(c.counts.begin() + row * c.input.labels,
                                                                        c.counts.begin() + (row + 1) * c.input.labels,
                                                                        Cost{0});
      price.units[a].push_back(units);
      price.fixed[a].push_back(all);
    }
    price.suppressed_row += *std::max_element(of_code.begin(), of_code.end());
  }
  return price;
}

// The limit that a case is searched with; with seed % 3 == 0 it is mostly 0.
Count limit_of(unsigned seed, Count total) { return seed % 4 == 0 ? total : static_cast<Count>(seed % 3 * seed % 20); }

// Random facts, people and rules, for two cases in three; in some of them with people whom no row is like.
void make_private(Case& c, unsigned seed) {
  std::mt19937 random(seed + 1'000'000);
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::size_t attributes = c.input.parts.size(), labels = c.input.labels;
  const int facts = 2 + upto(5);
  if (upto(3) == 0)
    for (std::size_t i = 0; i < labels; ++i) c.counts[i] = 0;  // of the first distinct row
  Privacy& p = c.privacy;
  p.first.push_back(0);
  for (std::size_t row = 0; row * attributes < c.codes.size(); ++row) {
    std::map<int, Count> drawn;
    const Count rows =
        std::accumulate(c.counts.begin() + row * labels, c.counts.begin() + (row + 1) * labels, Count{0});
    for (Count i = 0; i < rows; ++i) ++drawn[std::min(upto(facts), upto(facts))];
    for (const auto& [fact, count] : drawn) p.facts.push_back(fact), p.counts.push_back(count);
    p.first.push_back(static_cast<std::int64_t>(p.facts.size()));
    p.population.push_back((rows + upto(4) + (rows == 0)) * 1'000'000ll);
  }
  const int rules = 1 + upto(2);
  for (int r = 0; r < rules; ++r) {
    constexpr Rule::Kind kinds[] = {Rule::Kind::distinct,     Rule::Kind::entropy,  Rule::Kind::recursive,
                                    Rule::Kind::equal,        Rule::Kind::ordered,  Rule::Kind::shares,
                                    Rule::Kind::hierarchical, Rule::Kind::presence, Rule::Kind::population};
    Rule rule;
    rule.kind = kinds[upto(9)];
    const bool joint = upto(3) == 0;  // the second half of the facts are a part of their own
    for (int fact = 0; fact < facts; ++fact) {
      rule.cells.push_back(fact);
      rule.values.push_back(fact);
      rule.parts.push_back(joint && fact * 2 >= facts);
    }
    rule.table.assign(facts, 1.0 / facts);
    rule.tree.resize(3);  // values, pairs of neighbours, everything
    for (int fact = 0; fact < facts; ++fact) {
      rule.tree[0].push_back(fact);
      rule.tree[1].push_back(fact / 2);
      rule.tree[2].push_back(0);
    }
    if (rule.kind == Rule::Kind::hierarchical) rule.distance = 0.5;
    rule.floors.assign(facts, 0);
    rule.caps.assign(facts, 0.3 + 0.2 * upto(4));
    rule.least = 1 + upto(3);
    rule.most = rule.kind == Rule::Kind::recursive ? 1.5 : 0.2 + 0.1 * upto(6);
    rule.from = rule.kind == Rule::Kind::recursive ? 2 : 0;
    if (rule.kind == Rule::Kind::ordered) rule.distance = 1.0 / (facts - 1);
    if (rule.kind == Rule::Kind::population) rule.least = 1e6 * (1 + upto(6));
    if (rule.kind == Rule::Kind::presence) rule.least = 0, rule.most = 0.4 + 0.2 * upto(4);
    p.rules.push_back(std::move(rule));
  }
  p.strict = limit_of(seed, 1) == 0;  // unions of what these rules admit are admitted
  for (Rule& rule : p.rules)
    if (p.strict && rule.kind == Rule::Kind::presence && upto(2)) rule.least = 0.2, p.empty_groups = true;
  if (upto(3) == 0) p.most_risk = 0.2 + 0.2 * upto(4);
  else if (upto(3) == 0) p.at_risk_below = 2 + upto(6), p.most_at_risk = 0.1 * upto(8);
  c.input.privacy = &c.privacy;
}

void fill(Case& c, unsigned seed) {
  std::mt19937 random(seed);
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  // Every seventh case has so many attributes that keys need two, four or more words; most of them stay as they are.
  const bool wide = seed % 7 == 0;
  constexpr int widths[] = {25, 60, 150};
  const int attributes = wide ? widths[upto(3)] : 1 + upto(4);
  c.input.labels = 1 + upto(3);
  for (int a = 0; a < attributes; ++a)
    c.input.parts.push_back(random_levels(wide ? 5 + upto(4) : 1 + upto(5), 1 + upto(3), upto));
  std::set<std::vector<std::int32_t>> distinct;
  const int rows_drawn = 3 + upto(30);
  for (int row = 0; row < rows_drawn; ++row) {
    std::vector<std::int32_t> drawn;
    for (int a = 0; a < attributes; ++a) {
      const int values = static_cast<int>(c.input.parts[a][0].size());
      drawn.push_back(a >= 4 && upto(8) ? a % values : upto(values));
    }
    if (!distinct.insert(drawn).second) continue;
    c.codes.insert(c.codes.end(), drawn.begin(), drawn.end());
    for (int label = 0; label < c.input.labels; ++label) c.counts.push_back(label == 0 ? 1 + upto(3) : upto(3));
  }
  if (seed % 3 != 1) make_private(c, seed);
  c.input.codes = c.codes;
  c.input.counts = c.counts;
  const Count rows = std::accumulate(c.counts.begin(), c.counts.end(), Count{0});
  Price squares, minority, groups;
  squares.suppressed_row = rows;
  minority.kind = Price::Kind::minority;
  groups.kind = Price::Kind::groups;
  minority.suppressed_row = groups.suppressed_row = 1;
  c.prices = {squares, minority, groups, cells_price(c, attributes, upto)};
  for (int a = 0; a < attributes; ++a) {
    const int height = static_cast<int>(c.input.parts[a].size()) - 1;
    c.low.push_back(static_cast<std::uint8_t>(upto(2) * upto(height + 1) / 2));
    const int high = a >= 4 ? c.low.back() : std::max<int>(c.low.back(), height - upto(2) * upto(height + 1) / 2);
    c.high.push_back(static_cast<std::uint8_t>(high));
  }
}

// Of released groups, each with its rows and what giving it up costs, the cheapest to give up: by the least cost of every
// number of groups, rows and rows at risk. Others are released on; any of them may go.
void give_up(const Case& c, const std::vector<std::pair<Count, Cost>>& offers, Cost released, Count limit,
             NodeMeasure& node) {
  std::map<std::array<Cost, 3>, Cost> least{{{0, 0, 0}, 0}};
  for (const auto& [size, price] : offers) {
    auto more = least;
    for (const auto& [given, cost] : least) {
      const std::array<Cost, 3> with{given[0] + 1, given[1] + size, given[2] + c.privacy.rows_at_risk(size)};
      const auto known = more.find(with);
      more[with] = known == more.end() ? cost + price : std::min(known->second, cost + price);
    }
    least = std::move(more);
  }
  std::pair<Cost, Count> best{kInfinite, 0};
  for (const auto& [given, cost] : least)
    if (node.suppressed + given[1] <= limit && c.privacy.holds(node.groups - given[0], released - given[1]) &&
        c.privacy.few_at_risk(node.at_risk - given[2], released - given[1]))
      best = std::min(best, {cost, static_cast<Count>(given[1])});
  node.holds = best.first < kInfinite;
  if (!node.holds) return;
  node.cost += best.first;
  node.suppressed += best.second;
}

// A node from the rows: its groups by the tuple of their parts.
NodeMeasure plainly(const Case& c, const Levels& levels, const Price& price, Count k, Count limit = 0) {
  const std::size_t attributes = levels.size(), labels = c.input.labels;
  std::map<std::vector<int>, std::vector<Count>> groups;
  std::map<std::vector<int>, std::vector<int>> members;
  for (std::size_t row = 0; row * attributes < c.codes.size(); ++row) {
    std::vector<int> key;
    for (std::size_t a = 0; a < attributes; ++a)
      key.push_back(c.input.parts[a][levels[a]][c.codes[row * attributes + a]]);
    auto& histogram = groups.try_emplace(key, labels, 0).first->second;
    for (std::size_t label = 0; label < labels; ++label) histogram[label] += c.counts[row * labels + label];
    members[key].push_back(static_cast<int>(row));
  }
  NodeMeasure node;
  Cost released = 0;
  std::vector<std::pair<Count, Cost>> offers;
  for (const auto& [key, histogram] : groups) {
    const Count size = std::accumulate(histogram.begin(), histogram.end(), Count{0});
    bool kept = size >= k;
    if (kept && c.input.privacy) {
      Judge judge(c.privacy);
      for (int row : members[key]) judge.add(row);
      kept = judge.verdict(size) == Verdict::admitted;
    }
    if (!kept) {
      const Count lost = size > 0 ? size : c.privacy.empty_groups;
      node.suppressed += lost;
      node.cost += price.suppressed_row * lost;
      continue;
    }
    ++node.groups;
    node.at_risk += c.privacy.rows_at_risk(size);
    released += size;
    const Cost before = node.cost;
    if (price.kind == Price::Kind::squares) node.cost += Cost{size} * size;
    if (price.kind == Price::Kind::minority) node.cost += size - *std::max_element(histogram.begin(), histogram.end());
    if (price.kind == Price::Kind::groups) node.cost += size - 1;
    for (std::size_t a = 0; a < attributes && price.kind == Price::Kind::cells; ++a)
      node.cost += size * price.units[a][levels[a]][key[a]];
    offers.emplace_back(size, price.suppressed_row * size - (node.cost - before));
  }
  if (c.input.privacy)
    node.holds = c.privacy.holds(node.groups, released) && c.privacy.few_at_risk(node.at_risk, released);
  if (!node.holds && limit > 0) give_up(c, offers, released, limit, node);
  return node;
}

std::vector<Levels> all_nodes(const Levels& low, const Levels& high) {
  std::vector<Levels> nodes{low};
  for (std::size_t a = low.size(); a-- > 0;) {
    std::vector<Levels> more;
    for (int level = low[a]; level <= high[a]; ++level)
      for (Levels node : nodes) node[a] = static_cast<std::uint8_t>(level), more.push_back(node);
    nodes = std::move(more);
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

bool same(const NodeMeasure& x, const NodeMeasure& y) {
  return x.groups == y.groups && x.suppressed == y.suppressed && x.cost == y.cost && x.holds == y.holds;
}

void nodes_are_measured_as_from_the_rows(const Case& c, const Lattice& lattice, unsigned seed) {
  const std::vector<Count> ks{1, 2, 3, 5, 9};
  const auto nodes = all_nodes(c.low, c.high);
  const LatticeMeasures swept = sweep(lattice, c.low, c.high, c.prices, ks, 1 + static_cast<int>(seed % 3));
  check(swept.nodes == nodes, "a sweep sees every node, in order", seed);
  for (std::size_t n = 0; n < nodes.size(); ++n)
    for (std::size_t i = 0; i < ks.size(); ++i)
      for (std::size_t p = 0; p < c.prices.size(); ++p) {
        const NodeMeasure plain = plainly(c, nodes[n], c.prices[p], ks[i]);
        check(same(plain, lattice.measure(*lattice.groups(nodes[n]), c.prices[p], ks[i])), "roll-up equals grouping",
              seed);
        check(same(plain, {swept.groups[i][n], swept.suppressed[i][n], swept.costs[p][i][n], swept.holds[i][n] == 1}),
              "a sweep equals grouping", seed);
      }
}

// A node that is made from one above it, without keys, and a node of a part of the lattice.
void nodes_near_another_are_measured_as_from_the_rows(const Case& c, const Lattice& lattice, unsigned seed) {
  std::mt19937 random(seed);
  const int attributes = lattice.attributes();
  for (int draw = 0; draw < 4; ++draw) {
    Levels at, to;
    for (int a = 0; a < attributes; ++a)
      at.push_back(static_cast<std::uint8_t>(c.low[a] + random() % (c.high[a] - c.low[a] + 1u)));
    GroupTable table, made;
    std::vector<std::uint32_t> group_of, again;
    lattice.roll_up(lattice.rows(), at, table, &group_of);
    std::vector<std::uint32_t> same_group(table.count());
    std::iota(same_group.begin(), same_group.end(), 0);
    const int lowered = static_cast<int>(random() % attributes);
    to = at;
    to[lowered] = static_cast<std::uint8_t>(random() % (at[lowered] + 1u));
    lattice.refine(table, group_of, same_group, lowered, to[lowered], made, &again);
    std::vector<int> free;
    for (int a = 0; a < attributes; ++a)
      if (random() % 2) free.push_back(a);
    for (const Price& price : c.prices) {
      const NodeMeasure plain = plainly(c, to, price, 3);
      check(made.levels == to && same(plain, lattice.measure(made, price, 3)), "a refined node equals grouping", seed);
      LatticeProblem whole{&lattice, price, 3, 0, c.low, c.high};
      const PartOfLattice part(whole, to, free);
      const LatticeProblem& problem = part.problem();
      check(part.whole(part.within(to)) == to, "a part fixes what is not free", seed);
      check(same(plain, problem.lattice->measure(*problem.lattice->groups(part.within(to)), problem.price, 3)),
            "a part of a lattice equals grouping", seed);
    }
  }
}

// Any rows that are admitted together are no more than may be kept of a group that has them.
void no_admitted_part_is_larger_than_what_may_be_kept(const Case& c, unsigned seed) {
  if (!c.input.privacy) return;
  std::mt19937 random(seed);
  const std::size_t labels = c.input.labels, distinct = c.counts.size() / labels;
  Judge whole(c.privacy), part(c.privacy);
  for (int draw = 0; draw < 40; ++draw) {
    Count in_whole = 0, in_part = 0;
    whole.clear();
    part.clear();
    for (std::size_t row = 0; row < distinct; ++row) {
      const Count rows =
          std::accumulate(c.counts.begin() + row * labels, c.counts.begin() + (row + 1) * labels, Count{0});
      if (random() % 4 == 0) continue;
      whole.add(static_cast<int>(row));
      in_whole += rows;
      if (draw % 8 && random() % 2) continue;
      part.add(static_cast<int>(row));
      in_part += rows;
    }
    if (in_part == 0 || part.verdict(in_part) != Verdict::admitted) continue;
    check(in_part <= whole.most_kept(in_whole), "an admitted part is not larger than what may be kept", seed);
    check(whole.verdict(in_whole) != Verdict::hopeless || c.privacy.strict, "a hopeless group has no admitted part",
          seed);
  }
}

void the_search_finds_the_optimum(const Case& c, const Lattice& lattice, unsigned seed) {
  for (const Price& price : c.prices) {
    LatticeProblem problem{&lattice, price, static_cast<Count>(1 + seed % 6), limit_of(seed, lattice.total()),
                           c.low,    c.high};
    if (seed % 2) problem.large = 0;  // with local search, however small it is
    Cost optimum = kInfinite;
    for (const Levels& levels : all_nodes(c.low, c.high)) {
      const NodeMeasure node = plainly(c, levels, price, problem.k, problem.limit);
      if (node.suppressed <= problem.limit && node.holds) optimum = std::min(optimum, node.cost);
    }
    Options options;
    const LatticeOutcome one = lattice_search(problem, options);
    check(one.proved && one.found == (optimum < kInfinite), "an unlimited search ends with a proof", seed);
    if (one.found)
      check(one.cost == optimum && plainly(c, one.levels, price, problem.k, problem.limit).cost == optimum,
            "it is the optimum", seed);
    options.threads = 4;
    const LatticeOutcome four = lattice_search(problem, options);
    check(one.levels == four.levels && one.nodes == four.nodes, "threads do not change the answer", seed);
    for (const unsigned nodes : {seed % 5, 5 + seed % 50}) {
      options.budget.nodes = nodes;
      const LatticeOutcome stopped = lattice_search(problem, options);
      check(stopped.bound <= optimum && optimum <= stopped.cost, "an interrupted bound is true", seed);
      if (!stopped.found) continue;
      const NodeMeasure node = plainly(c, stopped.levels, price, problem.k, problem.limit);
      check(node.cost == stopped.cost && node.suppressed == stopped.suppressed && node.holds &&
                node.suppressed <= problem.limit,
            "an interrupted search has an admissible node", seed);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned cases = argc > 1 ? static_cast<unsigned>(std::stoul(argv[1])) : 2000;
  for (unsigned seed = 0; seed < cases; ++seed) {
    Case c;
    fill(c, seed);
    const Lattice lattice(c.input);
    nodes_are_measured_as_from_the_rows(c, lattice, seed);
    nodes_near_another_are_measured_as_from_the_rows(c, lattice, seed);
    no_admitted_part_is_larger_than_what_may_be_kept(c, seed);
    the_search_finds_the_optimum(c, lattice, seed);
  }
  std::printf("%d checks on %u lattices hold\n", checks, cases);
}
