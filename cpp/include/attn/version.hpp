// The library's version, said once for C++, the command line and JavaScript; the build checks it against the package's.
#pragma once

namespace attn {

inline constexpr const char* version = "0.1.0";

}  // namespace attn
