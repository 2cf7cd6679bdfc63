// slots.h - numbers for the keys of groups.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace shoal {

inline constexpr int kAnyWords = 0;

// Open addressing from keys to groups. Slots hold group + 1, so that clearing is one fill with zeros. With kAnyWords the
// keys are as wide as clear() is told.
template <int Words>
class Slots {
 public:
  void clear(std::size_t expected, int words = Words) {
    words_ = words;
    const std::size_t size = std::bit_ceil(expected * 2 + 8);
    slots_.assign(size, 0);
    mask_ = size - 1;
    shift_ = 64 - std::countr_zero(size);
  }
  // The group with this key among the `count` there are; a new one gets the number `count` and its key is written. The key
  // may lie there already.
  // Where keys are not exact, `meant` says whether a group that has the key is the one.
  template <class Meant>
  std::uint32_t find(const std::uint64_t* key, std::uint64_t* keys, std::uint32_t count, Meant meant) {
    const int words = width();
    std::uint64_t hash = key[0];
    for (int w = 1; w < words; ++w) hash = hash * 0xD6E8FEB86659FD93u ^ key[w];
    std::size_t slot = hash * 0x9E3779B97F4A7C15u >> shift_;
    for (std::uint32_t group; (group = slots_[slot]) != 0; slot = (slot + 1) & mask_)
      if (same(key, keys + std::size_t{group - 1} * words) && meant(group - 1)) return group - 1;
    for (int w = 0; w < words; ++w) keys[std::size_t{count} * words + w] = key[w];
    slots_[slot] = count + 1;
    return count;
  }
  std::uint32_t find(const std::uint64_t* key, std::uint64_t* keys, std::uint32_t count) {
    return find(key, keys, count, [](std::uint32_t) { return true; });
  }

 private:
  int width() const { return Words == kAnyWords ? words_ : Words; }
  bool same(const std::uint64_t* x, const std::uint64_t* y) const {
    bool equal = true;
    for (int w = 0; w < width(); ++w) equal &= x[w] == y[w];
    return equal;
  }
  std::vector<std::uint32_t> slots_;
  std::size_t mask_ = 0;
  int shift_ = 0, words_ = Words;
};

}  // namespace shoal
