#include "core/histories_levels/person_levels_measure.h"

#include <algorithm>
#include <span>

#include "core/histories_levels/person_levels_truncate.h"

namespace shoal::person_levels {
namespace {

constexpr std::int64_t kManyRows = 100'000;   // from which on it is tried less who might go whole
constexpr std::int64_t kFewRows = 1'000'000;  // up to which pairs of rows are counted for a bound

// Whether each group is released if persons are suppressed whole.
struct Kept {
  std::vector<std::uint8_t> by_promise;  // stars and models aside: what fails here fails at every node below
  std::vector<std::uint8_t> released;
  bool settled = true;  // false if there were too many combinations to tell who may be released: then nobody is
};

bool decide(const PeopleProblem& problem, const ReleasedRows& rows, const Groups& groups, const Watch& watch,
            Kept& kept) {
  const auto keep = [&](std::vector<std::uint8_t>& some) {
    if (problem.known > 0) return largest_set(groups.histories, groups.persons, problem.k, problem.known, some, watch);
    for (std::size_t g = 0; g < some.size(); ++g) some[g] = some[g] && groups.persons[g] >= problem.k;
    return Ended::done;
  };
  kept.by_promise.assign(groups.persons.size(), 1);
  const Ended ended = keep(kept.by_promise);
  if (ended == Ended::stopped) return false;
  kept.released = kept.by_promise;
  bool stars = false;
  for (std::size_t g = 0; g < groups.has_a_star.size(); ++g)
    if (groups.has_a_star[g] && kept.released[g]) {
      kept.released[g] = 0;
      stars = true;
    }
  const Ended again = stars && ended == Ended::done ? keep(kept.released) : ended;
  if (again == Ended::stopped) return false;
  kept.settled = again == Ended::done;
  if (!kept.settled) kept.released.assign(kept.released.size(), 0);
  refuse_by_models(problem, rows, groups, kept.released);
  return true;
}

Cost suppressed_cost(const PeopleProblem& problem, std::int64_t row) {
  return problem.tables[problem.table[row]].suppressed;
}

// What rows cost of which so many are released, per distinct row.
Cost price(const PeopleProblem& problem, const std::vector<std::int64_t>& staying, const std::vector<Cost>& cost) {
  Cost sum = 0;
  for (std::size_t r = 0; r < staying.size(); ++r) {
    const Cost gone = suppressed_cost(problem, static_cast<std::int64_t>(r));
    sum += staying[r] * cost[r] + (problem.occurrences[r] - staying[r]) * gone;
  }
  return sum;
}

void whole_persons(const PeopleProblem& problem, const ReleasedRows& rows, const Groups& groups, const Kept& kept,
                   Measure& out) {
  std::vector<std::int64_t> staying(problem.occurrences.size(), 0);
  if (!problem.loses_rows()) out.may_stay.assign(problem.occurrences.size(), 0);
  out.stays.assign(problem.row.size(), 0);
  Gone gone(problem, rows);
  std::int64_t left = 0;
  for (std::size_t h = 0; h < problem.histories(); ++h) {
    const std::int32_t group = groups.group_of[h];
    const std::int64_t from = problem.first[h], end = problem.first[h + 1];
    if (!problem.loses_rows() && (group < 0 || kept.by_promise[group]))
      for (std::int64_t i = from; i < end; ++i) out.may_stay[problem.row[i]] += problem.counts[h];
    if (group < 0 || !kept.released[group]) continue;
    if (problem.trees) gone.look(h);
    for (std::int64_t i = from; i < end; ++i) {
      if (problem.trees ? gone[i - from] : rows.id[problem.row[i]] < 0) continue;
      staying[problem.row[i]] += problem.counts[h];
      left += problem.counts[h];
      out.stays[i] = 1;
    }
  }
  out.suppressed = problem.rows - left;
  if (out.suppressed <= problem.limit) out.cost = price(problem, staying, rows.cost);
}

// The same with single rows left out; kept if it is better.
bool single_rows(const PeopleProblem& problem, const ReleasedRows& rows, const Groups& groups, const Watch& watch,
                 Measure& out) {
  Remains remains{&groups.histories, &groups.persons, std::vector<std::uint8_t>(groups.histories.items(), 1)};
  if (problem.known > 0) {
    const Ended ended = leave_out_rows(remains, problem.k, problem.known, rows.cost_of_id, watch);
    if (ended != Ended::done) return ended == Ended::too_many;
  } else {
    std::vector<Cost> gain(rows.ids());
    for (std::int32_t id = 0; id < rows.ids(); ++id)
      gain[id] = problem.tables[rows.table_of_id[id]].suppressed - rows.cost_of_id[id];
    if (!truncate(remains, problem.k, gain, watch)) return false;
  }
  Cost cost = 0;
  for (std::size_t r = 0; r < problem.occurrences.size(); ++r)
    cost += problem.occurrences[r] * suppressed_cost(problem, static_cast<std::int64_t>(r));
  std::int64_t left = 0;
  for (std::int32_t g = 0; g < groups.histories.size(); ++g) {
    const std::span<const std::int32_t> list = groups.histories[g];
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!remains.stays[groups.histories.begin_of(g) + static_cast<std::int64_t>(i)]) continue;
      left += groups.persons[g];
      cost -= groups.persons[g] * (problem.tables[rows.table_of_id[list[i]]].suppressed - rows.cost_of_id[list[i]]);
    }
  }
  if (problem.rows - left > problem.limit || cost >= out.cost) return true;
  out.cost = cost;
  out.suppressed = problem.rows - left;
  out.single_rows = true;
  out.stays.assign(problem.row.size(), 0);
  std::vector<std::int32_t> positions;
  for (std::size_t h = 0; h < problem.histories(); ++h) {
    if (groups.group_of[h] < 0) continue;
    canonical(problem, rows, h, positions);
    const std::int64_t begin = groups.histories.begin_of(groups.group_of[h]);
    for (std::size_t i = 0; i < positions.size(); ++i)
      out.stays[problem.first[h] + positions[i]] = remains.stays[begin + static_cast<std::int64_t>(i)];
  }
  return true;
}

// A row that fewer than k persons have cannot be released, whatever else is suppressed.
void common_rows(const PeopleProblem& problem, const ReleasedRows& rows, Measure& out) {
  const std::vector<Count> persons = persons_with(problem, rows);
  out.may_stay.assign(problem.occurrences.size(), 0);
  for (std::size_t r = 0; r < problem.occurrences.size(); ++r)
    if (rows.id[r] < 0 || rows.star_of_id[rows.id[r]] || persons[rows.id[r]] >= problem.k)
      out.may_stay[r] = problem.occurrences[r];
}

// Of rows of which one at most can be released, the dearest: the others cost more than where they are.
Cost conflict_price(const PeopleProblem& problem, const Measure& out, const std::vector<Cost>& cost) {
  Cost sum = 0;
  for (std::size_t c = 0; c < out.conflict_persons.size(); ++c) {
    Cost all = 0, dearest = 0;
    for (std::int64_t i = out.conflict_first[c]; i < out.conflict_first[c + 1]; ++i) {
      const Cost gain = suppressed_cost(problem, out.conflict_rows[i]) - cost[out.conflict_rows[i]];
      all += gain;
      dearest = std::max(dearest, gain);
    }
    sum += out.conflict_persons[c] * (all - dearest);
  }
  return sum;
}

// Two rows of a person that fewer than k persons have together cannot both be released, unless rows are known one by
// one alone.
void find_conflicts(const PeopleProblem& problem, const ReleasedRows& rows, const Groups& groups, Measure& out) {
  Remains common{&groups.histories, &groups.persons, std::vector<std::uint8_t>(groups.histories.items(), 1)};
  leave_out_rare_rows(common, problem.k, rows.ids());
  const std::vector<std::vector<Conflict>> found = conflicts(common, problem.k);
  if (found.empty()) return;
  std::vector<std::int32_t> positions;
  for (std::size_t h = 0; h < problem.histories(); ++h) {
    if (groups.group_of[h] < 0 || found[groups.group_of[h]].empty()) continue;
    canonical(problem, rows, h, positions);
    for (const Conflict& conflict : found[groups.group_of[h]]) {
      for (const std::int32_t place : conflict)
        out.conflict_rows.push_back(problem.row[problem.first[h] + positions[place]]);
      out.conflict_first.push_back(static_cast<std::int64_t>(out.conflict_rows.size()));
      out.conflict_persons.push_back(problem.counts[h]);
    }
  }
}

// What must go, and what the rest costs at least.
void settle(const PeopleProblem& problem, const ReleasedRows& rows, Measure& out) {
  out.must_go = problem.rows;
  for (const std::int64_t staying : out.may_stay) out.must_go -= staying;
  for (std::size_t c = 0; c < out.conflict_persons.size(); ++c)
    out.must_go += (out.conflict_first[c + 1] - out.conflict_first[c] - 1) * out.conflict_persons[c];
  out.least = out.must_go > problem.limit
                  ? kInfinite
                  : price(problem, out.may_stay, rows.cost) + conflict_price(problem, out, rows.cost);
}

}  // namespace

Measure measure(const PeopleProblem& problem, const Node& node, Effort effort, Cost known, const Watch& watch) {
  Measure out;
  const ReleasedRows rows = release(problem, node);
  const bool loses_rows = problem.loses_rows();
  if (loses_rows) common_rows(problem, rows, out);
  if (watch.stopped()) return out;
  // Pairs take as long as all else together, and much memory.
  const bool by_pairs = loses_rows && problem.known != 1 && !problem.trees && problem.rows <= kFewRows;
  const bool bound_alone = loses_rows && effort == Effort::bound;
  const Groups groups = by_pairs || !bound_alone ? grouped(problem, rows) : Groups();
  if (by_pairs) find_conflicts(problem, rows, groups, out);
  if (bound_alone) {
    settle(problem, rows, out);
    out.done = true;
    return out;
  }
  // Trees and models: whole persons are all that is tried.
  const bool tries = loses_rows && effort == Effort::rows && !problem.trees && problem.facts.empty();
  // With some rows known, few persons go whole in the best answer, and to find who takes as long as to find the rows.
  const bool skips = tries && problem.known > 0 && problem.rows > kManyRows;
  Kept kept;
  if (!skips) {
    if (!decide(problem, rows, groups, watch, kept)) return out;
    whole_persons(problem, rows, groups, kept, out);
  }
  settle(problem, rows, out);
  if (!loses_rows && out.least < kInfinite && kept.settled) out.least = out.cost;
  if (tries && out.least < std::min(known, out.cost) && !single_rows(problem, rows, groups, watch, out)) return out;
  out.done = true;
  return out;
}

Cost box_bound(const PeopleProblem& problem, const Measure& high, const Node& low) {
  if (high.must_go > problem.limit) return kInfinite;
  const std::vector<Cost> least = least_costs(problem, low);
  return price(problem, high.may_stay, least) + conflict_price(problem, high, least);
}

}  // namespace shoal::person_levels
