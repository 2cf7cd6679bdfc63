#include "core/histories/event_cells.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/parallel.h"
#include "core/histories/block_search.h"
#include "core/histories/class_cells.h"

namespace shoal {
namespace {

constexpr double kMostCombinations = 3e5;  // of the rows of a class
constexpr std::int64_t kSmallClass = 16;   // times k: persons of a class that is also tried as groups

// The best of a class, its halves and its groups, again and again.
class Classes {
 public:
  Classes(const People& people, const Features& features, int known, const Watch& watch)
      : people_(people), features_(features), known_(known), watch_(watch) {}

  ClassCells best(const std::vector<int>& histories) {
    CellSplitter splitter(people_, known_, watch_);
    ClassCells own = splitter.split(histories);
    nodes_ += splitter.nodes();
    std::int64_t persons = 0;
    for (const int h : histories) persons += people_.persons(h);
    if (watch_.stopped()) return own;
    if (persons <= kSmallClass * people_.problem().k) keep_better(own, groups(histories));
    const auto halves = halved(histories);
    if (halves.size() < 2) return own;
    ClassCells both;
    for (const auto& half : halves) {
      ClassCells part = best(half);
      both.cost += part.cost;
      both.suppressed += part.suppressed;
      std::move(part.cells.begin(), part.cells.end(), std::back_inserter(both.cells));
    }
    keep_better(own, std::move(both));
    return own;
  }
  std::vector<std::vector<int>> halved(const std::vector<int>& histories) const {
    BlockItems items;
    items.features = features_.count();
    std::int64_t rows = 0;
    for (const int h : histories) {
      items.values.insert(items.values.end(), features_.of(h), features_.of(h) + features_.count());
      items.rows.push_back(people_.length(h));
      items.persons.push_back(people_.persons(h));
      rows += people_.length(h);
    }
    // Just more than half, so that a block is halved once, or twice if that is uneven.
    auto blocks = blocks_of(items, {rows - 1, 2 * static_cast<std::int64_t>(people_.problem().k), false}, 0);
    for (auto& block : blocks)
      for (int& item : block) item = histories[item];
    return blocks;
  }
  double combinations(const std::vector<int>& histories) const {
    double sum = 0;
    for (const int h : histories) {
      double own = 1;
      for (int i = 0; i < known_; ++i) own *= std::max(1.0, static_cast<double>(people_.length(h) - i) / (i + 1));
      sum += own;
    }
    return sum;
  }
  std::int64_t nodes() const { return nodes_; }

 private:
  static void keep_better(ClassCells& one, ClassCells two) {
    if (two.cost < one.cost) one = std::move(two);
  }
  ClassCells groups(const std::vector<int>& histories) {
    const Aligner aligner(people_, 0);
    BlockSearch search(people_, features_, aligner, watch_, false, INT64_MAX);
    Block block = search.k_member(histories, false, 0);
    search.improve(block);
    nodes_ += search.nodes();
    ClassCells found;
    for (const int h : histories) {
      found.cost += people_.units(h) * people_.persons(h);
      found.suppressed += people_.length(h) * people_.persons(h);
    }
    for (const PersonGroup& group : block.groups) {
      found.cost -= group.worth();
      found.suppressed -= aligner.kept(group) * group.persons;
      for (const Slot& slot : group.slots)
        if (!aligner.is_star(slot)) found.cells.push_back(slot.rows);
    }
    return found;
  }

  const People& people_;
  const Features& features_;
  const int known_;
  const Watch& watch_;
  std::int64_t nodes_ = 0;
};

void write(const ClassCells& found, PeopleOutcome& out) {
  out.found = true;
  out.cost = found.cost;
  out.suppressed = found.suppressed;
  std::int64_t place = 0;
  for (const auto& rows : found.cells) {
    for (const std::int32_t row : rows) out.place_of[row] = place;
    ++place;
  }
}

}  // namespace

PeopleOutcome event_cells(const PeopleProblem& problem, int known, const Options& options) {
  const Watch watch(options);
  const People people(problem);
  const Features features(people);
  PeopleOutcome out;
  out.place_of.assign(problem.row_of.size(), -1);
  out.group_of.assign(people.count(), -1);
  std::vector<int> all(people.count());
  std::iota(all.begin(), all.end(), 0);
  // Classes that are too large are only halved.
  std::vector<std::vector<int>> open{all}, classes;
  const Classes halving(people, features, known, watch);
  while (!open.empty()) {
    std::vector<int> next = std::move(open.back());
    open.pop_back();
    auto halves =
        halving.combinations(next) > kMostCombinations ? halving.halved(next) : std::vector<std::vector<int>>{};
    if (halves.size() < 2) classes.push_back(std::move(next));
    else std::move(halves.begin(), halves.end(), std::back_inserter(open));
  }
  std::vector<ClassCells> found(classes.size());
  std::vector<std::int64_t> nodes(classes.size());
  parallel(classes.size(), options.threads, [&](std::size_t i, std::size_t) {
    Classes search(people, features, known, watch);
    found[i] = search.best(classes[i]);
    nodes[i] = search.nodes();
  });
  ClassCells whole;
  for (std::size_t i = 0; i < found.size(); ++i) {
    whole.cost += found[i].cost;
    whole.suppressed += found[i].suppressed;
    std::move(found[i].cells.begin(), found[i].cells.end(), std::back_inserter(whole.cells));
    out.nodes += nodes[i];
  }
  if (whole.suppressed > problem.limit) {  // all persons together can keep most rows
    CellSplitter splitter(people, known, watch);
    whole = splitter.split(all);
    out.nodes += splitter.nodes();
  }
  if (whole.suppressed <= problem.limit) write(whole, out);
  return out;
}

}  // namespace shoal
