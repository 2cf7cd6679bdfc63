// local_test.cpp - the searches that put rows into groups, against plain counting, in C++ so that sanitizers see every access.
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

#include "core/cuts/anneal.h"
#include "core/cuts/genetic.h"
#include "core/rows/forest.h"
#include "core/rows/local.h"
#include "core/rows/local_alone.h"
#include "core/rows/local_box.h"
#include "core/rows/local_proof.h"
#include "core/rows/mondrian.h"
#include "random_privacy.h"

namespace {

using namespace shoal;
using shoal::testing::check;
using shoal::testing::checks;

struct Random {
  std::mt19937 engine;
  explicit Random(unsigned seed) : engine(seed) {}
  int upto(int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); }
};

// Nested levels from single values to one part, as [level][code], now and then with a level that joins nothing.
std::vector<std::vector<std::int32_t>> random_parts(int size, Random& random) {
  std::vector<std::vector<std::int32_t>> parts(1, std::vector<std::int32_t>(size));
  for (int code = 0; code < size; ++code) parts[0][code] = code;
  for (int count = size; count > 1;) {
    const int fewer = random.upto(4) == 0 ? count : 1 + random.upto(count);
    std::vector<std::int32_t> to(count), next(size);
    for (int part = 0; part < count; ++part) to[part] = part < fewer ? part : random.upto(fewer);
    for (int code = 0; code < size; ++code) next[code] = to[parts.back()[code]];
    parts.push_back(std::move(next));
    count = fewer;
    if (parts.size() == 6 && count > 1) parts.emplace_back(size, 0), count = 1;
  }
  if (size == 1 && random.upto(2) == 0) parts.push_back({0});
  return parts;
}

// Prices that never fall upward.
std::vector<std::vector<Cost>> random_units(const std::vector<std::vector<std::int32_t>>& parts, Cost scale,
                                            Random& random) {
  std::vector<std::vector<Cost>> units(parts.size());
  for (std::size_t level = 0; level < parts.size(); ++level) {
    units[level].assign(*std::max_element(parts[level].begin(), parts[level].end()) + 1,
                        level ? random.upto(4) * scale : 0);
    for (std::size_t code = 0; level && code < parts[level].size(); ++code)
      units[level][parts[level][code]] =
          std::max(units[level][parts[level][code]], units[level - 1][parts[level - 1][code]]);
  }
  return units;
}

struct Table {
  std::vector<std::int32_t> codes;
  std::vector<Count> counts;
  std::unique_ptr<Privacy> privacy = nullptr;
  LocalProblem problem;
  int attributes() const { return static_cast<int>(problem.parts.size()); }
  int rows() const { return static_cast<int>(counts.size()); }
  bool has_copies() const {
    return std::any_of(counts.begin(), counts.end(), [](Count count) { return count > 1; });
  }
  int code(int row, int a) const { return codes[row * attributes() + a]; }
};

LocalSpan random_span(int size, Random& random) {
  LocalSpan span;
  span.ordered = random.upto(2) == 0;
  if (!span.ordered) {
    span.of_count = {0, 0};
    while (static_cast<int>(span.of_count.size()) <= size)
      span.of_count.push_back(span.of_count.back() + random.upto(3));
    return span;
  }
  const bool missing = random.upto(2) == 0;
  const int known = size - missing;
  for (int code = 0; code < known; ++code) span.position.push_back(code ? span.position.back() + random.upto(3) : 0);
  if (missing) {
    span.missing = known;
    span.missing_is_all = random.upto(2) == 0;
    span.with_missing = (span.missing_is_all && known ? span.position.back() : 0) + random.upto(3);
  }
  return span;
}

void fill(Table& made, unsigned seed, int most_rows, int most_values, int copies) {
  Random random(seed);
  LocalProblem& p = made.problem;
  const int kinds = random.upto(3);  // nodes, spans, or some of each
  p.squares = random.upto(3) == 0;
  std::vector<int> sizes;
  for (int a = 1 + random.upto(3); a > 0; --a) {
    sizes.push_back(1 + random.upto(most_values));
    p.parts.push_back(random_parts(sizes.back(), random));
    p.units.push_back(random_units(p.parts.back(), 1, random));
    const bool spans = kinds == 2 ? random.upto(2) == 0 : kinds == 1;
    if (kinds > 0) p.spans.emplace_back();
    if (spans) p.spans.back() = random_span(sizes.back(), random);
    std::int32_t name = 0;
    auto& names = p.names.emplace_back();
    for (const auto& units : p.units.back())
      for (auto& of_level = names.emplace_back(); of_level.size() < units.size();) of_level.push_back(name++);
    p.low.push_back(
        static_cast<std::uint8_t>(random.upto(4) || spans ? 0 : random.upto(static_cast<int>(p.parts.back().size()))));
    const int room = static_cast<int>(p.parts.back().size()) - p.low.back();
    p.high.push_back(static_cast<std::uint8_t>(random.upto(4) || spans ? p.parts.back().size() - 1
                                                                       : p.low.back() + random.upto(room)));
    Cost most = 0;
    for (const Cost each : p.units.back().back()) most = std::max(most, each);
    if (spans) {
      const LocalSpan& span = *p.spans.back();
      most = !span.ordered           ? span.of_count.back()
             : span.position.empty() ? 0
                                     : span.position.back() + span.with_missing;
    }
    p.suppressed_row += most;
  }
  std::map<std::vector<std::int32_t>, Count> rows;
  for (int row = 1 + random.upto(most_rows); row > 0; --row) {
    std::vector<std::int32_t> codes;
    for (const int size : sizes) codes.push_back(random.upto(size));
    rows[codes] += 1 + random.upto(copies);
  }
  Count total = 0;
  for (const auto& [codes, count] : rows) {
    made.codes.insert(made.codes.end(), codes.begin(), codes.end());
    made.counts.push_back(count);
    total += count;
  }
  p.codes = made.codes;
  p.counts = made.counts;
  p.k = 1 + random.upto(std::min(total, Count{6}));
  p.limit = random.upto(2) ? 0 : random.upto(total + 1);
  if (random.upto(3) == 0) {
    auto& start = p.starts.emplace_back();
    for (int row = 0; row < made.rows(); ++row)
      start.push_back(random.upto(1 + made.rows() / 3) - (random.upto(8) == 0));
    p.by_levels = random.upto(2) == 0;
  }
}

// What a row of a group costs, by the definition of boxes; kInfinite if a level is not allowed.
Cost price(const Table& made, const std::vector<int>& group) {
  const LocalProblem& p = made.problem;
  Cost sum = 0;
  for (int a = 0; a < made.attributes(); ++a) {
    std::vector<int> codes;
    for (const int row : group) codes.push_back(made.code(row, a));
    std::sort(codes.begin(), codes.end());
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
    if (!p.span(a)) {
      std::size_t level = p.low[a];
      while (std::any_of(codes.begin(), codes.end(),
                         [&](int code) { return p.parts[a][level][code] != p.parts[a][level][codes[0]]; }))
        ++level;
      if (level > p.high[a]) return kInfinite;
      sum += p.units[a][level][p.parts[a][level][codes[0]]];
    } else if (const LocalSpan& span = *p.span(a); !span.ordered) {
      sum += span.of_count[codes.size()];
    } else {
      const bool missing = std::erase(codes, span.missing) > 0;
      if (codes.empty()) continue;
      const Cost width = span.position[codes.back()] - span.position[codes.front()];
      sum += !missing ? width : span.missing_is_all ? span.with_missing : width + span.with_missing;
    }
  }
  return sum;
}

void prices_without_a_row_are_those_of_the_others(unsigned seed) {
  Table made;
  fill(made, seed, 12, seed % 8 ? 6 : 600, 2);
  for (std::size_t a = 0; a < made.problem.high.size(); ++a)
    made.problem.high[a] = static_cast<std::uint8_t>(made.problem.parts[a].size() - 1);
  if (made.rows() < 2) return;
  const Rows rows(made.problem);
  const Boxes boxes(made.problem, rows);
  std::vector<int> group(made.rows());
  for (int row = 0; row < made.rows(); ++row) group[row] = row;
  std::vector<Cost> prices;
  boxes.without(group, prices);
  for (int row = 0; row < made.rows(); ++row) {
    std::vector<int> others = group;
    others.erase(others.begin() + row);
    check(prices[row] == price(made, others), "what a row leaves behind has its price", seed);
    Box box = boxes.around(others.front());
    for (const int other : others) boxes.join(box, other);
    check(box.price == prices[row], "a box has its price", seed);
    const Cost all = boxes.price_with(box, row, kInfinite - 1);
    check(all == price(made, group), "a row joins for what all cost", seed);
    check(boxes.price_with(box, row, all - 1) == kInfinite, "and never above the limit", seed);
  }
}

// The least that all rows cost; the copies of a row stay together, or may be released differently.
Cost optimum(const Table& made, bool together) {
  const LocalProblem& p = made.problem;
  Count total = 0;
  std::vector<std::pair<int, Count>> items;
  for (int row = 0; row < made.rows(); ++row) {
    total += made.counts[row];
    if (together) items.emplace_back(row, made.counts[row]);
    for (Count copy = 0; copy < made.counts[row] && !together; ++copy) items.emplace_back(row, 1);
  }
  std::vector<std::vector<int>> groups;
  std::vector<Count> sizes;
  Cost best = kInfinite;
  const std::function<void(std::size_t, Count)> place = [&](std::size_t at, Count lost) {
    if (lost > p.limit) return;
    if (at == items.size()) {
      if (groups.empty()) return;
      Cost sum = p.squares ? static_cast<Cost>(lost) * total : lost * p.suppressed_row;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        const Cost each = sizes[g] < p.k ? kInfinite : price(made, groups[g]);
        if (each == kInfinite) return;
        sum += p.squares ? static_cast<Cost>(sizes[g]) * sizes[g] : sizes[g] * each;
      }
      best = std::min(best, sum);
      return;
    }
    const auto [row, count] = items[at];
    for (std::size_t g = 0; g <= groups.size(); ++g) {
      if (g == groups.size()) groups.emplace_back(), sizes.push_back(0);
      groups[g].push_back(row);
      sizes[g] += count;
      place(at + 1, lost);
      groups[g].pop_back();
      sizes[g] -= count;
      if (groups[g].empty()) {
        groups.pop_back(), sizes.pop_back();
        break;
      }
    }
    place(at + 1, lost + count);
  };
  place(0, 0);
  return best;
}

std::vector<std::vector<int>> groups_of(const Table& made, const LocalOutcome& out) {
  std::map<std::vector<int>, std::vector<int>> groups;
  for (int row = 0; row < made.rows(); ++row) {
    std::vector<int> key;
    if (made.counts[row] == 0) continue;
    if (!made.problem.all_nodes()) key = {out.groups[row]};
    for (int a = 0; made.problem.all_nodes() && a < made.attributes(); ++a) {
      const int level = out.levels[row * made.attributes() + a];
      key.push_back(level == kSuppressedRow ? -1 : level * 10000 + made.problem.parts[a][level][made.code(row, a)]);
    }
    if (key[0] >= 0) groups[key].push_back(row);
  }
  std::vector<std::vector<int>> found;
  for (auto& [key, rows] : groups) found.push_back(std::move(rows));
  return found;
}

void check_release(const Table& made, const LocalOutcome& out, unsigned seed) {
  const LocalProblem& p = made.problem;
  Count total = 0, released = 0;
  for (const Count count : made.counts) total += count;
  Cost cells = 0, squares = 0;
  for (const auto& rows : groups_of(made, out)) {
    Count size = 0;
    for (const int row : rows) size += made.counts[row];
    released += size;
    squares += static_cast<Cost>(size) * size;
    check(size >= p.k, "a group has k rows", seed);
    const Cost each = price(made, rows);
    check(each < kInfinite, "levels are allowed", seed);
    cells += each * size;
    if (!p.privacy) continue;
    Judge judge(*p.privacy);
    judge.clear();
    for (const int row : rows) judge.add(row);
    check(judge.verdict(size) == Verdict::admitted, "a group is admitted", seed);
  }
  check(total - released == out.suppressed && out.suppressed <= p.limit, "no more rows are suppressed than may be",
        seed);
  const Cost lost = p.squares ? static_cast<Cost>(out.suppressed) * total : out.suppressed * p.suppressed_row;
  check(out.cost >= (p.squares ? squares : cells) + lost, "groups cost no more than is said", seed);
  check(p.squares || !p.all_nodes() || out.cost == cells + lost, "levels cost what is said", seed);
  check(out.bound >= 0 && out.bound <= out.cost, "the bound is below the cost", seed);
}

LocalOutcome searched(const Table& made, unsigned seed, int threads, std::int64_t nodes = INT64_MAX) {
  Options options;
  options.threads = threads;
  options.seed = seed;
  options.budget.nodes = nodes;
  return local_search(made.problem, options);
}

void local_is_between_its_bound_and_the_optimum(unsigned seed) {
  Table made;
  fill(made, seed, 6, 4, 2);
  const LocalOutcome out = searched(made, seed, 1);
  if (!out.found) return;
  check_release(made, out, seed);
  const Cost best = optimum(made, true);
  check(out.bound <= best && best <= out.cost, "the optimum lies between bound and cost", seed);
  if (made.problem.squares) return;  // its bound is about copies that are released alike
  check(out.cost == best, "few rows are parted in the best way", seed);
  check(out.bound <= optimum(made, false), "the bound holds for copies that are released differently", seed);
  check(out.proved || made.has_copies(), "the best way is proved if there are no copies", seed);
}

// Whatever rows and copies a group has, it costs no less than what they pay.
void check_shares(const Table& made, const std::vector<Cost>& shares, unsigned seed) {
  const LocalProblem& p = made.problem;
  for (unsigned set = 1; set < 1u << made.rows(); ++set) {
    std::vector<int> group;
    std::vector<Cost> others;  // of further copies
    Cost paid = 0;
    for (int row = 0; row < made.rows(); ++row) {
      if (!(set >> row & 1)) continue;
      group.push_back(row);
      paid += shares[row];
      others.insert(others.end(), made.counts[row] - 1, shares[row]);
    }
    const Cost each = price(made, group);
    if (each == kInfinite || group.size() + others.size() < static_cast<std::size_t>(p.k)) continue;
    std::sort(others.begin(), others.end(), std::greater{});
    Cost size = static_cast<Cost>(group.size());
    for (const Cost share : others)
      if (size < p.k || share > each) paid += share, ++size;
    check(paid <= size * each, "a group costs no less than its rows pay", seed);
  }
  if (p.limit > 0)
    for (const Cost share : shares) check(share <= p.suppressed_row, "nor does a suppressed row", seed);
}

void shares_hold_for_every_group(unsigned seed) {
  Table made;
  fill(made, seed, 8, 4, 3);
  LocalProblem& p = made.problem;
  for (auto& levels : p.units)
    for (auto& units : levels)
      for (Cost& each : units) each *= 1000;
  for (auto& span : p.spans) {
    if (!span) continue;
    for (Cost& each : span->position) each *= 1000;
    for (Cost& each : span->of_count) each *= 1000;
    span->with_missing *= 1000;
  }
  p.suppressed_row *= 1000;
  Random random(seed + 1);
  std::vector<Cost> known;
  for (int row = 0; row < made.rows(); ++row) known.push_back(std::min<Cost>(random.upto(6000), p.suppressed_row));
  Options options;
  const Watch watch(options);
  const Rows rows(p);
  const Boxes boxes(p, rows);
  if (const auto shares = proved_shares(p, rows, boxes, known, watch); !shares.empty())
    check_shares(made, shares, seed);
  if (!p.all_nodes()) return;
  if (auto found = label_boxes(p, known, watch); check(found.has_value(), "there are few boxes", seed), found)
    check_shares(made, Shares(p, std::move(*found), known, watch).found(known), seed);
}

// Whether each further value of a set or an interval costs something. Where it does not, two rows that each cost nothing
// more in a box may cost something together, and only a bound is promised.
bool each_value_counts(const LocalProblem& p) {
  for (const std::optional<LocalSpan>& span : p.spans) {
    if (!span) continue;
    const std::vector<Cost>& steps = span->ordered ? span->position : span->of_count;
    const auto first = steps.begin() + std::min<std::ptrdiff_t>(span->ordered ? 0 : 1, std::ssize(steps));
    if (std::adjacent_find(first, steps.end()) != steps.end()) return false;
    if (span->missing >= 0 && span->with_missing == 0) return false;
  }
  return true;
}

// Some copies of it and others, whatever they are, with which a row costs least.
void cheapest_boxes_are_those_of_the_best_groups(unsigned seed) {
  Table made;
  fill(made, seed, 8, 5, 3);
  LocalProblem& p = made.problem;
  for (std::size_t a = 0; a < p.high.size(); ++a) p.high[a] = static_cast<std::uint8_t>(p.parts[a].size() - 1);
  std::vector<Cost> best(made.rows(), kInfinite);
  for (unsigned set = 1; set < 1u << made.rows(); ++set) {
    std::vector<int> group;
    Count copies = 0;
    for (int row = 0; row < made.rows(); ++row)
      if (set >> row & 1) group.push_back(row), copies += made.counts[row];
    if (copies < p.k) continue;
    const Cost each = price(made, group);
    for (const int row : group) best[row] = std::min(best[row], each);
  }
  Random random(~seed);
  std::vector<Cost> known;
  for (const Cost each : best) known.push_back(random.upto(3) ? each + random.upto(4) : random.upto(4));
  Options options;
  const Watch watch(options);
  const Rows rows(p);
  const Boxes boxes(p, rows);
  const std::vector<Cost> least = CheapestBoxes(p, rows, boxes, known, watch).least();
  for (int row = 0; row < made.rows(); ++row) {
    check(least[row] <= best[row], "no group has a row for less than its cheapest box", seed);
    check(least[row] == std::min(best[row], known[row]) || least[row] < known[row],
          "a box that is cheaper than the known one is found", seed);
  }
  const std::vector<Cost> all(made.rows(), kInfinite / 1024);
  const std::vector<Cost> found = CheapestBoxes(p, rows, boxes, all, watch).least();
  for (int row = 0; row < made.rows(); ++row)
    check(found[row] <= best[row], "no group has a row for less than its cheapest box", seed);
  if (each_value_counts(p)) check(found == best, "the cheapest boxes of few rows are found", seed);
}

// A missing value is in no interval: a row that has it and one at 7 need nothing between 7 and another row's 5.
void shares_hold_around_a_missing_value(unsigned seed) {
  Random random(seed);
  Table made;
  LocalProblem& p = made.problem;
  LocalSpan span;
  span.ordered = true;
  const int known = 2 + random.upto(5);
  for (int code = 0; code < known; ++code) span.position.push_back(1000 * code);
  span.missing = known;
  span.with_missing = 1000 * (1 + random.upto(2));
  p.parts = {{{}, {}}};
  for (int code = 0; code <= known; ++code) {
    p.parts[0][0].push_back(code), p.parts[0][1].push_back(0);
    made.codes.push_back(code);
    made.counts.push_back(1 + random.upto(2));
  }
  p.units.push_back({std::vector<Cost>(known + 1, 0), {1000 * known}});
  p.names.push_back({std::vector<std::int32_t>(known + 1, 0), {0}});
  p.spans = {span};
  p.low = {0}, p.high = {1};
  p.suppressed_row = 1000 * (known + 1);
  p.codes = made.codes, p.counts = made.counts;
  p.k = 2 + random.upto(3);
  std::vector<Cost> known_prices;
  for (int row = 0; row < made.rows(); ++row) known_prices.push_back(500 + random.upto(2000));
  known_prices.back() = 3000;
  Options options;
  const Watch watch(options);
  const Rows rows(p);
  const Boxes boxes(p, rows);
  check_shares(made, proved_shares(p, rows, boxes, known_prices, watch), seed);
}

void local_keeps_its_promises_on_larger_tables(unsigned seed) {
  Table made;
  const bool wide = seed % 16 == 0;
  fill(made, seed, wide ? 300 : 60, wide ? (seed % 32 ? 90 : 1500) : 9, 4);
  Random random(~seed);
  if (seed % 3 == 0) {  // a rule on two facts, and now and then a limit on average risk
    made.privacy = std::make_unique<Privacy>();
    Privacy& privacy = *made.privacy;
    for (int row = 0; row < made.rows(); ++row) {
      privacy.first.push_back(static_cast<std::int64_t>(privacy.facts.size()));
      for (Count copy = 0; copy < made.counts[row]; ++copy)
        privacy.facts.push_back(random.upto(shoal::testing::kFacts)), privacy.counts.push_back(1);
    }
    privacy.first.push_back(static_cast<std::int64_t>(privacy.facts.size()));
    const std::vector<double> shares(shoal::testing::kDiseases, 1.0 / shoal::testing::kDiseases);
    const auto kind = static_cast<Rule::Kind>(random.upto(7));
    privacy.rules.push_back(shoal::testing::random_rule(kind, random.upto(4) == 0, shares, random.engine));
    privacy.supersets = kind == Rule::Kind::distinct && privacy.rules[0].parts.back() == 0;
    if (random.upto(3) == 0) privacy.most_risk = 0.1 * (1 + random.upto(5));
    made.problem.privacy = &privacy;
  } else if (seed % 3 == 1) {  // rows that only a population has
    for (Count& count : made.counts)
      if (random.upto(6) == 0 && &count != &made.counts[0]) count = 0;
    Count total = 0;
    for (const Count count : made.counts) total += count;
    made.problem.k = std::min(made.problem.k, total);
  }
  const LocalOutcome one = searched(made, seed, 1), two = searched(made, seed, 4);
  check(one.found == two.found && one.cost == two.cost && one.bound == two.bound && one.levels == two.levels &&
            one.groups == two.groups,
        "threads change nothing", seed);
  if (one.found) check_release(made, one, seed);
  std::atomic<bool> stop{false};
  Options stopped;
  stopped.stop = &stop;
  stopped.report = [&](const Progress&) { stop = true; };
  const LocalOutcome left = local_search(made.problem, stopped);
  if (left.found) check_release(made, left, seed);
  for (const std::int64_t nodes : {0, 2}) {
    const LocalOutcome early = searched(made, seed, 1, nodes);
    check(early.nodes <= nodes + 1, "at most one node more is looked at, the top", seed);
    if (early.found) check_release(made, early, seed);
  }
}

// A billion rows, of prices as fine as they come: sums must fit.
void local_counts_a_billion_rows() {
  for (const bool squares : {false, true})
    for (const bool spans : {false, true}) {
      Table made;
      LocalProblem& p = made.problem;
      const Cost unit = Cost{1} << 30;
      p.parts = {{{0, 1, 2, 3}, {0, 0, 0, 0}}};
      p.units = {{{0, 0, 0, 0}, {unit}}};
      p.names = {{{0, 1, 2, 3}, {4}}};
      if (spans) p.spans = {LocalSpan{true, {0, unit / 4, unit / 2, unit}, {}, -1, 0, false}};
      p.low = {0}, p.high = {1};
      p.suppressed_row = unit;
      made.codes = {0, 1, 2, 3};
      made.counts = {400'000'000, 300'000'000, 200'000'000, 100'000'000};
      p.codes = made.codes;
      p.counts = made.counts;
      p.squares = squares;
      for (const Count limit : {0, 350'000'000, 1'000'000'000})
        for (const Count k : {1, 150'000'000, 250'000'000, 450'000'000, 1'000'000'000}) {
          p.k = k, p.limit = limit;
          const LocalOutcome out = searched(made, 1, 2);
          check(out.found, "something is found", static_cast<unsigned>(k));
          check_release(made, out, static_cast<unsigned>(k));
        }
      p.starts = {{0, -1, -1, -1}};  // some are suppressed rather than joined
      p.by_levels = false;
      p.k = 350'000'000, p.limit = 1'000'000'000;
      Privacy privacy;
      privacy.first = {0, 2, 3, 4, 5};
      privacy.facts = {0, 1, 2, 2, 2};
      privacy.counts = {200'000'000, 200'000'000, 300'000'000, 200'000'000, 100'000'000};
      Rule rule;
      rule.kind = Rule::Kind::shares;
      rule.cells = rule.values = {0, 1, 2};
      rule.parts = {0, 0, 0};
      rule.table = {0.2, 0.2, 0.6};
      rule.floors = {0, 0, 0}, rule.caps = {0.6, 0.6, 0};  // nobody may be seen with the last one
      privacy.rules = {rule};
      privacy.supersets = false;
      p.privacy = &privacy;
      const LocalOutcome out = searched(made, 1, 1);
      check(out.found && out.suppressed == 600'000'000, "rows that nobody may be released with are suppressed", 0);
      check_release(made, out, 0);
    }
}

void mondrian_groups_are_large_enough(unsigned seed, int most_rows, int most_values) {
  Table made;
  fill(made, seed, most_rows, most_values, 3);
  Random random(~seed);
  std::vector<Count> labels;
  for (const Count count : made.counts) {
    const Count first = random.upto(count + 1);
    labels.insert(labels.end(), {first, count - first});
  }
  MondrianProblem p;
  for (int a = 0; a < made.attributes(); ++a) {
    MondrianAttribute& attribute = p.attributes.emplace_back();
    attribute.kind = static_cast<MondrianAttribute::Kind>(random.upto(3));
    attribute.size = static_cast<std::int32_t>(made.problem.parts[a][0].size());
    for (int code = 0; code < attribute.size; ++code)
      attribute.positions.push_back(code ? attribute.positions.back() + random.upto(2) : 0);
    attribute.step = random.upto(3);
    attribute.parts = made.problem.parts[a];
    for (const auto& units : made.problem.units[a]) attribute.widths.emplace_back(units.begin(), units.end());
  }
  p.codes = made.codes;
  p.counts = made.counts;
  p.labels = labels;
  p.k = made.problem.k;
  for (const auto choice :
       {MondrianProblem::Choice::width, MondrianProblem::Choice::gain, MondrianProblem::Choice::cost})
    for (const bool relaxed : {false, true}) {
      p.choice = choice;
      p.relaxed = relaxed;
      Options options;
      const MondrianOutcome one = mondrian(p, options);
      options.threads = 4;
      const MondrianOutcome two = mondrian(p, options);
      check(one.found && one.group_of == two.group_of && one.nodes == two.nodes, "threads change nothing", seed);
      std::vector<Count> sizes(one.groups, 0);
      for (int row = 0; row < made.rows(); ++row) sizes[one.group_of[row]] += made.counts[row];
      check(std::all_of(sizes.begin(), sizes.end(), [&](Count size) { return size >= p.k; }), "a group has k rows",
            seed);
      options.budget.nodes = 1;
      check(mondrian(p, options).nodes <= 1, "no more nodes are looked at than asked for", seed);
    }
}

void forest_is_within_its_ratio(unsigned seed) {
  Table made;
  fill(made, seed, 40, 6, 6);
  const Cost scale = seed % 2 ? 1 : Cost{1} << 40;
  Random random(~seed);
  Distances d{made.problem.parts, {}, made.codes, made.counts};
  for (const auto& parts : d.parts) d.units.push_back(random_units(parts, scale, random));
  for (auto& units : d.units) std::fill(units[0].begin(), units[0].end(), 0);
  Options options;
  options.threads = 1 + seed % 3;
  const Count k = made.problem.k;
  const ForestOutcome out = forest(d, k, options);
  check(out.found, "a forest is found", seed);
  std::vector<std::int64_t> copies(made.counts.size(), 0);
  std::map<std::int64_t, std::vector<std::size_t>> groups;
  for (std::size_t piece = 0; piece < out.row.size(); ++piece) {
    copies[out.row[piece]] += out.count[piece];
    groups[out.group[piece]].push_back(piece);
  }
  check(std::equal(copies.begin(), copies.end(), made.counts.begin()), "every copy is released once", seed);
  Cost cost = 0;
  for (const auto& [group, pieces] : groups) {
    std::int64_t size = 0;
    Cost each = 0;
    for (const std::size_t piece : pieces) size += out.count[piece];
    for (std::size_t a = 0; a < d.attributes(); ++a) {
      std::size_t level = 0;
      const auto part = [&](std::size_t piece) {
        return d.parts[a][level][made.code(static_cast<int>(out.row[piece]), static_cast<int>(a))];
      };
      while (
          std::any_of(pieces.begin(), pieces.end(), [&](std::size_t piece) { return part(piece) != part(pieces[0]); }))
        ++level;
      each += d.units[a][level][part(pieces[0])];
    }
    check(size >= k, "a group has k rows", seed);
    cost += each * size;
  }
  const Cost ratio = std::max({1, 2 * k - 1, 3 * k - 5});
  check(out.bound <= cost && cost <= ratio * out.weight && out.weight <= out.bound,
        "weight <= bound <= cost <= ratio * weight", seed);
}

void chance_prices_what_it_finds(unsigned seed) {
  shoal::testing::Case made = shoal::testing::random_case(seed, 6);
  if (seed % 2) shoal::testing::add_privacy(made, seed);
  Random random(~seed);
  std::vector<std::optional<Hierarchy>> hierarchies(made.sizes.size());
  for (std::size_t a = 0; a < made.sizes.size(); ++a) {
    if (random.upto(2)) continue;
    std::vector<std::vector<std::int32_t>> levels(1);
    for (int code = 0; code < made.sizes[a]; ++code) levels[0].push_back(code);
    while (levels.back().back() > 0) {
      auto next = levels.back();
      for (auto& part : next) part /= 2;
      levels.push_back(std::move(next));
    }
    hierarchies[a].emplace(levels);
  }
  const CutSpace space(made.problem, hierarchies);
  Options options;
  options.seed = seed;
  for (const std::int64_t nodes : {0, 1, 60}) {
    options.budget.nodes = nodes;
    for (const Outcome& out :
         {genetic(space, 2 + static_cast<int>(seed % 9), options), anneal(space, 1 + seed % 30, options)}) {
      check(out.nodes <= nodes, "no more nodes are looked at than asked for", seed);
      check(!out.found || shoal::testing::has_cost(made.problem, out.cuts, out.cost), "a recoding costs what is said",
            seed);
      check(!out.proved && out.bound == 0, "nothing is proved", seed);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned cases = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 500;
  local_counts_a_billion_rows();
  for (unsigned seed = 0; seed < cases; ++seed) {
    prices_without_a_row_are_those_of_the_others(seed);
    local_is_between_its_bound_and_the_optimum(seed);
    shares_hold_for_every_group(seed);
    shares_hold_around_a_missing_value(seed);
    cheapest_boxes_are_those_of_the_best_groups(seed);
    local_keeps_its_promises_on_larger_tables(seed);
    mondrian_groups_are_large_enough(seed, 60, 9);
    forest_is_within_its_ratio(seed);
    chance_prices_what_it_finds(seed);
  }
  mondrian_groups_are_large_enough(3, 40'000, 900);  // groups that several threads share
  std::printf("%d checks hold\n", checks);
}
