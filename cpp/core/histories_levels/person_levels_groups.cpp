#include "core/histories_levels/person_levels_groups.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace shoal::person_levels {

std::uint64_t Lists::hash(std::span<const std::int32_t> list) {
#ifdef SHOAL_COLLIDING_KEYS
  return 0;
#endif
  std::uint64_t h = list.size();
  for (const std::int32_t item : list) {
    h = (h ^ static_cast<std::uint32_t>(item)) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
  }
  return h;
}

std::int32_t Lists::find(std::span<const std::int32_t> list) const {
  return index_.find(hash(list), [&](std::int32_t other) { return std::ranges::equal((*this)[other], list); });
}

std::int32_t Lists::add(std::span<const std::int32_t> list) {
  const std::uint64_t key = hash(list);
  std::int32_t number = index_.find(key, [&](std::int32_t other) { return std::ranges::equal((*this)[other], list); });
  if (number >= 0) return number;
  index_.add(key, number = size());
  items_.insert(items_.end(), list.begin(), list.end());
  first_.push_back(items());
  return number;
}

void Gone::look(std::size_t history) {
  const std::int64_t from = problem_.first[history], length = problem_.first[history + 1] - from;
  gone_.resize(std::max<std::size_t>(gone_.size(), length));
  for (std::int64_t i = 0; i < length; ++i) {
    const std::int32_t id = rows_.id[problem_.row[from + i]];
    gone_[i] = !problem_.whole_units && (id < 0 || rows_.star_of_id[id]);
  }
  // A row is after its parent: from behind, all that belongs to it is known. What is released needs its parent.
  if (!problem_.trees) return;
  for (std::int64_t i = length; i-- > 0;)
    if (const std::int32_t parent = problem_.parent[from + i]; parent >= 0 && !gone_[i]) gone_[parent] = 0;
}

namespace {

// The list of a history over several tables.
class Forest {
 public:
  Forest(const PeopleProblem& problem, const ReleasedRows& rows) : problem_(problem), rows_(rows) {}

  void list(std::size_t history, const Gone& gone, std::vector<std::int32_t>& out) {
    const std::int64_t from = problem_.first[history], length = problem_.first[history + 1] - from;
    below_.resize(std::max<std::size_t>(below_.size(), length));
    for (std::int64_t i = 0; i < length; ++i) below_[i].clear();
    roots_.clear();
    // A row is after its parent: all that belongs to it is known when it is reached from behind.
    for (std::int64_t i = length; i-- > 0;) {
      if (gone[i]) continue;
      const std::int32_t id = rows_.id[problem_.row[from + i]];
      word_.assign(1, id);
      arranged(below_[i], word_);
      const Member member{rows_.table_of_id[id], trees_.add(word_)};
      const std::int32_t parent = problem_.parent[from + i];
      (parent < 0 ? roots_ : below_[parent]).push_back(member);
    }
    out.clear();
    arranged(roots_, out);
  }

 private:
  struct Member {
    std::int32_t table, tree;
  };
  // Rows of different tables are in different files, so no order between them is known. Members come from behind.
  void arranged(std::vector<Member>& members, std::vector<std::int32_t>& out) {
    std::reverse(members.begin(), members.end());
    if (problem_.ordered) std::ranges::stable_sort(members, {}, &Member::table);
    else std::ranges::sort(members, {}, &Member::tree);
    for (const Member& member : members) out.push_back(member.tree);
  }

  const PeopleProblem& problem_;
  const ReleasedRows& rows_;
  Lists trees_;
  std::vector<std::vector<Member>> below_;
  std::vector<Member> roots_;
  std::vector<std::int32_t> word_;
};

bool has_a_star(const PeopleProblem& problem, const ReleasedRows& rows, std::size_t history) {
  for (std::int64_t i = problem.first[history]; i < problem.first[history + 1]; ++i)
    if (rows.star_of_id[rows.id[problem.row[i]]]) return true;
  return false;
}

}  // namespace

Groups grouped(const PeopleProblem& problem, const ReleasedRows& rows) {
  const std::size_t histories = problem.histories();
  Groups out{Lists(histories / 4 + 16), {}, {}, {}};
  out.group_of.assign(histories, -1);
  Forest forest(problem, rows);
  Gone gone(problem, rows);
  std::vector<std::int32_t> list;
  for (std::size_t h = 0; h < histories; ++h) {
    list.clear();
    if (problem.trees) {
      gone.look(h);
      forest.list(h, gone, list);
    } else {
      for (std::int64_t i = problem.first[h]; i < problem.first[h + 1]; ++i) {
        const std::int32_t id = rows.id[problem.row[i]];
        if (id >= 0) list.push_back(id);
      }
      if (!problem.ordered) std::sort(list.begin(), list.end());
    }
    if (list.empty()) continue;
    const std::int32_t group = out.histories.add(list);
    if (group == static_cast<std::int32_t>(out.persons.size())) {
      out.persons.push_back(0);
      if (problem.whole_units) out.has_a_star.push_back(has_a_star(problem, rows, h));
    }
    out.persons[group] += problem.counts[h];
    out.group_of[h] = group;
  }
  return out;
}

void canonical(const PeopleProblem& problem, const ReleasedRows& rows, std::size_t history,
               std::vector<std::int32_t>& positions) {
  const std::int64_t from = problem.first[history];
  positions.clear();
  for (std::int64_t i = from; i < problem.first[history + 1]; ++i)
    if (rows.id[problem.row[i]] >= 0) positions.push_back(static_cast<std::int32_t>(i - from));
  if (problem.ordered) return;
  std::ranges::stable_sort(positions, {}, [&](std::int32_t i) { return rows.id[problem.row[from + i]]; });
}

std::vector<Count> persons_with(const PeopleProblem& problem, const ReleasedRows& rows) {
  std::vector<Count> persons(rows.ids(), 0);
  std::vector<std::int64_t> last(rows.ids(), -1);
  for (std::size_t h = 0; h < problem.histories(); ++h)
    for (std::int64_t i = problem.first[h]; i < problem.first[h + 1]; ++i) {
      const std::int32_t id = rows.id[problem.row[i]];
      if (id < 0 || last[id] == static_cast<std::int64_t>(h)) continue;
      last[id] = static_cast<std::int64_t>(h);
      persons[id] += problem.counts[h];
    }
  return persons;
}

void refuse_by_models(const PeopleProblem& problem, const ReleasedRows& rows, const Groups& groups,
                      std::vector<std::uint8_t>& kept) {
  if (problem.facts.empty()) return;
  constexpr double kSlack = 1e-9;
  std::vector<std::vector<std::int32_t>> members(groups.persons.size());
  for (std::size_t h = 0; h < problem.histories(); ++h)
    if (groups.group_of[h] >= 0 && kept[groups.group_of[h]])
      members[groups.group_of[h]].push_back(static_cast<std::int32_t>(h));
  struct Held {
    std::int32_t id, fact;
    Count persons;
  };
  std::vector<Held> held;
  std::vector<Judge> judges;
  std::vector<int> judge_of;
  judges.reserve(problem.tables.size());
  for (const Table& table : problem.tables) {
    judge_of.push_back(table.privacy ? static_cast<int>(judges.size()) : -1);
    if (table.privacy) judges.emplace_back(*table.privacy);
  }
  Gone gone(problem, rows);
  std::vector<std::int64_t> last;
  std::vector<Count> who;
  for (std::size_t g = 0; g < members.size(); ++g) {
    if (!kept[g]) continue;
    held.clear();
    for (const std::int32_t h : members[g]) {
      gone.look(h);
      for (std::int64_t i = problem.first[h]; i < problem.first[h + 1]; ++i)
        if (!gone[i - problem.first[h]]) held.push_back({rows.id[problem.row[i]], problem.facts[i], problem.counts[h]});
    }
    std::ranges::sort(held, {}, &Held::id);
    for (std::size_t i = 0; i < held.size() && kept[g];) {
      const int judge = judge_of[rows.table_of_id[held[i].id]];
      std::size_t end = i;
      Count number = 0;
      if (judge >= 0) judges[judge].clear();
      for (; end < held.size() && held[end].id == held[i].id; ++end) {
        if (judge >= 0) judges[judge].add(held[end].fact, held[end].persons);
        number += held[end].persons;
      }
      if (judge >= 0 && judges[judge].verdict(number) != Verdict::admitted) kept[g] = 0;
      i = end;
    }
    for (const Belief& belief : problem.beliefs) {
      if (!kept[g]) break;
      who.assign(belief.most.size(), 0);
      last.assign(belief.most.size(), -1);
      for (const std::int32_t h : members[g]) {
        gone.look(h);
        for (std::int64_t i = problem.first[h]; i < problem.first[h + 1]; ++i) {
          if (gone[i - problem.first[h]] || problem.table[problem.row[i]] != belief.table) continue;
          const std::int32_t value = belief.value_of[problem.facts[i]];
          if (last[value] != h) who[value] += problem.counts[h];
          last[value] = h;
        }
      }
      for (std::size_t value = 0; value < who.size(); ++value) {
        if (belief.most[value] >= 1.0) continue;
        const bool many = belief.others < 0 ? who[value] > (belief.most[value] + kSlack) * groups.persons[g]
                                            : who[value] > groups.persons[g] - belief.others;
        if (many) kept[g] = 0;
      }
    }
  }
}

}  // namespace shoal::person_levels
