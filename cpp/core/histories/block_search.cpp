#include "core/histories/block_search.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>

namespace shoal {
namespace {

constexpr std::size_t kNearGroups = 3;
constexpr std::size_t kFewHistories = 24;  // for which there is time to form groups anew in many ways

}  // namespace

std::size_t BlockSearch::farthest(std::span<const int> rest, int from) const {
  std::size_t best = 0;
  float most = -1;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    float far = 0;
    for (int f = 0; f < features_.count(); ++f) far += std::abs(features_.of(from)[f] - features_.of(rest[i])[f]);
    if (far > most) most = far, best = i;
  }
  return best;
}

// A group around rest[begin]; its members leave `rest`.
PersonGroup BlockSearch::form(std::vector<int>& rest, std::size_t begin) const {
  PersonGroup group = aligner_.alone(rest[begin]);
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(begin));
  std::vector<Cost> saved;  // per person what the group saves with them, at most: it never grows
  for (const int h : rest) saved.push_back(aligner_.at_most_with(group, h));
  std::vector<std::pair<double, std::size_t>> order;
  while (group.persons < people_.problem().k && !rest.empty()) {
    const auto before = static_cast<double>(group.persons), worth = before * static_cast<double>(group.saves);
    const auto added = [&](std::size_t i) {  // to what is lost, per person who joins
      const auto persons = static_cast<double>(people_.persons(rest[i]));
      return static_cast<double>(aligner_.most(rest[i])) +
             (worth - (before + persons) * static_cast<double>(saved[i])) / persons;
    };
    // The most promising first: a heap, because few of them are looked at.
    order.clear();
    for (std::size_t i = 0; i < rest.size(); ++i)
      if (saved[i] >= 0) order.emplace_back(added(i), i);
    std::make_heap(order.begin(), order.end(), std::greater<>());
    std::size_t best = rest.size();
    double least = 0;
    for (; !order.empty(); order.pop_back()) {
      std::pop_heap(order.begin(), order.end(), std::greater<>());
      const auto [at_least, i] = order.back();
      if (best < rest.size() && at_least >= least) break;
      Cost needed = kForbidden;  // what the group must save with this one, or it is dearer than the best so far
      if (const auto persons = static_cast<double>(people_.persons(rest[i])); best < rest.size())
        needed = static_cast<Cost>((worth - (least - static_cast<double>(aligner_.most(rest[i]))) * persons) /
                                   (before + persons));
      saved[i] = std::min(saved[i], aligner_.saves_with(group, rest[i], needed));
      if (saved[i] < 0) continue;
      if (const double more = added(i); best == rest.size() || more < least) least = more, best = i;
    }
    if (best == rest.size()) break;  // nobody may join
    aligner_.join(group, rest[best]);
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(best));
    saved.erase(saved.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return group;
}

Block BlockSearch::k_member(std::vector<int> rest, bool quick, std::uint64_t seed) {
  Block block;
  std::vector<int> small;
  std::int64_t left = 0;
  for (const int h : rest) left += people_.persons(h);
  int last = rest.empty() ? 0 : rest[seed % rest.size()];
  while (left >= people_.problem().k && !rest.empty()) {
    quick = quick || stopped();
    PersonGroup group;
    if (quick) {
      group = aligner_.alone(rest.back());
      rest.pop_back();
      while (group.persons < people_.problem().k && !rest.empty() && aligner_.saves_with(group, rest.back()) >= 0)
        aligner_.join(group, rest.back()), rest.pop_back();
    } else {
      group = form(rest, farthest(rest, last));
      last = group.members.back();
    }
    ++nodes_;
    left -= group.persons;
    if (group.persons >= people_.problem().k && group.saves >= 0) block.groups.push_back(std::move(group));
    else small.insert(small.end(), group.members.begin(), group.members.end());
  }
  small.insert(small.end(), rest.begin(), rest.end());
  place_rest(block, small);
  return block;
}

int BlockSearch::best_for(const Block& block, int h, int not_this, Cost& gain) const {
  const auto best = best_groups_for(block, h, not_this, 1);
  if (best.empty()) return -1;
  gain = best.front().first;
  return best.front().second;
}

std::vector<std::pair<Cost, int>> BlockSearch::best_groups_for(const Block& block, int h, int not_this,
                                                               std::size_t most) const {
  const auto persons = people_.persons(h);
  std::vector<std::pair<Cost, int>> order, best;
  for (std::size_t g = 0; g < block.groups.size(); ++g) {
    if (static_cast<int>(g) == not_this) continue;
    const PersonGroup& group = block.groups[g];
    if (const Cost saves = aligner_.at_most_with(group, h); saves >= 0)
      order.emplace_back((group.persons + persons) * saves - group.worth(), -static_cast<int>(g));
  }
  std::make_heap(order.begin(), order.end());
  for (; !order.empty(); order.pop_back()) {
    std::pop_heap(order.begin(), order.end());
    const auto [at_most, minus] = order.back();
    if (best.size() == most && at_most <= best.back().first) break;
    const PersonGroup& group = block.groups[-minus];
    const Cost least =
        best.size() < most ? kForbidden : (best.back().first + group.worth()) / (group.persons + persons);
    const Cost saves = aligner_.saves_with(group, h, least);
    if (saves < 0) continue;
    const std::pair found{(group.persons + persons) * saves - group.worth(), -minus};
    const auto at = std::find_if(best.begin(), best.end(), [&](const auto& each) {
      return each.first < found.first || (each.first == found.first && each.second > found.second);
    });
    if (best.size() == most && at == best.end()) continue;
    best.insert(at, found);
    if (best.size() > most) best.pop_back();
  }
  return best;
}

void BlockSearch::place_rest(Block& block, std::span<const int> rest) const {
  for (const int h : rest) {
    Cost gain = 0;
    const int g = best_for(block, h, -1, gain);
    if (g < 0 || (gain < 0 && !strict_)) {
      block.pool.push_back(h);
      continue;
    }
    PersonGroup joined = block.groups[g];
    aligner_.join(joined, h);
    if (strict_ && score(joined).suppressed > sum(score(block.groups[g]), alone(h)).suppressed) block.pool.push_back(h);
    else block.groups[g] = std::move(joined);
  }
}

bool BlockSearch::swap(Block& block, std::size_t g, std::size_t member, const PersonGroup& less, std::size_t other) {
  const int h = block.groups[g].members[member];
  const std::int64_t k = people_.problem().k;
  const Score before = sum(score(block.groups[g]), score(block.groups[other]));
  for (std::size_t i = 0; i < block.groups[other].members.size(); ++i) {
    const int back = block.groups[other].members[i];
    const std::int64_t in = people_.persons(h), out = people_.persons(back), there = block.groups[other].persons - out;
    if (there + in < k || less.persons + out < k || there == 0) continue;
    const Cost here = (less.persons + out) * aligner_.saves_with(less, back);
    if (here < 0 || here + (there + in) * aligner_.most(h) <= before.worth) continue;
    const PersonGroup rest = aligner_.without(block.groups[other], i);
    // The one who leaves takes the other's place, or is not released.
    const Cost with = aligner_.saves_with(rest, h);
    const bool gone = there >= k && rest.saves >= 0 && (with < 0 || rest.worth() > (there + in) * with);
    if ((!gone && with < 0) || here + (gone ? rest.worth() : (there + in) * with) <= before.worth) continue;
    PersonGroup one = less, two = rest;
    aligner_.join(one, back);
    if (!gone) aligner_.join(two, h);
    const Score after = sum(score(one), score(two));
    if (!better(gone ? sum(after, alone(h)) : after, before)) continue;
    block.groups[g] = std::move(one);
    block.groups[other] = std::move(two);
    if (gone) block.pool.push_back(h);
    return true;
  }
  return false;
}

bool BlockSearch::swap_with_pool(Block& block, std::size_t g, std::size_t member, const PersonGroup& less) {
  constexpr std::size_t kMost = 64;
  const int h = block.groups[g].members[member];
  for (std::size_t i = 0; i < std::min(kMost, block.pool.size()); ++i) {
    const int back = block.pool[i];
    const std::int64_t persons = less.persons + people_.persons(back);
    if (persons < people_.problem().k || persons * aligner_.saves_with(less, back) <= block.groups[g].worth()) continue;
    PersonGroup one = less;
    aligner_.join(one, back);
    if (!better(sum(score(one), alone(h)), sum(score(block.groups[g]), alone(back)))) continue;
    block.groups[g] = std::move(one);
    block.pool[i] = h;
    return true;
  }
  return false;
}

bool BlockSearch::move_or_swap(Block& block, std::size_t g, std::size_t member) {
  ++nodes_;
  const PersonGroup& group = block.groups[g];
  if (group.members.size() < 2) return false;
  const int h = group.members[member];
  const PersonGroup less = aligner_.without(group, member);
  const bool may_leave = less.persons >= people_.problem().k && less.saves >= 0;
  if (may_leave && better(sum(score(less), alone(h)), score(group))) {
    block.pool.push_back(h);
    block.groups[g] = less;
    return true;
  }
  if (swap_with_pool(block, g, member, less)) return true;
  const auto others = best_groups_for(block, h, static_cast<int>(g), kNearGroups);
  if (others.empty()) return false;
  if (const auto& [gain, other] = others.front(); may_leave && less.worth() + gain > group.worth()) {
    PersonGroup joined = block.groups[other];
    aligner_.join(joined, h);
    if (better(sum(score(less), score(joined)), sum(score(group), score(block.groups[other])))) {
      block.groups[g] = less;
      block.groups[other] = std::move(joined);
      return true;
    }
  }
  return std::any_of(others.begin(), others.end(), [&](const auto& other) {
    return swap(block, g, member, less, static_cast<std::size_t>(other.second));
  });
}

bool BlockSearch::take_from_pool(Block& block) {
  if (block.pool.empty()) return false;
  bool better_now = false;
  std::vector<int> left;
  for (const int h : block.pool) {
    Cost gain = 0;
    const int g = best_for(block, h, -1, gain);
    if (g >= 0 && gain > 0) {
      PersonGroup joined = block.groups[g];
      aligner_.join(joined, h);
      if (better(score(joined), sum(score(block.groups[g]), alone(h)))) {
        block.groups[g] = std::move(joined);
        better_now = true;
        continue;
      }
    }
    left.push_back(h);
  }
  block.pool = std::move(left);
  Block made = k_member(block.pool, false, 0);
  std::erase_if(made.groups, [&](const PersonGroup& group) {
    if (group.worth() > 0) return false;
    made.pool.insert(made.pool.end(), group.members.begin(), group.members.end());
    return true;
  });
  if (made.groups.empty()) return better_now;
  std::move(made.groups.begin(), made.groups.end(), std::back_inserter(block.groups));
  block.pool = std::move(made.pool);
  return true;
}

bool BlockSearch::dissolve(Block& block, std::size_t g) {
  ++nodes_;
  Score before = score(block.groups[g]), after;
  Block rest;
  std::vector<std::pair<int, PersonGroup>> kept;  // what the others were
  bool allowed = true;
  std::vector<int> pool;
  for (const int h : block.groups[g].members) {
    Cost gain = 0;
    const int other = best_for(block, h, static_cast<int>(g), gain);
    if (other < 0 || gain < 0) {
      pool.push_back(h);
      after = sum(after, alone(h));
      continue;
    }
    if (std::none_of(kept.begin(), kept.end(), [&](const auto& each) { return each.first == other; })) {
      before = sum(before, score(block.groups[other]));
      kept.emplace_back(other, block.groups[other]);
    }
    aligner_.join(block.groups[other], h);
  }
  for (const auto& [other, was] : kept)
    after = sum(after, score(block.groups[other])), allowed &= block.groups[other].saves >= 0;
  if (!allowed || !better(after, before)) {
    for (auto& [other, was] : kept) block.groups[other] = std::move(was);
    return false;
  }
  block.groups.erase(block.groups.begin() + static_cast<std::ptrdiff_t>(g));
  block.pool.insert(block.pool.end(), pool.begin(), pool.end());
  return true;
}

BlockSearch::Score BlockSearch::of_all(const Block& block) const {
  Score all;
  for (const PersonGroup& each : block.groups) all = sum(all, score(each));
  for (const int h : block.pool) all = sum(all, alone(h));
  return all;
}

// The group with those nearest to it, formed anew; or the group alone, if it is large enough for two.
bool BlockSearch::regroup(Block& block, std::size_t g) {
  ++nodes_;
  const int own = static_cast<int>(g);
  const auto near = best_groups_for(block, block.groups[g].members.front(), own, kNearGroups);
  if (block.groups[g].persons >= 2 * people_.problem().k && form_anew(block, {own})) return true;
  std::vector<int> groups{own};
  for (const auto& [gain, other] : near) {
    groups.push_back(other);
    if (form_anew(block, {own, other}) || (groups.size() > 2 && form_anew(block, groups))) return true;
  }
  return false;
}

bool BlockSearch::form_anew(Block& block, std::vector<int> groups) {
  constexpr std::size_t kMostOfPool = 4;
  Block old;
  std::vector<int> members(block.pool.begin(),
                           block.pool.begin() + static_cast<std::ptrdiff_t>(std::min(kMostOfPool, block.pool.size())));
  const std::size_t pooled = members.size();
  Score before;
  for (const int h : members) before = sum(before, alone(h));
  for (const int g : groups) {
    before = sum(before, score(block.groups[g]));
    members.insert(members.end(), block.groups[g].members.begin(), block.groups[g].members.end());
  }
  std::sort(members.begin(), members.end());
  const std::size_t beginnings = thorough_ ? std::min<std::size_t>(members.size(), 12) : 2;
  for (std::size_t i = 0; i < beginnings; ++i) {
    Block made = k_member(members, false, i * members.size() / beginnings);
    if (!better(of_all(made), before)) continue;
    std::sort(groups.rbegin(), groups.rend());
    for (const int g : groups) block.groups.erase(block.groups.begin() + g);
    block.pool.erase(block.pool.begin(), block.pool.begin() + static_cast<std::ptrdiff_t>(pooled));
    std::move(made.groups.begin(), made.groups.end(), std::back_inserter(block.groups));
    block.pool.insert(block.pool.end(), made.pool.begin(), made.pool.end());
    return true;
  }
  return false;
}

Block BlockSearch::best_of(const std::vector<int>& histories, int beginnings, std::uint64_t seed) {
  Block best;
  thorough_ = histories.size() <= kFewHistories;
  for (int i = 0; i < beginnings && (i == 0 || !stopped()); ++i) {
    Block made = k_member(histories, false, seed + static_cast<std::uint64_t>(i) * histories.size() / beginnings);
    improve(made);
    if (i == 0 || of_all(made).worth > of_all(best).worth) best = std::move(made);
  }
  return best;
}

void BlockSearch::improve(Block& block) {
  constexpr int kMostRounds = 4;
  bool again = true;
  for (int round = 0; again && round < kMostRounds && !stopped(); ++round) {
    again = take_from_pool(block);
    for (PersonGroup& group : block.groups) again |= aligner_.refine(group, false);
    for (std::size_t g = 0; g < block.groups.size() && !stopped(); ++g)
      for (std::size_t i = 0; i < block.groups[g].members.size(); ++i) again |= move_or_swap(block, g, i);
    for (std::size_t g = 0; g < block.groups.size() && !stopped();) {
      if (dissolve(block, g)) again = true;
      else ++g;
    }
    for (std::size_t g = 0; g < block.groups.size() && !stopped(); ++g) again |= regroup(block, g);
  }
}

}  // namespace shoal
