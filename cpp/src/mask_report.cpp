// The report on a mask, from the intervals of its rows: per row the sheets' intervals are intersected from the left and from the
// right, so that what one sheet alone excludes is the AND of all others less the AND of all.
#include "attn/mask_report.hpp"

#include <algorithm>

#include "mask_terms.hpp"

namespace attn {
namespace {

constexpr std::uint64_t most_rows = std::uint64_t{1} << 26;
constexpr std::size_t most_sets = 2000;  ///< tried for one row before taking the first set that is minimal by leaving out

/// The rows of all sheets for one query, and their ANDs from the left and from the right.
class Rows {
 public:
  explicit Rows(const BoundMask& mask) : sheets_(mask.sheets()), keys_(static_cast<std::uint32_t>(mask.sizes().keys)) {
    row_.resize(sheets_.size());
    left_.resize(sheets_.size() + 1);
    right_.resize(sheets_.size() + 1);
  }

  void read(std::size_t batch, std::size_t head, std::size_t query) {
    const std::size_t n = sheets_.size();
    complement({}, keys_, left_.front());
    right_.back() = left_.front();
    for (std::size_t i = 0; i < n; ++i) {
      sheets_[i].row(batch, head, query, row_[i], scratch_);
      intersect(left_[i], row_[i], left_[i + 1]);
    }
    for (std::size_t i = n; i-- > 0;) intersect(right_[i + 1], row_[i], right_[i]);
  }

  [[nodiscard]] std::size_t sheets() const { return sheets_.size(); }
  [[nodiscard]] const Intervals& sheet(std::size_t i) const { return row_[i]; }
  [[nodiscard]] const Intervals& all() const { return left_.back(); }
  /// Keys that every sheet but this one allows.
  std::size_t others(std::size_t i) {
    intersect(left_[i], right_[i + 1], work_);
    return count(work_);
  }

  /// The AND of these sheets has no key.
  bool empties(const std::vector<std::size_t>& set) {
    complement({}, keys_, work_);
    for (const std::size_t i : set) {
      intersect(work_, row_[i], other_);
      std::swap(work_, other_);
      if (work_.empty()) return true;
    }
    return work_.empty();
  }

  /// The smallest sets that empty the row just read, which is empty.
  EmptyReason reason() {
    EmptyReason found;
    std::size_t tried = 0;
    std::vector<std::size_t> set;
    for (std::size_t size = 0; size <= sheets() && tried < most_sets; ++size) {
      set.resize(size);
      for (std::size_t i = 0; i < size; ++i) set[i] = i;
      while (tried++ < most_sets) {
        if (empties(set)) {
          if (found.involved.empty()) found.smallest = set;
          for (const std::size_t i : set) {
            if (std::find(found.involved.begin(), found.involved.end(), i) == found.involved.end()) found.involved.push_back(i);
          }
          if (size == 0) return found;
        }
        // The next set of this size, in the order of the sheets.
        std::size_t i = size;
        while (i > 0 && set[i - 1] == sheets() - size + i - 1) --i;
        if (i == 0) break;
        ++set[i - 1];
        for (; i < size; ++i) set[i] = set[i - 1] + 1;
      }
      if (!found.involved.empty()) {
        std::sort(found.involved.begin(), found.involved.end());
        return found;
      }
    }
    // Too many sheets to try every set: leave out one after the other while the rest still empties the row.
    set.resize(sheets());
    for (std::size_t i = 0; i < set.size(); ++i) set[i] = i;
    for (std::size_t i = set.size(); i-- > 0;) {
      std::vector<std::size_t> fewer = set;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (empties(fewer)) set = std::move(fewer);
    }
    return {set, set, {}};
  }

  [[nodiscard]] const BoundMask& bound(std::size_t i) const { return sheets_[i]; }

 private:
  std::vector<BoundMask> sheets_;
  std::uint32_t keys_;
  std::vector<Intervals> row_, left_, right_;
  Intervals work_, other_;
  RowScratch scratch_;
};

bool contains(std::span<const Interval> row, std::size_t key) {
  return std::any_of(row.begin(), row.end(), [&](const Interval& i) { return i.begin <= key && key < i.end; });
}

void add_to_runs(std::vector<EmptyRun>& runs, std::size_t batch, std::size_t head, std::size_t query, std::size_t reason) {
  const auto b = static_cast<std::uint32_t>(batch), h = static_cast<std::uint32_t>(head), q = static_cast<std::uint32_t>(query);
  const auto r = static_cast<std::uint32_t>(reason);
  if (!runs.empty()) {
    EmptyRun& last = runs.back();
    if (last.batch == b && last.head == h && last.reason == r && last.last + 1 == q) {
      last.last = q;
      return;
    }
  }
  runs.push_back({b, h, q, q, r});
}

std::size_t index_of(std::vector<EmptyReason>& reasons, EmptyReason reason, const Rows& rows) {
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (reasons[i].smallest == reason.smallest && reasons[i].involved == reason.involved) return i;
  }
  std::vector<MaskExpr> operands;
  for (const std::size_t i : reason.smallest) operands.push_back(rows.bound(i).expr());
  reason.text = operands.empty() ? "no keys" : mask_text(MaskExpr::both(std::move(operands)));
  reasons.push_back(std::move(reason));
  return reasons.size() - 1;
}

}  // namespace

Result<MaskReport> report_mask(const BoundMask& mask) {
  Rows rows(mask);
  MaskReport report;
  report.sizes = mask.sizes();
  report.own = mask.own();
  const auto [batch, heads, queries, keys] = report.own;
  const std::uint64_t own_rows = std::uint64_t{batch} * heads * queries;
  if (own_rows * rows.sheets() > most_rows) {
    return masks::mask_error(ErrorCode::too_large, std::string("a report would read ").append(std::to_string(own_rows)).append(" rows of ")
        .append(std::to_string(rows.sheets())).append(" sheets; allowed are 67108864 together"));
  }
  // Axes on which the mask does not depend are read once and counted as often as they are long.
  const std::uint64_t copies = (report.sizes.batch / std::max<std::size_t>(batch, 1)) * (report.sizes.heads / std::max<std::size_t>(heads, 1));
  report.rows = own_rows * copies;
  report.cells = report.rows * keys;
  for (std::size_t i = 0; i < rows.sheets(); ++i) report.sheets.push_back({mask_text(rows.bound(i).expr()), 0, 0, 0, {}, {}});
  const bool has_diagonal = queries <= keys;
  if (has_diagonal) {
    report.keeps_self = true;
    for (auto& sheet : report.sheets) sheet.keeps_self = true;
  }
  report.prefix = heads == 1;
  if (!report.prefix) report.not_prefix = EmptyRow{0, 0};
  bool per_sequence = true;
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t h = 0; h < heads; ++h) {
      std::size_t first_length = 0;
      for (std::size_t q = 0; q < queries; ++q) {
        rows.read(b, h, q);
        const std::size_t allowed = count(rows.all());
        report.allowed_cells += allowed * copies;
        report.intervals += rows.all().size();
        for (std::size_t i = 0; i < rows.sheets(); ++i) {
          SheetReport& sheet = report.sheets[i];
          sheet.allowed_cells += count(rows.sheet(i)) * copies;
          if (has_diagonal && *sheet.keeps_self) sheet.keeps_self = contains(rows.sheet(i), q);
          const std::size_t sole = rows.others(i) - allowed;
          if (sole == 0) continue;
          sheet.sole_cells += sole * copies;
          sheet.sole_rows += copies;
          add_to_runs(sheet.sole_runs, b, h, q, 0);
        }
        if (has_diagonal && *report.keeps_self && !contains(rows.all(), q)) {
          report.keeps_self = false;
          report.loses_self = EmptyRow{b, q};
        }
        const bool prefix = rows.all().empty() || (rows.all().size() == 1 && rows.all().front().begin == 0);
        if (report.prefix && !prefix) {
          report.prefix = false;
          report.not_prefix = EmptyRow{b, q};
        }
        if (q == 0) first_length = allowed;
        per_sequence = per_sequence && allowed == first_length;
        if (allowed > 0) continue;
        report.empty_rows += copies;
        // A row that the last reason's smallest set empties may have a smaller set, so the search is made for every row; it
        // ends at once where one sheet is enough, and few sheets make few sets.
        add_to_runs(report.empty_runs, b, h, q, index_of(report.reasons, rows.reason(), rows));
      }
    }
  }
  if (report.prefix) report.bytes.lengths = 4 * std::uint64_t{batch} * (per_sequence ? 1 : queries);
  report.bytes.boolean = own_rows * keys;
  report.bytes.bits = own_rows * ((keys + 7) / 8);
  report.bytes.additive_float32 = 4 * report.bytes.boolean;
  report.bytes.additive_float16 = 2 * report.bytes.boolean;
  return report;
}

}  // namespace attn
