#include "core/histories_levels/person_levels_truncate.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

namespace shoal::person_levels {
namespace {

constexpr std::int64_t kMostChoices = 400;         // of rows to leave out, per history and stage
constexpr std::int64_t kMostTried = 40'000'000;    // of them in all, per stage
constexpr std::int64_t kMostEntries = 10'000'000;  // that might be shared by k persons
constexpr int kMostVisits = 4096;                  // of released histories within one
constexpr std::size_t kLargestSieve = 1 << 24;     // numbers by which choices are counted roughly

using Mask = std::uint64_t;  // which items of a list stay

// The histories that are released, found within others.
class Released {
 public:
  Released() { index_.clear(1 << 12); }

  void add(std::span<const std::int32_t> list) {
    std::int32_t node = -1;
    for (const std::int32_t item : list) node = child(node, item);
    ends_[node] = 1;
    hashes_.push_back(Lists::hash(list));
  }
  const std::vector<std::uint64_t>& hashes() const { return hashes_; }
  bool has(std::span<const std::int32_t> list) const {
    std::int32_t node = -1;
    for (const std::int32_t item : list)
      if ((node = find(node, item)) < 0) return false;
    return node >= 0 && ends_[node];
  }
  // The dearest one within a list, as the places that stay; none if there is none.
  const std::vector<std::int32_t>& dearest(std::span<const std::int32_t> list, const std::vector<Cost>& gain) {
    best_.clear();
    path_.clear();
    best_gain_ = -1;
    visits_ = 0;
    descend(list, gain, -1, 0, 0);
    return best_;
  }

 private:
  static std::uint64_t key(std::int32_t above, std::int32_t item) {
    return static_cast<std::uint64_t>(above + 1) << 32 | static_cast<std::uint32_t>(item);
  }
  std::int32_t find(std::int32_t above, std::int32_t item) const {
    return index_.find(key(above, item), [](std::int32_t) { return true; });
  }
  std::int32_t child(std::int32_t above, std::int32_t item) {
    std::int32_t node = find(above, item);
    if (node < 0) {
      index_.add(key(above, item), node = static_cast<std::int32_t>(ends_.size()));
      ends_.push_back(0);
    }
    return node;
  }
  void descend(std::span<const std::int32_t> list, const std::vector<Cost>& gain, std::int32_t above, std::size_t place,
               Cost so_far) {
    for (std::size_t i = place; i < list.size(); ++i) {
      if (std::find(list.begin() + place, list.begin() + i, list[i]) != list.begin() + i) continue;
      if (++visits_ > kMostVisits) return;
      const std::int32_t node = find(above, list[i]);
      if (node < 0) continue;
      path_.push_back(static_cast<std::int32_t>(i));
      const Cost here = so_far + gain[list[i]];
      if (ends_[node] && here > best_gain_) {
        best_gain_ = here;
        best_ = path_;
      }
      descend(list, gain, node, i + 1, here);
      path_.pop_back();
    }
  }

  HashIndex index_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint8_t> ends_;
  std::vector<std::int32_t> path_, best_;
  Cost best_gain_ = -1;
  int visits_ = 0;
};

struct Entry {
  std::int32_t candidate, list;
  Mask mask;
};

class Truncation {
 public:
  Truncation(Remains& remains, Count k, const std::vector<Cost>& gain) : remains_(remains), k_(k), gain_(gain) {
    const std::int32_t groups = remains.lists->size();
    of_group_.assign(groups, -1);
    std::vector<std::int32_t> items, places;
    for (std::int32_t g = 0; g < groups; ++g) {
      remains.list(g, items, places);
      if (items.empty()) continue;
      const std::int32_t list = lists_.add(items);
      if (list == static_cast<std::int32_t>(persons_.size())) persons_.push_back(0);
      persons_[list] += (*remains.persons)[g];
      of_group_[g] = list;
    }
    outcome_.resize(persons_.size());
    for (std::int32_t list = 0; list < lists_.size(); ++list)
      if (persons_[list] >= k_) released_.add(lists_[list]);
      else open_.push_back(list);
  }

  void run(const Watch& watch) {
    for (int lost = 1; !open_.empty() && !watch.stopped(); ++lost) {
      if (!stage([&](std::int32_t list) { return losing(list, lost); })) break;
    }
    within();
    if (watch.stopped()) return;
    stage([&](std::int32_t list) { return shortest(list); });
    within();
  }

  // What the groups keep.
  void write() {
    std::vector<std::uint8_t> open(persons_.size(), 0);
    for (const std::int32_t list : open_) open[list] = 1;
    std::vector<std::int32_t> items, places;
    for (std::int32_t g = 0; g < static_cast<std::int32_t>(of_group_.size()); ++g) {
      const std::int32_t list = of_group_[g];
      if (list < 0 || persons_[list] >= k_) continue;
      remains_.list(g, items, places);
      for (std::size_t i = 0; i < items.size(); ++i) remains_.stays[remains_.lists->begin_of(g) + places[i]] = 0;
      if (open[list]) continue;
      for (const std::int32_t place : outcome_[list]) remains_.stays[remains_.lists->begin_of(g) + places[place]] = 1;
    }
  }

 private:
  // The candidates of a list go to masks_; false if they are too many.
  bool losing(std::int32_t list, int lost) {
    masks_.clear();
    const auto length = static_cast<int>(lists_[list].size());
    if (length > 63) return false;
    std::int64_t choices = 1, all = 1;
    for (int i = 1; i <= lost && i < length; ++i) all += choices = choices * (length - i + 1) / i;
    if (all > kMostChoices) return false;
    leave((Mask{1} << length) - 1, 0, length, lost);
    return lost < length;
  }
  void leave(Mask mask, int from, int length, int lost) {
    if (mask) masks_.push_back(mask);
    for (int i = from; i < length && lost > 0; ++i) leave(mask & ~(Mask{1} << i), i + 1, length, lost - 1);
  }
  bool shortest(std::int32_t list) {
    masks_.clear();
    const auto length = static_cast<int>(std::min<std::size_t>(lists_[list].size(), 28));
    for (int i = 0; i < length; ++i) {
      masks_.push_back(Mask{1} << i);
      for (int j = i + 1; j < length; ++j) masks_.push_back(Mask{1} << i | Mask{1} << j);
    }
    return false;
  }

  // Lists go to candidates that are released, or that enough of them have. Returns whether a further stage may find more:
  // `choices` says so of each list. Most candidates are had by few, which a rough count shows without holding them.
  template <class Choices>
  bool stage(const Choices& choices) {
    std::vector<Count> sieve(std::min(kLargestSieve, std::bit_ceil(open_.size() * 64 + 64)), 0);
    const int shift = 64 - std::countr_zero(sieve.size());
    for (const std::uint64_t hash : released_.hashes()) sieve[hash >> shift] = k_;
    std::int64_t tried = 0;
    bool more = false;
    const auto each = [&](std::int32_t list, const auto& visit) {
      const std::span<const std::int32_t> items = lists_[list];
      for (const Mask mask : masks_) {
        part_.clear();
        for (Mask rest = mask; rest; rest &= rest - 1) part_.push_back(items[std::countr_zero(rest)]);
        visit(mask, Lists::hash(part_) >> shift);
      }
    };
    for (const std::int32_t list : open_) {
      more |= choices(list);
      if ((tried += static_cast<std::int64_t>(masks_.size())) > kMostTried) return false;
      each(list, [&](Mask, std::uint64_t hash) { sieve[hash] = std::min(k_, sieve[hash] + persons_[list]); });
    }
    Lists candidates;
    std::vector<Entry> entries;
    for (const std::int32_t list : open_) {
      choices(list);
      if (static_cast<std::int64_t>(entries.size()) > kMostEntries) return false;
      const std::size_t begin = entries.size();
      each(list, [&](Mask mask, std::uint64_t hash) {
        if (sieve[hash] >= k_) entries.push_back({candidates.add(part_), list, mask});
      });
      // Equal rows make equal candidates.
      std::stable_sort(entries.begin() + begin, entries.end(),
                       [](const Entry& x, const Entry& y) { return x.candidate < y.candidate; });
      entries.erase(std::unique(entries.begin() + begin, entries.end(),
                                [](const Entry& x, const Entry& y) { return x.candidate == y.candidate; }),
                    entries.end());
    }
    decide(candidates, entries);
    return more;
  }

  void decide(const Lists& candidates, std::vector<Entry>& entries) {
    const std::int32_t size = candidates.size();
    std::vector<std::uint8_t> known(size);
    std::vector<Cost> worth(size, 0);
    std::vector<std::int64_t> support(size, 0);
    for (std::int32_t c = 0; c < size; ++c) {
      known[c] = released_.has(candidates[c]);
      for (const std::int32_t item : candidates[c]) worth[c] += gain_[item];
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& x, const Entry& y) { return x.candidate < y.candidate; });
    std::vector<std::uint8_t> done(persons_.size(), 0);
    std::vector<const Entry*> best(persons_.size(), nullptr);
    std::vector<std::size_t> first(size + 1, 0);
    for (const Entry& entry : entries) {
      ++first[entry.candidate + 1];
      support[entry.candidate] += persons_[entry.list];
      const Entry*& own = best[entry.list];
      if (known[entry.candidate] && (!own || worth[entry.candidate] > worth[own->candidate])) own = &entry;
    }
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::int32_t> order;
    for (std::int32_t c = 0; c < size; ++c)
      if (!known[c] && support[c] >= k_) order.push_back(c);
    // What saves most comes first.
    const auto saved = [&](std::int32_t c) { return static_cast<double>(support[c]) * static_cast<double>(worth[c]); };
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t x, std::int32_t y) { return saved(x) > saved(y); });
    for (const std::int32_t c : order) {
      // A list that is within a released one that is worth as much is not needed here.
      const auto joins = [&](const Entry& entry) {
        const Entry* own = best[entry.list];
        return !done[entry.list] && (!own || worth[own->candidate] < worth[c]);
      };
      std::int64_t persons = 0;
      for (std::size_t e = first[c]; e < first[c + 1]; ++e)
        if (joins(entries[e])) persons += persons_[entries[e].list];
      if (persons < k_) continue;
      released_.add(candidates[c]);
      for (std::size_t e = first[c]; e < first[c + 1]; ++e)
        if (joins(entries[e])) settle(entries[e], done);
    }
    for (const std::int32_t list : open_)
      if (!done[list] && best[list]) settle(*best[list], done);
    std::erase_if(open_, [&](std::int32_t list) { return done[list]; });
  }

  void settle(const Entry& entry, std::vector<std::uint8_t>& done) {
    done[entry.list] = 1;
    for (int i = 0; i < 64; ++i)
      if (entry.mask >> i & 1) outcome_[entry.list].push_back(i);
  }

  void within() {
    std::erase_if(open_, [&](std::int32_t list) {
      const std::vector<std::int32_t>& places = released_.dearest(lists_[list], gain_);
      outcome_[list] = places;
      return !places.empty();
    });
  }

  Remains& remains_;
  Count k_;
  const std::vector<Cost>& gain_;
  Lists lists_;                         // what is left of the groups, each once
  std::vector<Count> persons_;          // per list
  std::vector<std::int32_t> of_group_;  // per group its list
  std::vector<std::vector<std::int32_t>> outcome_;
  std::vector<std::int32_t> open_;  // lists that are not released yet
  std::vector<Mask> masks_;
  std::vector<std::int32_t> part_;
  Released released_;
};

}  // namespace

bool truncate(Remains& remains, Count k, const std::vector<Cost>& gain, const Watch& watch) {
  // A row that fewer than k persons have cannot stay, whatever else does.
  leave_out_rare_rows(remains, k, static_cast<std::int32_t>(gain.size()));
  Truncation truncation(remains, k, gain);
  truncation.run(watch);
  if (watch.stopped()) return false;
  truncation.write();
  return true;
}

}  // namespace shoal::person_levels
