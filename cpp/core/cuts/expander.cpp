#include "core/cuts/expander.h"

#include <algorithm>

namespace shoal {
namespace {

// General loss: a sweep is dear, and what it found stays sound and only grows weaker, so the next one waits until one
// move in so many is gone.
constexpr std::size_t kFresh = 8;

}  // namespace

template <Metric M>
Expander<M>::Expander(const Projection& projection, const Moves& moves)
    : s_(projection), moves_(moves), head_(s_), bound_(s_, head_), allset_(projection, head_.groups(), head_.judge()),
      tail_(projection.alphabet.size()) {}

template <Metric M>
std::optional<Expansion> Expander<M>::expand(const Node& node, Cost known, const Watch* watch) {
  watch_ = watch;
  Expansion out;
  out.best = head_.solve(node.head, known);
  known = std::min(known, out.best.cost);
  node.tail.elements(cuts_);
  if (cuts_.empty() || head_.too_risky()) return out;
  bound_.start();
  allset_.load(node.head, cuts_, bound_.spans(), bound_.values());
  if (!bound_.narrow(known) || (s_.rules && !steps_ && !bound_.give_up(known))) return out;
  moves_.among(cuts_, names_);
  open(names_, node.head, known);
  for (std::size_t t = 0; t < tail_.size();)
    if (tail_[t].useful) ++t;
    else drop(t, 'u');
  if (prune(node.head, known) && narrow_down(node.head, known)) branch(node.head, known, out.children);
  if (stopped()) return std::nullopt;
  return out;
}

template <Metric M>
void Expander<M>::open(std::span<const int> moves, const CutSet& head, Cost known) {
  if constexpr (Is::loss) bound_.remember();
  opened_ = moves.size();
  tail_.load(moves, bound_.spans().count, s_.limited && !Is::squares);
  sweep(head, known);
}

// Section 5.1: takes moves out of the tail until nothing changes. False when the node itself is pruned, or the watch
// ends it.
template <Metric M>
bool Expander<M>::prune(const CutSet& head, Cost known) {
  for (bool changed = true; changed;) {
    changed = false;
    if (bound_.least() >= known) return false;
    for (std::size_t t = 0; t < tail_.size();) {
      if (stopped()) return false;
      tail_[t].bound = bound_.least_with(tail_.delta(tail_[t]), tail_.rows(tail_[t]));
      if (tail_[t].bound >= known) drop(t, 'b'), changed = true;
      else ++t;
    }
    if (!Is::loss || (tail_.size() + 1) * kFresh > opened_ * (kFresh - 1)) continue;
    if (!bound_.narrow(known)) return false;
    open(open_names(), head, known);
  }
  return true;
}

template <Metric M>
const std::vector<int>& Expander<M>::open_names() {
  names_.clear();
  for (const OpenMove& move : tail_) names_.push_back(move.cut);
  std::sort(names_.begin(), names_.end());
  return names_;
}

// What is left is looked at more closely, and swept again where that raised the bound. No proof has a rule for it.
template <Metric M>
bool Expander<M>::narrow_down(const CutSet& head, Cost known) {
  needed_.clear();
  out_.clear();
  if (steps_ || tail_.empty()) return true;
  if (!tighten(head, known) || !bound_.narrow(known)) return false;
  open(open_names(), head, known);
  return prune(head, known);
}

// One child per move: it joins the head, later moves stay open. After each, the rest is pruned again without it
// (section 5.6).
template <Metric M>
void Expander<M>::branch(const CutSet& head, Cost known, std::vector<Node>& children) {
  if (!needed_.empty()) return branch_once(head, children);
  while (!tail_.empty()) {
    // The move whose absence costs most, if that is known. Section 5.5: else the one that splits most groups; ties by the
    // smaller sum of squares.
    const auto first = std::min_element(tail_.begin(), tail_.end(), [&](const OpenMove& x, const OpenMove& y) {
      const bool possible = moves_.possible(x.cut, head);
      if (possible != moves_.possible(y.cut, head)) return possible;
      if (!out_.empty() && out_[x.cut] != out_[y.cut]) return out_[x.cut] > out_[y.cut];
      if (x.splits != y.splits) return x.splits > y.splits;
      if (x.product != y.product) return x.product > y.product;
      return x.cut < y.cut;
    });
    Node child{head, CutSet(static_cast<int>(s_.pr.alphabet.size())), first->bound};
    for (int cut : moves_.cuts(first->cut)) child.head.add(cut);
    for (const OpenMove& move : tail_)
      if (move.cut != first->cut)
        for (int cut : moves_.cuts(move.cut)) child.tail.add(cut);
    children.push_back(std::move(child));
    drop(static_cast<std::size_t>(first - tail_.begin()), 'c');
    if (!prune(head, known)) return;
  }
}

// The only child: it has all moves that every better descendant has made. There is none if one of them has left the tail.
template <Metric M>
void Expander<M>::branch_once(const CutSet& head, std::vector<Node>& children) {
  Node child{head, CutSet(static_cast<int>(s_.pr.alphabet.size())), bound_.least()};
  for (const OpenMove& move : tail_)
    for (int cut : moves_.cuts(move.cut)) child.tail.add(cut);
  for (const int move : needed_) {
    if (tail_.position(move) < 0) return;
    child.bound = std::max(child.bound, tail_[static_cast<std::size_t>(tail_.position(move))].bound);
    for (int cut : moves_.cuts(move)) child.head.add(cut), child.tail.remove(cut);
  }
  children.push_back(std::move(child));
}

// Takes a move out of the tail with all moves that need it: a part that stays closed keeps the parts inside it closed.
template <Metric M>
void Expander<M>::drop(std::size_t index, char reason) {
  const int move = tail_[index].cut;
  if (steps_) steps_->push_back({move, reason});
  if (!moves_.is_needed(move)) return drop_one(index);
  for (std::size_t t = 0; t < tail_.size();)
    if (moves_.needs(tail_[t].cut, move)) drop_one(t);
    else ++t;
}

template <Metric M>
void Expander<M>::drop_one(std::size_t index) {
  for (int cut : moves_.cuts(tail_[index].cut)) allset_.remove(cut, bound_.spans(), bound_.values());
  if (steps_) tail_.remove_in_order(index);
  else tail_.remove(index);
}

template class Expander<Metric::discernibility>;
template class Expander<Metric::classification>;
template class Expander<Metric::general_loss>;

}  // namespace shoal
