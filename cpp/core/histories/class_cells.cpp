#include "core/histories/class_cells.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace shoal {
namespace {

// What the label of a column depends on, whatever it is released as: the values of a set, the ends of an interval.
std::vector<int> outline(const People& people, std::span<const std::int32_t> rows, int a) {
  std::vector<int> codes;
  for (const std::int32_t row : rows) codes.push_back(people.code(row, a));
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  const LocalSpan* span = people.problem().tables[0].span(a);
  if (!span || !span->ordered || codes.size() < 3) return codes;
  const bool missing = codes.back() == span->missing;
  std::vector<int> ends{codes.front(), missing ? codes[codes.size() - 2] : codes.back()};
  if (missing) ends.push_back(span->missing);
  return ends;
}

}  // namespace

void CellSplitter::begin(std::span<const int> histories) {
  histories_.assign(histories.begin(), histories.end());
  kept_.clear(), owner_.clear(), cell_of_.clear(), constant_.clear();
  cells_.assign(1, {});
  // Nobody keeps more rows than k persons have, unless k have as many as somebody may know.
  std::int64_t most = 0;
  for (int s = known_; s >= 1 && most == 0; --s) {
    std::int64_t persons = 0;
    for (const int h : histories_)
      if (people_.length(h) >= s) persons += people_.persons(h);
    if (persons >= people_.problem().k) most = s;
  }
  if (most == known_) most = INT64_MAX;
  for (const int h : histories_) {
    const auto rows = people_.rows(h);
    kept_.emplace_back(rows.begin(),
                       rows.begin() + std::min<std::int64_t>(most, static_cast<std::int64_t>(rows.size())));
    cell_of_.emplace_back(kept_.back().size(), 0);
    for (const std::int32_t row : kept_.back())
      owner_.emplace_back(row, static_cast<int>(kept_.size()) - 1), cells_[0].push_back(row);
  }
  std::sort(owner_.begin(), owner_.end());
  std::sort(cells_[0].begin(), cells_[0].end());
  for (const int a : people_.constant()) constant_.push_back(outline(people_, cells_[0], a));
}

Cost CellSplitter::price(const Rows& rows) const {
  const Boxes& boxes = people_.boxes(0);
  Box box = boxes.around(people_.distinct(rows.front()));
  for (const std::int32_t row : rows) boxes.join(box, people_.distinct(row));
  return box.price * people_.problem().weight[0];
}

bool CellSplitter::same_constant(const Rows& rows) const {
  for (std::size_t i = 0; i < constant_.size(); ++i)
    if (outline(people_, rows, people_.constant()[i]) != constant_[i]) return false;
  return true;
}

// The combinations of a person's cells, of as many rows as may be known, or of all if there are fewer: k persons who have
// one have its parts, too.
void CellSplitter::add_combinations(int person, std::vector<std::uint64_t>& keys) const {
  std::vector<std::uint32_t> cells = cell_of_[person];
  if (!people_.problem().ordered) std::sort(cells.begin(), cells.end());
  const std::size_t size = std::min<std::size_t>(cells.size(), known_), before = keys.size();
  std::vector<std::size_t> chosen(size);
  std::iota(chosen.begin(), chosen.end(), 0);
  while (size > 0) {
    std::uint64_t key = 0;
    for (const std::size_t i : chosen) key = key << 16 | (cells[i] + 1);
    keys.push_back(key);
    std::size_t at = size;
    while (at > 0 && chosen[at - 1] == cells.size() - size + at - 1) --at;
    if (at == 0) break;
    ++chosen[at - 1];
    for (std::size_t i = at; i < size; ++i) chosen[i] = chosen[i - 1] + 1;
  }
  const auto first = keys.begin() + static_cast<std::ptrdiff_t>(before);
  std::sort(first, keys.end());
  keys.erase(std::unique(first, keys.end()), keys.end());
}

// Whether k persons have each combination that a person with one of the rows has. `cell_of_` is as it shall be.
bool CellSplitter::holds(const Rows& rows) const {
  std::vector<int> persons;
  for (const std::int32_t row : rows)
    persons.push_back(std::lower_bound(owner_.begin(), owner_.end(), std::pair{row, -1})->second);
  std::sort(persons.begin(), persons.end());
  persons.erase(std::unique(persons.begin(), persons.end()), persons.end());
  std::vector<std::uint64_t> keys;
  std::vector<std::pair<std::uint64_t, Count>> counted;
  for (const int person : persons) {
    keys.clear();
    add_combinations(person, keys);
    for (const std::uint64_t key : keys) counted.emplace_back(key, people_.persons(histories_[person]));
  }
  // Of combinations without one of the rows others have copies, too, and they held before.
  const std::uint32_t one = cell_at(rows.front());
  std::uint32_t two = one;
  for (const std::int32_t row : rows)
    if (cell_at(row) != one) two = cell_at(row);
  std::sort(counted.begin(), counted.end());
  for (std::size_t begin = 0, end; begin < counted.size(); begin = end) {
    std::int64_t sum = 0;
    for (end = begin; end < counted.size() && counted[end].first == counted[begin].first; ++end)
      sum += counted[end].second;
    bool mine = false;
    for (std::uint64_t key = counted[begin].first; key; key >>= 16)
      mine = mine || (key & 0xffff) == one + 1 || (key & 0xffff) == two + 1;
    // Shorter combinations of persons with few rows are had also by those with more.
    if (mine && sum < people_.problem().k && !held_by_longer(counted[begin].first, persons)) return false;
  }
  return true;
}

// Whether k of the persons have a combination that is all that somebody has: as a part of theirs.
bool CellSplitter::held_by_longer(std::uint64_t key, std::span<const int> persons) const {
  std::vector<std::uint32_t> wanted;
  for (; key; key >>= 16) wanted.push_back(static_cast<std::uint32_t>(key & 0xffff) - 1);
  if (static_cast<int>(wanted.size()) == known_) return false;
  std::reverse(wanted.begin(), wanted.end());
  std::int64_t sum = 0;
  for (const int person : persons) {
    std::vector<std::uint32_t> cells = cell_of_[person];
    if (!people_.problem().ordered) std::sort(cells.begin(), cells.end());
    std::size_t found = 0;
    for (const std::uint32_t cell : cells)
      if (found < wanted.size() && cell == wanted[found]) ++found;
    if (found == wanted.size()) sum += people_.persons(histories_[person]);
  }
  return sum >= people_.problem().k;
}

std::uint32_t& CellSplitter::cell_at(std::int32_t row) {
  const int person = std::lower_bound(owner_.begin(), owner_.end(), std::pair{row, -1})->second;
  const auto& rows = kept_[person];
  return cell_of_[person][static_cast<std::size_t>(std::find(rows.begin(), rows.end(), row) - rows.begin())];
}

bool CellSplitter::split_cell(std::size_t cell) {
  const Rows rows = cells_[cell];
  if (rows.size() < 2 || cells_.size() >= kMostCells) return false;
  const Cost now = price(rows);
  struct Cut {
    Cost saves;
    int attribute, code;
  };
  std::vector<Cut> cuts;
  for (int a = 0; a < people_.attributes(0); ++a) {
    if (std::find(people_.constant().begin(), people_.constant().end(), a) != people_.constant().end()) continue;
    std::vector<int> codes;
    for (const std::int32_t row : rows) codes.push_back(people_.code(row, a));
    std::sort(codes.begin(), codes.end());
    int last = -1;
    for (const std::size_t share : {2, 1, 3}) {  // quarters of the rows
      const int code = codes[codes.size() * share / 4];
      const auto half = [&](bool up) {
        Rows some;
        for (const std::int32_t row : rows)
          if ((people_.code(row, a) >= code) == up) some.push_back(row);
        return some;
      };
      if (code == codes.front() || code == last) continue;
      last = code;
      const Rows low = half(false), high = half(true);
      const Cost saves = now * static_cast<Cost>(rows.size()) - price(low) * static_cast<Cost>(low.size()) -
                         price(high) * static_cast<Cost>(high.size());
      if (saves > 0) cuts.push_back({saves, a, code});
    }
  }
  std::stable_sort(cuts.begin(), cuts.end(), [](const Cut& x, const Cut& y) { return x.saves > y.saves; });
  for (const Cut& cut : cuts) {
    ++nodes_;
    Rows low, high;
    for (const std::int32_t row : rows) (people_.code(row, cut.attribute) >= cut.code ? high : low).push_back(row);
    if (!same_constant(low) || !same_constant(high)) continue;
    for (const std::int32_t row : high) cell_at(row) = static_cast<std::uint32_t>(cells_.size());
    if (holds(rows)) {
      cells_[cell] = std::move(low);
      cells_.push_back(std::move(high));
      return true;
    }
    for (const std::int32_t row : high) cell_at(row) = static_cast<std::uint32_t>(cell);
  }
  return false;
}

ClassCells CellSplitter::split(std::span<const int> histories) {
  ClassCells found;
  std::int64_t persons = 0;
  for (const int h : histories) {
    persons += people_.persons(h);
    found.suppressed += people_.length(h) * people_.persons(h);
  }
  const Cost full = people_.full(0);
  found.cost = found.suppressed * full;
  if (persons < people_.problem().k) return found;
  begin(histories);
  for (std::size_t cell = 0; cell < cells_.size() && !watch_.stopped();)
    if (!split_cell(cell)) ++cell;
  for (Rows& rows : cells_) {
    const Cost own = price(rows);
    if (own >= full && people_.problem().all_stars[0]) continue;  // a row of stars is not released
    for (const std::int32_t row : rows) {
      const int h = histories_[std::lower_bound(owner_.begin(), owner_.end(), std::pair{row, -1})->second];
      found.cost -= (full - own) * people_.persons(h);
      found.suppressed -= people_.persons(h);
    }
    found.cells.push_back(std::move(rows));
  }
  return found;
}

}  // namespace shoal
