// The mask that is bound, from attn_bind to attn_release.
#pragma once

#include "attn/mask_view.hpp"

namespace attn::bindings {

[[nodiscard]] MaskView bound_mask();

}  // namespace attn::bindings
