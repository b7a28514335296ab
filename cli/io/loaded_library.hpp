// A library that is loaded when a file needs it. Linking it would add its load time, and that of its dependencies, to
// every start of the command. Its functions are declared by the headers of the build.
#pragma once

#include <string>

class loaded_library {
 public:
  // Loads `name` as a linked program would find it; else from the folder found by this build. `what` is for error
  // messages.
  loaded_library(const char* what, const char* name, const char* folder);

  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(address(name));
  }

 private:
  void* address(const char* name) const;
  [[noreturn]] void fail(const std::string& how) const;

  const char *what_, *name_;
  void* at_;
};
