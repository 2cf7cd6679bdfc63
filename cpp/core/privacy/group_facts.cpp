#include "core/privacy/group_facts.h"

#include <algorithm>
#include <numeric>

namespace shoal {

GroupFacts GroupFacts::of_rows(const Privacy& privacy) {
  GroupFacts rows;
  if (std::ranges::any_of(privacy.rules, &Rule::on_facts)) {
    rows.first.assign(privacy.first.begin(), privacy.first.end());
    for (std::size_t e = 0; e < privacy.facts.size(); ++e) {
      rows.entries.push_back({privacy.facts[e], privacy.counts[e]});
      rows.facts = std::max(rows.facts, privacy.facts[e] + 1);
    }
  }
  if (!std::ranges::all_of(privacy.rules, &Rule::on_facts)) rows.population = privacy.population;
  return rows;
}

void GroupFacts::roll_up(std::span<const std::uint32_t> parent, std::size_t made, GroupFacts& result) const {
  result.population.assign(population.empty() ? 0 : made, 0);
  for (std::size_t g = 0; g < population.size(); ++g) result.population[parent[g]] += population[g];
  result.first.clear();
  result.entries.clear();
  if (first.empty()) return;

  // Groups by their parents, so that the facts of a parent lie together.
  thread_local std::vector<std::uint32_t> held_next, held_order, held_place;
  auto &next = held_next, &order = held_order,
       &place = held_place;  // the address of a thread's variable is looked up at every use
  next.assign(made + 1, 0);
  for (std::uint32_t p : parent) ++next[p + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  order.resize(parent.size());
  for (std::size_t g = 0; g < parent.size(); ++g) order[next[parent[g]]++] = static_cast<std::uint32_t>(g);

  result.facts = facts;
  place.assign(facts, UINT32_MAX);  // of a fact, if it is in the present group
  result.first.resize(made + 1);
  result.entries.resize(entries.size());
  Entry* const to = result.entries.data();
  std::uint32_t count = 0;
  for (std::size_t group = 0, i = 0; group < made; ++group) {
    const std::uint32_t begin = result.first[group] = count;
    if (next[group] == i + 1) {  // of one group alone
      const std::uint32_t source = order[i++];
      const Entry* const end = entries.data() + first[source + 1];
      for (const Entry* entry = entries.data() + first[source]; entry < end; ++entry) to[count++] = *entry;
      continue;
    }
    for (; i < next[group]; ++i)  // which is the end of the group's own by now
      for (std::uint32_t e = first[order[i]], end = first[order[i] + 1]; e < end; ++e) {
        std::uint32_t at = place[entries[e].fact];
        const bool fresh = at < begin || at >= count;
        at = fresh ? count : at;
        count += fresh;
        place[entries[e].fact] = at;
        to[at] = {entries[e].fact, entries[e].rows + (fresh ? 0 : to[at].rows)};
      }
  }
  result.first[made] = count;
  result.entries.resize(count);
}

}  // namespace shoal
