# Program, header, both libraries, pkg-config file, CMake package, man page, completions,
# documents and examples.

include(CMakePackageConfigHelpers)

install(TARGETS zbound_static zbound_shared EXPORT zbound
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/zbound.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET zbound)
  install(TARGETS zbound RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET zbound-verify)
  install(TARGETS zbound-verify RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET zbound-mpi) # `make mpi` builds it
  install(TARGETS zbound-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
endif()
if(TARGET man)
  install(FILES ${ZB_MAN_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

if(TARGET completions)
  install(FILES ${PROJECT_BINARY_DIR}/zbound.bash RENAME zbound
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PROJECT_BINARY_DIR}/zbound.zsh RENAME _zbound
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
if(ZB_TOP)
  install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs
          PATTERN "*.scd" EXCLUDE)
  install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
endif()

# The prefix is found from where the file lies, so that `cmake --install --prefix` works.
file(RELATIVE_PATH ZB_PC_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/zbound.pc.in zbound.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/zbound.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/zbound)
install(EXPORT zbound NAMESPACE zbound:: FILE zboundTargets.cmake
        DESTINATION ${package})
configure_package_config_file(cmake/zboundConfig.cmake.in zboundConfig.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(zboundConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/zboundConfig.cmake
              ${PROJECT_BINARY_DIR}/zboundConfigVersion.cmake
        DESTINATION ${package})
