// profile.h - what several objectives look at, node by node: k, groups, squares, diversity and costs.
//
// Unlike elsewhere k is not asked for but found: groups are suppressed from the smallest size up while their rows are at
// most `limit`, and k is the least size that stays. Rows are suppressed by whole sizes, and the largest groups always stay.
//
// A column of facts tells how the rows of each group spread over the values of one column (class labels, sensitive
// values). Only values that occur are held. Making a node costs the entries below it and, once, the column's size.
#pragma once

#include <atomic>

#include "core/lattice/lattice.h"

namespace shoal {

struct FactColumn {
  std::int32_t size = 0;             // values
  std::vector<std::uint32_t> first;  // per group its first entry, and the end
  struct Entry {
    std::uint32_t value;
    Count rows;
  };
  std::vector<Entry> entries;
};

struct NodeProfile {
  Count k = 0;                       // least rows of a kept group
  Count groups = 0, suppressed = 0;  // kept groups; rows of the others
  Cost squares = 0;                  // over kept rows, rows of their group
  std::vector<Count> diversity;      // per column, least values that occur in a kept group
  std::vector<Cost> repeats;         // per column, over kept rows, rows of their group with their value
  std::vector<Cost> costs;           // per price
};

// Entry [node], or [column or price][node]; nodes in lexicographic order of their levels.
struct LatticeProfiles {
  std::vector<Levels> nodes;
  std::vector<Count> k, groups, suppressed;
  std::vector<Cost> squares;
  std::vector<std::vector<Count>> diversity;
  std::vector<std::vector<Cost>> repeats, costs;
};

class Profiler {
 public:
  // The columns speak of the lattice's distinct rows. Prices of minorities look at the column `labels`, if it is not -1.
  Profiler(const Lattice& lattice, std::vector<FactColumn> columns, std::vector<Price> prices, int labels, Count limit);

  const Lattice& lattice() const { return lattice_; }

  // One node, from the table of distinct rows.
  NodeProfile node(const Levels& levels) const;

  // All nodes between two. The answer does not depend on the threads; when `stop` is set it is incomplete.
  LatticeProfiles sweep(const Levels& low, const Levels& high, int threads,
                        const std::atomic<bool>* stop = nullptr) const;

 private:
  struct Table {
    GroupTable groups;
    std::vector<FactColumn> columns;
  };
  struct Scratch {
    std::vector<std::uint32_t> parent, first, order, slot;
    std::vector<Count> sizes;
    std::vector<std::int64_t> rows;  // per small size
  };
  struct Walk;

  void climb(const Table& from, const Levels& to, Table& made, Scratch& scratch) const;
  NodeProfile measure(const Table& table, Scratch& scratch) const;
  Count least_kept(const GroupTable& table, Scratch& scratch) const;
  Cost cost(const Table& table, const Price& price, const NodeProfile& node) const;

  const Lattice& lattice_;
  Table bottom_;
  std::vector<Price> prices_;
  int labels_;
  Count limit_;
};

}  // namespace shoal
