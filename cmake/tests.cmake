# tests/test_*.c      unit tests                          label unit
# tests/memtest_*.c   the same with failing allocations   label unit
# tests/stoptest_*.c  the same, stopped at any time       label unit
# tests/cli/*.sh      the program from outside            label cli
# examples/*.c        built and run                       label example
#
# All run from the project's root. A test that exits 77 counts as skipped.

find_library(CMOCKA cmocka REQUIRED)

function(add_labelled_test name label)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES
    LABELS ${label} TIMEOUT 600 SKIP_RETURN_CODE 77)
endfunction()

file(GLOB ZB_TEST_SOURCES CONFIGURE_DEPENDS tests/test_*.c)
foreach(source ${ZB_TEST_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_tool(${name} ${source} tests/oracle.c)
  target_link_libraries(${name} PRIVATE ${CMOCKA})
  add_labelled_test(${name} unit ${name})
endforeach()

pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
target_link_libraries(test_golden PRIVATE PkgConfig::JANSSON)

# mem_fail.c defines every symbol of src/base/mem.c, so the linker has no reason to take that
# member out of the archive; a symbol it lacks would be a duplicate definition.
file(GLOB ZB_MEMTEST_SOURCES CONFIGURE_DEPENDS tests/memtest_*.c)
foreach(source ${ZB_MEMTEST_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_tool(${name} ${source} tests/mem_fail.c tests/oracle.c)
  target_link_libraries(${name} PRIVATE ${CMOCKA})
  add_labelled_test(${name} unit ${name})
endforeach()

# The same way fake_clock.c takes the place of src/base/clock.c.
file(GLOB ZB_STOPTEST_SOURCES CONFIGURE_DEPENDS tests/stoptest_*.c)
foreach(source ${ZB_STOPTEST_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_tool(${name} ${source} tests/fake_clock.c tests/mem_fail.c tests/oracle.c)
  target_link_libraries(${name} PRIVATE ${CMOCKA})
  add_labelled_test(${name} unit ${name})
endforeach()

# Examples see what a user sees: the public header alone.
file(GLOB ZB_EXAMPLE_SOURCES CONFIGURE_DEPENDS examples/*.c)
foreach(source ${ZB_EXAMPLE_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  target_link_libraries(example_${name} PRIVATE zbound_static m)
  set_target_properties(example_${name} PROPERTIES
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY examples)
  add_labelled_test(example_${name} example example_${name})
endforeach()

if(TARGET zbound)
  add_executable(json_get tests/json_get.c)
  target_link_libraries(json_get PRIVATE PkgConfig::JANSSON)
  file(GLOB ZB_CLI_TESTS CONFIGURE_DEPENDS tests/cli/*.sh)
  foreach(script ${ZB_CLI_TESTS})
    get_filename_component(name ${script} NAME_WE)
    add_labelled_test(cli_${name} cli bash ${script})
    set_property(TEST cli_${name} PROPERTY ENVIRONMENT
      ZBOUND=$<TARGET_FILE:zbound> JSON_GET=$<TARGET_FILE:json_get>)
  endforeach()
endif()
