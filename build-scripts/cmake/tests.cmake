# The Catch2 suite: one binary, natively and as WebAssembly in Node. Natively every test case is a
# ctest of its own; as WebAssembly the whole binary is one, because Node starts in about 0.1 s.
# Catch2 itself fails a run in which no test ran.
attn_find_catch2()

attn_sources(test_sources tests/cpp)
if(NOT test_sources)
  message(FATAL_ERROR "tests/cpp holds no test")
endif()
add_executable(attn_tests ${test_sources})
attn_defaults(attn_tests)
target_link_libraries(attn_tests PRIVATE attn_studies Catch2::Catch2WithMain)
target_compile_definitions(attn_tests PRIVATE ATTN_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")

if(EMSCRIPTEN)
  # Catch2 reports a failed REQUIRE by an exception.
  foreach(target IN ITEMS attn attn_studies attn_catch2 attn_tests)
    target_compile_options(${target} PRIVATE -fwasm-exceptions)
  endforeach()
  # Emscripten's JavaScript for Node is CommonJS; package.json above calls .js files modules.
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/package.json" "{ \"type\": \"commonjs\" }\n")
  # NODERAWFS: the suite reads tests/data from the disk, under the same paths as natively.
  target_link_options(attn_tests PRIVATE -fwasm-exceptions -sWASM_BIGINT -sALLOW_MEMORY_GROWTH
    -sSTACK_SIZE=1MB -sNODERAWFS -sENVIRONMENT=node -sEXIT_RUNTIME)
  add_test(NAME attn_tests COMMAND attn_tests)
else()
  catch_discover_tests(attn_tests)
endif()
