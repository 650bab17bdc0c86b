/** Returns the text with more lines, in the line ends of the text. */
export function withLines(text: string, lines: readonly string[]): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' || text.endsWith('\n') ? '' : end;
  return `${text}${gap}${lines.map(line => line + end).join('')}`;
}
