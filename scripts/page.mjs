// Reads tags out of the page as trunk writes it. Trunk serialises a parsed document, so its
// markup is regular and a full HTML parser is not needed.

/** The tags called `name`, each with its attributes and, for `script`, the text inside. */
export function tags(html, name) {
  const visible = html.replace(/<!--[\s\S]*?-->/g, '');
  const body = name === 'script' ? '([\\s\\S]*?)</script>' : '';
  const pattern = new RegExp(`<${name}(?=[\\s/>])((?:"[^"]*"|'[^']*'|[^'">])*)>${body}`, 'gi');
  return [...visible.matchAll(pattern)].map(([source, attributes, text]) => ({
    source,
    text,
    attributes: parseAttributes(attributes),
  }));
}

function parseAttributes(source) {
  const pattern = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;
  const found = {};
  for (const [, name, double, single, bare] of source.matchAll(pattern)) {
    found[name.toLowerCase()] = double ?? single ?? bare ?? '';
  }
  return found;
}

/** The modules that JavaScript text imports by a literal relative address. */
export function imports(script) {
  const pattern = /\b(?:import|export)\b[^'"();]*?\bfrom\s*['"](\.[^'"]+)['"]|\bimport\s*['"](\.[^'"]+)['"]/g;
  return [...script.matchAll(pattern)].map((match) => match[1] ?? match[2]);
}
