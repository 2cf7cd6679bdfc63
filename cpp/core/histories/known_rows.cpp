#include "core/histories/known_rows.h"

namespace shoal {

void KnownRows::find(std::span<const std::uint32_t> cells, std::uint32_t one, std::uint32_t two,
                     std::vector<Combination>& found) {
  found.clear();
  cells_ = cells, one_ = one, two_ = two, last_ = 0;
  before_.assign(cells.size(), -1);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i] == one || cells[i] == two) last_ = i + 1;
    for (std::size_t j = i; j-- > 0;)
      if (cells[j] == cells[i]) {
        before_[i] = static_cast<std::ptrdiff_t>(j);
        break;
      }
  }
  extend(0, 0, 0, false, found);
}

// Each combination once: of equal cells the first one that can be taken is.
void KnownRows::extend(std::size_t from, int size, Combination key, bool has, std::vector<Combination>& found) {
  const std::size_t end = has ? cells_.size() : last_;
  for (std::size_t i = from; i < end; ++i) {
    if (before_[i] >= static_cast<std::ptrdiff_t>(from)) continue;
    const bool now = has || cells_[i] == one_ || cells_[i] == two_;
    const Combination next = key << 16 | (cells_[i] + 1);
    if (now) found.push_back(next);
    if (size + 1 < most_) extend(i + 1, size + 1, next, now, found);
  }
}

}  // namespace shoal
