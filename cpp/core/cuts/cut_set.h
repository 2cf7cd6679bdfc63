// cut_set.h - a set of cuts over the alphabet of a problem, as bits.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace shoal {

class CutSet {
 public:
  CutSet() = default;
  explicit CutSet(int alphabet) : words_((static_cast<std::size_t>(alphabet) + 63) / 64, 0) {}

  bool has(int cut) const { return words_[cut >> 6] >> (cut & 63) & 1; }
  void add(int cut) { words_[cut >> 6] |= std::uint64_t{1} << (cut & 63); }
  void remove(int cut) { words_[cut >> 6] &= ~(std::uint64_t{1} << (cut & 63)); }

  bool empty() const {
    for (auto word : words_)
      if (word) return false;
    return true;
  }
  int size() const {
    int total = 0;
    for (auto word : words_) total += std::popcount(word);
    return total;
  }
  std::vector<int> elements() const {
    std::vector<int> cuts;
    elements(cuts);
    return cuts;
  }
  // The same into memory that is held already.
  void elements(std::vector<int>& cuts) const {
    cuts.clear();
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (auto word = words_[w]; word; word &= word - 1)
        cuts.push_back(static_cast<int>(w * 64) + std::countr_zero(word));
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace shoal
