#include "core/histories_levels/person_levels.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/base/parallel.h"

namespace shoal::person_levels {
namespace {

constexpr std::size_t kRound = 8;  // boxes per round, whatever the threads
constexpr std::size_t kTries = 4;  // nodes that are tried at once for an answer

struct Box {
  Node low, high;
  Cost bound = 0;
  std::int64_t number = 0;
  bool operator<(const Box& other) const {  // the first of a heap is the greatest
    return std::pair(bound, number) > std::pair(other.bound, other.number);
  }
};

// A node, and how much was found out about it.
std::string name(const Node& node, Effort effort) {
  std::string text(node.begin(), node.end());
  text.push_back(static_cast<char>(effort));
  return text;
}

class Search {
 public:
  Search(const PeopleProblem& problem, const Options& options) : problem_(problem), options_(options), watch_(options) {
    push({problem.low, problem.high});
  }

  PersonLevelsOutcome run() {
    // The first round is the top alone: it shows whether anything is admissible at all.
    if (round()) descend();
    while ((!open_.empty() || !pending_.empty()) && !watch_.close_enough(best_, bound()) && round()) {}
    PersonLevelsOutcome out;
    out.nodes = nodes_;
    out.bound = std::min(bound(), best_);
    out.found = best_ < kInfinite;
    out.proved = out.bound >= best_;
    if (out.found) write(out);
    return out;
  }

 private:
  // Of nodes that were measured their least costs remain, since single rows are left out by a greedy choice.
  Cost bound() const { return std::min(least_, open_.empty() ? kInfinite : open_.front().bound); }
  bool may_look() const { return nodes_ < options_.budget.nodes && !watch_.stopped(); }

  void push(Box&& box) {
    if (box.bound >= best_) return;
    box.number = number_++;
    open_.push_back(std::move(box));
    std::push_heap(open_.begin(), open_.end());
  }
  void take(const Node& node, Effort effort, Measure& found) {
    tried_.insert_or_assign(name(node, effort), found.cost);
    if (found.cost >= best_) return;
    best_ = found.cost;
    best_node_ = node;
    suppressed_ = found.suppressed;
    single_rows_ = found.single_rows;
    stays_ = std::move(found.stays);
  }

  // Some boxes at once, and some nodes at which single rows might be left out; false if the budget has ended.
  bool round() {
    std::vector<Box> batch;
    while (!open_.empty() && batch.size() < kRound) {
      std::pop_heap(open_.begin(), open_.end());
      if (open_.back().bound < best_) batch.push_back(std::move(open_.back()));
      open_.pop_back();
    }
    const auto allowed = static_cast<std::size_t>(
        std::min<std::int64_t>(options_.budget.nodes - nodes_, static_cast<std::int64_t>(batch.size())));
    std::vector<Measure> measures(allowed);
    std::vector<std::vector<Box>> parts(allowed);
    if (may_look())
      parallel(allowed, options_.threads, [&](std::size_t i, std::size_t) {
        if (watch_.stopped()) return;
        measures[i] = measure(problem_, batch[i].high, Effort::bound, best_, watch_);
        if (measures[i].done) parts[i] = parted(batch[i], measures[i]);
      });
    bool all = true;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (i >= allowed || !measures[i].done) {
        push(std::move(batch[i]));
        all = false;
        continue;
      }
      ++nodes_;
      least_ = std::min(least_, measures[i].least);
      if (!problem_.loses_rows()) take(batch[i].high, Effort::rows, measures[i]);
      else if (!tried_.contains(name(batch[i].high, Effort::rows))) pending_.emplace(measures[i].least, batch[i].high);
      for (Box& part : parts[i]) push(std::move(part));
    }
    if (all) all = leave_out_rows_somewhere();
    watch_.report(best_, std::min(bound(), best_), nodes_);
    return all;
  }

  // At the nodes that might be best by what must go there.
  bool leave_out_rows_somewhere() {
    std::vector<Node> nodes;
    while (!pending_.empty() && pending_.begin()->first < best_ && nodes.size() < kTries) {
      nodes.push_back(pending_.begin()->second);
      pending_.erase(pending_.begin());
    }
    if (!pending_.empty() && pending_.begin()->first >= best_) pending_.clear();
    return nodes.empty() || cheapest(nodes, Effort::rows).all;
  }

  // What is left of a box without its upper node, by halves.
  std::vector<Box> parted(const Box& box, const Measure& high) const {
    std::vector<Box> parts;
    Node low = box.low;
    while (low != box.high) {
      const Cost bound = std::max(box.bound, box_bound(problem_, high, low));
      if (bound >= best_) break;
      std::size_t widest = 0;
      for (std::size_t a = 1; a < low.size(); ++a)
        if (box.high[a] - low[a] > box.high[widest] - low[widest]) widest = a;
      Box part{low, box.high, bound, 0};
      part.high[widest] = static_cast<std::uint8_t>((low[widest] + box.high[widest]) / 2);
      low[widest] = static_cast<std::uint8_t>(part.high[widest] + 1);
      parts.push_back(std::move(part));
    }
    return parts;
  }

  // Steps in one quasi-identifier from the top, large ones first, while they help: with persons that go whole, which is
  // fast, and then with single rows.
  void descend() {
    int step = 1;
    for (std::size_t a = 0; a < problem_.high.size(); ++a)
      step = std::max(step, (problem_.high[a] - problem_.low[a] + 1) / 2);
    Node here = problem_.high;
    if (climb(here, step, Effort::persons) && problem_.loses_rows()) climb(here, 1, Effort::rows);
  }

  bool climb(Node& here, int step, Effort effort) {
    Cost cost = kInfinite;
    const auto look = [&](const std::vector<Node>& nodes, bool& moved) {
      const Cheapest found = cheapest(nodes, effort);
      moved = found.all && found.cost < cost;
      if (moved) {
        cost = found.cost;
        here = found.node;
      }
      return found.all;
    };
    bool moved = false;
    if (!look({here}, moved)) return false;
    for (; step > 0; step /= 2) {
      std::vector<Node> near = around(here, step);
      for (std::size_t next = 0; next < near.size();) {
        const std::size_t end = std::min(near.size(), next + kTries);
        if (!look({near.begin() + next, near.begin() + end}, moved)) return false;
        next = end;
        if (!moved) continue;
        near = around(here, step);
        next = 0;
      }
    }
    return true;
  }

  std::vector<Node> around(const Node& here, int step) const {
    std::vector<Node> near;
    for (const int by : {-step, step})
      for (std::size_t a = 0; a < here.size(); ++a) {
        const int level = std::clamp(here[a] + by, int{problem_.low[a]}, int{problem_.high[a]});
        if (level == here[a]) continue;
        Node node = here;
        node[a] = static_cast<std::uint8_t>(level);
        near.push_back(std::move(node));
      }
    return near;
  }

  struct Cheapest {
    Node node;
    Cost cost = kInfinite;
    bool all = true;  // false if the budget has ended
  };
  Cheapest cheapest(const std::vector<Node>& nodes, Effort effort) {
    std::vector<Measure> measures(nodes.size());
    std::vector<std::size_t> fresh;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!tried_.contains(name(nodes[i], effort))) fresh.push_back(i);
    Cheapest out;
    if (!fresh.empty() && (!may_look() || options_.budget.nodes - nodes_ < static_cast<std::int64_t>(fresh.size()))) {
      out.all = false;
      return out;
    }
    parallel(fresh.size(), options_.threads, [&](std::size_t i, std::size_t) {
      if (!watch_.stopped()) measures[fresh[i]] = measure(problem_, nodes[fresh[i]], effort, best_, watch_);
    });
    for (const std::size_t i : fresh) {
      if (measures[i].done) {
        ++nodes_;
        take(nodes[i], effort, measures[i]);
      }
      out.all = out.all && measures[i].done;
    }
    for (const Node& node : nodes) {
      const auto found = tried_.find(name(node, effort));
      if (found == tried_.end() || found->second >= out.cost) continue;
      out.cost = found->second;
      out.node = node;
    }
    watch_.report(best_, std::min(bound(), best_), nodes_);
    return out;
  }

  void write(PersonLevelsOutcome& out) const {
    out.cost = best_;
    out.suppressed = suppressed_;
    out.single_rows = single_rows_;
    out.levels.assign(best_node_.begin(), best_node_.end());
    const ReleasedRows rows = release(problem_, best_node_);
    std::vector<std::int64_t> number(rows.ids(), -1);
    std::int64_t next = 0;
    out.places.assign(problem_.row.size(), -1);
    for (std::size_t i = 0; i < problem_.row.size(); ++i) {
      if (!stays_[i]) continue;
      std::int64_t& place = number[rows.id[problem_.row[i]]];
      if (place < 0) place = next++;
      out.places[i] = place;
    }
  }

  const PeopleProblem& problem_;
  const Options& options_;
  Watch watch_;
  std::vector<Box> open_;
  std::int64_t number_ = 0, nodes_ = 0;
  Cost best_ = kInfinite, least_ = kInfinite;
  Node best_node_;
  std::int64_t suppressed_ = 0;
  bool single_rows_ = false;
  std::vector<std::uint8_t> stays_;
  std::map<std::string, Cost> tried_;
  std::set<std::pair<Cost, Node>> pending_;  // nodes at which single rows were not left out yet, by what must go
};

}  // namespace

PersonLevelsOutcome person_levels(const PeopleProblem& problem, const Options& options) {
  return Search(problem, options).run();
}

}  // namespace shoal::person_levels
