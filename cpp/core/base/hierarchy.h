// hierarchy.h - the parts of one domain that its hierarchy names: nested intervals of codes.
//
// Opening a part replaces it by its children; a single value has none. Every cut of the domain lies between two
// children of exactly one part, its owner. A recoding by parts is therefore a set of cuts that holds all cuts
// of a part or none of them, and none inside a part that is not open.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shoal {

struct Hierarchy {
  // levels[l][code] is the number of the code's part at level l, in the order of the codes. Level 0 holds the
  // single values, the last level one part; each level joins parts of the level below. Throws
  // std::invalid_argument otherwise. An interval that several levels name is one part.
  explicit Hierarchy(const std::vector<std::vector<std::int32_t>>& levels);

  struct Part {
    std::int32_t begin, end;         // its codes
    std::int32_t parent;             // -1 for the root
    std::vector<std::int32_t> cuts;  // where its children begin, the first left out; empty for a value
  };
  std::vector<Part> parts;          // children before parents, siblings by their codes; the root is the last
  std::vector<std::int32_t> value;  // per code its own part
  std::vector<std::int32_t> owner;  // per cut the part that it opens; -1 for code 0

  int size() const { return static_cast<int>(value.size()); }
  int count() const { return static_cast<int>(parts.size()); }
  // Whether a set of increasing cuts opens parts as a whole, and none inside a part that is not open.
  bool opens(std::span<const std::int32_t> cuts) const;
  // The parts that begin at a code, the smallest first.
  std::span<const std::int32_t> beginning_at(int code) const {
    return std::span(by_begin_).subspan(first_at_[code], first_at_[code + 1] - first_at_[code]);
  }

 private:
  std::vector<std::int32_t> by_begin_, first_at_;
};

}  // namespace shoal
