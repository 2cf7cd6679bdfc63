// person_levels_groups.h - persons whose released histories are alike.
//
// A released history is a list of numbers in a canonical order: those of the released rows, sorted unless their order is
// known; of several tables, those of the rows that belong to the person, each number standing for a row with all that
// belongs to it. Equal histories are equal lists: hashes only say where to look.
#pragma once

#include <span>

#include "core/base/hash_index.h"
#include "core/histories_levels/person_levels_problem.h"

namespace shoal::person_levels {

// Distinct lists of numbers.
class Lists {
 public:
  explicit Lists(std::size_t expected = 1024) { index_.clear(expected); }

  std::int32_t size() const { return static_cast<std::int32_t>(first_.size()) - 1; }
  std::span<const std::int32_t> operator[](std::int32_t list) const {
    return {items_.data() + first_[list], static_cast<std::size_t>(first_[list + 1] - first_[list])};
  }
  std::int64_t begin_of(std::int32_t list) const { return first_[list]; }
  std::int64_t items() const { return static_cast<std::int64_t>(items_.size()); }
  // The number of a list, -1 if it was never added.
  std::int32_t find(std::span<const std::int32_t> list) const;
  std::int32_t add(std::span<const std::int32_t> list);
  static std::uint64_t hash(std::span<const std::int32_t> list);

 private:
  HashIndex index_;
  std::vector<std::int64_t> first_{0};
  std::vector<std::int32_t> items_;
};

struct Groups {
  Lists histories;                       // the released histories
  std::vector<Count> persons;            // who have each of them
  std::vector<std::int32_t> group_of;    // per history; -1 if no row is left
  std::vector<std::uint8_t> has_a_star;  // per group, where units are whole: some row is all stars
};
Groups grouped(const PeopleProblem& problem, const ReleasedRows& rows);

// The rows of a history that are not stars in their canonical order: positions from its first row.
// Not for trees.
void canonical(const PeopleProblem& problem, const ReleasedRows& rows, std::size_t history,
               std::vector<std::int32_t>& positions);

// Per released row the persons who have it. Twice as fast as by groups: nothing is sorted.
std::vector<Count> persons_with(const PeopleProblem& problem, const ReleasedRows& rows);

// Which groups the models admit, of those that are candidates.
void refuse_by_models(const PeopleProblem& problem, const ReleasedRows& rows, const Groups& groups,
                      std::vector<std::uint8_t>& kept);

// Whether row i of a history (from its first) is gone: all stars, and nothing that is released belongs to it.
class Gone {
 public:
  Gone(const PeopleProblem& problem, const ReleasedRows& rows) : problem_(problem), rows_(rows) {}
  void look(std::size_t history);
  bool operator[](std::int64_t i) const { return gone_[i]; }

 private:
  const PeopleProblem& problem_;
  const ReleasedRows& rows_;
  std::vector<std::uint8_t> gone_;
};

}  // namespace shoal::person_levels
