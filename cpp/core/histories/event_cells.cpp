#include "core/histories/event_cells.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/base/parallel.h"
#include "core/histories/block_search.h"
#include "core/histories/class_cells.h"

namespace shoal {
namespace {

constexpr float kOfEvents = 0.3F;  // how much columns that vary within a person count where persons are halved
constexpr std::int64_t kMostRowsOfClass = 3000;

// The best of a class, its halves and its groups, again and again.
class Classes {
 public:
  Classes(const People& people, const Features& features, int known, const Watch& watch)
      : people_(people), features_(features), known_(known), watch_(watch) {}

  ClassCells best(const std::vector<int>& histories) {
    CellSplitter splitter(people_, known_, watch_, true);
    ClassCells own = splitter.split(histories);
    nodes_ += splitter.nodes();
    if (watch_.stopped()) return own;
    // Of one known row cells are better throughout.
    if (known_ > 1) keep_better(own, groups(histories));
    const auto halves = halved(histories);
    if (halves.size() < 2) return own;
    ClassCells both;
    for (const auto& half : halves) both.add(best(half));
    keep_better(own, std::move(both));
    return own;
  }
  std::vector<std::vector<int>> halved(const std::vector<int>& histories) const {
    BlockItems items;
    items.features = features_.count();
    for (const int h : histories) {
      items.values.insert(items.values.end(), features_.of(h), features_.of(h) + features_.count());
      float* own = items.values.data() + items.values.size() - features_.count();
      // By what is released once per person above all: cells part the other columns. The number of rows is not known.
      own[0] = 0;
      for (const int a : people_.varying(0)) own[1 + 2 * a] *= kOfEvents, own[2 + 2 * a] *= kOfEvents;
      items.rows.push_back(people_.length(h));
      items.persons.push_back(people_.persons(h));
    }
    // Just more than half, so that a block is halved once, or twice if that is uneven.
    auto blocks = blocks_of(items, {rows(histories) - 1, 2 * static_cast<std::int64_t>(people_.problem().k), false}, 0);
    for (auto& block : blocks)
      for (int& item : block) item = histories[item];
    return blocks;
  }
  std::int64_t rows(const std::vector<int>& histories) const {
    std::int64_t sum = 0;
    for (const int h : histories) sum += people_.length(h);
    return sum;
  }
  // A group with equal histories, with what can be put back.
  ClassCells opened(const std::vector<int>& histories, const std::vector<ClassCells::Rows>& cells) {
    CellSplitter splitter(people_, known_, watch_, true);
    ClassCells found = splitter.open(histories, cells);
    nodes_ += splitter.nodes();
    return found;
  }
  ClassCells suppressed(int h) const {
    return {people_.units(h) * people_.persons(h), people_.length(h) * people_.persons(h), {}};
  }
  std::int64_t nodes() const { return nodes_; }

 private:
  static void keep_better(ClassCells& one, ClassCells two) {
    if (two.cost < one.cost) one = std::move(two);
  }
  static std::vector<ClassCells::Rows> cells_of(const PersonGroup& group, const Aligner& aligner) {
    std::vector<ClassCells::Rows> cells;
    for (const Slot& slot : group.slots)
      if (!aligner.is_star(slot)) cells.push_back(slot.rows);
    return cells;
  }
  ClassCells groups(const std::vector<int>& histories) {
    const Aligner aligner(people_, 0);
    BlockSearch search(people_, features_, aligner, watch_, false, INT64_MAX);
    Block block = search.k_member(histories, false, 0);
    search.improve(block);
    nodes_ += search.nodes();
    ClassCells found;
    for (const PersonGroup& group : block.groups) found.add(opened(group.members, cells_of(group, aligner)));
    for (const int h : block.pool) found.add(suppressed(h));
    return found;
  }

  const People& people_;
  const Features& features_;
  const int known_;
  const Watch& watch_;
  std::int64_t nodes_ = 0;
};

void write(const ClassCells& found, const PeopleProblem& problem, PeopleOutcome& out) {
  out.found = true;
  out.cost = found.cost;
  out.suppressed = found.suppressed;
  std::int64_t place = 0;
  std::int32_t number = 0;
  for (const auto& cells : found.classes) {
    for (const auto& rows : cells) {
      for (const std::int32_t row : rows) {
        out.place_of[row] = place;
        const auto after = std::upper_bound(problem.first.begin(), problem.first.end(), std::int64_t{row});
        out.group_of[after - problem.first.begin() - 1] = number;
      }
      ++place;
    }
    ++number;
  }
}

// The given groups, with what can be put back.
ClassCells opened(const People& people, const Features& features, int known, const GroupsOfPersons& given,
                  const Watch& watch, int threads) {
  std::vector<std::vector<int>> groups(
      static_cast<std::size_t>(1 + *std::max_element(given.group_of.begin(), given.group_of.end())));
  ClassCells found;
  for (int h = 0; h < people.count(); ++h) {
    if (given.group_of[h] >= 0) groups[given.group_of[h]].push_back(h);
    else found.add(Classes(people, features, known, watch).suppressed(h));
  }
  std::vector<ClassCells> parts(groups.size());
  parallel(groups.size(), threads, [&](std::size_t g, std::size_t) {
    std::map<std::int64_t, ClassCells::Rows> cells;
    for (const int h : groups[g])
      for (const std::int32_t row : people.rows(h))
        if (given.place_of[row] >= 0) cells[given.place_of[row]].push_back(row);
    std::vector<ClassCells::Rows> own;
    for (auto& [place, rows] : cells) own.push_back(std::move(rows));
    parts[g] = Classes(people, features, known, watch).opened(groups[g], own);
  });
  for (ClassCells& part : parts) found.add(std::move(part));
  return found;
}

}  // namespace

PeopleOutcome event_cells(const PeopleProblem& problem, int known, const GroupsOfPersons& given,
                          const Options& options) {
  const Watch watch(options);
  const People people(problem);
  const Features features(people);
  PeopleOutcome out;
  out.place_of.assign(problem.row_of.size(), -1);
  out.group_of.assign(people.count(), -1);
  ClassCells groups;
  if (!given.group_of.empty()) groups = opened(people, features, known, given, watch, options.threads);
  std::vector<int> all(people.count());
  std::iota(all.begin(), all.end(), 0);
  // Classes that are too large are only halved.
  std::vector<std::vector<int>> open{all}, classes;
  const Classes halving(people, features, known, watch);
  while (!open.empty()) {
    std::vector<int> next = std::move(open.back());
    open.pop_back();
    auto halves = halving.rows(next) > kMostRowsOfClass ? halving.halved(next) : std::vector<std::vector<int>>{};
    if (halves.size() < 2) classes.push_back(std::move(next));
    else std::move(halves.begin(), halves.end(), std::back_inserter(open));
  }
  std::vector<ClassCells> found(classes.size());
  std::vector<std::int64_t> nodes(classes.size());
  const double begun = watch.seconds();
  parallel(classes.size(), options.threads, [&](std::size_t i, std::size_t) {
    // Each class has its share of the time, so that the last ones are not left whole.
    Options own = options;
    const double share = static_cast<double>(i + 1) / static_cast<double>(classes.size());
    own.budget.seconds = begun + (options.budget.seconds - begun) * share - watch.seconds();
    const Watch until(own);
    Classes search(people, features, known, until);
    found[i] = search.best(classes[i]);
    nodes[i] = search.nodes();
  });
  ClassCells whole;
  for (std::size_t i = 0; i < found.size(); ++i) {
    whole.add(std::move(found[i]));
    out.nodes += nodes[i];
  }
  if (!given.group_of.empty() && (groups.cost < whole.cost || whole.suppressed > problem.limit))
    whole = std::move(groups);
  if (whole.suppressed > problem.limit) {  // all persons together can keep most rows
    CellSplitter splitter(people, known, watch, false);
    whole = splitter.split(all);
    out.nodes += splitter.nodes();
  }
  if (whole.suppressed <= problem.limit) write(whole, problem, out);
  return out;
}

}  // namespace shoal
