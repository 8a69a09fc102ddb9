// Starts the kernel in a dedicated worker. The page sends the address of the
// glue and the module it compiled, so that page and worker are always of one
// build and nothing is compiled twice.
self.onmessage = async ({ data: { glue, module } }) => {
  self.onmessage = null;
  const { default: init } = await import(glue);
  await init({ module_or_path: module });
};
