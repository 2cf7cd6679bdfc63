#include "core/histories_levels/person_levels_events.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace shoal::person_levels {
namespace {

constexpr int kMostPasses = 40;                 // then persons go whole, which ends soon
constexpr std::size_t kMostNodes = 1ull << 26;  // about 2 GB

struct TooMany {};

class Combinations {
 public:
  Combinations() { index_.clear(1 << 12); }

  // Visits every combination of at least `least` and at most `most` numbers once: visit(node, places, how many).
  template <class Visit>
  bool each(std::span<const std::int32_t> list, int least, int most, const Visit& visit) {
    places_.resize(most);
    return from(list, -1, 0, 0, least, most, visit);
  }
  void add(std::span<const std::int32_t> list, int least, int most, Count persons) {
    each(list, least, most, [&](std::int32_t node, const std::int32_t*, int) {
      persons_[node] += persons;
      return true;
    });
  }
  Count persons(std::int32_t node) const { return persons_[node]; }

 private:
  template <class Visit>
  bool from(std::span<const std::int32_t> list, std::int32_t above, std::size_t place, int depth, int least, int most,
            const Visit& visit) {
    for (std::size_t i = place; i < list.size(); ++i) {
      // The same number further left makes the same combination.
      if (std::find(list.begin() + place, list.begin() + i, list[i]) != list.begin() + i) continue;
      const std::int32_t node = child(above, list[i]);
      places_[depth] = static_cast<std::int32_t>(i);
      if (depth + 1 >= least && !visit(node, places_.data(), depth + 1)) return false;
      if (depth + 1 < most && !from(list, node, i + 1, depth + 1, least, most, visit)) return false;
    }
    return true;
  }
  std::int32_t child(std::int32_t above, std::int32_t item) {
    const std::uint64_t key = static_cast<std::uint64_t>(above + 1) << 32 | static_cast<std::uint32_t>(item);
    std::int32_t node = index_.find(key, [](std::int32_t) { return true; });
    if (node < 0) {
      if (persons_.size() >= kMostNodes) throw TooMany();
      index_.add(key, node = static_cast<std::int32_t>(persons_.size()));
      persons_.push_back(0);
    }
    return node;
  }

  HashIndex index_;
  std::vector<Count> persons_;
  std::vector<std::int32_t> places_;
};

}  // namespace

void Remains::list(std::int32_t group, std::vector<std::int32_t>& items, std::vector<std::int32_t>& places) const {
  items.clear();
  places.clear();
  const std::span<const std::int32_t> all = (*lists)[group];
  const std::int64_t from = lists->begin_of(group);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (stays[from + static_cast<std::int64_t>(i)]) {
      items.push_back(all[i]);
      places.push_back(static_cast<std::int32_t>(i));
    }
}

Ended largest_set(const Lists& lists, const std::vector<Count>& persons, Count k, int known,
                  std::vector<std::uint8_t>& kept, const Watch& watch) try {
  Combinations all;
  // Larger combinations are counted only of those who have passed with smaller ones.
  for (int size = 1; size <= known; ++size) {
    for (std::int32_t g = 0; g < lists.size(); ++g)
      if (kept[g]) all.add(lists[g], size, size, persons[g]);
    for (bool changed = true; changed;) {
      if (watch.stopped()) return Ended::stopped;
      changed = false;
      for (std::int32_t g = 0; g < lists.size(); ++g) {
        if (!kept[g]) continue;
        const bool holds = all.each(
            lists[g], 1, size, [&](std::int32_t node, const std::int32_t*, int) { return all.persons(node) >= k; });
        if (holds) continue;
        kept[g] = 0;
        changed = true;
        all.add(lists[g], 1, size, -persons[g]);
      }
    }
  }
  return Ended::done;
} catch (const TooMany&) {
  return Ended::too_many;
}

void leave_out_rare_rows(Remains& remains, Count k, std::int32_t ids) {
  const Lists& lists = *remains.lists;
  std::vector<Count> persons(ids, 0);
  std::vector<std::int32_t> last(ids, -1);
  for (std::int32_t g = 0; g < lists.size(); ++g)
    for (const std::int32_t id : lists[g])
      if (std::exchange(last[id], g) != g) persons[id] += (*remains.persons)[g];
  std::size_t i = 0;
  for (std::int32_t g = 0; g < lists.size(); ++g)
    for (const std::int32_t id : lists[g]) remains.stays[i++] = persons[id] >= k;
}

Ended leave_out_rows(Remains& remains, Count k, int known, const std::vector<Cost>& cost_of_id,
                     const Watch& watch) try {
  leave_out_rare_rows(remains, k, static_cast<std::int32_t>(cost_of_id.size()));
  if (known == 1) return Ended::done;
  Combinations all;
  std::vector<std::int32_t> items, places, before;
  std::vector<std::int64_t> rare;
  const Lists& lists = *remains.lists;
  // Rows of combinations that have become rare: whoever has none of them is as before.
  std::vector<std::uint8_t> touched(cost_of_id.size(), 1), next(cost_of_id.size(), 0);
  for (int size = 2; size <= known; ++size) {
    for (std::int32_t g = 0; g < lists.size(); ++g) {
      remains.list(g, items, places);
      all.add(items, size == 2 ? 1 : size, size, (*remains.persons)[g]);
    }
    touched.assign(touched.size(), 1);
    int passes = 0;
    for (bool changed = true; changed; ++passes) {
      if (watch.stopped()) return Ended::stopped;
      changed = false;
      next.assign(next.size(), 0);
      for (std::int32_t g = 0; g < lists.size(); ++g) {
        const Count persons = (*remains.persons)[g];
        for (remains.list(g, items, places); !items.empty(); remains.list(g, items, places)) {
          if (std::ranges::none_of(items, [&](std::int32_t id) { return touched[id] || next[id]; })) break;
          rare.assign(items.size(), 0);
          bool any = false;
          all.each(items, 1, size, [&](std::int32_t node, const std::int32_t* of, int many) {
            if (all.persons(node) >= k) return true;
            any = true;
            for (int i = 0; i < many; ++i) ++rare[of[i]];
            return true;
          });
          if (!any) break;
          changed = true;
          // Of rows in as many rare combinations goes the one that tells least.
          std::size_t worst = 0;
          for (std::size_t i = 1; i < items.size(); ++i)
            if (rare[i] > rare[worst] || (rare[i] == rare[worst] && cost_of_id[items[i]] > cost_of_id[items[worst]]))
              worst = i;
          for (std::size_t i = 0; i < items.size(); ++i)
            if (i == worst || passes >= kMostPasses) remains.stays[lists.begin_of(g) + places[i]] = 0;
          all.add(items, 1, size, -persons);
          before = items;
          remains.list(g, items, places);
          all.add(items, 1, size, persons);
          all.each(before, 1, size, [&](std::int32_t node, const std::int32_t* of, int many) {
            const Count now = all.persons(node);
            for (int i = 0; now < k && i < many; ++i) next[before[of[i]]] = 1;
            return true;
          });
        }
      }
      std::swap(touched, next);
    }
  }
  return Ended::done;
} catch (const TooMany&) {
  return Ended::too_many;
}

std::vector<std::vector<Conflict>> conflicts(const Remains& common, Count k) try {
  const Lists& lists = *common.lists;
  Combinations pairs;
  std::vector<std::int32_t> items, places;
  for (std::int32_t g = 0; g < lists.size(); ++g) {
    common.list(g, items, places);
    pairs.add(items, 2, 2, (*common.persons)[g]);
  }
  std::vector<std::vector<Conflict>> out(lists.size());
  std::vector<std::uint64_t> against;
  for (std::int32_t g = 0; g < lists.size(); ++g) {
    common.list(g, items, places);
    if (items.size() > 64) continue;
    against.assign(items.size(), 0);
    pairs.each(items, 2, 2, [&](std::int32_t node, const std::int32_t* of, int) {
      if (pairs.persons(node) < k) against[of[1]] |= std::uint64_t{1} << of[0];
      return true;
    });
    std::vector<std::uint64_t> sets;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto fits = std::ranges::find_if(sets, [&](std::uint64_t set) { return (set & ~against[i]) == 0; });
      if (fits == sets.end()) sets.push_back(std::uint64_t{1} << i);
      else *fits |= std::uint64_t{1} << i;
    }
    for (const std::uint64_t set : sets) {
      if (std::has_single_bit(set)) continue;
      Conflict& conflict = out[g].emplace_back();
      for (std::size_t i = 0; i < items.size(); ++i)
        if (set >> i & 1) conflict.push_back(places[i]);
    }
  }
  return out;
} catch (const TooMany&) {
  return {};
}

}  // namespace shoal::person_levels
