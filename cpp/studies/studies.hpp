// The studies of Attention Plates, one function a study, and their registry. A new study is one file here, one plate of the
// same id in web/plates, and one line in registry.cpp.
#pragma once

#include <span>

#include "attn/study.hpp"

namespace attn::studies {

const Study& kernels();
const Study& saturation();
const Study& jacobian();
const Study& masked_softmax();
const Study& ledger();
const Study& seeds();
const Study& masks();
const Study& precision();
const Study& batched();
const Study& additive();
const Study& cost();

/// All studies in the order of their plates.
[[nodiscard]] std::span<const Study* const> registry();

}  // namespace attn::studies
