// looks.h - what one search over a lattice has looked at: how many nodes, the best of them, and the clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/search.h"
#include "core/lattice/search.h"

namespace shoal {

// A node and what it costs. Ties go to fewer suppressed rows, then to fewer steps, then to the first levels: the
// answer must not depend on the order of the search.
struct Candidate {
  Cost cost = kInfinite;
  Count suppressed = 0;
  Levels levels;

  auto rank() const {
    int height = 0;
    for (auto level : levels) height += level;
    return std::tuple(cost, suppressed, height, levels);
  }
};

class Looks {
 public:
  Looks(const LatticeProblem& asked, const Options& given)
      : problem(asked), lattice(*asked.lattice), options(given), watch(given) {}

  const LatticeProblem& problem;
  const Lattice& lattice;
  const Options& options;
  const Watch watch;

  const Candidate& best() const { return best_; }
  void take(const Candidate& candidate) {
    if (candidate.rank() < best_.rank()) improved_ = true, best_ = candidate;
  }

  // Nodes whose groups were made. Of the first kMostNames each counts once, later ones as often as they are looked at:
  // the names of a night's nodes would fill the memory.
  std::int64_t nodes() const { return static_cast<std::int64_t>(visited_.size()) + unnamed_; }
  bool ended() const { return watch.stopped() || nodes() >= options.budget.nodes; }

  // Nodes that were looked at elsewhere.
  void count(std::int64_t nodes) { unnamed_ += nodes; }

  // Safe to call from several threads, as is candidate().
  void visit(const Levels& levels) {
    const std::lock_guard lock(mutex_);
    if (visited_.size() < kMostNames) visited_.emplace(levels.begin(), levels.end());
    else unnamed_ += !visited_.contains(std::string(levels.begin(), levels.end()));
  }
  Candidate candidate(const Levels& levels) {
    visit(levels);
    const NodeMeasure node = measure(levels);
    return {admissible(node) ? node.cost : kInfinite, node.suppressed, levels};
  }

  // A node; what is asked for is described at Lattice::measure.
  NodeMeasure measure(const Levels& levels, Cost known = kInfinite, std::vector<Count>* keeps = nullptr) {
    if (problem.elsewhere) {
      prepare({levels});
      return told_.at(name(levels));
    }
    return lattice.measure(*lattice.groups(levels), problem.price, problem.k, problem.limit, known, keeps);
  }
  // Nodes that are about to be measured: those elsewhere are asked for together, each once. One thread only.
  void prepare(const std::vector<Levels>& nodes) {
    if (!problem.elsewhere) return;
    std::vector<Levels> unknown;
    for (const Levels& each : nodes)
      if (!told_.contains(name(each)) && std::find(unknown.begin(), unknown.end(), each) == unknown.end())
        unknown.push_back(each);
    if (unknown.empty()) return;
    const std::vector<NodeMeasure> answers = problem.elsewhere(unknown);
    for (std::size_t i = 0; i < unknown.size(); ++i) told_.emplace(name(unknown[i]), answers.at(i));
  }

  bool admissible(const NodeMeasure& node) const { return node.suppressed <= problem.limit && node.holds; }

  // No node below one is admissible if too many rows are suppressed at all of them. Where nothing may be suppressed the
  // groups of the upper one are unions of admitted ones, and fewer than at any other node: what it breaks, all break. The
  // same holds with groups that are given up, if a group that contains a released one is admitted.
  bool futile(const NodeMeasure& high) const {
    const Privacy* rules = lattice.privacy();
    return high.must > problem.limit || (rules && (rules->strict || rules->supersets) && !high.possible);
  }

  void report(Cost bound, bool always) {
    const double now = watch.seconds();
    if (!always && !improved_ && now - reported_ < 0.1) return;
    watch.report(best_.cost, std::min(bound, best_.cost), nodes());
    reported_ = now;
    improved_ = false;
  }

 private:
  static constexpr std::size_t kMostNames = 4'000'000;

  Candidate best_;
  std::mutex mutex_;
  // Levels as bytes, which have a hash.
  static std::string name(const Levels& levels) { return {levels.begin(), levels.end()}; }
  std::unordered_map<std::string, NodeMeasure> told_;  // nodes that were measured elsewhere
  std::unordered_set<std::string> visited_;
  std::int64_t unnamed_ = 0;
  double reported_ = 0;
  bool improved_ = false;
};

}  // namespace shoal
