# zbound.1, zbound-verify.1 and zbound-mpi.1 from docs/*.scd; the options of the first come from
# the table in zbound.h.

find_program(SCDOC scdoc)
if(NOT SCDOC)
  message(STATUS "scdoc was not found: there will be no man page")
elseif(EXISTS ${PROJECT_SOURCE_DIR}/docs/zbound.1.scd)
  add_executable(man_options tools/man_options.c)
  target_link_libraries(man_options PRIVATE zbound_static m)
  set(pages zbound)
  if(TARGET zbound-verify)
    list(APPEND pages zbound-verify)
  endif()
  if(TARGET zbound-mpi)
    list(APPEND pages zbound-mpi)
  endif()
  foreach(page ${pages})
    set(template ${PROJECT_SOURCE_DIR}/docs/${page}.1.scd)
    add_custom_command(OUTPUT ${page}.1
      COMMAND man_options ${template} > ${page}.1.scd
      COMMAND ${SCDOC} < ${page}.1.scd > ${page}.1
      DEPENDS man_options ${template} VERBATIM)
    list(APPEND ZB_MAN_PAGES ${PROJECT_BINARY_DIR}/${page}.1)
  endforeach()
  add_custom_target(man ALL DEPENDS ${ZB_MAN_PAGES})
  add_dependencies(product man)
endif()
