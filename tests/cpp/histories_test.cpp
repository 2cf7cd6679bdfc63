// histories_test.cpp - groups of persons, against plain counting, in C++ so that sanitizers see every access.
#include <map>

#include "core/histories/event_cells.h"
#include "core/histories/person_bound.h"
#include "random_privacy.h"

namespace {

using namespace shoal;

struct Random {
  std::mt19937 engine;
  explicit Random(unsigned seed) : engine(seed) {}
  int upto(int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); }
};

constexpr Cost kUnits = 60;

unsigned tried = 0;  // the seed of the present problem

void check(bool holds, const char* claim) { shoal::testing::check(holds, claim, tried); }

// Two columns: an interval or a node, and a set.
struct Case {
  std::vector<std::int32_t> codes;
  std::vector<Count> ones, counts;
  std::vector<std::int64_t> first{0};
  std::vector<std::int32_t> table_of, row_of, parent;
  PeopleProblem problem;

  explicit Case(Random& random) {
    const int size = 2 + random.upto(5), set = 2 + random.upto(3), distinct = size * set;
    for (int x = 0; x < size; ++x)
      for (int y = 0; y < set; ++y) codes.push_back(x), codes.push_back(y);
    ones.assign(distinct, 1);
    LocalProblem table;
    for (const int values : {size, set}) {
      std::vector<std::int32_t> own(values), none(values, 0);
      for (int code = 0; code < values; ++code) own[code] = code;
      table.parts.push_back({own, none});
      table.units.push_back({std::vector<Cost>(values, 0), {kUnits}});
      table.names.push_back({own, {values}});
      table.low.push_back(0), table.high.push_back(1);
    }
    LocalSpan interval{true, {}, {}, -1, 0, false}, some{false, {}, {0}, -1, 0, false};
    for (int code = 0; code < size; ++code) interval.position.push_back(kUnits * code / (size - 1));
    for (int count = 1; count <= set; ++count) some.of_count.push_back(kUnits * (count - 1) / (set - 1));
    table.spans = {random.upto(3) ? std::optional{interval} : std::nullopt, some};
    table.suppressed_row = 2 * kUnits;
    table.codes = codes;
    table.counts = ones;
    const bool forest = random.upto(3) == 0;
    for (int h = 0, persons = 2 + random.upto(40); h < persons; ++h) {
      const int rows = 1 + random.upto(5);
      for (int row = 0; row < rows; ++row) {
        row_of.push_back(random.upto(distinct));
        parent.push_back(forest && row > 0 && random.upto(2) ? random.upto(row) : -1);
        // Of a forest the rows on the second level are of the second table.
        if (parent.back() >= 0 && table_of[first.back() + parent.back()] == 1) parent.back() = -1;
        table_of.push_back(parent.back() >= 0);
      }
      first.push_back(static_cast<std::int64_t>(row_of.size()));
      counts.push_back(1 + (random.upto(6) == 0) * random.upto(3));
    }
    for (int t = 0; t < 1 + forest; ++t) {
      problem.tables.push_back(table);
      problem.sort_by.push_back({0, 1});
      problem.all_stars.push_back(false);
      problem.weight.push_back(1 + t);
    }
    problem.first = first, problem.table_of = table_of, problem.row_of = row_of, problem.parent = parent;
    problem.counts = counts;
    problem.k = 1 + random.upto(std::min<int>(6, static_cast<int>(counts.size())));
    problem.ordered = random.upto(2);
    problem.whole = !forest && random.upto(4) == 0;
    problem.limit = random.upto(3) ? static_cast<std::int64_t>(row_of.size()) * 4 : random.upto(10);
  }
};

void groups_share_their_history(const Case& made, const PeopleOutcome& out) {
  std::map<std::vector<std::int64_t>, Count> persons;
  for (std::size_t h = 0; h < made.counts.size(); ++h) {
    std::vector<std::int64_t> places;
    for (std::int64_t row = made.first[h]; row < made.first[h + 1]; ++row)
      if (out.place_of[row] >= 0) {
        places.push_back(out.place_of[row]);
        check(made.parent[row] < 0 || out.place_of[made.first[h] + made.parent[row]] >= 0,
              "a row is without its parent");
      }
    if (!made.problem.ordered || made.problem.tables.size() > 1) std::sort(places.begin(), places.end());
    if (!places.empty()) persons[places] += made.counts[h];
    check(!made.problem.whole || places.empty() ||
              static_cast<std::int64_t>(places.size()) == made.first[h + 1] - made.first[h],
          "a household lost a member");
  }
  for (const auto& [places, count] : persons) check(count >= made.problem.k, "too few persons share a history");
}

}  // namespace

int main(int argc, char** argv) {
  const int cases = argc > 1 ? std::atoi(argv[1]) : 200;
  for (int seed = 0; seed < cases; ++seed) {
    Random random(static_cast<unsigned>(seed));
    tried = static_cast<unsigned>(seed);
    const Case made(random);
    Options options;
    options.threads = 1 + seed % 2;
    options.budget.nodes = random.upto(2) ? 0 : 500;
    const PeopleOutcome out = person_groups(made.problem, options);
    const PersonBound bound = person_bound(made.problem, seed % 3 == 0, Options{});
    if (out.found) {
      groups_share_their_history(made, out);
      check(out.suppressed <= made.problem.limit, "too many rows are suppressed");
      check(bound.bound <= out.cost, "the bound is above the cost");
    }
    if (made.problem.tables.size() > 1 || made.problem.whole) continue;
    GroupsOfPersons given;
    if (out.found) given = {out.place_of, out.group_of};
    const PeopleOutcome cells = event_cells(made.problem, 1 + seed % kMostKnownRows, given, options);
    if (cells.found)
      check(person_bound(made.problem, true, Options{}).bound <= cells.cost, "the bound is above the cost");
  }
  std::printf("%d checks hold\n", shoal::testing::checks);
}
