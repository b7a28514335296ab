// Runs the lens once in a new instance. The argument is a request as lens.cpp reads it, and the result is text. "list"
// returns the textbook variants. The worker of the page and the tests call it.
async function lensRun(makeLens, module, asked) {
  const lens = await makeLens({
    instantiateWasm(imports, started) {
      WebAssembly.instantiate(module, imports).then(instance => started(instance, module));
      return {};
    },
  });
  return asked === 'list' ? lens.ccall('lens_list', 'string', [], []) : lens.ccall('lens_run', 'string', ['string'], [JSON.stringify(asked)]);
}
