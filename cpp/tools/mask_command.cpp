// attn mask: a line of 0 and 1 a query, a blank line between batch entries (and between heads), then the report. An error of the
// expression is shown with the expression and a caret under the character.
#include "mask_command.hpp"

#include <algorithm>
#include <cstdio>

#include "attn/mask_export.hpp"
#include "attn/mask_report.hpp"
#include "attn/text.hpp"

namespace attn::tools {
namespace {

constexpr std::uint64_t most_cells = std::uint64_t{1} << 26;

int fail_at(const std::string& text, const Error& error) {
  const int code = fail(error);
  if (error.at && text.find('\n') == std::string::npos) std::fprintf(stderr, "  %s\n  %*s^\n", text.c_str(), static_cast<int>(*error.at), "");
  return code;
}

std::string row_text(const BoundMask& mask, std::size_t batch, std::size_t head, std::size_t query, RowScratch& scratch) {
  std::string line(mask.sizes().keys, '0');
  Intervals row;
  mask.row(batch, head, query, row, scratch);
  for (const Interval& interval : row) std::fill(line.begin() + interval.begin, line.begin() + interval.end, '1');
  return line;
}

/// Every row of every sequence and head, with what stands before, between and behind.
template <class Row, class Between>
void each_row(const BoundMask& mask, const Row& row, const Between& between) {
  RowScratch scratch;
  const MaskSizes& sizes = mask.sizes();
  for (std::size_t b = 0; b < sizes.batch; ++b) {
    for (std::size_t h = 0; h < sizes.heads; ++h) {
      if (b + h > 0) between(h == 0);
      for (std::size_t q = 0; q < sizes.queries; ++q) row(row_text(mask, b, h, q, scratch), q);
    }
  }
}

void print_json(const BoundMask& mask, const MaskReport& report) {
  print(std::string("{\"mask\":").append(json_text(mask_text(mask.expr()))).append(",\"cells\":[[["));
  each_row(mask, [](const std::string& line, std::size_t q) { print(std::string(q > 0 ? ",\"" : "\"").append(line).append("\"")); },
           [](bool next_sequence) { print(next_sequence ? "]],[[" : "],["); });
  print(std::string("]]],\"report\":").append(report_json(report)).append("}\n"));
}

}  // namespace

int mask_command(Words words) {
  if (words.names.size() != 1) return fail("mask takes one expression, in quotes, as in: attn mask 'causal & padding(3)' --queries 6");
  const std::string& text = words.names.front();
  const auto expr = parse_mask(text);
  if (!expr) return fail_at(text, expr.error());
  const auto own = own_sizes(expr.value());
  if (!own) return fail(own.error());
  const std::string format = take(words, "format", "text");
  const std::string code = take(words, "code", "");
  const std::string queries = take(words, "queries", "");
  if (queries.empty()) return fail("mask needs --queries N (and --keys N where it differs)");
  const std::string asked[] = {take(words, "batch", std::to_string(own.value().batch)), take(words, "heads", std::to_string(own.value().heads)), queries,
                               take(words, "keys", queries)};
  if (!words.options.empty()) return fail("mask has no option --" + words.options.front().first);
  if (format != "text" && format != "json" && format != "report") return fail("--format is " + quoted(format) + "; allowed are text, json and report");
  constexpr const char* names[] = {"batch", "heads", "queries", "keys"};
  std::size_t sizes[4];
  for (std::size_t i = 0; i < 4; ++i) {
    const auto size = whole(names[i], asked[i], 0, 2147483647);
    if (!size) return fail(size.error());
    sizes[i] = static_cast<std::size_t>(size.value());
  }
  const auto bound = BoundMask::make(expr.value(), {sizes[0], sizes[1], sizes[2], sizes[3]});
  if (!bound) return fail(bound.error());
  if (!code.empty()) {
    const auto target = mask_code_named(code);
    if (!target) return fail(target.error());
    print(mask_code(bound.value(), target.value()));
    return 0;
  }
  const auto report = report_mask(bound.value());
  if (!report) return fail(report.error());
  if (format != "report" && report.value().cells > most_cells) {
    return fail("the mask has " + number_text(static_cast<double>(report.value().cells)) + " cells; ask for --format report, which does not write them out");
  }
  if (format == "json") {
    print_json(bound.value(), report.value());
    return 0;
  }
  if (format == "text") {
    each_row(bound.value(), [](std::string line, std::size_t) { print(line.append("\n")); }, [](bool) { print("\n"); });
    print("\n");
  }
  print(report_text(report.value()));
  return 0;
}

}  // namespace attn::tools
