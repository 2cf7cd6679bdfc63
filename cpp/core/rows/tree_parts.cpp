#include "core/rows/tree_parts.h"

#include <algorithm>
#include <unordered_map>

namespace shoal {
namespace {

using Vertex = std::int32_t;
constexpr std::int64_t kNone = -1;

// A connected set of vertices that is no group yet: a list that is joined to another in one step.
struct Leftover {
  Vertex head = kNowhere, tail = kNowhere;
  std::int64_t size = 0;
};

class Peeling {
 public:
  Peeling(std::span<const Vertex> out, std::int64_t k)
      : out_(out), k_(k), next_(out.size(), kNowhere), group_(out.size(), kNone), rest_(out.size()),
        last_(out.size(), kNone) {}

  std::vector<std::int64_t> run(std::int64_t& groups) {
    for (const Vertex v : leaves_first()) close(v);
    for (Vertex v = 0; v < static_cast<Vertex>(out_.size()); ++v)
      if (out_[v] == kNowhere && rest_[v].size > 0) take_in(v);
    groups = static_cast<std::int64_t>(members_.size());
    return std::move(group_);
  }

 private:
  std::vector<Vertex> leaves_first() const {
    std::vector<std::int32_t> open(out_.size(), 0);
    for (const Vertex to : out_)
      if (to != kNowhere) ++open[to];
    std::vector<Vertex> order;
    order.reserve(out_.size());
    for (Vertex v = 0; v < static_cast<Vertex>(out_.size()); ++v)
      if (open[v] == 0) order.push_back(v);
    for (std::size_t i = 0; i < order.size(); ++i)
      if (const Vertex to = out_[order[i]]; to != kNowhere && --open[to] == 0) order.push_back(to);
    return order;
  }

  void append(Leftover& to, const Leftover& more) {
    if (more.size == 0) return;
    if (to.size == 0) to = more;
    else {
      next_[to.tail] = more.head;
      to.tail = more.tail;
      to.size += more.size;
    }
  }

  void emit(Vertex at, Leftover& rest) {
    const auto number = static_cast<std::int64_t>(members_.size());
    members_.emplace_back();
    for (Vertex v = rest.head; v != kNowhere; v = next_[v]) {
      members_.back().push_back(v);
      group_[v] = number;
    }
    last_[at] = number;
    rest = {};
  }

  // All that is below v has been given to v: k vertices of it are a group, with v as a crossing.
  void close(Vertex v) {
    append(rest_[v], {v, v, 1});
    if (rest_[v].size == k_) emit(v, rest_[v]);
    const Vertex to = out_[v];
    if (to == kNowhere) return;
    last_[to] = std::max(last_[to], last_[v]);
    append(rest_[to], rest_[v]);
    rest_[v] = {};
    if (rest_[to].size >= k_) emit(to, rest_[to]);
  }

  // Fewer than k vertices are left at a root: they join the last group of the tree, which is beside them, and the two
  // are cut anew if they are too many. They hang together without crossings.
  void take_in(Vertex root) {
    const std::int64_t number = last_[root];
    std::vector<Vertex>& members = members_[static_cast<std::size_t>(number)];
    for (Vertex v = rest_[root].head; v != kNowhere; v = next_[v]) {
      members.push_back(v);
      group_[v] = number;
    }
    if (static_cast<std::int64_t>(members.size()) > std::max(2 * k_ - 1, 3 * k_ - 5)) cut(number);
  }

  // Cut a tree of 2k and 3k - 4 vertices or more in two, each of k or more.
  void cut(std::int64_t number) {
    const std::vector<Vertex> members = members_[static_cast<std::size_t>(number)];
    const std::size_t size = members.size();
    std::unordered_map<Vertex, std::size_t> place;
    for (std::size_t i = 0; i < size; ++i) place.emplace(members[i], i);
    std::vector<std::vector<std::size_t>> beside(size);
    for (std::size_t i = 0; i < size; ++i)
      if (const auto to = place.find(out_[members[i]]); to != place.end()) {
        beside[i].push_back(to->second);
        beside[to->second].push_back(i);
      }
    std::vector<std::size_t> order{0}, above(size, size), below(size, 1);
    for (std::size_t i = 0; i < order.size(); ++i)
      for (const std::size_t other : beside[order[i]])
        if (other != above[order[i]]) {
          above[other] = order[i];
          order.push_back(other);
        }
    for (std::size_t i = size; i-- > 1;) below[above[order[i]]] += below[order[i]];
    // Vertices on the far side of `other`, seen from u.
    const auto behind = [&](std::size_t u, std::size_t other) {
      return above[other] == u ? below[other] : size - below[u];
    };
    const auto least = static_cast<std::size_t>(k_);
    std::size_t u = 0;
    std::vector<std::size_t> sides;
    while (true) {
      sides = beside[u];
      std::stable_sort(sides.begin(), sides.end(),
                       [&](std::size_t a, std::size_t b) { return behind(u, a) > behind(u, b); });
      const std::size_t most = behind(u, sides[0]);
      if (most < least || size - most >= least) break;
      u = sides[0];
    }
    std::size_t taken = 0, used = 0;
    const std::size_t wanted = behind(u, sides[0]) >= least ? least : least - 1;
    while (taken < wanted) taken += behind(u, sides[used++]);
    // u goes where one is missing: to the first part, unless that has k without it.
    const bool with_u = taken < least;
    const auto second = static_cast<std::int64_t>(members_.size());
    members_.emplace_back();
    const auto give = [&](std::size_t i) { group_[members[i]] = second; };
    if (with_u) give(u);
    std::vector<std::pair<std::size_t, std::size_t>> open;
    for (std::size_t i = 0; i < used; ++i) open.emplace_back(sides[i], u);
    while (!open.empty()) {
      const auto [at, from] = open.back();
      open.pop_back();
      give(at);
      for (const std::size_t other : beside[at])
        if (other != from) open.emplace_back(other, at);
    }
  }

  std::span<const Vertex> out_;
  std::int64_t k_;
  std::vector<Vertex> next_;  // in the list of a rest
  std::vector<std::int64_t> group_;
  std::vector<Leftover> rest_;                // per vertex what is left of all below it
  std::vector<std::int64_t> last_;            // per vertex the last group that was made at or below it
  std::vector<std::vector<Vertex>> members_;  // of each group, until it is cut
};

}  // namespace

std::vector<std::int64_t> tree_parts(std::span<const std::int32_t> out, std::int64_t k, std::int64_t& groups) {
  return Peeling(out, k).run(groups);
}

}  // namespace shoal
