#include "core/cuts/part_expander.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/base/kernels.h"
#include "core/cuts/expander.h"
#include "core/cuts/nested_parts.h"

namespace shoal {

namespace {

template <class Number>
void add(const Number* from, Number* to, std::size_t count) {
  std::transform(from, from + count, to, to, std::plus<>());
}

template <Metric M>
class PartExpander final : public Expander<M> {
  using Base = Expander<M>;
  using Base::allset_, Base::bound_, Base::head_, Base::moves_, Base::s_, Base::tail_;
  using typename Base::Delta, typename Base::Is;

 public:
  PartExpander(const Projection& projection, const Moves& moves)
      : Base(projection, moves), groups_(head_.groups()), spans_(bound_.spans()), bottom_(projection.attributes.size()),
        top_(projection.attributes.size()), n_(s_.stride), m_(s_.stride) {
    std::size_t most = 0;
    for (std::size_t a = 0; a < bottom_.size(); ++a) {
      bottom_[a].resize(projection.size(static_cast<int>(a)));
      top_[a].resize(projection.size(static_cast<int>(a)));
      most = std::max(most, hierarchy(static_cast<int>(a)).parts.size());
    }
    pieces_.resize(most);
    if constexpr (Is::loss)
      if (NestedParts::fits(projection, moves)) nested_ = std::make_unique<NestedParts>(s_, head_, moves_);
  }

 private:
  // The rows of one head group inside one part.
  struct Piece {
    bool present = false;
    int children = 0;  // of its part that have rows
    Cost squares = 0;  // sum over those children of their rows squared
    std::vector<Count> histogram;
    std::vector<Count> n, most;  // CM: rows and those of the most frequent label
    std::vector<Cost> loss;      // general loss of its rows under the allset
    std::vector<char> reached;   // two or more where opening the part may pay
  };

  const Hierarchy& hierarchy(int attribute) const { return *moves_.hierarchy(attribute); }
  bool in_tail(int attribute, int part) const {
    const int move = moves_.opening(attribute, part);
    return move >= 0 && tail_.position(move) >= 0;
  }
  OpenMove& tail_of(int attribute, int part) { return tail_[tail_.position(moves_.opening(attribute, part))]; }

  // General loss: every attribute by its own best parts, given that of the axis.
  bool tighten(const CutSet& head, Cost known) override {
    if constexpr (Is::loss) {
      if (!nested_) return true;
      nested_->load(head, Base::open_names(), spans_);
      bound_.raise(nested_->least());
      if (bound_.least() >= known) return false;
      Base::out_.assign(s_.pr.alphabet.size(), 0);
      gone_.clear();
      nested_->each_move([&](int move, const std::vector<Cost>& with, const std::vector<Cost>& without) {
        Base::out_[move] = bound_.least_above(without.data());
        if (bound_.least_above(with.data()) >= known) gone_.push_back(move);
        else if (Base::out_[move] >= known) Base::needed_.push_back(move);
      });
      for (const int move : gone_)
        if (tail_.position(move) >= 0) Base::drop(static_cast<std::size_t>(tail_.position(move)), 'b');
    }
    return true;
  }

  void sweep(const CutSet& head, Cost known) override {
    largest_ = static_cast<Count>(std::min(std::ceil(std::sqrt(static_cast<double>(known))), 1.0 * s_.total));
    for (int a = 0; a < static_cast<int>(bottom_.size()); ++a) {
      find_ends(a, head);
      for (int g = 0; g < groups_.count(); ++g) sweep_group(g, a);
    }
    // A part is opened only after the parts around it, and then their rows are lost as well.
    for (int move : moves_.all()) {
      const int parent = moves_.parent(move), at = tail_.position(move);
      if (at < 0 || parent < 0 || tail_.position(parent) < 0) continue;
      const OpenMove &inner = tail_[at], &outer = tail_[tail_.position(parent)];
      add(tail_.delta(outer), tail_.delta(inner), static_cast<std::size_t>(spans_.count));
      if (Count* rows = tail_.rows(inner)) add(tail_.rows(outer), rows, static_cast<std::size_t>(spans_.count));
    }
  }

  // Per code the parts that hold it in the head and in the allset.
  void find_ends(int a, const CutSet& head) {
    const Hierarchy& own = hierarchy(a);
    const auto opened = [&](int part, bool tail_too) {
      const int move = moves_.opening(a, part);
      return move >= 0 && (head.has(move) || (tail_too && tail_.position(move) >= 0));
    };
    for (int part = own.count() - 1; part >= 0; --part) {
      const Hierarchy::Part& here = own.parts[part];
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
    if (!Is::loss && columns.size() == 1) return;  // one column cannot be split
    const int top = top_[a][s_.pr.code(columns.front(), a)];
    if (!in_tail(a, top)) return;
    collect(columns, a, top);
    hopeless_ = head_.judge() ? head_.judge()->hopeless(g) : nullptr;
    if constexpr (Is::labels) sizes(groups_.histogram(g), n_, m_);
    for (int part : present_) {
      const int parent = hierarchy(a).parts[part].parent;
      if (parent >= 0 && part != top) add_child(tail_of(a, parent), pieces_[parent], pieces_[part], in_tail(a, part));
    }
    for (int part : present_) {
      if (in_tail(a, part)) finish(tail_of(a, part), pieces_[part]);
      pieces_[part].present = false;
    }
  }

  // Histograms of the pieces between `top` and the allset; `present_` lists them, children before parents.
  void collect(std::span<const int> columns, int a, int top) {
    const auto& parts = hierarchy(a).parts;
    present_.clear();
    for (int column : columns) {
      const int bottom = bottom_[a][s_.pr.code(column, a)];
      for (int part = bottom; !pieces_[part].present; part = parts[part].parent) {
        clear(pieces_[part]);
        present_.push_back(part);
        if (part == top) break;
      }
      groups_.add_column(column, pieces_[bottom].histogram.data());
      if constexpr (Is::loss) add_loss(column, pieces_[bottom].loss.data());
    }
    std::sort(present_.begin(), present_.end());
    for (int part : present_) {
      Piece& piece = pieces_[part];
      if constexpr (Is::labels) sizes(piece.histogram.data(), piece.n, piece.most);
      if (part == top) continue;
      Piece& around = pieces_[parts[part].parent];
      add(piece.histogram.data(), around.histogram.data(), piece.histogram.size());
      if constexpr (Is::loss) add(piece.loss.data(), around.loss.data(), piece.loss.size());
    }
  }
  void clear(Piece& piece) const {
    piece.present = true;
    piece.children = 0;
    piece.squares = 0;
    piece.histogram.assign(groups_.block(), 0);
    piece.reached.assign(s_.stride, 0);
    if constexpr (Is::labels) piece.n.resize(s_.stride), piece.most.resize(s_.stride);
    if constexpr (Is::loss) piece.loss.assign(s_.stride, 0);
  }
  void add_loss(int column, Cost* loss) const {
    const Cost cell = groups_.loss(column, allset_.intervals());
    for (int e = s_.pr.first[column]; e < s_.pr.first[column + 1]; ++e)
      for (int entry = s_.pr.positions[e]; entry > 0; entry = s_.pr.around[entry])
        loss[entry] += cell * s_.pr.counts[e];
  }

  void sizes(const Count* histogram, std::vector<Count>& n, std::vector<Count>& most) const {
    kernels::sizes({0, 1, s_.stride}, histogram, s_.p.labels, s_.stride, n.data(), most.data());
  }

  // What one child of an opened part adds to the bound of every interval, and where it speaks for opening.
  void add_child(OpenMove& move, Piece& piece, const Piece& child, bool can_open) {
    const Count rows = groups_.size(child.histogram.data());
    ++piece.children;
    piece.squares += Cost{rows} * rows;
    const Count* whole = Is::labels ? piece.n.data() : piece.histogram.data();
    const Count* part = Is::labels ? child.n.data() : child.histogram.data();
    Delta* delta = tail_.delta(move);
    Count* lost_rows = tail_.rows(move);
    for (int b = spans_.low[0]; b < spans_.high[0]; ++b) {
      if (hopeless_ && hopeless_[b]) continue;
      const int i = spans_.at(0, b);
      const bool lost = (whole[b] >= s_.k) & (part[b] < s_.k);
      if constexpr (Is::squares) delta[i] += lost ? part[b] : 0;
      if constexpr (Is::labels) {
        const Count exact = part[b] < s_.k ? part[b] : part[b] - child.most[b], least = lost ? child.most[b] : 0;
        delta[i] += whole[b] < s_.k ? 0 : kernels::closed(n_[b], m_[b], s_.k) ? exact : least;
      }
      if constexpr (Is::loss)
        delta[i] += lost ? part[b] * (s_.suppressed_cost - s_.axis_loss(spans_, 0, b)) - child.loss[b] : 0;
      if (lost_rows) lost_rows[i] += lost ? part[b] : 0;
    }
    if (move.useful) return;
    for (int b = spans_.low[0]; b < spans_.high[0]; ++b)
      if (part[b] >= s_.k && piece.reached[b] < 2 && !(hopeless_ && hopeless_[b]))
        piece.reached[b] += weight(child, whole[b], b, can_open);
  }

  // Opening a part pays only where two children reach k, or where one does and can be split further, or where
  // suppressing the others is cheaper than keeping them (DM) or makes the child admissible (privacy rules).
  // Proof: docs/algorithms/subtree.md.
  char weight(const Piece& child, Count whole, int b, bool can_open) const {
    if constexpr (Is::loss) return 2;
    if (!s_.joins_are_kept()) {
      const Count n = Is::labels ? child.n[b] : child.histogram[b];
      return can_open || whole > n ? 2 : 1;
    }
    if constexpr (Is::labels) {
      // Where nothing may be suppressed the pieces of a child are all admitted; joined they need not be.
      if (s_.rules && !s_.rules->supersets && !s_.rules->strict) return can_open && child.n[b] >= 2 * s_.k ? 2 : 1;
      return can_open && !kernels::closed(child.n[b], child.most[b], s_.k) ? 2 : 1;
    }
    const Count n = child.histogram[b], rest = whole - n, kept = std::min(n, largest_);
    if (can_open && n >= 2 * s_.k) return 2;
    if (s_.p.limit == 0 || (rest == 0 && !can_open)) return 1;
    return Cost{can_open ? n : kept} + kept + rest > s_.total ? 2 : 1;
  }

  void finish(OpenMove& move, const Piece& piece) {
    const Count rows = groups_.size(piece.histogram.data());
    move.splits += piece.children > 1;
    move.product += Cost{rows} * rows - piece.squares;
    move.useful |= s_.may_have_to_suppress();
    Delta* delta = tail_.delta(move);
    for (int b = spans_.low[0]; b < spans_.high[0]; ++b) {
      if (hopeless_ && hopeless_[b]) continue;
      const int i = spans_.at(0, b);
      move.useful |= piece.reached[b] > 1 && bound_.values()[i] < kInfinite;
      if constexpr (Is::labels)
        if (piece.n[b] >= s_.k && kernels::closed(n_[b], m_[b], s_.k)) delta[i] -= piece.n[b] - piece.most[b];
    }
  }

  const HeadGroups& groups_;
  const Spans& spans_;
  std::vector<std::vector<int>> bottom_, top_;  // per attribute and code its part in the allset and in the head
  std::vector<Count> n_, m_;                    // CM, of the group that is swept: rows, and of the most frequent label
  std::vector<Piece> pieces_;                   // per part of the attribute that is swept
  std::vector<int> present_;
  std::unique_ptr<NestedParts> nested_;  // general loss, where its numbers can be held
  std::vector<int> gone_;
  const char* hopeless_ = nullptr;  // of the group that is swept
  Count largest_ = 0;               // no group of a better recoding has more rows (DM)
};

}  // namespace

std::unique_ptr<NodeExpander> make_part_expander(const Projection& projection, const Moves& moves) {
  return expander_for<PartExpander>(projection, moves);
}

}  // namespace shoal
