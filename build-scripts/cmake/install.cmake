# Installs the core for use by other projects: find_package(attention_plates) gives the target
# attention_plates::attn. The studies and the command line are not part of the installed library.
include(CMakePackageConfigHelpers)

set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/attention_plates")
install(TARGETS attn EXPORT attention_plates ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/cpp/include/attn" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.hpp")
install(EXPORT attention_plates NAMESPACE attention_plates:: DESTINATION "${config_dir}"
  FILE attention_plates-targets.cmake)

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/attention_plates-config.cmake.in"
  "${CMAKE_CURRENT_BINARY_DIR}/attention_plates-config.cmake" INSTALL_DESTINATION "${config_dir}")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/attention_plates-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/attention_plates-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/attention_plates-config-version.cmake" DESTINATION "${config_dir}")
