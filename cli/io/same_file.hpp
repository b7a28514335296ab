// Whether two names refer to one file: by another spelling, through links, by another name of the same inode, or, if
// the file does not exist, by the folder in which it would be created.
#pragma once

#include <string>
#include <vector>

// A file of the command line; `option` is for error messages. An empty path means no file, "-" standard output or
// standard input.
struct file_named {
  std::string option, path;
};

// Throws unless all outputs are different files, and none is one of these inputs.
void require_no_overlap(const std::vector<file_named>& outputs, const std::vector<file_named>& inputs = {});

// The path at which a file of this name would be created: the end of a chain of symbolic links to a file that does not
// exist.
std::string end_of_links(const std::string& path);
