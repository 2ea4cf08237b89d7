// Padding, causality and their AND by broadcasting; the report of empty rows. See mask.hpp for the meanings.
#include "attn/mask.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "attn/text.hpp"

namespace attn {
namespace {

constexpr std::array<const char*, 3> axis_names{"batch", "queries", "keys"};

/// "valid_lens[1]", or "valid_lens[1][0]" for a length a query.
std::string entry_name(const std::string& name, const std::vector<std::size_t>& shape, std::size_t index) {
  const auto bracket = [](std::size_t i) { return std::string("[").append(std::to_string(i)).append("]"); };
  return shape.size() == 1 ? name + bracket(index) : name + bracket(index / shape[1]) + bracket(index % shape[1]);
}

Error shapes_error(std::string param, std::string message) {
  return Error{ErrorCode::wrong_shape, std::move(param), std::move(message)};
}

}  // namespace

Result<ValidLens> ValidLens::make(std::span<const double> values, std::span<const std::size_t> shape,
                                  LensContext context) {
  const std::string& name = context.name;
  if (shape.size() != 1 && shape.size() != 2) {
    return shapes_error(name, name + " has shape " + shape_text(shape) + " of " + std::to_string(shape.size()) +
                                  " axes; allowed are (batch,) and (batch, queries)");
  }
  const auto elements = checked_elements(name, shape, sizeof(std::size_t));
  if (!elements) return elements.error();
  if (values.size() != elements.value()) {
    return shapes_error(name, name + " has " + std::to_string(values.size()) + " values; shape " + shape_text(shape) +
                                  " takes " + std::to_string(elements.value()));
  }
  // Where the keys are not known yet: larger than any axis, and still exact in std::size_t of 32 bits.
  const double largest = context.keys ? static_cast<double>(*context.keys) : 4294967295.0;
  const std::string allowed = "; allowed are integers from 0 to " +
                              (context.keys ? std::to_string(*context.keys) + ", the number of keys" : "the number of keys");
  ValidLens lens;
  lens.shape_.assign(shape.begin(), shape.end());
  lens.values_.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    const bool whole = std::isfinite(value) && value == std::floor(value);
    if (!whole || value < 0 || value > largest) {
      return Error{whole ? ErrorCode::out_of_range : ErrorCode::not_an_integer, name,
                   entry_name(name, lens.shape_, i) + " is " + number_text(value) + allowed};
    }
    lens.values_.push_back(static_cast<std::size_t>(value));
  }
  lens.name_ = std::move(context.name);
  return lens;
}

Result<ValidLens> ValidLens::per_sequence(std::initializer_list<double> values) {
  const std::array<std::size_t, 1> shape{values.size()};
  return make(std::span<const double>(values.begin(), values.size()), shape);
}

std::optional<Error> ValidLens::check(std::size_t batch, std::size_t queries, std::size_t keys) const {
  if (shape_[0] != batch || (per_query() && shape_[1] != queries)) {
    const std::array<std::size_t, 2> full{batch, queries};
    return shapes_error(name_, name_ + " has shape " + shape_text(shape_) + "; with " + std::to_string(batch) +
                                   " sequences and " + std::to_string(queries) + " queries allowed are " +
                                   shape_text(std::span(full).first(1)) + " and " + shape_text(full));
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i] > keys) {
      return Error{ErrorCode::out_of_range, name_,
                   entry_name(name_, shape_, i) + " is " + std::to_string(values_[i]) + "; allowed are integers from 0 to " +
                       std::to_string(keys) + ", the number of keys"};
    }
  }
  return std::nullopt;
}

Result<Mask> padding_mask(const ValidLens& valid_lens, std::size_t keys) {
  const std::size_t batch = valid_lens.batch();
  const std::size_t queries = valid_lens.per_query() ? valid_lens.shape()[1] : 1;
  if (auto error = valid_lens.check(batch, queries, keys)) return *std::move(error);
  const std::array<std::size_t, 3> shape{batch, queries, keys};
  if (const auto elements = checked_elements("padding_mask", shape, sizeof(bool)); !elements) return elements.error();
  Mask mask = Mask::from_shape({batch, queries, keys});
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t q = 0; q < queries; ++q) {
      for (std::size_t k = 0; k < keys; ++k) mask(b, q, k) = k < valid_lens.at(b, q);
    }
  }
  return mask;
}

Result<Mask> causal_mask(std::size_t queries, std::size_t keys) {
  const std::array<std::size_t, 3> shape{1, queries, keys};
  if (const auto elements = checked_elements("causal_mask", shape, sizeof(bool)); !elements) return elements.error();
  Mask mask = Mask::from_shape({1, queries, keys});
  for (std::size_t q = 0; q < queries; ++q) {
    for (std::size_t k = 0; k < keys; ++k) mask(0, q, k) = k <= q;
  }
  return mask;
}

Result<Mask> compose_masks(std::span<const Mask> masks) {
  if (masks.empty()) return shapes_error("masks", "masks: none given; an AND needs at least one mask");
  std::array<std::size_t, 3> shape = shape_of(masks.front());
  for (std::size_t m = 1; m < masks.size(); ++m) {
    const std::array<std::size_t, 3> next = shape_of(masks[m]);
    const std::array<std::size_t, 3> before = shape;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (shape[axis] == next[axis] || next[axis] == 1) continue;
      if (shape[axis] != 1) {
        const std::string entry = "masks[" + std::to_string(m) + "]";
        return shapes_error(entry, entry + ": shapes " + shape_text(before) + " and " + shape_text(next) +
                                       " do not broadcast; axis " + std::to_string(axis) + " (" + axis_names[axis] +
                                       ") is " + std::to_string(shape[axis]) + " and " + std::to_string(next[axis]) +
                                       ", and neither is 1");
      }
      shape[axis] = next[axis];
    }
  }
  if (const auto elements = checked_elements("masks", shape, sizeof(bool)); !elements) return elements.error();
  if (masks.size() == 1) return masks.front();
  // The smallest operands first, so that no intermediate is larger than it must be; xtensor broadcasts, only results are laid out.
  std::vector<const Mask*> order;
  for (const Mask& mask : masks) order.push_back(&mask);
  std::sort(order.begin(), order.end(), [](const Mask* a, const Mask* b) { return a->size() < b->size(); });
  Mask composed = *order[0] && *order[1];
  for (std::size_t m = 2; m < order.size(); ++m) {
    const Mask& next = *order[m];
    if (shape_of(composed) == shape) {
      composed &= next;  // already as large as the result: in place
    } else {
      Mask both = composed && next;
      composed = std::move(both);
    }
  }
  return composed;
}

std::vector<EmptyRow> empty_rows(const Mask& mask) {
  const auto [batch, queries, keys] = shape_of(mask);
  std::vector<EmptyRow> rows;
  const bool* row = mask.data();
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t q = 0; q < queries; ++q, row += keys) {
      if (std::none_of(row, row + keys, [](bool allowed) { return allowed; })) rows.push_back({b, q});
    }
  }
  return rows;
}

std::optional<Error> check_broadcast(const Mask& mask, std::size_t batch, std::size_t queries, std::size_t keys) {
  const std::array<std::size_t, 3> own = shape_of(mask);
  const std::array<std::size_t, 3> target{batch, queries, keys};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (own[axis] != 1 && own[axis] != target[axis]) {
      return shapes_error("mask", "mask: shape " + shape_text(own) + " does not broadcast to the scores' shape " +
                                      shape_text(target) + "; axis " + std::to_string(axis) + " (" + axis_names[axis] +
                                      ") is " + std::to_string(own[axis]) + ", allowed are 1 and " +
                                      std::to_string(target[axis]));
    }
  }
  return std::nullopt;
}

}  // namespace attn
