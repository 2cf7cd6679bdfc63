#include <algorithm>
#include <span>
#include <utility>

#include "core/histories/class_cells.h"

namespace shoal {
namespace {

constexpr std::size_t kMostPlaces = 4;  // cells that a suppressed row is tried in
constexpr std::size_t kMostJoins = 6;   // of cells that are near each other

}  // namespace

// Puts a suppressed row into a cell; whether k persons then have each combination, and less is lost.
bool CellSplitter::put_back(const Item& item, std::uint32_t number) {
  Cell with = cells_[number];
  with.items.push_back(item);
  measure(with);
  if (with.loss - cells_[number].loss >= (people_.full(0) - constant_) * persons(item)) return false;
  cell_at(item) = number;
  Counted counted;
  std::vector<Combination> own;
  for (const int member : members_of(with)) {
    find(member, number, number, own);
    for (const Combination each : own) counted[each] += members_[member].persons;
  }
  find(item.member, number, number, own);
  if (std::any_of(own.begin(), own.end(), [&](Combination each) { return counted[each] < people_.problem().k; })) {
    cell_at(item) = kNowhere;
    return false;
  }
  cells_[number] = std::move(with);
  return true;
}

void CellSplitter::put_back() {
  std::vector<std::pair<Cost, std::uint32_t>> places;
  for (int member = 0; member < static_cast<int>(members_.size()); ++member)
    for (int at = 0; at < static_cast<int>(members_[member].rows.size()); ++at) {
      const Item item{member, at};
      if (cell_at(item) != kNowhere || watch_.stopped()) continue;
      places.clear();
      for (std::uint32_t c = 0; c < cells_.size(); ++c) {
        if (cells_[c].items.empty()) continue;
        Cell with = cells_[c];
        with.items.push_back(item);
        measure(with);
        places.emplace_back(with.loss - cells_[c].loss, c);
      }
      std::sort(places.begin(), places.end());
      if (places.size() > kMostPlaces) places.resize(kMostPlaces);
      for (const auto& [dearer, c] : places)
        if (put_back(item, c)) break;
    }
}

Cost CellSplitter::lost() const {
  Cost sum = 0;
  for (const Cell& cell : cells_) sum += cell.loss;
  for (const Member& member : members_)
    sum += (people_.full(0) - constant_) * member.persons *
           static_cast<Cost>(std::count(member.cells.begin(), member.cells.end(), kNowhere));
  return sum;
}

// Per cell with the nearest others as many as somebody may know; those first that cost least together.
std::vector<std::vector<std::uint32_t>> CellSplitter::near_cells() const {
  std::vector<std::pair<Cost, std::vector<std::uint32_t>>> found;
  for (std::uint32_t c = 0; c < cells_.size(); ++c) {
    if (cells_[c].items.empty()) continue;
    std::vector<std::uint32_t> some{c};
    Cell together = cells_[c];
    Cost apart = together.loss;
    while (static_cast<int>(some.size()) < known_) {
      Cell best;
      Cost least = kInfinite;
      std::uint32_t which = 0;
      for (std::uint32_t d = 0; d < cells_.size(); ++d) {
        if (cells_[d].items.empty() || std::find(some.begin(), some.end(), d) != some.end()) continue;
        Cell with = together;
        with.items.insert(with.items.end(), cells_[d].items.begin(), cells_[d].items.end());
        measure(with);
        if (const Cost dearer = with.loss - cells_[d].loss; dearer < least)
          least = dearer, which = d, best = std::move(with);
      }
      if (least == kInfinite) break;
      some.push_back(which);
      apart += cells_[which].loss;
      together = std::move(best);
    }
    std::sort(some.begin(), some.end());
    if (static_cast<int>(some.size()) == known_) found.emplace_back(together.loss - apart, std::move(some));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  if (found.size() > kMostJoins) found.resize(kMostJoins);
  std::vector<std::vector<std::uint32_t>> sets;
  for (auto& [dearer, some] : found) sets.push_back(std::move(some));
  return sets;
}

// k persons who have a combination have what it becomes.
void CellSplitter::merge(std::span<const std::uint32_t> some) {
  Cell& one = cells_[some.front()];
  for (const std::uint32_t other : some.subspan(1)) {
    for (const Item& item : cells_[other].items) {
      cell_at(item) = some.front();
      one.items.push_back(item);
    }
    cells_[other] = {};
  }
  measure(one);
}

void CellSplitter::join_cells() {
  const auto any_suppressed = [](const Member& member) {
    return std::find(member.cells.begin(), member.cells.end(), kNowhere) != member.cells.end();
  };
  while (known_ > 1 && !watch_.stopped() && std::any_of(members_.begin(), members_.end(), any_suppressed)) {
    const auto members = members_;
    const auto cells = cells_;
    auto best_members = members_;
    auto best_cells = cells_;
    const Cost now = lost();
    Cost least = now;
    for (const auto& some : near_cells()) {
      ++nodes_;
      merge(some);
      put_back();
      if (const Cost next = lost(); next < least) least = next, best_members = members_, best_cells = cells_;
      members_ = members, cells_ = cells;
    }
    if (least == now) return;
    members_ = std::move(best_members), cells_ = std::move(best_cells);
  }
}

ClassCells CellSplitter::open(std::span<const int> histories, const std::vector<ClassCells::Rows>& cells) {
  begin(histories);
  cells_.assign(cells.size(), {});
  for (int member = 0; member < static_cast<int>(members_.size()); ++member) {
    Member& who = members_[member];
    who.cells.assign(who.rows.size(), kNowhere);
    for (std::uint32_t c = 0; c < cells.size(); ++c)
      for (std::size_t at = 0; at < who.rows.size(); ++at)
        if (std::find(cells[c].begin(), cells[c].end(), who.rows[at]) != cells[c].end()) {
          who.cells[at] = c;
          cells_[c].items.push_back({member, static_cast<int>(at)});
        }
  }
  for (Cell& cell : cells_) measure(cell);
  constant_ = constant_price();
  if (cells_.size() < kMostCells && !watch_.stopped()) {
    put_back();
    join_cells();
  }
  return released();
}

}  // namespace shoal
