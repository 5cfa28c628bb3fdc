# One libFuzzer program per tests/fuzz_*.c, all of them under the target fuzz_all, and a
# test that runs it for $FUZZ_SECONDS.

enable_testing()
add_custom_target(fuzz_all)
file(GLOB ZB_FUZZ_SOURCES CONFIGURE_DEPENDS tests/fuzz_*.c)
if(NOT TARGET verify_objects)
  list(FILTER ZB_FUZZ_SOURCES EXCLUDE REGEX "fuzz_(certificate|verify)")
endif()
foreach(source ${ZB_FUZZ_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_tool(${name} ${source})
  if(name MATCHES "^fuzz_(certificate|verify)$")
    target_link_libraries(${name} PRIVATE verify_objects)
  endif()
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzz_all ${name})
  add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/scripts/fuzz ${name})
endforeach()
