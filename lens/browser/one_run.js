// One run in an instance of its own: what is asked, as lens.cpp reads it, and what it answers, as text. "list" asks for the
// rungs. In a worker of the page, and in the tests.
async function lensRun(makeLens, module, asked) {
  const lens = await makeLens({
    instantiateWasm(imports, started) {
      WebAssembly.instantiate(module, imports).then(instance => started(instance, module));
      return {};
    },
  });
  return asked === 'list' ? lens.ccall('lens_list', 'string', [], []) : lens.ccall('lens_run', 'string', ['string'], [JSON.stringify(asked)]);
}
