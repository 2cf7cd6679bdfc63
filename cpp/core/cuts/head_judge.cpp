#include "core/cuts/head_judge.h"

#include <algorithm>

namespace shoal {

HeadJudge::HeadJudge(const Projection& projection, const HeadGroups& groups)
    : pr_(projection), groups_(groups), privacy_(*projection.problem.privacy), k_(projection.problem.k),
      judge_(privacy_), at_(projection.length) {
  const auto most = std::max_element(privacy_.facts.begin(), privacy_.facts.end());
  place_of_fact_.assign(most == privacy_.facts.end() ? 0 : static_cast<std::size_t>(*most) + 1, -1);
}

void HeadJudge::load() {
  gathered_ = -1;
  refused_.clear();
  if (pr_.parts) {
    hopeless_.assign(static_cast<std::size_t>(pr_.stride) * groups_.count(), 0);
    marked_.assign(groups_.count(), 0);
  } else {
    reach_.resize(static_cast<std::size_t>(pr_.length) * groups_.count());
  }
  for (int g = 0; g < groups_.count(); ++g) {
    if (pr_.parts) judge_parts(g);
    else find_reach(g);
  }
}

void HeadJudge::gather(int group) {
  if (gathered_ == group) return;
  gathered_ = group;
  places_.clear();
  facts_.clear();
  const Problem& p = pr_.problem;
  for (int column : groups_.columns(group))
    for (int e = pr_.first[column]; e < pr_.first[column + 1]; ++e) at_[p.code(pr_.rows[e], pr_.axis)].push_back(e);
  for (int code = 0; code < pr_.length; ++code) {
    if (at_[code].empty()) continue;
    Place place{code, static_cast<std::int32_t>(facts_.size()), 0, 0, 0};
    for (int e : at_[code]) {
      const int row = pr_.rows[e];
      for (int label = 0; label < p.labels; ++label) place.rows += p.count(row, label);
      if (!privacy_.population.empty()) place.people += privacy_.population[row];
      if (privacy_.first.empty()) continue;
      for (std::int64_t i = privacy_.first[row]; i < privacy_.first[row + 1]; ++i) {
        const std::int32_t fact = privacy_.facts[i], known = place_of_fact_[fact];
        // Of another place or group if it lies before this one, or names another fact.
        const bool here =
            known >= place.first && known < static_cast<std::int32_t>(facts_.size()) && facts_[known].fact == fact;
        if (here) {
          facts_[known].rows += privacy_.counts[i];
        } else {
          place_of_fact_[fact] = static_cast<std::int32_t>(facts_.size());
          facts_.push_back({fact, privacy_.counts[i]});
        }
      }
    }
    place.last = static_cast<std::int32_t>(facts_.size());
    places_.push_back(place);
    at_[code].clear();
  }
}

// Ends only grow with begins, so what was hopeless from an earlier begin is not judged again.
void HeadJudge::find_reach(int group) {
  gather(group);
  int* reach = reach_.data() + static_cast<std::size_t>(pr_.length) * group;
  int filled = 0;
  std::size_t known = 0;  // pieces that end before this place are hopeless
  for (std::size_t p = 0; p < places_.size() && known < places_.size(); ++p) {
    judge_.clear();
    Count rows = 0;
    std::size_t q = p;
    for (; q < places_.size(); ++q) {
      add(places_[q]);
      rows += places_[q].rows;
      if (q < known || rows < k_) continue;
      if (judge_.verdict(rows) != Verdict::hopeless) break;
    }
    const int end = q < places_.size() ? places_[q].code + 1 : pr_.length + 1;
    for (; filled <= places_[p].code; ++filled) reach[filled] = end;
    if (!privacy_.strict) known = q;
  }
  for (; filled < pr_.length; ++filled) reach[filled] = pr_.length + 1;
}

std::span<const HeadJudge::Place> HeadJudge::places_of(int part) const {
  const auto& [begin, end, parent, cuts] = pr_.parts->parts[part];
  const auto before = [](const Place& place, int code) { return place.code < code; };
  const auto first = std::lower_bound(places_.begin(), places_.end(), begin, before);
  return {first, std::lower_bound(first, places_.end(), end, before)};
}

Count HeadJudge::rows_of(std::span<const Place> places) {
  Count rows = 0;
  for (const Place& place : places) rows += place.rows;
  return rows;
}

void HeadJudge::judge_parts(int group) {
  gather(group);
  for (int part = 0; part < pr_.parts->count(); ++part) {
    const auto inside = places_of(part);
    const Count rows = rows_of(inside);
    if (inside.empty() || rows < k_) continue;
    judge_.clear();
    for (const Place& place : inside) add(place);
    const Verdict verdict = judge_.verdict(rows);
    if (verdict == Verdict::admitted) continue;
    if (verdict == Verdict::refused) {
      refused_.push_back({group, part + 1, rows, rows - judge_.most_kept(rows)});
      continue;
    }
    hopeless_[static_cast<std::size_t>(pr_.stride) * group + part + 1] = 1;
    marked_[group] = 1;
  }
}

}  // namespace shoal
