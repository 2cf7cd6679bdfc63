// block_search.h - groups of the persons of one block: greedy ones, and better ones.
#pragma once

#include <span>
#include <utility>

#include "core/base/search.h"
#include "core/histories/person_blocks.h"
#include "core/histories/person_group.h"

namespace shoal {

struct Block {
  std::vector<PersonGroup> groups;
  std::vector<int> pool;  // persons who are not released
};

class BlockSearch {
 public:
  // `strict`: no step may add to the suppressed rows. `most`: nodes after which it ends.
  BlockSearch(const People& people, const Features& features, const Aligner& aligner, const Watch& watch, bool strict,
              std::int64_t most)
      : people_(people), features_(features), aligner_(aligner), watch_(watch), strict_(strict), most_(most) {}

  // k-member: a group begins with a person far from the last one, and the cheapest join until there are k. Those who are
  // left join the groups where they cost least, or are not released. Once the time is up, or from the start if `quick`,
  // groups are taken in order.
  Block k_member(std::vector<int> histories, bool quick, std::uint64_t seed);
  // The best of several beginnings, each improved.
  Block best_of(const std::vector<int>& histories, int beginnings, std::uint64_t seed);
  // Persons move and change places; groups are dissolved, split and formed anew, while that helps.
  void improve(Block& block);

  std::int64_t nodes() const { return nodes_; }

 private:
  // What some groups save, and what they suppress.
  struct Score {
    Cost worth = 0;
    std::int64_t suppressed = 0;
  };
  Score score(const PersonGroup& group) const { return {group.worth(), strict_ ? aligner_.suppressed(group) : 0}; }
  Score alone(int h) const { return {0, people_.length(h) * people_.persons(h)}; }
  static Score sum(const Score& x, const Score& y) { return {x.worth + y.worth, x.suppressed + y.suppressed}; }
  bool better(const Score& next, const Score& now) const {
    return next.worth > now.worth && (!strict_ || next.suppressed <= now.suppressed);
  }
  std::size_t farthest(std::span<const int> rest, int from) const;
  PersonGroup form(std::vector<int>& rest, std::size_t begin) const;
  void place_rest(Block& block, std::span<const int> rest) const;
  bool stopped() const { return nodes_ >= most_ || watch_.stopped(); }
  // The group that gains most, or loses least, by a person; its number, or -1 if none is allowed.
  int best_for(const Block& block, int h, int not_this, Cost& gain) const;
  // Those that gain most, with their gains, first the best.
  std::vector<std::pair<Cost, int>> best_groups_for(const Block& block, int h, int not_this, std::size_t most) const;
  Score of_all(const Block& block) const;
  bool move_or_swap(Block& block, std::size_t g, std::size_t member);
  bool swap(Block& block, std::size_t g, std::size_t member, const PersonGroup& less, std::size_t other);
  bool swap_with_pool(Block& block, std::size_t g, std::size_t member, const PersonGroup& less);
  bool take_from_pool(Block& block);
  bool dissolve(Block& block, std::size_t g);
  bool regroup(Block& block, std::size_t g);
  bool form_anew(Block& block, std::vector<int> groups);

  const People& people_;
  const Features& features_;
  const Aligner& aligner_;
  const Watch& watch_;
  const bool strict_;
  const std::int64_t most_;
  bool thorough_ = false;
  std::int64_t nodes_ = 0;
};

}  // namespace shoal
