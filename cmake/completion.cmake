# zbound.bash and _zbound, which complete command lines, from the tables of options.

add_executable(completion tools/completion.c app/args.c app/nearest.c app/console.c)
target_include_directories(completion PRIVATE app)
target_link_libraries(completion PRIVATE zbound_static OpenMP::OpenMP_C m)
foreach(shell bash zsh)
  set(file zbound.${shell})
  add_custom_command(OUTPUT ${file} COMMAND completion ${shell} > ${file}
                     DEPENDS completion VERBATIM)
  list(APPEND completions ${PROJECT_BINARY_DIR}/${file})
endforeach()
add_custom_target(completions ALL DEPENDS ${completions})
add_dependencies(product completions)
