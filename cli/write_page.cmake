# -DOUT=… -DFILES=…: writes OUT, in which every file is a string in the array nbody_page_parts.
set(text "#include \"cli/nbody/live.hpp\"\n\nconst nbody_page_part nbody_page_parts[] = {\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} body)
  string(APPEND text "    {\"${name}\", R\"page(${body})page\"},\n")
endforeach()
string(APPEND text "    {nullptr, nullptr}};\n")
file(WRITE ${OUT} "${text}")
