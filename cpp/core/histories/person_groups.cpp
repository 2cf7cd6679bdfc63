#include "core/histories/person_groups.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/parallel.h"
#include "core/histories/block_search.h"
#include "core/histories/fewest_rows.h"
#include "core/histories/person_blocks.h"

namespace shoal {
namespace {

constexpr double kMostWork = 2e10;  // pairs of cells that a pass compares
constexpr double kWorkOfASecond = 2e8;
constexpr std::int64_t kMostRowsOfBlock = 6000;
constexpr std::size_t kBlocksAtOnce = 64;  // blocks between two looks at the budget of nodes
constexpr std::size_t kMostBeginnings = 16, kHistoriesOfBeginnings = 240;
constexpr int kMostPasses = 40;
constexpr double kLeastGain = 1.0 / 2000;  // of what is lost, or the improvement ends

// All groups of one attempt.
class Attempt {
 public:
  Attempt(const People& people, const Features& features, const Options& options, const Watch& watch, Cost penalty,
          bool strict, std::int64_t& nodes)
      : people_(people), features_(features), options_(options), watch_(watch), aligner_(people, penalty),
        strict_(strict), nodes_(nodes) {
    double cells = 0;
    for (int h = 0; h < people_.count(); ++h)
      for (const std::int32_t row : people_.rows(h)) cells += people_.attributes(people_.table(row)), ++rows_;
    // By the seconds that were allowed, not by the machine: so that the groups of all blocks are formed in half the time.
    const double work = std::min(kMostWork, kWorkOfASecond * options.budget.seconds);
    sizes_.most_rows =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(work / std::max(1.0, cells)), 100, kMostRowsOfBlock);
    sizes_.least_persons = 4 * static_cast<std::int64_t>(people_.problem().k);
    sizes_.by_length = people_.problem().whole;
  }

  void begin() {
    BlockItems items;
    for (int h = 0; h < people_.count(); ++h) add(items, {&h, 1});
    const auto blocks = blocks_of(items, sizes_, 0);
    run(blocks.size(), [&](std::size_t i, BlockSearch& search, bool quick) {
      // A small table has the time for several beginnings.
      const std::size_t times =
          blocks.size() > 1 ? 1 : kHistoriesOfBeginnings / std::max<std::size_t>(1, blocks[i].size());
      if (quick || times < 2) return search.k_member(blocks[i], quick, options_.seed);
      return search.best_of(blocks[i], static_cast<int>(std::min(times, kMostBeginnings)), options_.seed);
    });
  }
  void begin_with(const std::vector<std::vector<int>>& groups) {
    for (const std::vector<int>& members : groups) all_.groups.push_back(aligner_.of(members));
    std::vector<bool> grouped(people_.count());
    for (const auto& members : groups)
      for (const int h : members) grouped[h] = true;
    for (int h = 0; h < people_.count(); ++h)
      if (!grouped[h]) all_.pool.push_back(h);
  }
  // Passes until one gains little.
  void improve() {
    for (int pass = 1, idle = 0; pass <= kMostPasses && idle < 2 && !stopped(); ++pass) {
      const Cost before = worth();
      BlockItems items;
      for (const PersonGroup& group : all_.groups) add(items, group.members);
      for (const int& h : all_.pool) add(items, {&h, 1});
      const auto blocks = blocks_of(items, sizes_, options_.seed * 1000 + static_cast<std::uint64_t>(pass));
      Block old = std::move(all_);
      all_ = {};
      const std::size_t groups = old.groups.size();
      run(blocks.size(), [&](std::size_t i, BlockSearch& search, bool quick) {
        Block block;
        for (const int item : blocks[i]) {
          if (static_cast<std::size_t>(item) < groups) block.groups.push_back(std::move(old.groups[item]));
          else block.pool.push_back(old.pool[item - groups]);
        }
        if (!quick) search.improve(block);
        return block;
      });
      const Cost lost = aligner_total() - worth();
      idle = static_cast<double>(worth() - before) <= kLeastGain * static_cast<double>(lost) ? idle + 1 : 0;
      if (lost == 0) break;
    }
  }
  void refine() {
    if (people_.problem().ordered) return;
    parallel(all_.groups.size(), options_.threads, [&](std::size_t g, std::size_t) {
      if (watch_.stopped()) return;
      PersonGroup next = all_.groups[g];
      if (aligner_.refine(next, true) && (!strict_ || aligner_.kept(next) >= aligner_.kept(all_.groups[g])))
        all_.groups[g] = std::move(next);
    });
  }
  std::int64_t suppressed() const {
    std::int64_t sum = 0;
    for (const PersonGroup& group : all_.groups) sum += aligner_.suppressed(group);
    for (const int h : all_.pool) sum += people_.length(h) * people_.persons(h);
    return sum;
  }
  // By definition: whatever the penalty was.
  Cost cost() const {
    Cost sum = 0;
    for (int h = 0; h < people_.count(); ++h) sum += people_.units(h) * people_.persons(h);
    for (const PersonGroup& group : all_.groups) sum -= group.persons * aligner_.truly_saves(group);
    return sum;
  }
  void write(PeopleOutcome& out) const {
    out.found = true;
    out.cost = cost();
    out.suppressed = suppressed();
    out.place_of.assign(people_.problem().row_of.size(), -1);
    out.group_of.assign(people_.count(), -1);
    std::int64_t places = 0;
    std::int32_t number = 0;
    for (const PersonGroup& group : all_.groups) {
      if (aligner_.kept(group) == 0) continue;
      for (const int h : group.members) out.group_of[h] = number;
      ++number;
      write(group.slots, places, out);
    }
  }

 private:
  void write(const std::vector<Slot>& slots, std::int64_t& places, PeopleOutcome& out) const {
    for (const Slot& slot : slots) {
      if (aligner_.is_star(slot)) continue;
      for (const std::int32_t row : slot.rows) out.place_of[row] = places;
      ++places;
      write(slot.below, places, out);
    }
  }
  void add(BlockItems& items, std::span<const int> members) const {
    items.features = features_.count();
    const std::size_t at = items.values.size();
    items.values.resize(at + items.features, 0);
    std::int64_t rows = 0, persons = 0;
    for (const int h : members) {
      for (int f = 0; f < items.features; ++f)
        items.values[at + f] += features_.of(h)[f] / static_cast<float>(members.size());
      rows += people_.length(h), persons += people_.persons(h);
    }
    if (people_.problem().whole) items.values[at] = features_.of(members.front())[0];
    items.rows.push_back(rows);
    items.persons.push_back(persons);
  }
  bool stopped() const { return watch_.stopped() || nodes_ >= options_.budget.nodes; }
  Cost worth() const {
    Cost sum = 0;
    for (const PersonGroup& group : all_.groups) sum += group.worth();
    return sum;
  }
  Cost aligner_total() const {
    Cost sum = 0;
    for (int h = 0; h < people_.count(); ++h) sum += aligner_.most(h) * people_.persons(h);
    return sum;
  }
  // task(i, search, quick) makes a block, for each of so many; `quick` once the budget has ended.
  template <class Task>
  void run(std::size_t tasks, const Task& task) {
    for (std::size_t begin = 0; begin < tasks; begin += kBlocksAtOnce) {
      const std::size_t count = std::min(kBlocksAtOnce, tasks - begin);
      std::vector<Block> made(count);
      std::vector<std::int64_t> nodes(count);
      const bool quick = stopped();
      parallel(count, options_.threads, [&](std::size_t i, std::size_t) {
        BlockSearch search(people_, features_, aligner_, watch_, strict_, options_.budget.nodes - nodes_);
        made[i] = task(begin + i, search, quick);
        nodes[i] = search.nodes();
      });
      for (std::size_t i = 0; i < count; ++i) {
        std::move(made[i].groups.begin(), made[i].groups.end(), std::back_inserter(all_.groups));
        all_.pool.insert(all_.pool.end(), made[i].pool.begin(), made[i].pool.end());
        nodes_ += nodes[i];
      }
      watch_.report(kInfinite, 0, nodes_);
    }
  }

  const People& people_;
  const Features& features_;
  const Options& options_;
  const Watch& watch_;
  const Aligner aligner_;
  const bool strict_;
  std::int64_t& nodes_;
  std::int64_t rows_ = 0;
  BlockSizes sizes_;
  Block all_;
};

}  // namespace

PeopleOutcome person_groups(const PeopleProblem& problem, const Options& options) {
  const Watch watch(options);
  const People people(problem);
  const Features features(people);
  PeopleOutcome out;
  Cost full = 1;
  for (int t = 0; t < people.tables(); ++t) full = std::max(full, people.full(t));
  const auto keep = [&](Attempt& attempt) {
    attempt.refine();
    if (attempt.suppressed() > problem.limit || (out.found && attempt.cost() >= out.cost)) return;
    attempt.write(out);
    watch.report(out.cost, 0, out.nodes);
  };
  for (const Cost times : {0, 1, 8, 64}) {
    Attempt attempt(people, features, options, watch, times * full, false, out.nodes);
    attempt.begin();
    attempt.improve();
    keep(attempt);
    if (out.found || watch.stopped()) break;
  }
  if (!out.found) {
    Attempt attempt(people, features, options, watch, 64 * full, true, out.nodes);
    attempt.begin_with(fewest_rows(people));
    attempt.improve();
    keep(attempt);
  }
  return out;
}

}  // namespace shoal
