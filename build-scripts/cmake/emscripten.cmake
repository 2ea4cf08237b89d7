# Toolchain file of the WebAssembly presets: finds the Emscripten that toolchain.sh chose (the unpacked one, or an
# emcc on PATH that is new enough) and hands over to its own toolchain file. It sets no flags: those are the targets'
# business.
include("${CMAKE_CURRENT_LIST_DIR}/versions.cmake")

set(_chosen "${CMAKE_CURRENT_LIST_DIR}/../../.toolchain/emscripten-root")
if(EXISTS "${_chosen}")
  file(READ "${_chosen}" _emscripten_root)
endif()
if(NOT EXISTS "${_emscripten_root}")
  # Without toolchain.sh: the emcc on PATH tells where it lives.
  find_program(ATTN_EM_CONFIG em-config)
  if(ATTN_EM_CONFIG)
    execute_process(COMMAND "${ATTN_EM_CONFIG}" EMSCRIPTEN_ROOT
      OUTPUT_VARIABLE _emscripten_root OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
endif()

set(_emscripten_version 0)
if(EXISTS "${_emscripten_root}/emscripten-version.txt")
  file(READ "${_emscripten_root}/emscripten-version.txt" _emscripten_version)
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" _emscripten_version "${_emscripten_version}")
endif()
if(_emscripten_version VERSION_LESS ATTN_PIN_EMSCRIPTEN_MIN)
  message(FATAL_ERROR "No Emscripten ${ATTN_PIN_EMSCRIPTEN_MIN} or newer: run 'build-scripts/toolchain.sh wasm', "
    "or put its emcc on PATH.")
endif()
include("${_emscripten_root}/cmake/Modules/Platform/Emscripten.cmake")
