// Starts the kernel in a dedicated worker. The page sends the address of the
// glue and the module it compiled, so that page and worker are always of one
// build and nothing is compiled twice.
self.onmessage = async ({ data: { glue, module } }) => {
  self.onmessage = null;
  try {
    const { default: init } = await import(glue);
    await init({ module_or_path: module });
  } catch (error) {
    // The page hears of what is thrown, not of a promise that fails.
    reportError(error);
  }
};
