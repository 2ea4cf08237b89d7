// The report on a mask in sentences and as JSON. Queries, keys and sequences count from 0, as in code.
#include <algorithm>
#include <cstdio>

#include "attn/mask_report.hpp"
#include "attn/text.hpp"

namespace attn {
namespace {

std::string number(std::uint64_t value) { return number_text(static_cast<double>(value)); }

/// "queries 4 to 5" or "query 4", with the sequence and head where there are several.
std::string run_words(const EmptyRun& run, const MaskReport& report) {
  std::string text;
  if (report.own.batch > 1) text.append("sequence ").append(number(run.batch)).append(", ");
  if (report.own.heads > 1) text.append("head ").append(number(run.head)).append(", ");
  text.append(run.first == run.last ? "query " : "queries ").append(number(run.first));
  if (run.first != run.last) text.append(" to ").append(number(run.last));
  return text;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "no pairs";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g%%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

void line(std::string& text, std::string_view key, std::string_view value) { text.append(key).append(": ").append(value).append("\n"); }

std::string query_words(const EmptyRow& row, const MaskReport& report) {
  return run_words({static_cast<std::uint32_t>(row.batch), 0, static_cast<std::uint32_t>(row.query), static_cast<std::uint32_t>(row.query), 0}, report);
}

// ---- JSON ---------------------------------------------------------------------------------------------------------------

template <class List, class One>
std::string array_json(const List& list, const One& one) {
  std::string text = "[";
  for (const auto& each : list) text.append(text.size() > 1 ? "," : "").append(one(each));
  return text.append("]");
}

std::string run_json(const EmptyRun& run, bool with_reason) {
  std::string text = std::string("{\"batch\":").append(number(run.batch)).append(",\"head\":").append(number(run.head)).append(",\"first\":").append(number(run.first))
      .append(",\"last\":").append(number(run.last));
  if (with_reason) text.append(",\"reason\":").append(number(run.reason));
  return text.append("}");
}

std::string sizes_json(const MaskSizes& s) {
  return std::string("{\"batch\":").append(number(s.batch)).append(",\"heads\":").append(number(s.heads)).append(",\"queries\":").append(number(s.queries))
      .append(",\"keys\":").append(number(s.keys)).append("}");
}

std::string flag_json(const std::optional<bool>& flag) { return !flag ? "null" : *flag ? "true" : "false"; }

std::string row_json(const std::optional<EmptyRow>& row) {
  if (!row) return "null";
  return std::string("{\"batch\":").append(number(row->batch)).append(",\"query\":").append(number(row->query)).append("}");
}

}  // namespace

std::string report_text(const MaskReport& report) {
  std::string text;
  line(text, "allowed", number(report.allowed_cells).append(" of ").append(number(report.cells)).append(" pairs, ").append(percent(report.allowed_cells, report.cells)));
  line(text, "empty rows", number(report.empty_rows).append(" of ").append(number(report.rows)));
  for (const EmptyRun& run : report.empty_runs) {
    const EmptyReason& reason = report.reasons[run.reason];
    std::string why = std::string("emptied by ").append(reason.text);
    if (reason.involved != reason.smallest) {
      why.append(" (as small a set can be made with");
      for (const std::size_t i : reason.involved) {
        if (std::find(reason.smallest.begin(), reason.smallest.end(), i) == reason.smallest.end()) why.append(" ").append(report.sheets[i].text);
      }
      why.append(")");
    }
    line(text, std::string("  ").append(run_words(run, report)), why);
  }
  for (const SheetReport& sheet : report.sheets) {
    std::string words = std::string("allows ").append(percent(sheet.allowed_cells, report.cells)).append("; alone excludes ").append(number(sheet.sole_cells))
        .append(sheet.sole_cells == 1 ? " pair in " : " pairs in ").append(number(sheet.sole_rows)).append(sheet.sole_rows == 1 ? " row" : " rows");
    if (sheet.keeps_self) words.append(*sheet.keeps_self ? "; leaves every query its own key" : "; takes a query its own key");
    line(text, std::string("term ").append(sheet.text), words);
  }
  if (!report.keeps_self) {
    line(text, "own key", "more queries than keys, so not every query has one");
  } else if (*report.keeps_self) {
    line(text, "own key", "every query may attend to itself, so no row is empty");
  } else {
    line(text, "own key", query_words(*report.loses_self, report).append(" may not attend to itself"));
  }
  if (report.prefix) {
    line(text, "prefix lengths", "one length a query can express the mask");
  } else if (report.own.heads > 1) {
    line(text, "prefix lengths", "cannot express it: heads differ");
  } else {
    line(text, "prefix lengths", std::string("cannot express it: ").append(query_words(*report.not_prefix, report)).append(" does not see its first keys only"));
  }
  const MaskBytes& bytes = report.bytes;
  line(text, "memory", (bytes.lengths ? number(*bytes.lengths).append(" bytes as lengths, ") : std::string()).append(number(bytes.boolean)).append(" as booleans, ")
      .append(number(bytes.bits)).append(" as bits, ").append(number(bytes.additive_float32)).append(" as additive float32, ")
      .append(number(bytes.additive_float16)).append(" as additive float16"));
  return text;
}

std::string report_json(const MaskReport& report) {
  const auto index_json = [](std::size_t i) { return number(i); };
  std::string text = "{\"sizes\":";
  text.append(sizes_json(report.sizes)).append(",\"own\":").append(sizes_json(report.own));
  const auto field = [&](std::string_view key, std::string_view value) { text.append(",\"").append(key).append("\":").append(value); };
  field("rows", number(report.rows));
  field("cells", number(report.cells));
  field("allowedCells", number(report.allowed_cells));
  field("density", report.cells == 0 ? "null" : number_text(static_cast<double>(report.allowed_cells) / static_cast<double>(report.cells)));
  field("intervals", number(report.intervals));
  field("emptyRows", number(report.empty_rows));
  field("emptyRuns", array_json(report.empty_runs, [](const EmptyRun& run) { return run_json(run, true); }));
  field("reasons", array_json(report.reasons, [&](const EmptyReason& reason) {
    return std::string("{\"smallest\":").append(array_json(reason.smallest, index_json)).append(",\"involved\":").append(array_json(reason.involved, index_json))
        .append(",\"text\":").append(json_text(reason.text)).append("}");
  }));
  field("sheets", array_json(report.sheets, [](const SheetReport& sheet) {
    return std::string("{\"text\":").append(json_text(sheet.text)).append(",\"allowedCells\":").append(number(sheet.allowed_cells)).append(",\"soleCells\":")
        .append(number(sheet.sole_cells)).append(",\"soleRows\":").append(number(sheet.sole_rows)).append(",\"soleRuns\":")
        .append(array_json(sheet.sole_runs, [](const EmptyRun& run) { return run_json(run, false); })).append(",\"keepsSelf\":").append(flag_json(sheet.keeps_self)).append("}");
  }));
  field("keepsSelf", flag_json(report.keeps_self));
  field("losesSelf", row_json(report.loses_self));
  field("prefix", flag_json(report.prefix));
  field("notPrefix", row_json(report.not_prefix));
  const MaskBytes& bytes = report.bytes;
  field("bytes", std::string("{\"lengths\":").append(bytes.lengths ? number(*bytes.lengths) : "null").append(",\"boolean\":").append(number(bytes.boolean))
      .append(",\"bits\":").append(number(bytes.bits)).append(",\"additiveFloat32\":").append(number(bytes.additive_float32)).append(",\"additiveFloat16\":")
      .append(number(bytes.additive_float16)).append("}"));
  return text.append("}");
}

}  // namespace attn
