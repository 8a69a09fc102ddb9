// The files that lie beside this one: the build puts their names in the place of FILES.

/** The address of a file of ours. */
export const address = (name) => new URL(FILES[name], document.baseURI).href;
