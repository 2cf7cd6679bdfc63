#include "core/cuts/nested_expander.h"

#include <algorithm>

#include "core/cuts/allset.h"
#include "core/cuts/head.h"
#include "core/cuts/nested.h"
#include "core/cuts/node_bound.h"

namespace shoal {
namespace {

constexpr int kReshares = 3;  // more of them make the bound better and the choice of a cut worse

class NestedExpander final : public NodeExpander {
  static constexpr Metric M = Metric::general_loss;

 public:
  explicit NestedExpander(const Projection& projection)
      : s_(projection), head_(s_), bound_(s_, head_), allset_(projection, head_.groups(), head_.judge()),
        nested_(s_, head_) {}

  Incumbent solve_head(const CutSet& head, Cost known) override { return head_.solve(head, known); }

  std::optional<Expansion> expand(const Node& node, Cost known, const Watch* watch) override {
    Expansion out;
    out.best = head_.solve(node.head, known);
    known = std::min(known, out.best.cost);
    node.tail.elements(cuts_);
    if (cuts_.empty() || head_.too_risky() || !find_floor(node.head, known)) return out;
    nested_.load(node.head, cuts_, bound_.spans(), bound_.values());
    // The rules of docs/proofs.md know neither prices nor shares.
    if (s_.limited && s_.p.limit > 0 && !steps_) price_ = nested_.find_price(node.price);
    if (nested_.least() >= known || !nested_.narrow(known)) return out;
    // Where nothing may be suppressed all release the same rows.
    if (s_.p.limit > 0 && !steps_) nested_.reshare(kReshares);
    tail_ = node.tail;
    guess_ = node.head;
    for (bool first = true; nested_.least() < known && nested_.narrow(known); first = false) {
      if (watch && watch->stopped()) return std::nullopt;
      if (first) nested_.suggest(guess_);
      if (prune(known)) continue;
      if (tail_.empty() || !branch(node.head, known, out.children)) break;
    }
    if (Incumbent guess = head_.solve(guess_, known); guess.cost < known) {
      guess.unsettled = out.best.unsettled;
      out.best = std::move(guess);
    }
    return out;
  }

 private:
  // What the head alone gives. Rows that privacy rules make every descendant give up go with the allset's bound.
  bool find_floor(const CutSet& head, Cost known) {
    bound_.start();
    const bool gives_up = s_.rules && !s_.rules->supersets && !s_.rules->strict && !steps_;
    if (gives_up) allset_.load(head, cuts_, bound_.spans(), bound_.values());
    return bound_.narrow(known) && (!gives_up || bound_.give_up(known));
  }

  // Takes cuts out of the tail that no better descendant has. Whether there were any.
  bool prune(Cost known) {
    bool changed = false;
    open_ = &nested_.look();
    for (const OpenCut& open : *open_)
      if (!open.useful || open.in >= known) drop(open.cut, open.in >= known ? 'b' : 'u'), changed = true;
    return changed;
  }

  // A child with the cut whose absence costs most, which then leaves the tail; or the only child, with all cuts that
  // every better descendant has. Whether the node goes on.
  bool branch(const CutSet& head, Cost known, std::vector<Node>& children) {
    const OpenCut& first = *std::max_element(open_->begin(), open_->end(), [](const OpenCut& x, const OpenCut& y) {
      if (x.out != y.out) return x.out < y.out;
      return x.in != y.in ? x.in < y.in : x.cut > y.cut;
    });
    Node child{head, tail_, first.in, price_};
    const auto take = [&](int cut) { child.head.add(cut), child.tail.remove(cut); };
    take(first.cut);
    const bool only = first.out >= known;
    if (only)
      for (const OpenCut& open : *open_)
        if (open.out >= known) {
          take(open.cut);
          child.bound = std::max(child.bound, open.in);
          if (steps_) steps_->push_back({open.cut, 'o'});
        }
    children.push_back(std::move(child));
    if (!only) drop(first.cut, 'c');
    return !only;
  }

  void drop(int cut, char reason) {
    if (steps_) steps_->push_back({cut, reason});
    nested_.drop(cut);
    tail_.remove(cut);
  }

  const Setting s_;
  Head<M> head_;
  NodeBound<M> bound_;
  Allset<M> allset_;
  Nested nested_;
  std::vector<int> cuts_;
  CutSet tail_, guess_;
  const std::vector<OpenCut>* open_ = nullptr;
  Cost price_ = 0;
};

}  // namespace

std::unique_ptr<NodeExpander> make_nested_expander(const Projection& projection) {
  return std::make_unique<NestedExpander>(projection);
}

}  // namespace shoal
