// cut_groups.h - the groups of one recoding under changes of cuts: what the searches without proof price with.
//
// A group's rows are a linked list, so groups are joined and split in place; the cost of a change is the groups held
// plus the rows of those that are split. One sweep prices all single removals or additions.
// Invariant between calls: every group has a distinct row, its key is that of its intervals, and the sums are true.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/group_keys.h"
#include "core/base/hash_index.h"
#include "core/base/problem.h"
#include "core/privacy/privacy.h"

namespace shoal {

class CutGroups {
 public:
  // The problem outlives the groups. Nothing is held before the first start.
  explicit CutGroups(const Problem& problem);

  // The cuts of all attributes, numbered through: the attribute's first cut plus the code minus 1.
  int cuts() const { return cuts_; }
  int number(int attribute, int code) const { return first_cut_[attribute] + code - 1; }

  // Price above the limits, on suppressed rows and on average risk: first come down to them, then look at the cost.
  struct Price {
    Count excess = 0;
    Cost risk = 0;
    Cost cost = kInfinite;
    auto operator<=>(const Price&) const = default;
    bool admissible() const { return excess == 0 && risk == 0; }
  };
  Price price() const { return price(sum_); }
  Count suppressed() const { return sum_.suppressed; }
  Cuts recoding() const;

  void start(const std::vector<char>& in);
  void start(const Cuts& cuts);
  // The same from the groups that are held, where the recodings differ by few cuts.
  void move_to(const std::vector<char>& in);

  void remove(int cut);
  void add(int cut);
  // The best single removal (or addition); -1 if none improves.
  int best_removal() { return best_move(true); }
  int best_addition() { return best_move(false); }

  // The smallest groups, those that are suppressed included: their size, and per attribute the first and the last
  // code of their rows. Groups without rows, which only a population has, do not count.
  struct Smallest {
    Count size = 0;
    std::vector<std::pair<std::int32_t, std::int32_t>> span;
  };
  Smallest smallest() const;
  // Rows of the smallest group that is released; 0 if none is.
  Count smallest_kept() const;

 private:
  struct Group {
    std::uint64_t key;
    int first = -1, last = -1;
    Count size = 0;
    std::vector<Count> histogram;
    bool judged = false, kept = false;
    std::vector<std::pair<std::int32_t, Count>> facts = {};  // added up over its rows, once it is judged
    std::int64_t people = 0;
  };
  // What groups add to the whole.
  struct Sum {
    Cost cost = 0;
    Count suppressed = 0, released = 0, groups = 0;
    void add(const Sum& other, int sign = 1) {
      cost += sign * other.cost;
      suppressed += sign * other.suppressed;
      released += sign * other.released;
      groups += sign * other.groups;
    }
  };
  struct Place {
    int attribute, code;
  };

  Place where(int cut) const;
  // First code of the interval of `code`, and the first one behind it.
  int begin_of(int a, int code) const { return begin_[a][code]; }
  int end_of(int a, int code) const { return end_[a][begin_[a][code]]; }
  void find_intervals(int a);
  std::uint64_t key_of(int row) const;
  // The group like this one but in the interval of `a` that begins at `begin`; -1 if there is none. Stale entries are
  // told by the key of the group they point to.
  int find_beside(const Group& group, int a, int begin) const {
    const std::uint64_t key = group.key + keys_.of(a, begin) - keys_.of(a, begin_of(a, p_.code(group.first, a)));
    return index_.find(key, [&](int id) {
      const Group& other = groups_[id];
      return other.first >= 0 && other.key == key && (keys_.exact() || beside(other.first, group.first, a, begin));
    });
  }
  // Whether two rows are alike but for `a`, where the first one is in the interval that begins at `begin`.
  bool beside(int row, int other, int a, int begin) const;
  int open_group(std::uint64_t key);
  void clear(Group& group, std::uint64_t key);
  void append(Group& group, int row);
  void join_at(int cut);
  void split_at(int cut);
  void recount();

  Sum sum_of(const Group& group, Cost loss) const {
    return sum_of(group.size, group.histogram.data(), loss, group.kept);
  }
  Sum sum_of(Count size, const Count* histogram, Cost loss, bool kept) const;
  Cost loss_of(const Group& group) const;
  Price price(const Sum& sum) const;

  // Privacy rules: whether a group is released.
  void judge(Group& group);
  void add_facts(const Group& group);
  bool kept_together(const Group& one, const Group& two);

  int best_move(bool removal);
  void price_removals(const Group& group);
  void price_label(int cut, const Group& group, Cost wide, Cost own_loss);
  void price_merge(int cut, const Group& one, const Group& two, Cost wide, Cost two_loss);
  void price_additions(const Group& group);
  void judge_sides(const Group& group, int a, int begin, int end);
  void add_code(int code, Count& size, bool& kept);

  const Problem& p_;
  const Count k_;
  const int rows_, labels_;
  const Cost suppressed_cost_;
  const Privacy* const rules_;
  std::optional<Judge> judge_;
  int cuts_ = 0, widest_ = 0;
  std::vector<int> first_cut_;
  const GroupKeys keys_;
  std::vector<char> in_;
  std::vector<std::vector<int>> begin_, end_;  // per attribute: of a code its interval's first; of that the end
  std::vector<int> next_;
  std::vector<Group> groups_;
  HashIndex index_;
  Sum sum_;
  std::vector<Sum> change_;  // per cut
  std::vector<Count> histogram_, side_, other_;
  std::vector<std::int32_t> place_of_fact_;               // where a fact was counted last
  std::vector<std::vector<int>> at_;                      // per code the rows of a group
  std::vector<char> one_sided_, left_kept_, right_kept_;  // per cut of the attribute that is priced
};

}  // namespace shoal
