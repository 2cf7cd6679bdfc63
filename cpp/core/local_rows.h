// local_rows.h - the rows of a local recoding, and how they fall into groups at a node of the level lattice.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "core/local.h"
#include "core/slots.h"

namespace shoal {

// The rows and the hierarchies, and what keys and boxes need of them.
class Rows {
 public:
  explicit Rows(const LocalProblem& problem)
      : p_(problem), attributes_(static_cast<int>(problem.parts.size())),
        count_(static_cast<int>(problem.counts.size())) {
    units_.resize(attributes_);
    keys_.resize(attributes_);
    mean_.resize(attributes_);
    for (int a = 0; a < attributes_; ++a)
      for (std::size_t level = 0; level < p_.parts[a].size(); ++level) {
        const auto& of_code = p_.parts[a][level];
        std::vector<std::uint64_t> of_part;
        for (const std::int32_t name : p_.names[a][level]) of_part.push_back(mixed(static_cast<std::uint64_t>(name) << 16 | static_cast<std::uint64_t>(a)));
        auto& units = units_[a].emplace_back();
        auto& keys = keys_[a].emplace_back();
        for (const std::int32_t part : of_code) units.push_back(p_.units[a][level][part]), keys.push_back(of_part[part]);
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
  const std::uint64_t* keys(int a, int level) const { return keys_[a][level].data(); }

 private:
  static std::uint64_t mixed(std::uint64_t x) {  // splitmix64
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
  }
  static constexpr int kLongestTable = 1024;  // values of a domain whose meetings are kept
  int climb(int a, int level, int x, int y) const {
    const auto& parts = p_.parts[a];
    while (parts[level][x] != parts[level][y]) ++level;
    return level;
  }

  const LocalProblem& p_;
  const int attributes_, count_;
  Count total_ = 0;
  std::vector<std::vector<std::vector<Cost>>> units_;           // [attribute][level][code]
  std::vector<std::vector<std::vector<std::uint64_t>>> keys_;   // mixed names of parts, by code
  std::vector<std::vector<double>> mean_;                       // what all rows cost on a level
  std::vector<std::vector<std::uint8_t>> meets_;                // [attribute][code, code], the level on which they meet
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
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const std::uint32_t group = slots_.find(&keys_[i], found_.data(), static_cast<std::uint32_t>(sizes_.size()));
      if (group == sizes_.size()) sizes_.push_back(0);
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
  Slots<1> slots_;
  std::vector<std::uint64_t> keys_, found_;
  std::vector<std::uint32_t> of_;
  std::vector<Count> sizes_;
};

// Nodes between two levels by what all rows would cost there; thinned out evenly where they are too many for the rows,
// but always with the last.
std::vector<Levels> nodes_by_price(const Rows& rows, const Levels& low, const Levels& high);

}  // namespace shoal
