# attn.mjs and attn.wasm: the module behind the pages. Everything JavaScript may know of the core
# passes through cpp/bindings.
attn_sources(binding_sources cpp/bindings)
if(binding_sources)
  add_executable(attn_wasm ${binding_sources})
  attn_defaults(attn_wasm)
  attn_optimise_for_size(attn_wasm)
  target_link_libraries(attn_wasm PRIVATE attn_studies)
  set_target_properties(attn_wasm PROPERTIES OUTPUT_NAME attn SUFFIX .mjs)
  target_link_options(attn_wasm PRIVATE
    -O3
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
endif()
