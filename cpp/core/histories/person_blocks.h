// person_blocks.h - persons near each other in blocks, so that a search within each takes time linear in the persons.
//
// Each person has some features: the number of rows, and per column the mean and the first of its values, in units of the
// cost. Blocks are halves of halves along the feature that varies most, with some chance, so that other blocks of a
// later pass bring others together.
#pragma once

#include <cstdint>
#include <vector>

#include "core/histories/people.h"

namespace shoal {

class Features {
 public:
  explicit Features(const People& people);

  int count() const { return count_; }
  const float* of(int h) const { return values_.data() + static_cast<std::size_t>(h) * count_; }

 private:
  int count_ = 1;
  std::vector<float> values_;  // per history and feature
};

// What is put into a block: a person, or a group with the mean of its members.
struct BlockItems {
  int features = 0;
  std::vector<float> values;          // per item and feature
  std::vector<std::int64_t> rows;     // of each item, as a measure of work
  std::vector<std::int64_t> persons;  // of each item
};

struct BlockSizes {
  std::int64_t most_rows = 0;      // a block with more is halved ...
  std::int64_t least_persons = 0;  // ... unless a half would have fewer persons
  bool by_length = false;          // whether items of different numbers of rows are never together
};

// Blocks of the items, in a fixed order; `chance` 0 halves without any.
std::vector<std::vector<int>> blocks_of(const BlockItems& items, const BlockSizes& sizes, std::uint64_t chance);

}  // namespace shoal
