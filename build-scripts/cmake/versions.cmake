# Reads build-scripts/versions.env, the one place where versions are pinned: every KEY=VALUE
# line becomes a variable ATTN_PIN_KEY.
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../versions.env" _lines REGEX "^[A-Z0-9_]+=")
foreach(_line IN LISTS _lines)
  string(REGEX MATCH "^([A-Z0-9_]+)=(.*)$" _ "${_line}")
  set(ATTN_PIN_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
endforeach()
