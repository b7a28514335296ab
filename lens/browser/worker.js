onmessage = async ({ data: { module, asked } }) => {
  try {
    postMessage(await lensRun(makeLens, module, asked));
  } catch (failure) {
    // Memory, or Asyncify's, that was used up: the machine stops where it is.
    postMessage(JSON.stringify({ error: `the lens stopped (${failure.message || failure}): choose a smaller n` }));
  }
};
