// Whether two names lead to one file: by another spelling, through links, by a second name of the same inode, or, where
// the file is not there yet, by the folder it would be made in.
#pragma once

#include <string>
#include <vector>

// A file as a command line names it; `option` is for the error's sentence. An empty path is no file, "-" is standard
// output or standard input.
struct file_named {
  std::string option, path;
};

// Before anything is read: every output is a file of its own, and none is one of these inputs.
void require_apart(const std::vector<file_named>& outputs, const std::vector<file_named>& inputs = {});

// Where a file of this name would come into being: the end of a chain of symbolic links that leads nowhere yet.
std::string end_of_links(const std::string& path);
