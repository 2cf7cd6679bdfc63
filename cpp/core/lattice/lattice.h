// lattice.h - the level lattice of a table: nodes, what they cost, and their groups.
//
// A node has a level per attribute; a level joins the codes of a domain into parts. The groups of a node are made
// from the groups of a more specific one (roll-up), never from the rows again: a group's key is the tuple of its
// parts packed into words, as many as it takes, so that going up in one attribute exchanges one field. Where privacy rules judge the
// groups, their facts are rolled up with them; without rules nothing of that is there.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/base/problem.h"
#include "core/privacy/giving_up.h"
#include "core/privacy/group_facts.h"

namespace shoal {

using Levels = std::vector<std::uint8_t>;  // per attribute, 0 for the values as they are

inline constexpr int kMostLevels = 255;

// a is at least as specific as b in every attribute.
bool below(const Levels& a, const Levels& b);

// What a node costs, whatever the metric: a price per kept group, one per suppressed row, or sums over cells.
struct Price {
  enum class Kind { squares, minority, groups, cells };
  Kind kind = Kind::squares;
  Cost suppressed_row = 0;                            // what a suppressed row costs
  std::vector<std::vector<Cost>> fixed;               // cells: [attribute][level], all rows kept
  std::vector<std::vector<std::vector<Cost>>> units;  // cells: [attribute][level][part], of one row
};

struct LatticeInput {
  int labels = 1;                                             // class labels; 1 when no metric looks at them
  std::span<const std::int32_t> codes;                        // distinct rows, row-major
  std::span<const Count> counts;                              // per distinct row and label
  std::vector<std::vector<std::vector<std::int32_t>>> parts;  // [attribute][level][code], nested
  const Privacy* privacy = nullptr;  // what a group must satisfy besides k; outlives the lattice
  bool repeated = false;             // whether some of the rows are alike
};

// The groups of one node, in no particular order.
struct GroupTable {
  Levels levels;
  std::vector<std::uint64_t> keys;  // per group as many words as the lattice's keys have
  std::vector<Count> sizes;
  std::vector<Count> histograms;  // per group and label; empty when labels do not matter
  GroupFacts facts;               // empty when there are no rules
  std::size_t count() const { return sizes.size(); }
  std::size_t bytes() const {
    return keys.size() * sizeof(std::uint64_t) + (sizes.size() + histograms.size()) * sizeof(Count) + facts.bytes();
  }
};

using Groups = std::shared_ptr<const GroupTable>;

struct NodeMeasure {
  Count groups = 0;      // of at least k rows, and admitted
  Count suppressed = 0;  // rows of the others
  Cost cost = 0;
  bool holds = true;           // what is demanded of all groups together, after some were given up if need be
  bool possible = true;        // whether that can be so, whatever it costs
  Cost unsettled = kInfinite;  // what the node may cost, if not all ways to give up groups were looked at
  Count must = 0;              // so many rows at least are suppressed at every more specific node, too
  Cost must_cost = 0;          // cells: what these cost more than if they were kept
  Cost at_risk = 0;            // rows of groups that are too small, before some were given up
};

class Lattice {
 public:
  explicit Lattice(const LatticeInput& input);

  int attributes() const { return static_cast<int>(heights_.size()); }
  int height(int attribute) const { return heights_[attribute]; }
  int parts(int attribute, int level) const { return parts_[attribute][level]; }
  // How many values of an attribute at one node a value at a more general one covers, as a logarithm.
  double spread(const Levels& low, const Levels& high, int attribute) const;
  Count total() const { return total_; }
  int labels() const { return labels_; }
  std::uint32_t part(const GroupTable& table, std::size_t group, int attribute) const {
    return fields_[attribute].part(table.keys.data() + group * words_);
  }

  // Keys are of so many words; the bits of one attribute in them.
  int words() const { return words_; }
  void mark_bits(int attribute, std::uint64_t* words) const {
    words[fields_[attribute].word] |= fields_[attribute].mask << fields_[attribute].shift;
  }

  // The groups of `to`, from those of a more specific node. `parent`, if asked for, tells the group in the result of
  // each group in `from`. Cost: the groups of `from`.
  void roll_up(const GroupTable& from, const Levels& to, GroupTable& result,
               std::vector<std::uint32_t>* parent = nullptr) const;

  // The distinct rows: the groups where every attribute is as it is.
  const GroupTable& rows() const { return *bottom_; }
  // Per level of an attribute the part of each of its parts at level 0.
  std::vector<std::vector<std::int32_t>> levels_of(int attribute) const;

  // The groups of a node that is below `from` in one attribute and like it in the others. `group_of` tells the number of
  // each distinct row, and `through` the group in `from` of each number. `parent`, if asked for, tells each row's group in
  // the result. Cost: the distinct rows, not their keys.
  void refine(const GroupTable& from, std::span<const std::uint32_t> group_of, std::span<const std::uint32_t> through,
              int attribute, int level, GroupTable& result, std::vector<std::uint32_t>* parent = nullptr) const;

  // The groups of a node, from the smallest table at hand. Safe to call from several threads.
  Groups groups(const Levels& levels) const;

  // Groups are given up, the cheapest, if the average risk asks for it and `limit` rows in all allow it; that is left out
  // where the node costs `known` or more without. `keeps`, if asked for and if there are rules, tells of each group how many of its rows at most are kept, at this node
  // or at a more specific one. Without it, what must be suppressed is told only of groups that have no hope.
  NodeMeasure measure(const GroupTable& table, const Price& price, Count k, Count limit = 0, Cost known = kInfinite,
                      std::vector<Count>* keeps = nullptr) const;
  const Privacy* privacy() const { return privacy_; }

  // Rows of a group that do not carry its majority label.
  Count minority(const GroupTable& table, std::size_t group) const;
  // Cells: what the node would cost if every row were kept.
  static Cost fixed_price(const Price& price, const Levels& levels);

 private:
  friend class LatticeSweep;

  // A field of the key: the part of one attribute.
  struct Field {
    int word = 0, shift = 0;
    std::uint64_t mask = 0;
    std::uint32_t part(const std::uint64_t* key) const { return static_cast<std::uint32_t>(key[word] >> shift & mask); }
  };
  class RowPrice;
  Cost cells_below(const GroupTable& table, const Price& price, Count k) const;
  NodeMeasure judged(const GroupTable& table, const Price& price, Count k, std::vector<Count>* keeps,
                     std::vector<Offer>* offers) const;
  template <int Words>
  void roll_up_keys(const GroupTable& from, const Levels& to, GroupTable& result,
                    std::vector<std::uint32_t>* parent) const;

  // steps_[a][from][to][part of level from] = part of level to
  std::vector<std::vector<std::vector<std::vector<std::uint32_t>>>> steps_;
  std::vector<int> heights_;
  std::vector<std::vector<int>> parts_;
  std::vector<Field> fields_;
  int labels_, words_ = 1;
  Count total_ = 0;
  Groups bottom_;
  const Privacy* privacy_;

  static constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // tables kept at hand
  static constexpr std::size_t kMostTables = 512;
  mutable std::mutex mutex_;
  mutable std::vector<Groups> at_hand_;  // the one that was used last is the last
  mutable std::size_t bytes_ = 0;
  mutable std::vector<std::unique_ptr<Judge>> judges_;  // those that no thread uses
};

}  // namespace shoal
