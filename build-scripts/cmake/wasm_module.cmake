# The WebAssembly modules, each a pair NAME.mjs and NAME.wasm. Everything JavaScript may know of the core passes through
# cpp/bindings. `attn` holds all: every study, and the functions on arrays; programs and the tests load it. `attn-<group>` holds
# the studies of one group of cpp/studies/registry.cpp and nothing else: that is what a page downloads. `attn-exercises` judges
# answers, and is downloaded when the first is given. modules.json names the
# groups for the scripts that build the site; which studies a module holds, the module itself tells.
# `attn-fast` and `attn-fast-relaxed` hold the kernels that are measured in time, `attn-spans` the masks they ask for, all without studies, Embind or glue.
attn_sources(binding_sources cpp/bindings)
list(FILTER binding_sources EXCLUDE REGEX "/cpp/bindings/(plain|fast|spans)/")
set(registry_file cpp/studies/registry.cpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${registry_file})

# attn_wasm_module(TARGET OUTPUT SOURCE...)
function(attn_wasm_module target output)
  add_executable(${target} ${ARGN})
  attn_defaults(${target})
  attn_optimise_for_size(${target})
  target_link_libraries(${target} PRIVATE attn_studies)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${output} SUFFIX .mjs)
  target_link_options(${target} PRIVATE
    -O3
    # Which of its two kinds Embind is linked in follows this flag, which must be that of the sources (attn_optimise_for_size).
    -fno-rtti
    -lembind
    -sWASM_BIGINT
    -sMODULARIZE
    -sEXPORT_ES6
    -sEXPORT_NAME=createAttn
    -sENVIRONMENT=web,worker,node
    -sALLOW_MEMORY_GROWTH
    # A page with a strict Content-Security-Policy refuses the glue's default `new Function`.
    -sDYNAMIC_EXECUTION=0
    -sFILESYSTEM=0
    # The smaller allocator; one thread, few and large blocks.
    -sMALLOC=emmalloc
    # The default of 64 KB is little, and running over it is not noticed.
    -sSTACK_SIZE=256KB
    -sINCOMING_MODULE_JS_API=wasmBinary,locateFile,instantiateWasm)
endfunction()

attn_wasm_module(attn_wasm attn ${binding_sources})
attn_wasm_module(attn_wasm_exercises attn-exercises cpp/bindings/exercises.cpp cpp/bindings/values.cpp)

file(STRINGS "${PROJECT_SOURCE_DIR}/${registry_file}" entries REGEX "^ *Entry{\"")
set(groups "")
foreach(entry IN LISTS entries)
  if(NOT entry MATCHES "^ *Entry{\"([a-z]+)\", [a-z0-9_]+},$")
    message(FATAL_ERROR "${registry_file}: '${entry}' is not of the form Entry{\"group\", study},")
  endif()
  list(APPEND groups "${CMAKE_MATCH_1}")
endforeach()
list(REMOVE_DUPLICATES groups)
if(NOT groups)
  message(FATAL_ERROR "${registry_file} names no group")
endif()

set(names "")
foreach(group IN LISTS groups)
  # The registry's own object here keeps the library's, which names every study, out of the module.
  attn_wasm_module(attn_wasm_${group} attn-${group} cpp/bindings/studies.cpp cpp/bindings/values.cpp ${registry_file})
  target_compile_definitions(attn_wasm_${group} PRIVATE ATTN_GROUP="${group}")
  list(APPEND names "\"${group}\"")
endforeach()
list(JOIN names ", " names)
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/modules.json" "[${names}]\n")

# The whole module and the ledger's over kernels without SIMD, in scalar/ and on request: the tests compare them.
if(NOT ATTN_SCALAR)
  foreach(module IN ITEMS attn_wasm attn_wasm_print)
    get_target_property(output ${module} OUTPUT_NAME)
    attn_wasm_module(${module}_scalar ${output} $<TARGET_OBJECTS:${module}> $<TARGET_OBJECTS:attn_scalar_objects>)
    set_target_properties(${module}_scalar PROPERTIES
      LINKER_LANGUAGE CXX RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/scalar" EXCLUDE_FROM_ALL ON)
  endforeach()
endif()

# The modules without glue: exported functions alone. attn-spans reads masks. Of the modules for speed the relaxed one compiles the kernels' base files again, whose
# own objects keep the library's out; where a processor fuses multiply-adds its results differ in the last bits.
attn_sources(plain_sources cpp/bindings/plain)
attn_sources(fast_sources cpp/bindings/fast)
attn_sources(spans_sources cpp/bindings/spans)
file(GLOB base_kernels CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cpp/src/kernels/*_base.cpp")
# ATTN_TABLES_AT_START: see math_detail.hpp.
set(table_sources "${PROJECT_SOURCE_DIR}/cpp/src/math_exp.cpp" "${PROJECT_SOURCE_DIR}/cpp/src/math_log.cpp")

# attn_plain_module(TARGET OUTPUT SOURCE...)
function(attn_plain_module target output)
  add_executable(${target} ${plain_sources} ${ARGN})
  attn_defaults(${target})
  attn_optimise_for_size(${target})
  target_link_libraries(${target} PRIVATE attn)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cpp/src")
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${output} SUFFIX .wasm)
  target_link_options(${target} PRIVATE
    # not -Oz, which brings a memset that fills byte by byte
    -Os
    --no-entry
    -sSTANDALONE_WASM
    -sWASM_BIGINT
    -sALLOW_MEMORY_GROWTH
    -sFILESYSTEM=0
    -sMALLOC=emmalloc
    # Loops stay in small functions: an engine allots registers better there, and the module is smaller.
    -sBINARYEN_EXTRA_PASSES=--one-caller-inline-max-function-size=60
    -sSTACK_SIZE=256KB)
endfunction()

attn_plain_module(attn_wasm_spans attn-spans ${spans_sources})
attn_plain_module(attn_wasm_fast attn-fast ${fast_sources} ${table_sources})
attn_plain_module(attn_wasm_fast_relaxed attn-fast-relaxed ${fast_sources} ${table_sources} ${base_kernels})
foreach(target IN ITEMS attn_wasm_fast attn_wasm_fast_relaxed)
  target_compile_definitions(${target} PRIVATE ATTN_TABLES_AT_START=1)
endforeach()
target_compile_options(attn_wasm_fast_relaxed PRIVATE -mrelaxed-simd)
