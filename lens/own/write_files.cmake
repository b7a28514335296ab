# Every file becomes a string that embedded_files names: -DOUT=… -DDIR=… -DNAMES=…
set(text "#include \"lens/own/files.hpp\"\n\nnamespace upsweep::lens::own {\n\nconst embedded_file embedded_files[] = {\n")
foreach(name ${NAMES})
  file(READ ${DIR}/${name} body)
  string(APPEND text "    {\"${name}\", R\"embedded(${body})embedded\"},\n")
endforeach()
string(APPEND text "    {nullptr, nullptr}};\n\n}  // namespace upsweep::lens::own\n")
file(WRITE ${OUT} "${text}")
