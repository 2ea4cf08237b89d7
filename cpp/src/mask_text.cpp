// Mask expressions as text: the reader, whose errors point at a character and say what was expected there, and the printer of
// the canonical form. Grammar: or := and {"|" and}; and := not {"&" not}; not := "~" not | "(" or ")" | term.
#include <cmath>

#include "attn/mask_expr.hpp"
#include "attn/text.hpp"
#include "mask_terms.hpp"

namespace attn {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) { return (c >= 'a' && c <= 'z') || c == '_' || is_digit(c) || (c >= 'A' && c <= 'Z'); }
bool is_number(char c) { return is_digit(c) || c == '.' || c == '+' || c == '-'; }

std::string names_of_kinds() {
  std::string names;
  for (const masks::TermKind& kind : masks::term_kinds()) names.append(names.empty() ? "" : ", ").append(kind.name);
  return names;
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view param) : text_(text), param_(param) {}

  Result<MaskExpr> whole() {
    auto expr = either();
    if (!expr) return expr;
    if (!ended()) return expected("&, | or the end");
    if (const auto error = masks::check_size(expr.value())) return error_at(at_, error->code, sentence_of(*error));
    return expr;
  }

 private:
  void blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool ended() {
    blanks();
    return at_ == text_.size();
  }
  bool next(char c) {
    if (ended() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool sees(char c) { return !ended() && text_[at_] == c; }

  /// An error at byte `at`; messages count characters, so continuation bytes of UTF-8 do not count.
  Error error_at(std::size_t at, ErrorCode code, std::string_view rest) const {
    std::size_t character = 0;
    for (std::size_t i = 0; i < at; ++i) character += (static_cast<unsigned char>(text_[i]) & 0xc0u) != 0x80u;
    return Error{code, param_, std::string(param_).append(": at character ").append(std::to_string(character + 1)).append(", ").append(rest), character};
  }
  Error expected(std::string_view what) {
    std::string rest("expected ");
    rest.append(what);
    if (ended()) return error_at(at_, ErrorCode::syntax, rest.append(", found the end"));
    std::size_t end = at_ + 1;
    if (is_name(text_[at_])) {
      while (end < text_.size() && is_name(text_[end])) ++end;
    } else {
      while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xc0u) == 0x80u) ++end;
    }
    return error_at(at_, ErrorCode::syntax, rest.append(", found ").append(quoted(text_.substr(at_, end - at_))));
  }

  /// Without the "mask: " that sentences of mask_expr.cpp begin with.
  static std::string_view sentence_of(const Error& error) { return std::string_view(error.message).substr(6); }

  /// An OR or an AND: operands between their sign.
  template <class Operand>
  Result<MaskExpr> list(char sign, const Operand& operand, MaskExpr (*compose)(std::vector<MaskExpr>)) {
    std::vector<MaskExpr> operands;
    do {
      auto one = operand();
      if (!one) return one;
      operands.push_back(std::move(one).value());
    } while (next(sign));
    return compose(std::move(operands));
  }
  Result<MaskExpr> either() {
    return list('|', [this] { return both(); }, &MaskExpr::either);
  }
  Result<MaskExpr> both() {
    return list('&', [this] { return inverse(); }, &MaskExpr::both);
  }

  Result<MaskExpr> inverse() {
    const bool opens = sees('(');
    if (!opens && !sees('~')) return term();
    if (depth_ == masks::deepest / 2) return error_at(at_, ErrorCode::too_large, "expressions may be nested 100 deep");
    ++at_;
    ++depth_;
    auto inner = opens ? either() : inverse();
    --depth_;
    if (!inner) return inner;
    if (!opens) return MaskExpr::inverse(inner.value());
    if (!next(')')) return expected("&, | or )");
    return inner;
  }

  std::string_view word(bool (*belongs)(char)) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  Result<MaskExpr> term() {
    if (ended() || !is_name(text_[at_]) || is_digit(text_[at_])) return expected("a term, ~ or (");
    const std::size_t begin = at_;
    const std::string_view name = word(is_name);
    const masks::TermKind* kind = masks::find_kind(name);
    if (kind == nullptr) {
      return error_at(begin, ErrorCode::syntax, std::string(quoted(name)).append(" is not a kind of mask; there are ").append(names_of_kinds()));
    }
    if (!sees('(') && kind->least > 0) return expected(std::string("( after ").append(name).append(", which takes ").append(kind->takes));
    const bool parentheses = next('(');
    if (kind->kind == MaskKind::rows) return rows(begin);
    std::vector<std::vector<double>> arguments;
    Alignment alignment = Alignment::top_left;
    if (parentheses) {
      if (auto error = read_arguments(*kind, arguments, alignment)) return *std::move(error);
    }
    auto made = MaskExpr::term(kind->kind, std::move(arguments), alignment);
    if (made) return made;
    const bool of_argument = made.error().code == ErrorCode::out_of_range;
    return error_at(of_argument ? first_argument_ : begin, made.error().code, sentence_of(made.error()));
  }

  /// Numbers to the closing parenthesis, ';' between rows; an alignment may be the last of all.
  std::optional<Error> read_arguments(const masks::TermKind& kind, std::vector<std::vector<double>>& rows, Alignment& alignment) {
    rows.emplace_back();
    blanks();
    first_argument_ = at_;
    if (kind.most == 0 && !kind.aligned) {
      if (next(')')) return std::nullopt;
      return expected(std::string(") because ").append(kind.name).append(" takes nothing"));
    }
    if (kind.least == 0 && next(')')) return std::nullopt;
    while (true) {
      blanks();
      const std::size_t begin = at_;
      if (!ended() && is_number(text_[at_])) {
        if (kind.most == 0) return expected(std::string(kind.takes).append(" in ").append(kind.name));
        std::string_view digits = word([](char c) { return is_number(c) || is_name(c); });
        if (const auto error = number(kind, begin, digits, rows.back())) return error;
      } else if (kind.aligned && !ended() && is_name(text_[at_])) {
        const std::string_view name = word(is_name);
        if (name != "bottom_right" && name != "top_left") {
          at_ = begin;
          return expected("a whole number, top_left or bottom_right");
        }
        if (name == "bottom_right") alignment = Alignment::bottom_right;
        if (!next(')')) return expected(") after the alignment");
        return std::nullopt;
      } else {
        return expected(kind.aligned ? (kind.most == 0 ? "top_left, bottom_right or )" : "a whole number, top_left or bottom_right") : "a whole number");
      }
      if (next(',')) continue;
      if (next(')')) return std::nullopt;
      if (!kind.sequences || !next(';')) return expected(kind.sequences ? ", ; or )" : ", or )");
      rows.emplace_back();
      if (kind.kind == MaskKind::padding && next(')')) return std::nullopt;
    }
  }

  std::optional<Error> number(const masks::TermKind& kind, std::size_t begin, std::string_view digits, std::vector<double>& row) {
    const auto value = parse_number(digits);
    if (!value) {
      at_ = begin;
      return expected("a whole number");
    }
    // window's first argument may be 0 when there is a second; term() knows, so only what no kind allows is refused here.
    const double smallest = kind.kind == MaskKind::window ? 0 : kind.smallest;
    const bool whole = std::floor(*value) == *value;
    if (whole && *value >= smallest && *value <= masks::largest_argument) {
      row.push_back(*value);
      return std::nullopt;
    }
    return error_at(begin, whole ? ErrorCode::out_of_range : ErrorCode::not_an_integer,
                    std::string(kind.name).append(" has the argument ").append(digits.substr(0, 40)).append("; allowed are whole numbers from ")
                        .append(std::to_string(kind.smallest)).append(" to 2147483647"));
  }

  /// Words of cells: ',' between queries, '/' between heads, ';' between sequences.
  Result<MaskExpr> rows(std::size_t begin) {
    std::vector<std::vector<std::vector<std::string_view>>> read(1, std::vector<std::vector<std::string_view>>(1));
    while (true) {
      blanks();
      const std::size_t first = at_;
      const std::string_view cells = word([](char c) { return c == '0' || c == '1'; });
      if (cells.empty() || (at_ < text_.size() && is_name(text_[at_]))) return expected("a word of 0 and 1");
      const std::string_view pattern = read.front().front().empty() ? cells : read.front().front().front();
      if (cells.size() != pattern.size()) {
        return error_at(first, ErrorCode::wrong_shape, std::string("a row has ").append(std::to_string(cells.size())).append(" cells and the first has ").append(std::to_string(pattern.size())));
      }
      read.back().back().push_back(cells);
      if (next(',')) continue;
      const bool closes = next(')');
      const bool head = !closes && next('/');
      const bool sequence = !closes && !head && next(';');
      if (!closes && !head && !sequence) return expected(", / ; or )");
      if (read.back().back().size() != read.front().front().size()) {
        return error_at(begin, ErrorCode::wrong_shape, std::string("rows has ").append(std::to_string(read.front().front().size())).append(" and ")
            .append(std::to_string(read.back().back().size())).append(" rows; give every sequence and head as many"));
      }
      if (head) {
        read.back().emplace_back();
        continue;
      }
      if (read.back().size() != read.front().size()) {
        return error_at(begin, ErrorCode::wrong_shape, std::string("rows has ").append(std::to_string(read.front().size())).append(" and ")
            .append(std::to_string(read.back().size())).append(" heads; give every sequence as many"));
      }
      if (closes) break;
      read.emplace_back(1);
    }
    const std::size_t heads = read.front().size(), queries = read.front().front().size(), keys = read.front().front().front().size();
    Mask4 cells = Mask4::from_shape({read.size(), heads, queries, keys});
    bool* cell = cells.data();
    for (const auto& sequence : read) {
      for (const auto& head : sequence) {
        for (const auto& row : head) {
          for (const char c : row) *cell++ = c == '1';
        }
      }
    }
    return MaskExpr::cells(std::move(cells));
  }

  std::string_view text_;
  std::string param_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t first_argument_ = 0;  ///< of the term being read
};

void print_cells(const Mask4& cells, std::string& out) {
  const auto [batch, heads, queries, keys] = shape_of(cells);
  const bool* cell = cells.data();
  for (std::size_t b = 0; b < batch; ++b) {
    if (b > 0) out += ';';
    for (std::size_t h = 0; h < heads; ++h) {
      if (h > 0) out += '/';
      for (std::size_t q = 0; q < queries; ++q) {
        if (q > 0) out += ',';
        for (std::size_t k = 0; k < keys; ++k) out += *cell++ ? '1' : '0';
      }
    }
  }
}

/// How tightly a kind binds: an operand that binds less tightly than its place asks for stands in parentheses.
int strength(MaskKind kind) { return kind == MaskKind::either ? 0 : kind == MaskKind::both ? 1 : 2; }

void print(const MaskExpr& expr, int place, std::string& out) {
  const MaskNode& node = expr.node();
  const bool parentheses = strength(node.kind) < place;
  if (parentheses) out += '(';
  switch (node.kind) {
    case MaskKind::both:
    case MaskKind::either:
      for (std::size_t i = 0; i < node.operands.size(); ++i) {
        if (i > 0) out += node.kind == MaskKind::both ? " & " : " | ";
        // An AND within an AND keeps its parentheses, so that reading gives back the same nesting.
        print(node.operands[i], strength(node.kind) + 1, out);
      }
      break;
    case MaskKind::inverse:
      out += '~';
      print(node.operands.front(), 2, out);
      break;
    case MaskKind::too_large: out += "too_large"; break;
    default: {
      const masks::TermKind* kind = masks::find_kind(node.kind);
      out += kind->name;
      const bool bottom_right = node.alignment == Alignment::bottom_right;
      if (!node.cells && node.arguments.empty() && !bottom_right) break;
      out += '(';
      if (node.cells) print_cells(*node.cells, out);
      for (std::size_t row = 0; row < node.arguments.size(); ++row) {
        if (row > 0) out += ';';
        for (std::size_t i = 0; i < node.arguments[row].size(); ++i) {
          if (i > 0) out += ',';
          out += std::to_string(node.arguments[row][i]);
        }
      }
      if (node.per_query && node.arguments.size() == 1) out += ';';
      if (bottom_right) out += node.arguments.empty() ? "bottom_right" : ", bottom_right";
      out += ')';
    }
  }
  if (parentheses) out += ')';
}

}  // namespace

Result<MaskExpr> parse_mask(std::string_view text, std::string_view param) { return Reader(text, param).whole(); }

std::string mask_text(const MaskExpr& expr) {
  std::string text;
  print(expr, 0, text);
  return text;
}

}  // namespace attn
