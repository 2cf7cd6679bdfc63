#include "core/cuts/subtree_node.h"

#include <algorithm>
#include <cmath>

#include "core/cuts/expander.h"

namespace shoal {

PartMoves::PartMoves(const Projection& pr, const std::vector<Hierarchy>& hierarchies)
    : parent_(pr.alphabet.size(), -1), cuts_(pr.alphabet.size()) {
  for (std::size_t a = 0; a < pr.attributes.size(); ++a) {
    const Hierarchy& hierarchy = hierarchies[pr.attributes[a]];
    hierarchies_.push_back(&hierarchy);
    auto& opening = opening_.emplace_back(hierarchy.count(), -1);
    for (int part = hierarchy.count() - 1; part >= 0; --part) {
      const Hierarchy::Part& here = hierarchy.parts[part];
      if (here.cuts.empty()) continue;
      const int move = opening[part] = pr.first_cut[a] + here.cuts.front() - 1;
      for (int code : here.cuts) cuts_[move].push_back(pr.first_cut[a] + code - 1);
      if (here.parent >= 0) parent_[move] = opening[here.parent];
      all_.push_back(move);
    }
  }
}

bool PartMoves::within(int move, int other) const {
  while (move >= 0 && move != other) move = parent_[move];
  return move >= 0;
}

void PartMoves::toggle(int move, CutSet& head) const {
  if (!head.has(move)) {
    for (int cut : cuts_[move]) head.add(cut);
    return;
  }
  for (int inner : all_)
    if (head.has(inner) && within(inner, move))
      for (int cut : cuts_[inner]) head.remove(cut);
}

namespace {

template <class Number>
void add(const std::vector<Number>& from, std::vector<Number>& to) {
  std::transform(from.begin(), from.end(), to.begin(), to.begin(), std::plus<>());
}

template <Metric M>
class PartExpander final : public Expander<M> {
  using Base = Expander<M>;
  using typename Base::Delta, typename Base::Tail;
  using Base::kLabels, Base::kLoss, Base::kSquares;
  using Base::allset_, Base::bound_, Base::groups_, Base::head_, Base::judge_, Base::k_, Base::limited_, Base::open_, Base::p_;
  using Base::position_, Base::pr_, Base::spans_, Base::stride_, Base::suppressed_cost_, Base::total_;
  using Base::joins_are_kept, Base::m_, Base::may_have_to_suppress, Base::n_, Base::rules_;

 public:
  PartExpander(const Projection& projection, const std::vector<Hierarchy>& hierarchies)
      : Base(projection), moves_(projection, hierarchies), bottom_(projection.attributes.size()),
        top_(projection.attributes.size()) {
    std::size_t most = 0;
    for (std::size_t a = 0; a < bottom_.size(); ++a) {
      bottom_[a].resize(projection.size(static_cast<int>(a)));
      top_[a].resize(projection.size(static_cast<int>(a)));
      most = std::max(most, moves_.hierarchy(static_cast<int>(a)).parts.size());
    }
    pieces_.resize(most);
  }

 private:
  // The rows of one head group inside one part.
  struct Piece {
    bool present = false;
    int children = 0;             // of its part that have rows
    Cost squares = 0;             // sum over those children of their rows squared
    std::vector<Count> histogram;
    std::vector<Count> n, most;   // CM: rows and those of the most frequent label
    std::vector<Cost> loss;       // general loss of its rows under the allset
    std::vector<char> reached;    // two or more where opening the part may pay
  };

  std::vector<int> moves(const std::vector<int>& tail) const override {
    std::vector<int> found;
    std::copy_if(tail.begin(), tail.end(), std::back_inserter(found), [&](int cut) { return moves_.is_move(cut); });
    return found;
  }
  bool possible(int move) const override { return moves_.possible(move, head_); }
  std::span<const int> cuts_of(const int& move) const override { return moves_.cuts(move); }

  // A part that stays closed keeps all parts inside it closed.
  void drop(std::size_t index) override {
    const int move = open_[index].cut;
    for (std::size_t t = 0; t < open_.size();)
      if (moves_.within(open_[t].cut, move)) this->drop_one(t); else ++t;
  }

  bool in_tail(int attribute, int part) const {
    const int move = moves_.opening(attribute, part);
    return move >= 0 && position_[move] >= 0;
  }
  Tail& tail_of(int attribute, int part) { return open_[position_[moves_.opening(attribute, part)]]; }

  void sweep(Cost known) override {
    largest_ = static_cast<Count>(std::min(std::ceil(std::sqrt(static_cast<double>(known))), 1.0 * total_));
    for (int a = 0; a < static_cast<int>(bottom_.size()); ++a) {
      find_ends(a);
      for (int g = 0; g < groups_.count(); ++g) sweep_group(g, a);
    }
    // A part is opened only after the parts around it, and then their rows are lost as well.
    for (int move : moves_.all()) {
      const int parent = moves_.parent(move);
      if (position_[move] < 0 || parent < 0 || position_[parent] < 0) continue;
      Tail& inner = open_[position_[move]];
      const Tail& outer = open_[position_[parent]];
      add(outer.delta, inner.delta);
      if (limited_ && !kSquares) add(outer.rows, inner.rows);
    }
  }

  // Per code the parts that hold it in the head and in the allset.
  void find_ends(int a) {
    const Hierarchy& hierarchy = moves_.hierarchy(a);
    const auto opened = [&](int part, bool tail_too) {
      const int move = moves_.opening(a, part);
      return move >= 0 && (head_.has(move) || (tail_too && position_[move] >= 0));
    };
    for (int part = hierarchy.count() - 1; part >= 0; --part) {
      const Hierarchy::Part& here = hierarchy.parts[part];
      // Parts come from the root down, so what is written last is the smallest that can be reached.
      if (here.parent < 0 || (top_[a][here.begin] == here.parent && opened(here.parent, false)))
        std::fill(top_[a].begin() + here.begin, top_[a].begin() + here.end, part);
      if (here.parent < 0 || (bottom_[a][here.begin] == here.parent && opened(here.parent, true)))
        std::fill(bottom_[a].begin() + here.begin, bottom_[a].begin() + here.end, part);
    }
  }

  // All parts of one attribute that can be opened inside one head group.
  void sweep_group(int g, int a) {
    const auto columns = groups_.columns(g);
    if (!kLoss && columns.size() == 1) return;  // one column cannot be split
    const int top = top_[a][pr_.code(columns.front(), a)];
    if (!in_tail(a, top)) return;
    collect(columns, a, top);
    hopeless_ = judge_ ? judge_->hopeless(g) : nullptr;
    if constexpr (kLabels) this->sizes({0, 1, stride_}, groups_.histogram(g), n_, m_);
    for (int part : present_) {
      const int parent = moves_.hierarchy(a).parts[part].parent;
      if (parent >= 0 && part != top) add_child(tail_of(a, parent), pieces_[parent], pieces_[part], in_tail(a, part));
    }
    for (int part : present_) {
      if (in_tail(a, part)) finish(tail_of(a, part), pieces_[part]);
      pieces_[part].present = false;
    }
  }

  // Histograms of the pieces between `top` and the allset; `present_` lists them, children before parents.
  void collect(std::span<const int> columns, int a, int top) {
    const auto& parts = moves_.hierarchy(a).parts;
    present_.clear();
    for (int column : columns) {
      const int bottom = bottom_[a][pr_.code(column, a)];
      for (int part = bottom; !pieces_[part].present; part = parts[part].parent) {
        clear(pieces_[part]);
        present_.push_back(part);
        if (part == top) break;
      }
      groups_.add_column(column, pieces_[bottom].histogram.data());
      if constexpr (kLoss) add_loss(column, pieces_[bottom].loss.data());
    }
    std::sort(present_.begin(), present_.end());
    for (int part : present_) {
      Piece& piece = pieces_[part];
      if constexpr (kLabels) this->sizes({0, 1, stride_}, piece.histogram.data(), piece.n, piece.most);
      if (part == top) continue;
      Piece& around = pieces_[parts[part].parent];
      add(piece.histogram, around.histogram);
      if constexpr (kLoss) add(piece.loss, around.loss);
    }
  }
  void clear(Piece& piece) const {
    piece.present = true;
    piece.children = 0;
    piece.squares = 0;
    piece.histogram.assign(groups_.block(), 0);
    piece.reached.assign(stride_, 0);
    if constexpr (kLabels) piece.n.resize(stride_), piece.most.resize(stride_);
    if constexpr (kLoss) piece.loss.assign(stride_, 0);
  }
  void add_loss(int column, Cost* loss) const {
    const Cost cell = groups_.loss(column, allset_.intervals());
    for (int e = pr_.first[column]; e < pr_.first[column + 1]; ++e)
      for (int entry = pr_.positions[e]; entry > 0; entry = pr_.around[entry]) loss[entry] += cell * pr_.counts[e];
  }

  // What one child of an opened part adds to the bound of every interval, and where it tells for opening.
  void add_child(Tail& tail, Piece& piece, const Piece& child, bool can_open) {
    const Count rows = groups_.size(child.histogram.data());
    ++piece.children;
    piece.squares += Cost{rows} * rows;
    const Count* whole = kLabels ? piece.n.data() : piece.histogram.data();
    const Count* part = kLabels ? child.n.data() : child.histogram.data();
    for (int b = spans_.low[0]; b < spans_.high[0]; ++b) {
      if (hopeless_ && hopeless_[b]) continue;
      const int i = spans_.at(0, b);
      const bool lost = (whole[b] >= k_) & (part[b] < k_);
      if constexpr (kSquares) tail.delta[i] += lost ? part[b] : 0;
      if constexpr (kLabels) {
        const Count exact = part[b] < k_ ? part[b] : part[b] - child.most[b], least = lost ? child.most[b] : 0;
        tail.delta[i] += whole[b] < k_ ? 0 : kernels::closed(n_[b], m_[b], k_) ? exact : least;
      }
      if constexpr (kLoss)
        tail.delta[i] += lost ? part[b] * (suppressed_cost_ - this->axis_loss(0, b)) - child.loss[b] : 0;
      if (limited_ && !kSquares) tail.rows[i] += lost ? part[b] : 0;
    }
    if (tail.useful) return;
    for (int b = spans_.low[0]; b < spans_.high[0]; ++b)
      if (part[b] >= k_ && piece.reached[b] < 2 && !(hopeless_ && hopeless_[b])) piece.reached[b] += weight(child, whole[b], b, can_open);
  }

  // Opening a part pays only where two children reach k, or where one does and can be split further, or where
  // suppressing the others is cheaper than keeping them (DM) or makes the child admissible (privacy rules).
  // Proof: docs/algorithms/subtree.md.
  char weight(const Piece& child, Count whole, int b, bool can_open) const {
    if constexpr (kLoss) return 2;
    if (!joins_are_kept()) {
      const Count n = kLabels ? child.n[b] : child.histogram[b];
      return can_open || whole > n ? 2 : 1;
    }
    if constexpr (kLabels) {
      // Where nothing may be suppressed the pieces of a child are all admitted; joined they need not be.
      if (rules_ && !rules_->supersets && !rules_->strict) return can_open && child.n[b] >= 2 * k_ ? 2 : 1;
      return can_open && !kernels::closed(child.n[b], child.most[b], k_) ? 2 : 1;
    }
    const Count n = child.histogram[b], rest = whole - n, kept = std::min(n, largest_);
    if (can_open && n >= 2 * k_) return 2;
    if (p_.limit == 0 || (rest == 0 && !can_open)) return 1;
    return Cost{can_open ? n : kept} + kept + rest > total_ ? 2 : 1;
  }

  void finish(Tail& tail, const Piece& piece) {
    const Count rows = groups_.size(piece.histogram.data());
    tail.splits += piece.children > 1;
    tail.product += Cost{rows} * rows - piece.squares;
    tail.useful |= may_have_to_suppress();
    for (int b = spans_.low[0]; b < spans_.high[0]; ++b) {
      if (hopeless_ && hopeless_[b]) continue;
      const int i = spans_.at(0, b);
      tail.useful |= piece.reached[b] > 1 && bound_[i] < kInfinite;
      if constexpr (kLabels)
        if (piece.n[b] >= k_ && kernels::closed(n_[b], m_[b], k_)) tail.delta[i] -= piece.n[b] - piece.most[b];
    }
  }

  const PartMoves moves_;
  std::vector<std::vector<int>> bottom_, top_;  // per attribute and code its part in the allset and in the head
  std::vector<Piece> pieces_;                   // per part of the attribute that is swept
  std::vector<int> present_;
  const char* hopeless_ = nullptr;              // of the group that is swept
  Count largest_ = 0;                           // no group of a better recoding has more rows (DM)
};

}  // namespace

std::unique_ptr<NodeExpander> make_part_expander(const Projection& projection,
                                                 const std::vector<Hierarchy>& hierarchies) {
  return expander_for<PartExpander>(projection.problem.metric, projection, hierarchies);
}

}  // namespace shoal
