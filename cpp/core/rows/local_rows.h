// local_rows.h - the rows of a local recoding, and how they fall into groups at a node of the level lattice.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "core/base/group_keys.h"
#include "core/base/slots.h"
#include "core/rows/local.h"

namespace shoal {

// The rows and the hierarchies, and what keys and boxes need of them.
class Rows {
 public:
  explicit Rows(const LocalProblem& problem)
      : p_(problem), attributes_(static_cast<int>(problem.parts.size())),
        count_(static_cast<int>(problem.counts.size())), numbers_(names(problem)) {
    units_.resize(attributes_);
    keys_.resize(attributes_);
    mean_.resize(attributes_);
    for (int a = 0; a < attributes_; ++a)
      for (std::size_t level = 0; level < p_.parts[a].size(); ++level) {
        const auto& of_code = p_.parts[a][level];
        auto& units = units_[a].emplace_back();
        auto& keys = keys_[a].emplace_back();
        for (const std::int32_t part : of_code)
          units.push_back(p_.units[a][level][part]), keys.push_back(numbers_.of(a, p_.names[a][level][part]));
        double sum = 0;
        for (int row = 0; row < count_; ++row) sum += static_cast<double>(units[code(row, a)]) * p_.counts[row];
        mean_[a].push_back(sum);
      }
    for (const Count count : p_.counts) total_ += count;
    meets_.resize(attributes_);
    for (int a = 0; a < attributes_; ++a) {
      const int size = static_cast<int>(p_.parts[a][0].size());
      if (size > kLongestTable) continue;
      for (int x = 0; x < size; ++x)
        for (int y = 0; y < size; ++y) meets_[a].push_back(static_cast<std::uint8_t>(climb(a, 0, x, y)));
    }
  }

  int count() const { return count_; }
  int attributes() const { return attributes_; }
  Count total() const { return total_; }
  Count rows(int row) const { return p_.counts[row]; }
  int code(int row, int a) const { return p_.codes[static_cast<std::size_t>(row) * attributes_ + a]; }
  Cost units(int a, int level, int code) const { return units_[a][level][code]; }
  double mean(int a, int level) const { return mean_[a][level]; }
  // The least level, from `level` on, on which two codes meet.
  int meet(int a, int level, int x, int y) const {
    if (meets_[a].empty()) return climb(a, level, x, y);
    return std::max<int>(level, meets_[a][static_cast<std::size_t>(x) * p_.parts[a][0].size() + y]);
  }
  // Of the names of parts, by code; parts of different levels that print alike have one name.
  const std::uint64_t* keys(int a, int level) const { return keys_[a][level].data(); }
  bool exact_keys() const { return numbers_.exact(); }
  std::int32_t name(int a, int level, int code) const { return p_.names[a][level][p_.parts[a][level][code]]; }

 private:
  static std::vector<std::size_t> names(const LocalProblem& problem) {
    std::vector<std::size_t> found;
    for (const auto& levels : problem.names) {
      std::int32_t most = -1;
      for (const auto& level : levels)
        for (const std::int32_t each : level) most = std::max(most, each);
      found.push_back(static_cast<std::size_t>(most) + 1);
    }
    return found;
  }
  static constexpr int kLongestTable = 1024;  // values of a domain whose meetings are kept
  int climb(int a, int level, int x, int y) const {
    const auto& parts = p_.parts[a];
    while (parts[level][x] != parts[level][y]) ++level;
    return level;
  }

  const LocalProblem& p_;
  const int attributes_, count_;
  const GroupKeys numbers_;
  Count total_ = 0;
  std::vector<std::vector<std::vector<Cost>>> units_;          // [attribute][level][code]
  std::vector<std::vector<std::vector<std::uint64_t>>> keys_;  // numbers of the names of parts, by code
  std::vector<std::vector<double>> mean_;                      // what all rows cost on a level
  std::vector<std::vector<std::uint8_t>> meets_;               // [attribute][code, code], the level on which they meet
};

// The groups of some rows at a node.
class Grouping {
 public:
  // Afterwards group(i) is that of the i-th row, and size(g) its rows.
  void group(const Rows& rows, std::span<const int> chosen, const Levels& node) {
    keys_.assign(chosen.size(), 0);
    for (int a = 0; a < rows.attributes(); ++a) {
      const std::uint64_t* keys = rows.keys(a, node[a]);
      for (std::size_t i = 0; i < chosen.size(); ++i) keys_[i] += keys[rows.code(chosen[i], a)];
    }
    slots_.clear(chosen.size());
    found_.resize(chosen.size());
    of_.resize(chosen.size());
    sizes_.clear();
    like_.clear();
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const std::uint32_t group = slots_.find(
          &keys_[i], found_.data(), static_cast<std::uint32_t>(sizes_.size()),
          [&](std::uint32_t known) { return rows.exact_keys() || alike(rows, chosen[i], like_[known], node); });
      if (group == sizes_.size()) sizes_.push_back(0), like_.push_back(chosen[i]);
      sizes_[group] += rows.rows(chosen[i]);
      of_[i] = group;
    }
  }
  std::uint32_t of(std::size_t i) const { return of_[i]; }
  Count size(std::uint32_t group) const { return sizes_[group]; }
  std::size_t count() const { return sizes_.size(); }
  bool any(Count k) const {
    return std::any_of(sizes_.begin(), sizes_.end(), [k](Count size) { return size >= k; });
  }

 private:
  static bool alike(const Rows& rows, int row, int other, const Levels& node) {
    for (int a = 0; a < rows.attributes(); ++a)
      if (rows.name(a, node[a], rows.code(row, a)) != rows.name(a, node[a], rows.code(other, a))) return false;
    return true;
  }

  Slots<1> slots_;
  std::vector<std::uint64_t> keys_, found_;
  std::vector<std::uint32_t> of_;
  std::vector<Count> sizes_;
  std::vector<int> like_;  // per group any of its rows
};

// Nodes between two levels by what all rows would cost there; thinned out evenly where they are too many for the rows,
// but always with the last.
std::vector<Levels> nodes_by_price(const Rows& rows, const Levels& low, const Levels& high);

}  // namespace shoal
