// Small PDFs for the tests.

/** Puts objects (by their numbers from 1) into a PDF. */
function pdf(objects, trailer = '') {
  let text = '%PDF-1.7\n';
  const places = objects.map((object, at) => {
    const place = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const table = text.length;
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${table}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

/** A PDF with so many pages, each with its number and a black box; `more` goes into its catalogue. */
export function paper(pages, more = '') {
  const numbers = Array.from({ length: pages }, (_, n) => n);
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${more} >>`,
    `<< /Type /Pages /Count ${pages} /Kids [${numbers.map((n) => `${4 + 2 * n} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  for (const n of numbers) {
    const drawn = `0 0 100 50 re f BT /F 24 Tf 20 150 Td (Leaf number ${n + 1}) Tj ET`;
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Resources << /Font << /F 3 0 R >> >> /Contents ${5 + 2 * n} 0 R >>`);
    objects.push(`<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`);
  }
  return pdf(objects);
}

/** One that a password protects. */
export function lockedPaper() {
  const locks = `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${'11'.repeat(32)}> /U <${'22'.repeat(32)}> >>`;
  const id = `<${'33'.repeat(16)}>`;
  return pdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Count 0 /Kids [] >>', locks], `/Encrypt 3 0 R /ID [${id} ${id}]`);
}
