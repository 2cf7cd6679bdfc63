// head_judge.h - which groups of a head privacy rules refuse, per interval of the axis.
//
// A group of the head is cut into pieces by the axis. A piece that is hopeless is suppressed with all its parts, so in
// every descendant: what a bound may count. A piece that is merely refused is suppressed by the head alone. Where all
// intervals [a, b) may be used the hopeless ones that begin at a are those up to some b, because parts of hopeless
// pieces are hopeless; that end is kept per a. Parts of a hierarchy are marked one by one.
//
// With rules under which refused pieces are hopeless for want of suppression (`strict`) that need not be so: then
// every interval in which a piece with rows is refused is out, whatever is said of others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/axis.h"
#include "core/cuts/head_groups.h"
#include "core/cuts/projection.h"
#include "core/privacy/privacy.h"

namespace shoal {

class HeadJudge {
 public:
  // `projection` must have privacy rules.
  HeadJudge(const Projection& projection, const HeadGroups& groups);

  // Finds the hopeless pieces of all groups of the head.
  void load();

  // All intervals: per begin a the first end b for which the piece has k rows and is not hopeless. Else null.
  const int* reach(int group) const {
    return pr_.parts ? nullptr : reach_.data() + static_cast<std::size_t>(pr_.length) * group;
  }
  // Parts: per entry of a histogram whether the piece has k rows and is hopeless, if any of the group is. Else null.
  const char* hopeless(int group) const {
    return pr_.parts && marked_[group] ? hopeless_.data() + static_cast<std::size_t>(pr_.stride) * group : nullptr;
  }

  // Pieces with the same rows: begins first_begin .. last_begin, ends first_end .. last_end, all inclusive.
  struct Piece {
    int first_begin, last_begin, first_end, last_end;
    Count rows;
  };
  // Calls lost(a, b, rows) for the intervals in which a group's piece has k rows, is not hopeless and is refused.
  // Pieces that lie in no live interval are left out; `furthest` is per row of intervals the last live one.
  template <class Lost>
  void each_refused(int group, const Spans& spans, const std::vector<int>& furthest, const std::vector<char>& live,
                    const Lost& lost) {
    if (pr_.parts) return each_refused_part(group, [&](const Refused& part) { lost(0, part.entry, part.rows); });
    each_refused_piece(group, spans, furthest, live, [&](const Piece& piece) {
      for (int a = piece.first_begin; a <= piece.last_begin; ++a)
        for (int b = piece.first_end; b <= piece.last_end; ++b) lost(a, b, piece.rows);
    });
  }
  // The same with the rows that no descendant releases, at least: lost(a, b, rows, given up). Costs ten times as much.
  template <class Lost>
  void each_given_up(int group, const Spans& spans, const std::vector<int>& furthest, const std::vector<char>& live,
                     const Lost& lost) {
    if (pr_.parts)
      return each_refused_part(group, [&](const Refused& part) { lost(0, part.entry, part.rows, part.given_up); });
    each_refused_piece(group, spans, furthest, live, [&](const Piece& piece) {
      const Count given_up = piece.rows - judge_.most_kept(piece.rows);
      for (int a = piece.first_begin; a <= piece.last_begin; ++a)
        for (int b = piece.first_end; b <= piece.last_end; ++b) lost(a, b, piece.rows, given_up);
    });
  }
  // Calls lost(piece) for pieces without rows that are a loss nevertheless: people who are in no row.
  template <class Lost>
  void each_empty(int group, const Lost& lost) {
    gather(group);
    for (std::size_t p = 0; p < places_.size(); ++p)
      for (std::size_t q = p; q < places_.size() && places_[q].rows == 0; ++q)
        lost(Piece{p > 0 ? places_[p - 1].code + 1 : 0, places_[p].code, places_[q].code + 1,
                   q + 1 < places_.size() ? places_[q + 1].code : pr_.length, 0});
  }
  // The same for parts: lost(entry).
  template <class Lost>
  void each_empty_part(int group, const Lost& lost) {
    gather(group);
    for (int part = 0; part < pr_.parts->count(); ++part) {
      const auto inside = places_of(part);
      if (!inside.empty() && rows_of(inside) == 0) lost(part + 1);
    }
  }

 private:
  // The rows of a group at one value of the axis, their facts added up.
  struct Place {
    int code;
    std::int32_t first, last;  // of facts_
    std::int64_t people;
    Count rows;
  };
  struct Fact {
    std::int32_t fact;
    Count rows;
  };
  struct Refused {
    int group, entry;
    Count rows, given_up;
  };

  template <class Lost>
  void each_refused_part(int group, const Lost& lost) const {
    for (const Refused& each : refused_)
      if (each.group == group) lost(each);
  }
  template <class Lost>
  void each_refused_piece(int group, const Spans& spans, const std::vector<int>& furthest,
                          const std::vector<char>& live, const Lost& lost) {
    gather(group);
    for (std::size_t p = 0; p < places_.size(); ++p) {
      const int first = p > 0 ? places_[p - 1].code + 1 : 0, end = reach(group)[places_[p].code];
      const int last = *std::max_element(furthest.begin() + first, furthest.begin() + places_[p].code + 1);
      if (last < end) continue;
      judge_.clear();
      Count rows = 0;
      for (std::size_t q = p; q < places_.size() && places_[q].code < last; ++q) {
        add(places_[q]);
        rows += places_[q].rows;
        const Piece piece{first, places_[p].code, places_[q].code + 1,
                          q + 1 < places_.size() ? places_[q + 1].code : pr_.length, rows};
        if (piece.first_end < end || !lies_in_live(piece, spans, live)) continue;
        if (judge_.verdict(rows) != Verdict::admitted) lost(piece);
      }
    }
  }
  static bool lies_in_live(const Piece& piece, const Spans& spans, const std::vector<char>& live) {
    for (int a = piece.first_begin; a <= piece.last_begin; ++a)
      for (int b = std::max(piece.first_end, spans.low[a]); b <= std::min(piece.last_end, spans.high[a] - 1); ++b)
        if (live[spans.at(a, b)]) return true;
    return false;
  }

  void gather(int group);
  void find_reach(int group);
  void judge_parts(int group);
  std::span<const Place> places_of(int part) const;
  static Count rows_of(std::span<const Place> places);
  void add(const Place& place) {
    for (std::int32_t i = place.first; i < place.last; ++i) judge_.add(facts_[i].fact, facts_[i].rows);
    judge_.add_people(place.people);
  }

  const Projection& pr_;
  const HeadGroups& groups_;
  const Privacy& privacy_;
  const Count k_;
  Judge judge_;
  int gathered_ = -1;  // the group whose places are held
  std::vector<Place> places_;
  std::vector<Fact> facts_;
  std::vector<std::vector<int>> at_;         // per value of the axis its entries, while a group is gathered
  std::vector<std::int32_t> place_of_fact_;  // where a fact was counted last
  std::vector<int> reach_;
  std::vector<char> hopeless_, marked_;
  std::vector<Refused> refused_;
};

}  // namespace shoal
