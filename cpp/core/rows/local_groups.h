// local_groups.h - a partition of rows into groups, and its improvement by local search.
//
// Rows move to groups of rows near them, or change places with a row there; groups are dissolved into others, groups with
// room for two are split, and a few groups that are near each other are formed anew; while the loss falls. What was looked
// at in vain is looked at again only after something near has changed, so a pass over a settled partition costs next to
// nothing.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "core/privacy/privacy.h"
#include "core/rows/local_box.h"
#include "core/rows/local_near.h"

namespace shoal {

class LocalGroups {
 public:
  struct Group {
    std::vector<int> rows;
    Count size = 0;
    Box box;
    std::vector<Cost> without;                // per row the price of the others; empty until somebody asks
    Cost price() const { return box.price; }  // of one row
  };
  using Report = std::function<void(const Loss&)>;

  LocalGroups(const LocalProblem& problem, const Rows& rows, const Boxes& boxes, const NearRows& near,
              const Watch& watch, std::uint64_t seed);

  static constexpr std::int32_t kNone = -1;
  const std::vector<Group>& groups() const { return groups_; }
  const std::vector<std::int32_t>& group_of() const { return group_of_; }
  Count suppressed() const { return suppressed_; }
  Loss loss() const;

  // Takes rows as a group, if it may be released.
  bool take(std::vector<int> rows);
  // Rows that found no group join the one where they cost least; if none takes them, or it costs more than is saved, they
  // are suppressed, and if that is forbidden everything becomes one group. False if even that is refused.
  bool place(const std::vector<int>& rest);
  // `report` is told the loss after each pass.
  void improve(const Report& report);

 private:
  // ---- groups (local_groups.cpp) ------------------------------------------------------------------------------
  Loss loss(Count size, Cost price) const {
    const Cost cells = size * price, squares = static_cast<Cost>(size) * size;
    return p_.squares ? Loss{squares, cells} : Loss{cells, squares};
  }
  Loss loss(const Group& group) const { return loss(group.size, group.price()); }
  Loss suppressing(Count rows) const;
  Group measured(std::vector<int> rows) const;
  const std::vector<Cost>& without(Group& group) const;
  Loss joining(const Group& group, int row, const Loss& most) const;
  Cost dearest(Count size, const Loss& most) const;
  bool admitted(std::span<const int> rows, Count size);
  bool admitted(const Group& group) { return admitted(group.rows, group.size) && boxes_.allowed(group.box); }
  bool admitted_with(const Group& group, int row);
  bool releasable(int more) const;
  void add(std::int32_t c, int row);
  void number();
  void join_alike();
  std::int32_t home(int row);

  // ---- moves (local_moves.cpp) --------------------------------------------------------------------------------
  struct Target {
    std::int32_t group = kNone;
    Loss loss = kNoLoss;
  };
  struct Swap {
    std::int32_t group = kNone;
    int row = kNone;
    Group own, other;
    Loss change;
  };
  Target best_target(int row, Loss most = kNoLoss);
  void begin_looking(std::int32_t own);
  bool first_look(std::int32_t c);
  void move_rows();
  bool move(int row);
  bool swap(int row);
  void best_partner(const Group& own, const Group& left, int row, std::int32_t c, Swap& best);
  void dissolve_groups();
  bool dissolving_pays(int c, const Loss& gain);
  void stir(std::int32_t c);
  void shuffle(std::vector<int>& order);
  bool stopped() { return ++looks_ % kLooks == 0 && watch_.stopped(); }

  // ---- splits and new groups (local_regroup.cpp) ----------------------------------------------------------------
  struct Split {
    Group one, two;
    Loss loss;
  };
  void split_groups();
  void offer(std::vector<int> first, std::vector<int> second, Split& best);
  void split_along(const Group& group, int a, Split& best);
  void split_around(const Group& group, std::size_t seed, Split& best);
  void regroup();
  void regroup_around(std::int32_t c);
  std::vector<Group> grown(std::vector<int> pool);

  static constexpr int kSeeds = 4;
  static constexpr std::size_t kFewGroups = 4096;  // that a row without a group looks at
  static constexpr Cost kLeastGain = 2000;         // a pass that gains less than one in so many is the last
  static constexpr std::int64_t kLooks = 64;
  const LocalProblem& p_;
  const Rows& rows_;
  const Boxes& boxes_;
  const NearRows& near_;
  const Watch& watch_;
  std::mt19937_64 random_;
  std::optional<Judge> judge_;
  std::vector<Group> groups_;
  std::vector<std::int32_t> group_of_;  // per row; kNone if it is suppressed
  Count suppressed_ = 0;
  std::vector<char> stir_row_, stir_group_;
  std::vector<std::int64_t> seen_;  // per group the last turn in which it was looked at
  std::int64_t turn_ = 0, looks_ = 0;
};

}  // namespace shoal
