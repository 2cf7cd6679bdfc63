#include "core/histories/class_cells.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace shoal {
namespace {

constexpr std::size_t kMostCuts = 16;  // of a column
constexpr std::size_t kMostTries = 6;  // of cuts, the most saving ones first

}  // namespace

void ClassCells::add(ClassCells other) {
  cost += other.cost;
  suppressed += other.suppressed;
  std::move(other.classes.begin(), other.classes.end(), std::back_inserter(classes));
}

void CellSplitter::begin(std::span<const int> histories) {
  members_.clear();
  cells_.assign(1, {});
  // Nobody keeps more rows than k persons have, unless k have as many as somebody may know.
  std::int64_t most = 0;
  for (int s = known_; s >= 1 && most == 0; --s) {
    std::int64_t persons = 0;
    for (const int h : histories)
      if (people_.length(h) >= s) persons += people_.persons(h);
    if (persons >= people_.problem().k) most = s;
  }
  if (most == known_) most = INT64_MAX;
  for (const int h : histories) {
    const auto rows = people_.rows(h);
    const auto kept = std::min<std::size_t>(static_cast<std::size_t>(most), rows.size());
    Member& made = members_.emplace_back(Member{h, people_.persons(h), {rows.begin(), rows.end()}, {}});
    made.cells.assign(rows.size(), kNowhere);
    for (std::size_t at = 0; at < kept; ++at) {
      made.cells[at] = 0;
      cells_[0].items.push_back({static_cast<int>(members_.size()) - 1, static_cast<int>(at)});
    }
  }
  measure(cells_[0]);
  constant_ = constant_price();
}

void CellSplitter::measure(Cell& cell) const {
  cell.price = cell.loss = 0;
  if (cell.items.empty()) return;
  const Boxes& boxes = people_.boxes(0);
  Box box = boxes.around(people_.distinct(row(cell.items.front())));
  std::int64_t persons_of_all = 0;
  for (const Item& item : cell.items) {
    boxes.join(box, people_.distinct(row(item)));
    persons_of_all += persons(item);
  }
  for (const int a : people_.varying(0)) cell.price += boxes.price(box, a);
  cell.price *= people_.problem().weight[0];
  cell.loss = cell.price * persons_of_all;
}

// Of the persons of whom a row is released.
Cost CellSplitter::constant_price() const {
  const Boxes& boxes = people_.boxes(0);
  Box box;
  bool some = false;
  for (const Member& member : members_) {
    if (std::all_of(member.cells.begin(), member.cells.end(), [](std::uint32_t cell) { return cell == kNowhere; }))
      continue;
    if (!some) box = boxes.around(people_.distinct(member.rows.front()));
    else boxes.join(box, people_.distinct(member.rows.front()));
    some = true;
  }
  Cost sum = 0;
  for (const int a : people_.constant()) sum += some ? boxes.price(box, a) : 0;
  return sum * people_.problem().weight[0];
}

std::vector<int> CellSplitter::members_of(const Cell& cell) const {
  std::vector<int> found;
  for (const Item& item : cell.items) found.push_back(item.member);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void CellSplitter::find(int member, std::uint32_t one, std::uint32_t two, std::vector<Combination>& found) {
  scratch_.clear();
  for (const std::uint32_t cell : members_[member].cells)
    if (cell != kNowhere) scratch_.push_back(cell);
  if (!people_.problem().ordered) std::sort(scratch_.begin(), scratch_.end());
  combinations_.find(scratch_, one, two, found);
}

std::pair<CellSplitter::Cell, CellSplitter::Cell> CellSplitter::parts_of(const Cell& cell, const Cut& cut) const {
  Cell low, high;
  for (const Item& item : cell.items) {
    const int code = people_.code(row(item), cut.attribute);
    ((cut.alone ? code == cut.code : code >= cut.code) ? high : low).items.push_back(item);
  }
  measure(low), measure(high);
  return {std::move(low), std::move(high)};
}

std::vector<CellSplitter::Cut> CellSplitter::cuts_of(const Cell& cell) const {
  std::vector<Cut> cuts;
  for (const int a : people_.varying(0)) {
    std::vector<int> codes;
    for (const Item& item : cell.items) codes.push_back(people_.code(row(item), a));
    std::sort(codes.begin(), codes.end());
    const LocalSpan* span = people_.problem().tables[0].span(a);
    const auto add = [&](int code, bool alone) {
      const Cut cut{0, a, code, alone};
      const auto [low, high] = parts_of(cell, cut);
      const Cost saves = cell.loss - low.loss - high.loss;
      if (saves > 0) cuts.push_back({saves, a, code, alone});
    };
    int last = codes.front();
    for (std::size_t share = 0; share < kMostCuts; ++share) {
      const int code = codes[codes.size() * share / kMostCuts];
      if (share > 0 && code == last) continue;
      last = code;
      if (code != codes.front()) add(code, false);
      if (span && !span->ordered && codes.front() != codes.back()) add(code, true);
    }
  }
  std::stable_sort(cuts.begin(), cuts.end(), [](const Cut& x, const Cut& y) { return x.saves > y.saves; });
  if (cuts.size() > kMostTries) cuts.resize(kMostTries);
  return cuts;
}

bool CellSplitter::split_cell(std::uint32_t cell) {
  const auto next = static_cast<std::uint32_t>(cells_.size());
  if (cells_[cell].items.size() < 2 || next >= kMostCells) return false;
  for (const Cut& cut : cuts_of(cells_[cell])) {
    if (watch_.stopped()) return false;
    ++nodes_;
    auto [low, high] = parts_of(cells_[cell], cut);
    for (const Item& item : high.items) cell_at(item) = next;
    std::vector<Item> gone;
    if (repair(cell, next, cut.saves, gone)) {
      const auto is_gone = [&](const Item& item) { return cell_at(item) == kNowhere; };
      std::erase_if(low.items, is_gone), std::erase_if(high.items, is_gone);
      measure(low), measure(high);
      Cost lost = 0;
      for (const Item& item : gone) lost += (people_.full(0) - constant_) * persons(item);
      if (low.loss + high.loss + lost < cells_[cell].loss) {
        cells_[cell] = std::move(low);
        cells_.push_back(std::move(high));
        return true;
      }
    }
    for (const Item& item : cells_[cell].items) cell_at(item) = cell;
  }
  return false;
}

// Whether k persons have each combination with one of two cells that somebody has, once some rows in them are
// suppressed. Other combinations held before, and are as they were.
bool CellSplitter::repair(std::uint32_t one, std::uint32_t two, Cost most, std::vector<Item>& gone) {
  Cell both;
  for (const Item& item : cells_[one].items) both.items.push_back(item);
  const std::vector<int> members = members_of(both);
  Counted counted;
  std::vector<Combination> own;
  for (const int member : members) {
    find(member, one, two, own);
    for (const Combination each : own) counted[each] += members_[member].persons;
  }
  const auto rare = [&](const auto& each) { return each.second < people_.problem().k; };
  if (std::none_of(counted.begin(), counted.end(), rare)) return true;
  if (!gives_up_) return false;
  Cost spent = 0;
  for (bool again = true; again;) {
    const std::size_t before = gone.size();
    for (const int member : members)
      if (!give_up_rows(member, one, two, counted, spent, most, gone)) return false;
    again = gone.size() > before;
  }
  return true;
}

// Suppresses rows of a member in two cells until no rare combination is left; whether that costs no more than `most`.
bool CellSplitter::give_up_rows(int member, std::uint32_t one, std::uint32_t two, Counted& counted, Cost& spent,
                                Cost most, std::vector<Item>& gone) {
  Member& who = members_[member];
  std::vector<Combination> own, rest;
  const auto rare = [&](Combination each) { return counted.at(each) < people_.problem().k; };
  find(member, one, two, own);
  while (std::any_of(own.begin(), own.end(), rare)) {
    std::size_t best = 0, fewest = SIZE_MAX;
    std::uint32_t tried = kNowhere;
    for (std::size_t at = 0; at < who.cells.size(); ++at) {
      const std::uint32_t cell = who.cells[at];
      if ((cell != one && cell != two) || (!people_.problem().ordered && cell == tried)) continue;
      tried = cell;
      who.cells[at] = kNowhere;
      find(member, one, two, rest);
      who.cells[at] = cell;
      const auto left = static_cast<std::size_t>(std::count_if(rest.begin(), rest.end(), rare));
      if (left < fewest) best = at, fewest = left;
    }
    spent += (people_.full(0) - constant_ - cells_[one].price) * who.persons;
    if (spent > most) return false;
    who.cells[best] = kNowhere;
    gone.push_back({member, static_cast<int>(best)});
    find(member, one, two, rest);
    std::sort(own.begin(), own.end()), std::sort(rest.begin(), rest.end());
    std::vector<Combination> lost;
    std::set_difference(own.begin(), own.end(), rest.begin(), rest.end(), std::back_inserter(lost));
    for (const Combination each : lost) counted[each] -= who.persons;
    own.swap(rest);
  }
  return true;
}

ClassCells CellSplitter::released() {
  ClassCells found;
  const Cost full = people_.full(0);
  for (Cell& cell : cells_)  // a row of stars is not released
    if (constant_ + cell.price >= full && people_.problem().all_stars[0]) {
      for (const Item& item : cell.items) cell_at(item) = kNowhere;
      cell.items.clear();
    }
  constant_ = constant_price();
  for (const Member& member : members_) {
    found.suppressed += static_cast<std::int64_t>(member.rows.size()) * member.persons;
    found.cost += full * static_cast<Cost>(member.rows.size()) * member.persons;
  }
  auto& cells = found.classes.emplace_back();
  for (const Cell& cell : cells_) {
    if (cell.items.empty()) continue;
    auto& rows = cells.emplace_back();
    for (const Item& item : cell.items) {
      rows.push_back(row(item));
      found.cost -= (full - constant_ - cell.price) * persons(item);
      found.suppressed -= persons(item);
    }
  }
  if (cells.empty()) found.classes.clear();
  return found;
}

ClassCells CellSplitter::split(std::span<const int> histories) {
  std::int64_t persons = 0;
  for (const int h : histories) persons += people_.persons(h);
  begin(histories);
  if (persons < people_.problem().k) {
    for (const Item& item : cells_[0].items) cell_at(item) = kNowhere;
    cells_.clear();
    return released();
  }
  // What loses most is split first.
  while (!watch_.stopped()) {
    std::size_t next = cells_.size();
    for (std::size_t c = 0; c < cells_.size(); ++c)
      if (!cells_[c].whole && (next == cells_.size() || cells_[c].loss > cells_[next].loss)) next = c;
    if (next == cells_.size() || cells_[next].loss == 0) break;
    if (!split_cell(static_cast<std::uint32_t>(next))) cells_[next].whole = true;
  }
  if (gives_up_) put_back();
  return released();
}

}  // namespace shoal
