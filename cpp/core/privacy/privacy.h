// privacy.h - what a group must satisfy besides its size: rules on how its rows spread over sensitive values.
//
// The definitions are those of the room `privacy`; here they are judged on counts that grow row by row. A group
// that is refused may have parts that are admitted. What a search may give up are groups that are hopeless: none of
// their parts is admitted. Every test for that looks only at which values are present, so it holds for all parts.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/problem.h"

namespace shoal {

// One rule. A fact is a combination of sensitive values that some row has. A rule looks at one column, so facts fall
// into cells, one per value; where those who know the other columns shall not learn this one, one per value and
// combination of the others: then the rule is asked of each such part of a group by itself.
struct Rule {
  enum class Kind { distinct, entropy, recursive, equal, ordered, hierarchical, shares, population, presence };
  Kind kind = Kind::distinct;
  double least = 0, most = 0;                   // thresholds, slack included
  int from = 0;                                 // recursive: the count from which on the rest is summed;
                                                // shares: how many values have a floor above 0
  double distance = 1;                          // closeness: the least ground distance
  std::vector<std::int32_t> cells;              // per fact its cell
  std::vector<std::int32_t> values, parts;      // per cell its value and its part; cells are ordered by their part
  std::vector<double> table;                    // closeness: per value its share in the whole table
  std::vector<double> floors, caps;             // shares: per value the least and the greatest share in a group
  std::vector<std::vector<std::int32_t>> tree;  // hierarchical: per level the part of each value

  bool on_facts() const { return kind != Kind::population && kind != Kind::presence; }
};

struct Privacy {
  std::vector<Rule> rules;
  std::vector<std::int64_t> first;       // entries of distinct row r: first[r] .. first[r + 1]
  std::vector<std::int32_t> facts;       // per entry its fact ...
  std::vector<Count> counts;             // ... and the rows that have it
  std::vector<std::int64_t> population;  // per distinct row, in millionths; empty if no rule asks
  bool supersets = true;                 // every superset of an admitted group is admitted
  bool strict = false;                   // nothing may be suppressed, so a refused group is hopeless: its parts, if
                                         // all were admitted, would make it admitted
  bool empty_groups = false;             // a group without rows is a loss, too, unless it is admitted
  double most_risk = 1;                  // most released groups per released row
  Count at_risk_below = 0;               // rows of smaller groups are at risk; 0 if that is not asked, and 1 is none
  double most_at_risk = 1;               // most of the released rows that are; not together with a most_risk below 1

  // Whether it is of a table with so many distinct rows.
  bool fits(std::size_t rows) const;

  // What a release has too much of average risk, at most 0 if it holds. It adds up over groups, and is a whole number
  // so that sums do not depend on their order: with a billion groups it fits 64 bits, and one unit is far below the
  // slack of 1e-9 that a risk is compared with.
  static constexpr Cost kRiskOfGroup = Cost{1} << 32;
  Cost risk_of_row() const {
    return static_cast<Cost>(std::floor((most_risk + 1e-9) * static_cast<double>(kRiskOfGroup)));
  }
  Cost excess(Cost groups, Cost rows) const { return groups * kRiskOfGroup - rows * risk_of_row(); }
  bool holds(Cost groups, Cost rows) const { return excess(groups, rows) <= 0; }
  // Whether groups of at least k rows may be too risky together.
  bool risky(Count k) const { return k * risk_of_row() < kRiskOfGroup; }

  // Rows at risk, only for searches over levels: the same unit, for a row in place of a group.
  Cost rows_at_risk(Count size) const { return size < at_risk_below ? size : 0; }
  Cost share_of_row() const {
    return static_cast<Cost>(std::floor((most_at_risk + 1e-9) * static_cast<double>(kRiskOfGroup)));
  }
  bool few_at_risk(Cost at_risk, Cost rows) const { return at_risk * kRiskOfGroup <= rows * share_of_row(); }
  // The fewest rows at risk that must be given up: g of them leave at_risk - g of rows - g.
  Cost to_give_up(Cost at_risk, Cost rows) const {
    const Cost excess = at_risk * kRiskOfGroup - rows * share_of_row(), of_row = kRiskOfGroup - share_of_row();
    return excess <= 0 ? 0 : of_row <= 0 ? kInfinite : (excess + of_row - 1) / of_row;
  }
  // Whether groups of at least k rows may have too many rows at risk.
  bool may_be_at_risk(Count k) const { return k < at_risk_below && share_of_row() < kRiskOfGroup; }
};

enum class Verdict : std::uint8_t { hopeless, refused, admitted };

// Judges groups, one after the other. Holds scratch memory; one per thread.
class Judge {
 public:
  explicit Judge(const Privacy& privacy);

  void clear();
  void add(int row) {
    for (std::int64_t e = p_.first.empty() ? 0 : p_.first[row], end = p_.first.empty() ? 0 : p_.first[row + 1]; e < end;
         ++e)
      add(p_.facts[e], p_.counts[e]);
    if (!p_.population.empty()) people_ += p_.population[row];
  }
  void add(std::int32_t fact, Count rows) {
    for (State& state : states_) {
      Count& count = state.counts[state.rule->cells[fact]];
      if (count == 0) state.touched.push_back(state.rule->cells[fact]);
      count += rows;
    }
  }
  void add_people(std::int64_t millionths) { people_ += millionths; }

  // Of the rows that were added since the last clear().
  Verdict verdict(Count rows);
  // At most so many of the rows that were added since the last clear() are in admitted groups, however they are parted:
  // a union of admitted groups is admitted, so these rows would be admitted together. Cost: the verdict's, some ten times.
  Count most_kept(Count rows);
  // Rows that are lost if a group of so many gets this verdict.
  Count lost(Verdict verdict, Count rows) const {
    return verdict == Verdict::admitted ? 0 : rows > 0 ? rows : p_.empty_groups ? 1 : 0;
  }

 private:
  struct State {
    const Rule* rule;
    bool joint;                         // several parts
    std::vector<Count> counts;          // per cell
    std::vector<std::int32_t> touched;  // cells that have rows
  };
  struct Part {
    bool admitted, reaches;
  };
  Verdict judge(State& state);
  Part judge(const Rule& rule, const State& state, std::span<const std::int32_t> cells);
  double most_kept(const Rule& rule, const State& state, std::span<const std::int32_t> cells);
  double least_distance(const Rule& rule, double rows);
  double ordered(const Rule& rule) const;
  double hierarchical(const Rule& rule);

  const Privacy& p_;
  std::vector<State> states_;
  std::int64_t people_ = 0;
  std::vector<double> extra_, surplus_, lack_, held_;
  std::vector<Count> falling_;
};

}  // namespace shoal
