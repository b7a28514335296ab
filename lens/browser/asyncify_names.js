// Emscripten wants to know of every import: Binaryen's Asyncify takes these four away before anything is run.
mergeInto(LibraryManager.library, {
  start_unwind: function () {},
  stop_unwind: function () {},
  start_rewind: function () {},
  stop_rewind: function () {},
});
