// Masks as lines of PyTorch, JAX, Keras (which takes NumPy arrays) or NumPy. Every term becomes its predicate over index arrays
// that broadcast, b (batch, 1, 1, 1), h (1, heads, 1, 1), q (1, 1, queries, 1) and k (1, 1, 1, keys); lists become arrays that are
// indexed by them. FlexAttention asks for the same predicate as a function of single indices.
#include <algorithm>

#include "attn/mask_export.hpp"
#include "attn/text.hpp"
#include "mask_terms.hpp"

namespace attn {
namespace {

constexpr std::string_view names[] = {"pytorch", "pytorch-mha", "pytorch-flex", "jax", "keras", "numpy"};

/// How a library spells what the lines need.
struct Spelling {
  std::string_view import, space, array;
};
constexpr Spelling torch{"import torch\n", "torch.", "torch.tensor("};
constexpr Spelling jax{"import jax\nfrom jax import numpy as jnp\n", "jnp.", "jnp.array("};
constexpr Spelling numpy{"import numpy as np\n", "np.", "np.array("};

const Spelling& spelling(MaskCode code) {
  return code == MaskCode::jax ? jax : code == MaskCode::keras || code == MaskCode::numpy ? numpy : torch;
}

std::string list(std::span<const std::uint32_t> numbers) {
  std::string text = "[";
  for (const std::uint32_t number : numbers) text.append(text.size() > 1 ? ", " : "").append(std::to_string(number));
  return text.append("]");
}

class Writer {
 public:
  Writer(const BoundMask& mask, MaskCode code) : sizes_(mask.sizes()), own_(mask.own()), spell_(spelling(code)), flex_(code == MaskCode::flex) {
    expression_ = write(mask.expr(), 0);
  }

  [[nodiscard]] const std::string& expression() const { return expression_; }
  [[nodiscard]] const std::string& arrays() const { return arrays_; }

 private:
  /// A name for a list of the mask, and the line that makes it.
  std::string array_named(const char* stem, const std::string& made) {
    std::string name = stem;
    // A second list of the kind is numbered: lens, lens2.
    std::size_t count = 1;
    for (const auto& given : given_) count += given == stem;
    given_.emplace_back(stem);
    if (count > 1) name.append(std::to_string(count));
    arrays_.append(name).append(" = ").append(made).append("\n");
    return name;
  }
  std::string array_of(const std::string& items) const { return std::string(spell_.array).append(items).append(")"); }

  /// Rows of numbers as one array: a list where there is one row.
  std::string table(const std::vector<std::vector<std::uint32_t>>& rows) const {
    if (rows.size() == 1) return array_of(list(rows.front()));
    std::string text = "[";
    for (const auto& row : rows) text.append(text.size() > 1 ? ", " : "").append(list(row));
    return array_of(text.append("]"));
  }

  /// Numbers far beyond the sizes mean what the sum of the sizes means, and stay within 32 bits when they are added to.
  std::string number(std::uint32_t value) const { return std::to_string(std::min<std::uint64_t>(value, sizes_.queries + sizes_.keys)); }

  std::string position(const MaskNode& node) const {
    const std::size_t q = sizes_.queries, k = sizes_.keys;
    if (node.alignment == Alignment::top_left || q == k) return "q";
    return k > q ? std::string("(q + ").append(std::to_string(k - q)).append(")") : std::string("(q - ").append(std::to_string(q - k)).append(")");
  }

  /// The length that applies: a number, or a list at b, at q, or at both.
  std::string length(const MaskNode& node) {
    const auto& rows = node.arguments;
    const bool of_query = node.per_query && rows.front().size() > 1;
    const bool of_sequence = node.per_query ? rows.size() > 1 : rows.front().size() > 1;
    if (!of_query && !of_sequence) return std::to_string(rows.front().front());
    if (node.per_query && !of_query) {
      std::vector<std::uint32_t> column;
      for (const auto& row : rows) column.push_back(row.front());
      return array_named("lens", array_of(list(column))).append("[b]");
    }
    return array_named("lens", table(rows)).append(of_query ? (of_sequence ? "[b, q]" : "[q]") : "[b]");
  }

  std::string documents(const MaskNode& node) {
    std::string made;
    if (node.kind == MaskKind::document_ids) {
      made = table(node.arguments);
    } else {
      std::vector<std::string> rows;
      for (const auto& lengths : node.arguments) {
        rows.push_back(std::string(spell_.space).append(spell_.space == "torch." ? "repeat_interleave(" : "repeat(").append(spell_.space).append("arange(")
                           .append(std::to_string(lengths.size())).append("), ").append(array_of(list(lengths))).append(")"));
      }
      made = rows.front();
      if (rows.size() > 1) {
        made = std::string(spell_.space).append("stack([");
        for (std::size_t i = 0; i < rows.size(); ++i) made.append(i > 0 ? ", " : "").append(rows[i]);
        made.append("])");
      }
    }
    const std::string name = array_named("docs", made);
    const char* first = node.arguments.size() > 1 ? "[b, " : "[";
    return name + first + position(node) + "] == " + name + first + "k]";
  }

  std::string global(const MaskNode& node) {
    const std::string p = position(node);
    if (flex_) {  // one index at a time: compare with each
      std::string text;
      for (const std::uint32_t at : node.arguments.front()) {
        text.append(text.empty() ? "" : " | ").append("(k == ").append(std::to_string(at)).append(") | (").append(p).append(" == ").append(std::to_string(at)).append(")");
      }
      return text;
    }
    const std::string name = array_named("positions", array_of(list(node.arguments.front())));
    const std::string in = std::string(spell_.space).append("isin(");
    return in + "k, " + name + ") | " + in + p + ", " + name + ")";
  }

  std::string cells(const MaskNode& node) {
    const auto shape = shape_of(*node.cells);
    std::string words;
    for (std::size_t i = 0; i < node.cells->size(); ++i) {
      if (i > 0 && i % shape[3] == 0) words += ' ';
      words += node.cells->data()[i] ? '1' : '0';
    }
    std::string made = array_of(std::string("[[c == \"1\" for c in r] for r in \"").append(words).append("\".split()]"));
    made.append(".reshape").append(shape_text(shape));
    std::string index;
    constexpr const char* letters[] = {"b", "h", "q", "k"};
    for (std::size_t axis = 0; axis < 4; ++axis) index.append(axis > 0 ? ", " : "").append(shape[axis] == 1 ? "0" : letters[axis]);
    return array_named("cells", made).append("[").append(index).append("]");
  }

  /// A term without parentheses around it.
  std::string term(const MaskNode& node) {
    const std::string p = position(node);
    const auto argument = [&](std::size_t i) { return number(node.arguments.front()[i]); };
    switch (node.kind) {
      case MaskKind::all: return "k >= 0";
      case MaskKind::none: return "k < 0";
      case MaskKind::causal: return "k <= " + p;
      case MaskKind::window:
        if (node.arguments.front().size() == 1) return "(k > " + p + " - " + argument(0) + ") & (k <= " + p + ")";
        return "(k >= " + p + " - " + argument(0) + ") & (k <= " + p + " + " + argument(1) + ")";
      case MaskKind::padding: return "k < " + length(node);
      case MaskKind::left_padding: return "k >= " + std::to_string(sizes_.keys) + " - " + length(node);
      case MaskKind::prefix: return "(k < " + length(node) + ") | (k <= " + p + ")";
      case MaskKind::documents:
      case MaskKind::document_ids: return documents(node);
      case MaskKind::chunks: return p + " // " + argument(0) + " == k // " + argument(0);
      case MaskKind::global: return global(node);
      case MaskKind::dilated:
        return "(k <= " + p + ") & ((" + p + " - k) % " + argument(1) + " == 0) & ((" + p + " - k) // " + argument(1) + " < " + argument(0) + ")";
      case MaskKind::rows: return cells(node);
      default: return {};
    }
  }

  /// Operands always stand in parentheses: & and | bind tighter than comparisons in Python.
  std::string write(const MaskExpr& expr, int place) {
    const MaskNode& node = expr.node();
    std::string text;
    if (node.operands.empty()) {
      text = term(node);
    } else if (node.kind == MaskKind::inverse) {
      return std::string("~").append(write(node.operands.front(), 1));
    } else {
      for (const MaskExpr& operand : node.operands) text.append(text.empty() ? "" : node.kind == MaskKind::both ? " & " : " | ").append(write(operand, 1));
    }
    return place == 0 ? text : std::string("(").append(text).append(")");
  }

  MaskSizes sizes_, own_;
  const Spelling& spell_;
  bool flex_;
  std::vector<std::string_view> given_;
  std::string arrays_, expression_;
};

std::string shape_of_mask(const MaskSizes& s) {
  return std::string("(").append(std::to_string(s.batch)).append(", ").append(std::to_string(s.heads)).append(", ").append(std::to_string(s.queries)).append(", ").append(std::to_string(s.keys)).append(")");
}

std::string flex_code(const Writer& writer, const BoundMask& mask) {
  const MaskSizes& own = mask.own();
  const auto size_or_none = [](std::size_t own_size) { return own_size == 1 ? std::string("None") : std::to_string(own_size); };
  std::string code = "import torch\nfrom torch.nn.attention.flex_attention import create_block_mask, flex_attention\n\n";
  code.append(writer.arrays()).append("\ndef mask_mod(b, h, q, k):\n    return ").append(writer.expression()).append("\n\n");
  code.append("block_mask = create_block_mask(mask_mod, B=").append(size_or_none(own.batch)).append(", H=").append(size_or_none(own.heads)).append(", Q_LEN=")
      .append(std::to_string(own.queries)).append(", KV_LEN=").append(std::to_string(own.keys)).append(", device=\"cpu\")\n");
  return code.append("# flex_attention(query, key, value, block_mask=block_mask)\n");
}

std::string use_of(MaskCode code, const BoundMask& mask) {
  const MaskSizes& own = mask.own();
  switch (code) {
    case MaskCode::sdpa: return "# torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask); True takes part\n";
    case MaskCode::mha: {
      if (own.batch == 1 && own.heads == 1) return "attn_mask = ~mask[0, 0]  # MultiheadAttention: True is masked\n";
      std::string text;
      if (own.heads == 1) text.append("num_heads = 8  # of the layer\n");
      text.append("attn_mask = ~mask.expand(").append(std::to_string(mask.sizes().batch)).append(", ").append(own.heads == 1 ? "num_heads" : std::to_string(own.heads)).append(", ")
          .append(std::to_string(own.queries)).append(", ").append(std::to_string(own.keys)).append(").reshape(-1, ").append(std::to_string(own.queries)).append(", ")
          .append(std::to_string(own.keys)).append(")  # MultiheadAttention: (batch * num_heads, queries, keys), True is masked\n");
      return text;
    }
    case MaskCode::jax: return "# jax.nn.dot_product_attention(query, key, value, mask=mask); True takes part\n";
    case MaskCode::keras:
      return own.heads == 1 ? "attention_mask = mask[:, 0]  # keras.layers.MultiHeadAttention()(query, value, attention_mask=attention_mask); True takes part\n"
                            : "# keras.layers.MultiHeadAttention takes one mask for all heads; this one differs between heads\n";
    default: return "";
  }
}

}  // namespace

std::string_view name(MaskCode code) noexcept { return names[static_cast<std::size_t>(code)]; }

Result<MaskCode> mask_code_named(std::string_view wanted) {
  std::string known;
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (names[i] == wanted) return static_cast<MaskCode>(i);
    known.append(i > 0 ? ", " : "").append(names[i]);
  }
  return Error{ErrorCode::unknown_choice, "framework", std::string("framework is ").append(quoted(wanted)).append("; allowed are ").append(known)};
}

std::string mask_code(const BoundMask& mask, MaskCode code) {
  const Writer writer(mask, code);
  if (code == MaskCode::flex) return flex_code(writer, mask);
  const Spelling& spell = spelling(code);
  const auto index = [&](const char* letter, std::size_t size, const char* view) {
    return std::string(letter).append(" = ").append(spell.space).append("arange(").append(std::to_string(size)).append(")").append(view).append("\n");
  };
  const MaskSizes& own = mask.own();
  std::string text(spell.import);
  text.append("\n");
  if (own.batch > 1) text.append(index("b", own.batch, "[:, None, None, None]"));
  if (own.heads > 1) text.append(index("h", own.heads, "[:, None, None]"));
  text.append(index("q", own.queries, "[:, None]")).append(index("k", own.keys, ""));
  text.append(writer.arrays()).append("mask = ").append(writer.expression()).append("\n");
  if (spell.space == "torch.") {
    text.append("mask = mask.expand").append(shape_of_mask(own)).append("\n");
  } else {
    text.append("mask = ").append(spell.space).append("broadcast_to(mask, ").append(shape_of_mask(own)).append(")\n");
  }
  return text.append(use_of(code, mask));
}

}  // namespace attn
