# Toolchain file of the WebAssembly presets: finds the Emscripten that toolchain.sh chose (the
# unpacked one, or an emcc on PATH that is new enough) and hands over to its own toolchain file.
# It sets no flags: those are the targets' business.
set(_toolchain "${CMAKE_CURRENT_LIST_DIR}/../../.toolchain")
if(EXISTS "${_toolchain}/emscripten-root")
  file(READ "${_toolchain}/emscripten-root" _emscripten_root)
endif()
if(NOT _emscripten_root OR NOT EXISTS "${_emscripten_root}")
  find_program(ATTN_EM_CONFIG em-config)
  if(ATTN_EM_CONFIG)
    execute_process(COMMAND "${ATTN_EM_CONFIG}" EMSCRIPTEN_ROOT
      OUTPUT_VARIABLE _emscripten_root OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
endif()
if(NOT EXISTS "${_emscripten_root}/cmake/Modules/Platform/Emscripten.cmake")
  message(FATAL_ERROR "No Emscripten: run 'build-scripts/toolchain.sh wasm', or put an emcc 3.1.69 or newer on PATH.")
endif()
include("${_emscripten_root}/cmake/Modules/Platform/Emscripten.cmake")
