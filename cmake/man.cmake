# zbound.1 from docs/zbound.1.scd; its options come from the table in zbound.h.

find_program(SCDOC scdoc)
if(NOT SCDOC)
  message(STATUS "scdoc was not found: there will be no man page")
elseif(EXISTS ${PROJECT_SOURCE_DIR}/docs/zbound.1.scd)
  add_executable(man_options tools/man_options.c)
  target_link_libraries(man_options PRIVATE zbound_static m)
  set(template ${PROJECT_SOURCE_DIR}/docs/zbound.1.scd)
  add_custom_command(OUTPUT zbound.1
    COMMAND man_options ${template} > zbound.1.scd
    COMMAND ${SCDOC} < zbound.1.scd > zbound.1
    DEPENDS man_options ${template} VERBATIM)
  add_custom_target(man ALL DEPENDS zbound.1)
  add_dependencies(product man)
endif()
