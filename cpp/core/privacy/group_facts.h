// group_facts.h - what privacy rules ask of the groups of one node: per group its facts, and the people it stands for.
//
// A fact that no row of a group has takes no place, so a table is at most as large as that of the distinct rows, and
// small on top. Groups are joined by adding: cost of a roll-up is the entries of the table that it is made from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/privacy/privacy.h"

namespace shoal {

struct GroupFacts {
  struct Entry {
    std::int32_t fact;
    Count rows;
  };
  std::vector<std::uint32_t> first;      // entries of group g: first[g] .. first[g + 1]; empty if no rule asks
  std::vector<Entry> entries;            // the facts of a group in no particular order, each once
  std::vector<std::int64_t> population;  // per group, in millionths; empty if no rule asks
  std::int32_t facts = 0;                // how many there are in the whole table

  // Those of the distinct rows, as far as rules ask.
  static GroupFacts of_rows(const Privacy& privacy);

  // The facts of `made` groups, each the union of the groups here of which it is the parent.
  void roll_up(std::span<const std::uint32_t> parent, std::size_t made, GroupFacts& result) const;

  std::size_t bytes() const {
    return first.size() * sizeof(std::uint32_t) + entries.size() * sizeof(Entry) +
           population.size() * sizeof(std::int64_t);
  }
};

// What is to be said of a group of so many rows; smaller ones than k need no look.
inline Verdict verdict(Judge& judge, const GroupFacts& facts, std::size_t group, Count rows, Count k) {
  if (rows < k) return Verdict::hopeless;
  judge.clear();
  if (!facts.first.empty())
    for (std::uint32_t e = facts.first[group]; e < facts.first[group + 1]; ++e)
      judge.add(facts.entries[e].fact, facts.entries[e].rows);
  if (!facts.population.empty()) judge.add_people(facts.population[group]);
  return judge.verdict(rows);
}

}  // namespace shoal
