// Whether a call of the modules for speed is one, said before they run it: they refuse nothing themselves. Words: plain/calls.hpp; the mask is the one that is bound.
#include "bound.hpp"
#include "../plain/calls.hpp"
#include "kernels/fast.hpp"

namespace attn::bindings {

ATTN_EXPORT(attn_check_attention) const char* attn_check_attention() { return answered(check_forward(forward_call(bound_mask(), false))); }
ATTN_EXPORT(attn_check_attention_weights) const char* attn_check_attention_weights() { return answered(check_forward(forward_call(bound_mask(), true))); }
ATTN_EXPORT(attn_check_attention_gradient) const char* attn_check_attention_gradient() { return answered(check_gradient(gradient_call(bound_mask()))); }
ATTN_EXPORT(attn_check_softmax) const char* attn_check_softmax() { return answered(check_softmax(softmax_call(bound_mask()))); }
ATTN_EXPORT(attn_check_matmul) const char* attn_check_matmul() { return answered(check_product(product_call())); }
ATTN_EXPORT(attn_check_additive) const char* attn_check_additive() { return answered(check_additive(additive_call(), kernels::base_panel)); }
ATTN_EXPORT(attn_check_hidden) const char* attn_check_hidden() { return answered(check_hidden(hidden_call())); }
ATTN_EXPORT(attn_check_entropies) const char* attn_check_entropies() { return answered(check_entropies(entropies_call(), kernels::base_panel)); }

}  // namespace attn::bindings
