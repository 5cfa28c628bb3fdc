# tests/test_*.c      unit tests                                label unit
# tests/memtest_*.c   the same with failing allocations         label unit
# tests/stoptest_*.c  the same, stopped at any time             label unit
# tests/fuzz_*.c      a fixed set of inputs, see tests/replay.c  label fuzz
# tests/cli/*.sh      the program from outside                  label cli
# examples/*.c        built and run                             label example
# scripts/            the installation, the Python package      label package
#
# tests/cli/long_*.sh have the label long instead, and belong to `make deep`.
#
# All run from the project's root. A test that exits 77 is shown as skipped.

# A user who only builds needs no cmocka; whoever asks for the tests is told.
find_library(CMOCKA cmocka)
if(NOT CMOCKA)
  message(STATUS "cmocka was not found: there will be no tests")
  add_test(NAME cmocka_is_missing COMMAND ${CMAKE_COMMAND} -E false)
  return()
endif()
set(ZB_TEST_LAUNCHER "" CACHE STRING "command that runs the unit tests, such as valgrind")

# add_labelled_test(NAME LABEL COMMAND...)
function(add_labelled_test name label)
  if(label STREQUAL unit)
    set(launcher ${ZB_TEST_LAUNCHER})
  endif()
  add_test(NAME ${name} COMMAND ${launcher} ${ARGN}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES
    LABELS ${label} TIMEOUT 1200 SKIP_RETURN_CODE 77
    ENVIRONMENT OMP_WAIT_POLICY=passive) # side by side, idle threads must not spin
endfunction()

# What tests share is compiled once. mem_fail.c defines every symbol of src/base/mem.c, so
# the linker has no reason to take that member out of the archive; a symbol it lacks would be
# a duplicate definition. The same way fake_clock.c takes the place of src/base/clock.c, and
# oracle.c that of src/base/broken.c.
add_library(test_oracle OBJECT tests/oracle.c)
add_library(test_mem_fail OBJECT tests/mem_fail.c)
add_library(test_fake_clock OBJECT tests/fake_clock.c)
foreach(part test_oracle test_mem_fail test_fake_clock)
  target_include_directories(${part} PRIVATE include src tests)
endforeach()

# add_test_tool(NAME SOURCE...): a test with cmocka, what it shares with others as objects or
# sources. Compilers would take long to make a test a little faster.
function(add_test_tool name)
  add_tool(${name} ${ARGN} $<TARGET_OBJECTS:test_oracle>)
  target_compile_options(${name} PRIVATE -O1)
  target_link_libraries(${name} PRIVATE ${CMOCKA})
endfunction()

file(GLOB ZB_TEST_SOURCES CONFIGURE_DEPENDS tests/test_*.c)
foreach(source ${ZB_TEST_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_test_tool(${name} ${source})
  add_labelled_test(${name} unit $<TARGET_FILE:${name}>)
endforeach()

# exp and ln against exact values
find_path(MPFR_INCLUDE mpfr.h)
find_library(MPFR mpfr)
if(MPFR AND MPFR_INCLUDE)
  add_tool(test_explog_mpfr tests/mpfr_explog.c)
  target_link_libraries(test_explog_mpfr PRIVATE ${CMOCKA} ${MPFR})
  add_labelled_test(test_explog_mpfr unit $<TARGET_FILE:test_explog_mpfr>)
else()
  add_labelled_test(test_explog_mpfr unit
    sh -c "echo 'skipped: test_explog_mpfr: libmpfr-dev is not installed'; exit 77")
endif()

# Bounds, and what is printed of them, in ball arithmetic
foreach(name strict number decimals)
  if(TARGET verify_objects)
    add_test_tool(test_${name} tests/arb_${name}.c)
    target_link_libraries(test_${name} PRIVATE
      ${ARB} ${FLINT} ${MPFR} ${GMP})
    add_labelled_test(test_${name} unit $<TARGET_FILE:test_${name}>)
  else()
    add_labelled_test(test_${name} unit
      sh -c "echo 'skipped: test_${name}: libflint-arb-dev is not installed'; exit 77")
  endif()
endforeach()
if(TARGET verify_objects)
  target_sources(test_strict PRIVATE tests/enclose.c)
  target_sources(test_number PRIVATE app/number.c)
  target_include_directories(test_number PRIVATE app)
endif()

# Certificates: neither tests/verify_*.c nor what they test know the library.
foreach(name verify_random verify_cases verify_faults)
  if(TARGET verify_objects)
    add_executable(test_${name} tests/${name}.c)
    target_link_libraries(test_${name} PRIVATE verify_objects ${CMOCKA})
    add_labelled_test(test_${name} unit $<TARGET_FILE:test_${name}>)
  else()
    add_labelled_test(test_${name} unit
      sh -c "echo 'skipped: test_${name}: libflint-arb-dev is not installed'; exit 77")
  endif()
endforeach()

# Certificates from the library to zbound-verify.
foreach(name certify_random certify_mutants)
  if(TARGET verify_objects)
    add_test_tool(test_${name} tests/${name}.c)
    target_link_libraries(test_${name} PRIVATE verify_objects)
    add_labelled_test(test_${name} unit $<TARGET_FILE:test_${name}>)
  else()
    add_labelled_test(test_${name} unit
      sh -c "echo 'skipped: test_${name}: libflint-arb-dev is not installed'; exit 77")
  endif()
endforeach()

pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
target_link_libraries(test_shared_golden PRIVATE PkgConfig::JANSSON)

file(GLOB ZB_MEMTEST_SOURCES CONFIGURE_DEPENDS tests/memtest_*.c)
foreach(source ${ZB_MEMTEST_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_test_tool(${name} ${source} $<TARGET_OBJECTS:test_mem_fail>)
  add_labelled_test(${name} unit $<TARGET_FILE:${name}>)
endforeach()

# Corpus and a fixed number of changed inputs; cmake/fuzz.cmake has the search for new ones.
add_library(test_replay OBJECT tests/replay.c)
target_include_directories(test_replay PRIVATE include src tests)
file(GLOB ZB_FUZZ_SOURCES CONFIGURE_DEPENDS tests/fuzz_*.c)
if(NOT TARGET verify_objects)
  list(FILTER ZB_FUZZ_SOURCES EXCLUDE REGEX "fuzz_(certificate|verify)")
endif()
foreach(source ${ZB_FUZZ_SOURCES})
  get_filename_component(target ${source} NAME_WE)
  string(REPLACE fuzz_ replay_ name ${target})
  add_tool(${name} ${source} $<TARGET_OBJECTS:test_replay>)
  if(target MATCHES "^fuzz_(certificate|verify)$")
    target_link_libraries(${name} PRIVATE verify_objects)
  endif()
  add_labelled_test(${name} fuzz ${name} tests/corpus/${target} 20000)
endforeach()

file(GLOB ZB_STOPTEST_SOURCES CONFIGURE_DEPENDS tests/stoptest_*.c)
foreach(source ${ZB_STOPTEST_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_test_tool(${name} ${source} $<TARGET_OBJECTS:test_mem_fail>
                $<TARGET_OBJECTS:test_fake_clock>)
  add_labelled_test(${name} unit $<TARGET_FILE:${name}>)
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

  # The program with its kernels compiled for the plain target and not vectorised, and
  # (for long tests) for AVX2 at most: they come first, so the linker leaves the
  # archive's. Its numbers must be the same.
  set(kernels)
  foreach(source ${ZB_SOURCES})
    file(STRINGS ${source} clones REGEX ZB_CLONES LIMIT_COUNT 1)
    if(clones)
      list(APPEND kernels ${source})
    endif()
  endforeach()
  add_executable(zbound_plain app/zbound.c ${kernels})
  target_compile_definitions(zbound_plain PRIVATE ZB_NO_CLONES)
  target_compile_options(zbound_plain PRIVATE -O1)
  add_executable(zbound_narrow EXCLUDE_FROM_ALL app/zbound.c ${kernels})
  target_compile_definitions(zbound_narrow PRIVATE ZB_NO_AVX512)
  foreach(other plain narrow)
    target_include_directories(zbound_${other} PRIVATE src)
    target_link_libraries(zbound_${other} PRIVATE zbound_app zbound_static m)
  endforeach()

  file(GLOB ZB_CLI_TESTS CONFIGURE_DEPENDS tests/cli/*.sh)
  foreach(script ${ZB_CLI_TESTS})
    get_filename_component(name ${script} NAME_WE)
    set(label cli)
    if(name MATCHES "^long_")
      set(label long)
    endif()
    add_labelled_test(cli_${name} ${label} bash ${script})
    set_property(TEST cli_${name} APPEND PROPERTY ENVIRONMENT
      ZBOUND=$<TARGET_FILE:zbound> JSON_GET=$<TARGET_FILE:json_get>
      ZBOUND_PLAIN=$<TARGET_FILE:zbound_plain>
      ZBOUND_NARROW=$<TARGET_FILE:zbound_narrow>
      ZBOUND_LIBRARY=$<TARGET_FILE:zbound_static>
      ZBOUND_MPI=$<$<TARGET_EXISTS:zbound-mpi>:$<TARGET_FILE:zbound-mpi>>
      ZBOUND_VERIFY=$<$<TARGET_EXISTS:zbound-verify>:$<TARGET_FILE:zbound-verify>>)
  endforeach()
endif()

# Both use the release build in build/, whichever build this is.
if(TARGET zbound)
  add_labelled_test(install package scripts/check_install)
  add_labelled_test(python package scripts/python quick)
  # the longest begin first; both write the manifest of what was installed
  set_tests_properties(install python PROPERTIES COST 1000 RESOURCE_LOCK manifest)
  set_property(TEST install python APPEND PROPERTY ENVIRONMENT ZB_BUILT=1)
endif()
